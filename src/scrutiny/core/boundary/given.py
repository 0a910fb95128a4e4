"""Check of values given in Python: numbers, nesting, and the types that fields declare.

NaN and infinities read as numbers everywhere (TOML has words for them, JSON's ``1e999`` is one),
and every comparison with NaN is false: a limit of NaN would be passed by anything. Values nested
without end stop whatever walks them. Both are refused before anything looks at them. Dataclasses
check nothing, and a value of another type would end anywhere in a run, in an error that speaks of
something else; so plans made in Python are checked field by field, as files are while they are
read.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin

from scrutiny.core.boundary.printable import is_storable
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


_WORDS: Final = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    NoneType: "nothing",
}


def must_be_declared(value: Any, *, where: str) -> None:
    """Raise if a dataclass holds a value that is not of its field's declared type.

    Parameters
    ----------
    value
        A dataclass; dataclasses inside it are checked, too. A list will do for a tuple.
    where
        Name of the object in the message ("The plan").

    Raises
    ------
    PlanError
        With the place of the first such value, its type and what is allowed.

    Examples
    --------
    >>> from scrutiny.core.plan import DataPlan
    >>> must_be_declared(DataPlan("x", "csv:dev.csv", limit=20), where="The data")
    """
    for place, found, kind in _mismatches(value, ""):
        raise PlanError(f"{where}: {place} is {_short(found)}, and it must be {_said(kind)}.")


def _mismatches(value: Any, place: str) -> Iterator[tuple[str, Any, Any]]:
    """Place, value and declared type of each value of another type."""
    for field in fields(value):
        inner, name = getattr(value, field.name), f"{place}{field.name}"
        if not _fits(inner, field.type):
            yield name, inner, field.type
            continue
        several = inner if isinstance(inner, list | tuple) else [inner]
        for number, one in enumerate(several):
            if is_dataclass(one) and not isinstance(one, type):
                yield from _mismatches(one, f"{name}.{number}." if several is inner else f"{name}.")


def _fits(value: Any, kind: Any) -> bool:
    origin, inside = get_origin(kind), get_args(kind)
    if origin is Literal:
        return value in inside
    if origin in (Union, UnionType):
        return any(_fits(value, one) for one in inside)
    if origin is tuple:
        return isinstance(value, list | tuple) and _fit_each(value, inside)
    if origin is not None:
        return isinstance(value, Mapping) and all(
            _fits(k, inside[0]) and _fits(v, inside[1]) for k, v in value.items()
        )
    if kind in (int, float):
        return isinstance(value, int | kind) and not isinstance(value, bool)
    return not isinstance(kind, type) or kind is Any or isinstance(value, kind)


def _fit_each(values: Sequence[Any], kinds: Sequence[Any]) -> bool:
    """Whether all items have the one type, or each has its own."""
    if kinds[-1] is Ellipsis:
        return all(_fits(value, kinds[0]) for value in values)
    return len(values) == len(kinds) and all(map(_fits, values, kinds))


def _said(kind: Any) -> str:
    """Description of a type."""
    origin, inside = get_origin(kind), get_args(kind)
    if origin is Literal:
        return f"one of {', '.join(map(repr, inside))}"
    if origin in (Union, UnionType):
        return " or ".join(_said(one) for one in inside)
    if origin is tuple:
        return f"a list, each of its items {_said(inside[0])}"
    if origin is not None:
        return "a dict" if inside[1] is Any else f"a dict, each of its values {_said(inside[1])}"
    return _WORDS.get(kind) or f"a {getattr(kind, '__name__', kind)}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
