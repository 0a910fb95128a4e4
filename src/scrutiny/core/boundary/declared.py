"""Type check of plans made in Python: every value has the type that its field declares.

Files are checked as they are read; dataclasses check nothing, and a value of another type would end
anywhere in a run, in an error that speaks of something else.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin

from scrutiny.core.errors import PlanError

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
