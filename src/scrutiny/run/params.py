"""Parameters of a diagnostic from plain values, of the types that it declares."""

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Final

from pydantic import PydanticSchemaGenerationError, TypeAdapter, ValidationError

from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.given import refuse_odd_values

#: A number in a declared type.
_NUMBERS: Final = re.compile(r"\b(int|float)\b")


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
    known = [f.name for f in fields(kind)]
    for name in given:
        if name not in known:
            raise PlanError(f"{where}: {UnknownNameError('parameter', name, known)}")
    _must_tell_truth_from_numbers(kind, given, where)
    try:
        return _typed(kind, given)
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(str(part) for part in problem["loc"])
        said = problem["msg"].removeprefix("Input ").replace("valid tuple", "list")
        raise PlanError(f"{where}: {place} = {problem['input']!r} {said}.") from error
    except (TypeError, ValueError, PlanError) as error:
        raise PlanError(f"{where}: {error}") from error


def _must_tell_truth_from_numbers(kind: type[Any], given: Mapping[str, Any], where: str) -> None:
    """Refuse true and false where a number is meant: they would be taken for 1 and 0."""
    for name, value in given.items():
        if isinstance(value, bool) and _NUMBERS.search(said := _type_of(kind, name)):
            if "bool" not in said:
                raise PlanError(f"{where}: {name} = {value!r} should be a number.")


def _type_of(kind: type[Any], name: str) -> str:
    """Declared type of a field as text, whichever way its module writes annotations."""
    found = next(f.type for f in fields(kind) if f.name == name)
    return found if isinstance(found, str) else getattr(found, "__name__", str(found))


def _typed(kind: type[Any], given: Mapping[str, Any]) -> Any:
    """Parameters whose values have the types that the dataclass declares."""
    try:
        adapter = TypeAdapter(kind)
    except PydanticSchemaGenerationError:  # a plug-in's own types are its own to check
        return kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in given.items()})
    return adapter.validate_python(dict(given))
