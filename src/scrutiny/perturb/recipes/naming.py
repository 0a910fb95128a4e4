"""Attacks by their written form: ``bae(mode="R+I")``, ``pwws@1``."""

from functools import lru_cache

from scrutiny.core.errors import PlanError
from scrutiny.core.registry import registry
from scrutiny.perturb.engine.parameters import chosen_parameters, read_parameters
from scrutiny.perturb.engine.recipe_syntax import read_recipe, write_value
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
    attack: Attack = kind(**read_parameters(kind, written, of=full))
    return attack


def name_of(attack: Attack) -> str:
    """Canonical form, which reads back: what differs from the defaults, in order."""
    written = [f"{name}={write_value(value)}" for name, value in chosen_parameters(attack)]
    return f"{attack.id}({','.join(written)})" if written else attack.id
