"""Parameters of a diagnostic, from plain values of declared types."""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from pydantic import PydanticSchemaGenerationError, TypeAdapter, ValidationError

from scrutiny.core.boundary.given import refuse_odd_values
from scrutiny.core.boundary.limits import known
from scrutiny.core.errors import PlanError, UnknownNameError


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
    try:
        return _typed(kind, given)
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(str(part) for part in problem["loc"])
        said = problem["msg"].removeprefix("Input ").replace("valid array", "list")
        raise PlanError(f"{where}: {place} = {problem['input']!r} {said}.") from error
    except (TypeError, ValueError, PlanError, UnknownNameError) as error:
        raise PlanError(f"{where}: {error}") from error


def _typed(kind: type[Any], given: Mapping[str, Any]) -> Any:
    """Parameters with values of the types that the dataclass declares.

    A list is a tuple, and a whole number may stand for a share; no text or truth is a number.
    """
    try:
        adapter = TypeAdapter(kind)
    except PydanticSchemaGenerationError:  # a type of a plug-in: its own checks have to do
        return kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in given.items()})
    return adapter.validate_json(json.dumps(given), strict=True)
