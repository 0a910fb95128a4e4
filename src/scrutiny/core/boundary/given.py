"""Check of numbers and nested values given by users, in one place.

NaN and infinities read as numbers everywhere (TOML has words for them, JSON's ``1e999`` is one),
and every comparison with NaN is false: a limit of NaN would be passed by anything. Values nested
without end stop whatever walks them. Both are refused before anything looks at them.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Final

from scrutiny.core.boundary.storable import is_storable
from scrutiny.core.errors import PlanError

#: Levels of lists and tables within each other; a plan needs about five.
DEEPEST: Final = 50
#: Bits of a whole number.
_LONGEST: Final = 1000


def refuse_odd_values(value: Any, *, where: str) -> None:
    """Raise for non-finite or very long numbers, unpaired surrogates, and too deep nesting.

    Parameters
    ----------
    value
        A number, or anything made of mappings, lists and dataclasses; other objects are let pass.
    where
        Origin of the value, named in the message ("plan.toml", "--margin").

    Raises
    ------
    PlanError
        With the place of the first value that is no finite number, holds half a character, or
        lies too deep.

    Examples
    --------
    >>> refuse_odd_values({"params": {"share": 0.2}}, where="plan.toml")
    """
    waiting: list[tuple[str, int, Any]] = [("", 0, value)]
    while waiting:
        place, depth, found = waiting.pop()
        problem = _problem(found)
        if problem:
            raise PlanError(f"{f'{where}: {place}' if place else where} {problem}")
        if depth > DEEPEST:
            raise PlanError(
                f"{where} cannot be read: {place[:40]}… holds values within values, more than "
                f"{DEEPEST} levels deep."
            )
        front = f"{place}." if place else ""
        waiting += reversed([(front + name, depth + 1, v) for name, v in _inside(found)])


def plain_given(value: Any) -> Any:
    """Value with NumPy scalars and arrays converted to Python's, at any depth.

    Examples
    --------
    >>> import numpy as np
    >>> plain_given({"names": np.array(["typos"]), "draws": np.int64(2)})
    {'names': ['typos'], 'draws': 2}
    """
    if isinstance(value, Mapping):
        return {plain_given(name): plain_given(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(plain_given(inner) for inner in value)
    return value.tolist() if type(value).__module__ == "numpy" else value


def path_given(value: Any, name: str) -> str | Path:
    """The value, checked to be a path or the name of one.

    Raises
    ------
    PlanError
        If it is anything else.
    """
    if isinstance(value, str | Path):
        return value
    raise PlanError(f"{name} must be a path, not an object of type {type(value).__name__}.")


def text_given(value: Any, name: str) -> str:
    """The value, checked to be a text.

    Raises
    ------
    PlanError
        If it is anything else.
    """
    if isinstance(value, str):
        return value
    raise PlanError(f"{name} must be a text, not an object of type {type(value).__name__}.")


def _problem(value: Any) -> str:
    """Problem with a single value; empty if there is none."""
    if isinstance(value, float) and not math.isfinite(value):
        return f"is {value}, and only finite numbers are allowed. Give a number such as 0.05."
    if isinstance(value, int) and value.bit_length() > _LONGEST:
        return "is a whole number of hundreds of digits, which is too long."
    if isinstance(value, str) and not is_storable(value):
        return f"is {value[:40]!r}, which holds half a surrogate pair: no file can keep it."
    return ""


def _inside(value: Any) -> Iterator[tuple[str, Any]]:
    """Values inside a value, by name or index."""
    if isinstance(value, Mapping):
        yield from ((f"name {name!r}", name) for name in value if not isinstance(name, float))
        yield from ((str(name), inner) for name, inner in value.items())
    elif isinstance(value, list | tuple):
        yield from ((str(number), inner) for number, inner in enumerate(value))
    elif is_dataclass(value) and not isinstance(value, type):
        yield from ((f.name, getattr(value, f.name)) for f in fields(value))
