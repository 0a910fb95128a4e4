"""What a plan may state: its tables, and a diagnostic's parameters, by their declared types."""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PydanticSchemaGenerationError,
    TypeAdapter,
    ValidationError,
)
from pydantic_core import PydanticCustomError

from scrutiny.core.boundary.given import refuse_odd_values
from scrutiny.core.boundary.parameters import known
from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.plan import RelationKind
from scrutiny.core.slice_syntax import WHERE


def _named(name: str) -> str:
    """The name, checked to be visible."""
    if not name.strip():
        raise PydanticCustomError("empty", "it is empty: give it a name")
    return name


def _whole(value: Any) -> Any:
    """The value; raises for what would be converted to a whole number: true, "3", 3.0."""
    if isinstance(value, bool):
        raise PydanticCustomError("truth", "it is true or false, not a number")
    if isinstance(value, str | float):
        raise PydanticCustomError(
            "whole", "input should be a valid integer, without a point and quotation marks"
        )
    return value


def _number(value: Any) -> Any:
    """The value; raises for texts and booleans."""
    if isinstance(value, bool | str):
        raise PydanticCustomError("number", "it should be a number, without quotation marks")
    return value


def _selected(value: Any) -> Any:
    """Selector; a text is a slice of the items."""
    return {WHERE: value} if isinstance(value, str) else value


#: Whole numbers of a plan.
_Whole = Annotated[int, BeforeValidator(_whole)]
#: Numbers of a plan.
_Number = Annotated[float, BeforeValidator(_number)]
#: Selector of an estimate; a text is a slice.
_Selector = Annotated[dict[str, Any], BeforeValidator(_selected)]
#: Roles of a family of models.
_Role = Literal["measured", "control", "null", "baseline"]
#: Names of a plan.
_Name = Annotated[str, AfterValidator(_named)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class _Data(_Strict):
    source: str
    task: str = ""
    unit: str = "item"
    limit: _Whole | str | None = None
    training: str = ""


class _StatedModel(_Strict):
    source: str
    random: tuple[str, ...] = ()
    role: _Role = "measured"
    seeds: tuple[_Whole, ...] = ()
    labels: dict[str, str] = Field(default_factory=dict)
    control_of: str = ""
    base: str = ""


class _Train(_Strict):
    name: _Name
    trainer: str = "finetune"
    source: str = Field(default="", alias="from")
    task: str = ""
    data: str
    dev: str = ""
    runs: _Whole | None = Field(default=None, ge=1)
    role: _Role = "measured"
    random: tuple[str, ...] = ()
    seeds: tuple[_Whole, ...] = ()
    params: dict[str, Any] = Field(default_factory=dict)
    control_of: str = ""


class _Measure(_Strict):
    id: _Name
    diagnostic: str
    models: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    params: dict[str, Any] = Field(default_factory=dict)
    nulls: _Whole | None = Field(default=None, ge=0, le=1000)
    items: _Whole | None = Field(default=None, ge=1)
    reference: str | tuple[str, ...] = ""
    both_ways: bool = False
    where: tuple[str, ...] = ()


class _Estimate(_Strict):
    id: _Name
    source: str = Field(alias="from")
    metric: str
    contrast: dict[str, _Selector] = Field(default_factory=dict)
    where: _Selector = Field(default_factory=dict)
    paired: bool | None = None


class _StatedSide(_Strict):
    source: str = Field(alias="from")
    metric: str
    where: _Selector = Field(default_factory=dict)


class _Relate(_Strict):
    id: _Name
    a: _StatedSide
    b: _StatedSide | None = None
    how: RelationKind = "correlation"


class _Claim(_Strict):
    says: str
    estimate: str
    rule: str
    checks: tuple[str, ...] = ("items", "seeds")
    level: _Number = Field(default=0.95, gt=0.5, lt=1)
    id: str = ""
    family: str = ""
    skill: dict[str, _Number] = Field(default_factory=dict)


class _Published(_Strict):
    id: _Name
    printed: str = ""
    measure: str = Field(default="", alias="from")
    metric: str = ""
    where: dict[str, Any] = Field(default_factory=dict)
    of: Literal["value", "sd", "p", "head", "count", "f1"] = "value"
    percent: bool = False
    sign: Literal["", "+", "-"] = ""
    level: _Number = Field(default=0.05, gt=0, lt=1)
    given: dict[str, str] = Field(default_factory=dict)
    released: str = ""
    claim: str = ""
    beside: bool = False
    unavailable: str = ""
    source: str = ""
    note: str = ""


class _Resampling(_Strict):
    draws: _Whole = Field(default=10_000, ge=100, le=1_000_000)
    method: Literal["crossed", "multi-bootstrap", "items"] = "crossed"
    level: _Number = Field(default=0.95, gt=0.5, lt=1)
    replicates: Literal["resample", "fixed", "each"] = "resample"


class _Plan(_Strict):
    seed: _Whole = 0
    on_bad_row: Literal["skip", "fail"] = "skip"
    where: tuple[str, ...] = ()
    data: dict[_Name, _Data] = Field(default_factory=dict)
    models: dict[_Name, _StatedModel] = Field(default_factory=dict)
    train: tuple[_Train, ...] = ()
    measure: tuple[_Measure, ...] = ()
    estimate: tuple[_Estimate, ...] = ()
    relate: tuple[_Relate, ...] = ()
    claim: tuple[_Claim, ...] = ()
    published: tuple[_Published, ...] = ()
    resampling: _Resampling = Field(default_factory=_Resampling)


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
        # Values are of the types that the dataclass declares: a list is a tuple, a whole number may
        # stand for a share, and no text or truth is a number.
        try:
            adapter = TypeAdapter(kind)
        except PydanticSchemaGenerationError:  # a type of a plug-in: its own checks have to do
            return kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in given.items()})
        return adapter.validate_json(json.dumps(given), strict=True)
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(str(part) for part in problem["loc"])
        said = problem["msg"].removeprefix("Input ").replace("valid array", "list")
        raise PlanError(f"{where}: {place} = {problem['input']!r} {said}.") from error
    except (TypeError, ValueError, PlanError, UnknownNameError) as error:
        raise PlanError(f"{where}: {error}") from error
