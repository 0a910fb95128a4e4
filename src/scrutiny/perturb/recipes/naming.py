"""Attacks by their written form: ``bae(mode="R+I")``, ``pwws@1``."""

from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any, get_type_hints

from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.registry import registry
from scrutiny.perturb.engine.recipe_syntax import coerce, read_recipe, write_value
from scrutiny.perturb.recipes.attack import Attack


@lru_cache(maxsize=256)
def parse_attack(text: str) -> Attack:
    """Attack of its written form; a name without a version takes the newest.

    Raises
    ------
    PlanError
        If it does not read, or a value is of the wrong type.
    UnknownNameError
        For a name, a parameter or a choice that does not exist; near ones are in the message.

    Examples
    --------
    >>> name_of(parse_attack("pwws(variant=textattack)"))
    'pwws@1(variant=textattack)'
    """
    steps = read_recipe(text)
    if len(steps) != 1:
        raise PlanError(f"{text!r} names {len(steps)} attacks; an attack stands for itself.")
    name, written = steps[0]
    full = registry().resolve("attack", name)
    kind = registry().load("attack", full)
    hints = _parameters(kind)
    for key in written:
        if key not in hints:
            raise UnknownNameError(f"parameter of {full}", key, hints)
    read = {k: coerce(v, hints[k], of=f"{k!r} of {full}") for k, v in written.items()}
    attack: Attack = kind(**read)
    return attack


def name_of(attack: Attack) -> str:
    """Canonical form, which reads back: what differs from the defaults, in order."""
    if not is_dataclass(attack):
        return attack.id
    default = type(attack)()
    written = [
        f"{f.name}={write_value(value)}"
        for f in fields(attack)
        if (value := getattr(attack, f.name)) != getattr(default, f.name)
    ]
    return f"{attack.id}({','.join(written)})" if written else attack.id


def _parameters(kind: Any) -> dict[str, Any]:
    """Type of each parameter, in the order of their declaration."""
    if not is_dataclass(kind):
        return {}
    hints = get_type_hints(kind)
    return {f.name: hints[f.name] for f in fields(kind) if f.init}
