"""Parameters of transformations and attacks: parsed, formatted and checked.

A value that no table has would change nothing and say nothing; it is refused with what is allowed.
Choices are those of a ``Literal``, and what a transformation names itself: its class attribute
``allowed`` maps a parameter to the values that its tables have.
"""

from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from functools import cache
from math import inf
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from scrutiny.core.boundary.limits import known
from scrutiny.core.errors import PlanError
from scrutiny.core.transformation import Transformation

#: Least and largest number by the name of a parameter, in every transformation of our own.
LIMITS: Final = {
    "draws": (1, inf),
    "least_cosine": (-1.0, 1.0),
    "least_probability": (0.0, 1.0),
    "least_tokens": (0, inf),
    "least_zipf": (0.0, inf),
    "longest": (1, inf),
    "most_alike": (1, inf),
    "senses": (1, inf),
    "shortest": (0, inf),
    "top": (1, inf),
}


def check_parameters(transformation: Transformation) -> None:
    """Refuse invalid values of a transformation's parameters.

    Raises
    ------
    UnknownNameError
        For a word that is no choice of the parameter; near ones, or all, are in the message.
    PlanError
        For a number that is out of range.

    Examples
    --------
    >>> from scrutiny.perturb.characters.surface import WordCase
    >>> check_parameters(WordCase(case="upper"))
    """
    if not is_dataclass(transformation):
        return
    name = transformation.id
    kind: Any = type(transformation)
    own = kind.__module__.startswith("scrutiny.")
    for key, choices in _choices(kind):
        known(f"choice of {key!r} of {name}", _each(getattr(transformation, key)), choices)
    for key in [f.name for f in fields(transformation) if own and f.name in LIMITS]:
        value, (low, high) = getattr(transformation, key), LIMITS[key]
        if value is not None and not low <= value <= high:
            most = "" if high == inf else f" and at most {high:g}"
            raise PlanError(f"{key!r} of {name} must be at least {low:g}{most}, not {value}.")


def _each(value: Any) -> Iterable[Any]:
    """Values of a parameter: one, several, or none if it is not fixed."""
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)


@cache
def _choices(kind: Any) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    """Parameters with a fixed set of choices, each with all of them."""
    hints = get_type_hints(kind)
    named = kind.allowed
    found = {f.name: tuple(named.get(f.name, ())) or _literals(hints[f.name]) for f in fields(kind)}
    return tuple((name, choices) for name, choices in found.items() if choices)


def _literals(hint: Any) -> tuple[Any, ...]:
    """Choices of a type with a fixed set of values, including "none" if that is allowed."""
    parts = [part for part in _parts(hint) if part is not NoneType]
    if not parts or any(get_origin(part) is not Literal for part in parts):
        return ()
    return tuple(choice for part in parts for choice in get_args(part))


def _parts(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
