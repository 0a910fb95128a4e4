"""Parameters of a diagnostic, from plain values of declared types."""

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Final

from pydantic import PydanticSchemaGenerationError, TypeAdapter, ValidationError

from scrutiny.core.boundary.given import refuse_odd_values
from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.limits import known

#: A number in a declared type.
_NUMBERS: Final = re.compile(r"\b(int|float)\b")
_TEXTS: Final = re.compile(r"\b(str|Literal|Any)\b")


def make_params(kind: type[Any], given: Mapping[str, Any], *, where: str) -> Any:
    """Parameters of a diagnostic from plain values.

    Raises
    ------
    PlanError
        For a name that it does not have (near ones are given), or a value of another type or that
        it refuses, or a number that is not finite.
    """
    if not is_dataclass(kind):
        raise PlanError(f"{where}: parameters must be a dataclass.")
    refuse_odd_values(given, where=where)
    known("parameter", given, [f.name for f in fields(kind)], where=where)
    _must_be_numbers(kind, given, where)
    try:
        return _typed(kind, given)
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(str(part) for part in problem["loc"])
        said = problem["msg"].removeprefix("Input ").replace("valid tuple", "list")
        raise PlanError(f"{where}: {place} = {problem['input']!r} {said}.") from error
    except (TypeError, ValueError, PlanError, UnknownNameError) as error:
        raise PlanError(f"{where}: {error}") from error


def _must_be_numbers(kind: type[Any], given: Mapping[str, Any], where: str) -> None:
    """Raise for values that would be converted: true for 1, "3" for 3, 3.0 for whole numbers."""
    for name, value in given.items():
        said = _type_of(kind, name)
        if not _NUMBERS.search(said):
            continue
        for one in _leaves(value):
            is_odd = (
                (isinstance(one, bool) and "bool" not in said)
                or (isinstance(one, str) and not _TEXTS.search(said))
                or (isinstance(one, float) and "float" not in said)
            )
            if is_odd:
                is_whole = "float" not in said and not isinstance(one, bool)
                what = "a valid integer" if is_whole else "a number"
                raise PlanError(f"{where}: {name} = {value!r} should be {what}.")


def _leaves(value: Any) -> Iterator[Any]:
    """Value, or the values nested inside."""
    inside = value.values() if isinstance(value, Mapping) else value
    if isinstance(value, Mapping | list | tuple):
        for one in inside:
            yield from _leaves(one)
    else:
        yield value


def _type_of(kind: type[Any], name: str) -> str:
    """Declared type of a field as text, however its module writes annotations."""
    found = next(f.type for f in fields(kind) if f.name == name)
    return found if isinstance(found, str) else inspect.formatannotation(found)


def _typed(kind: type[Any], given: Mapping[str, Any]) -> Any:
    """Parameters with values converted to the types that the dataclass declares."""
    try:
        adapter = TypeAdapter(kind)
    except PydanticSchemaGenerationError:  # a plug-in's own types are its own to check
        return kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in given.items()})
    return adapter.validate_python(dict(given))
