"""Recipes of training nodes from plain values."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, get_type_hints

from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.run.planning.params import make_params


def make_recipe(kind: type[Any], given: Mapping[str, Any], *, where: str) -> Any:
    """Recipe of plain values; what an inner dataclass holds is named without it.

    ``{epochs = 3, hidden = 50}`` is a recipe with an architecture whose ``hidden`` is 50.

    Raises
    ------
    PlanError
        For a name that neither has (near ones are given), or a value that does not fit.
    """
    hints = get_type_hints(kind)
    inner = {f.name: hints[f.name] for f in fields(kind) if is_dataclass(hints[f.name])}
    if not inner:
        return make_params(kind, given, where=where)
    owner = {f.name: name for name, part in inner.items() for f in fields(part)}
    own = {f.name for f in fields(kind)} - set(inner)
    for name in given:
        if name not in own | set(owner):
            known = [*(f.name for f in fields(kind) if f.name in own), *owner]
            raise PlanError(f"{where}: {UnknownNameError('parameter', name, known)}")
    made = make_params(kind, {k: v for k, v in given.items() if k in own}, where=where)
    held = {name: {k: v for k, v in given.items() if owner.get(k) == name} for name in inner}
    parts = {name: make_params(part, held[name], where=where) for name, part in inner.items()}
    return replace(made, **parts)
