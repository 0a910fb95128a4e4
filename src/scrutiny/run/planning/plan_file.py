"""Plans in TOML or JSON files, with suggestions for typos: the plan's own fields, as tables."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, replace
from pathlib import Path
from types import GenericAlias
from typing import Annotated, Any, Final, Literal, get_args, get_type_hints

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    create_model,
)
from pydantic_core import PydanticCustomError

from scrutiny.core.boundary.given import refuse_odd_values
from scrutiny.core.boundary.json_text import parse_json
from scrutiny.core.boundary.parameters import known
from scrutiny.core.claim import Claim, Component
from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.expressions import metric_and_slices
from scrutiny.core.plan import (
    DataPlan,
    EstimatePlan,
    MeasurePlan,
    ModelPlan,
    Plan,
    RelatePlan,
    Resampling,
    TrainPlan,
)
from scrutiny.core.published import PublishedPlan
from scrutiny.core.slice_syntax import WHERE, joined, parted, slice_of_values
from scrutiny.reliability.written_metrics import asks_more, parse_rule

#: Checks that a claim can require, besides ``choices:NAME``.
CHECKS: Final = ("items", "seeds", "datasets")
#: Keys that hold a table for each of several.
_TABLES: Final = ("train", "measure", "estimate", "relate", "claim", "published")
#: Every model of a measurement is a reference in turn.
_EVERY: Final = "*"


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


_Whole = Annotated[int, BeforeValidator(_whole)]
_Number = Annotated[float, BeforeValidator(_number)]
_Selector = Annotated[dict[str, Any], BeforeValidator(_selected)]
_Name = Annotated[str, AfterValidator(_named)]
#: How values of these declared types are read.
_READ: Final[Mapping[Any, Any]] = {
    int: _Whole,
    int | None: _Whole | None,
    int | str | None: _Whole | str | None,
    tuple[int, ...]: tuple[_Whole, ...],
    float: _Number,
}


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)


def _table(kind: type[Any], without: str = "", **stated: Any) -> Any:
    """Table of a plan: the fields of a dataclass, with their types and defaults.

    Parameters
    ----------
    kind
        The dataclass.
    without
        Names of the fields that no file states, with spaces between.
    stated
        Type and default of those that a file states otherwise, or besides.
    """
    hints = get_type_hints(kind)
    own: dict[str, Any] = {}
    for f in fields(kind):
        default: Any = f.default if f.default_factory is MISSING else f.default_factory()
        own[f.name] = (
            _READ.get(hints[f.name], hints[f.name]),
            ... if default is MISSING else default,
        )
    own = {name: of for name, of in own.items() if name not in without.split()}
    return create_model(kind.__name__, __base__=_Strict, **{**own, **stated})


def _several(table: Any) -> tuple[Any, Any]:
    """Type and default of a list of tables."""
    return GenericAlias(tuple, (table, ...)), ()


class _Claim(_Strict):
    says: str
    estimate: str
    rule: str
    checks: tuple[str, ...] = ("items", "seeds")
    level: _Number = Field(default=0.95, gt=0.5, lt=1)
    id: str = ""
    family: str = ""
    skill: dict[str, _Number] = Field(default_factory=dict)


_NAMED: Final = (_Name, ...)
_FROM: Final = (str, Field(alias="from"))
_ROLE: Final = (Literal["measured", "control", "null", "baseline"], "measured")
_FROM_ONE: Final = (_Whole | None, Field(default=None, ge=1))
_WHERE: Any = (_Selector, Field(default_factory=dict))
_DATA: Final = _table(DataPlan, "name")
_MODEL: Final = _table(ModelPlan, "name", role=_ROLE)
_TRAIN: Final = _table(
    TrainPlan,
    name=_NAMED,
    source=(str, Field(default="", alias="from")),
    task=(str, ""),
    runs=_FROM_ONE,
    role=_ROLE,
)
_MEASURE: Final = _table(
    MeasurePlan,
    "is_audit",
    id=_NAMED,
    models=(tuple[str, ...], ()),
    data=(tuple[str, ...], ()),
    nulls=(_Whole | None, Field(default=None, ge=0, le=1000)),
    items=_FROM_ONE,
    reference=(str | tuple[str, ...], ""),
    both_ways=(bool, False),
)
_SIDES: Any = (dict[str, _Selector], Field(default_factory=dict))
_ESTIMATE: Final = _table(EstimatePlan, id=_NAMED, source=_FROM, contrast=_SIDES, where=_WHERE)
_SIDE: Final = _table(EstimatePlan, "id contrast paired", source=_FROM, where=_WHERE)
_RELATE: Final = _table(RelatePlan, id=_NAMED, a=(_SIDE, ...), b=(_SIDE | None, None))
_PUBLISHED: Final = _table(
    PublishedPlan,
    id=_NAMED,
    measure=(str, Field(default="", alias="from")),
    level=(_Number, Field(default=0.05, gt=0, lt=1)),
)
_RESAMPLING: Final = _table(
    Resampling,
    draws=(_Whole, Field(default=10_000, ge=100, le=1_000_000)),
    level=(_Number, Field(default=0.95, gt=0.5, lt=1)),
)
_PLAN: Final = _table(
    Plan,
    "budget profile left_out",
    data=(GenericAlias(dict, (_Name, _DATA)), Field(default_factory=dict)),
    models=(GenericAlias(dict, (_Name, _MODEL)), Field(default_factory=dict)),
    train=_several(_TRAIN),
    measure=_several(_MEASURE),
    estimate=_several(_ESTIMATE),
    relate=_several(_RELATE),
    claim=_several(_Claim),
    published=_several(_PUBLISHED),
    resampling=(_RESAMPLING, Field(default_factory=_RESAMPLING)),
)


def read_plan(path: Path) -> Plan:
    """Plan from a TOML or JSON file.

    Raises
    ------
    PlanError
        With the file, the place and what is allowed there.
    """
    if path.suffix not in (".toml", ".json"):
        raise PlanError(f"The plan {str(path)!r} is neither a .toml nor a .json file.")
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise PlanError(f"The plan {str(path)!r} cannot be read: {error.strerror}.") from error
    try:
        data = parse_json(raw) if path.suffix == ".json" else tomllib.loads(raw.decode("utf-8-sig"))
    except ValueError as error:
        raise PlanError(f"The plan {str(path)!r} cannot be read: {error}.") from error
    except RecursionError:
        raise PlanError(
            f"The plan {str(path)!r} cannot be read: values within values, too deep to read."
        ) from None
    if not isinstance(data, dict):
        raise PlanError(f"The plan {str(path)!r} cannot be read: it must be an object with keys.")
    return plan_of(data, where=str(path))


def plan_of(data: Mapping[str, Any], *, where: str = "the plan") -> Plan:
    """Plan from plain values.

    Raises
    ------
    PlanError
        For an unknown key, a value of the wrong type, a missing one, or a number that is not
        finite.
    """
    refuse_odd_values(data, where=where)
    try:
        read = _PLAN.model_validate(data)
    except ValidationError as error:
        # One paragraph about everything that is wrong.
        parts = []
        for problem in error.errors():
            place = ".".join(str(part) for part in problem["loc"])
            if problem["type"] == "extra_forbidden":
                unknown = UnknownNameError("key", str(problem["loc"][-1]), _keys(problem["loc"]))
                parts.append(f"{place}: {unknown}")
            else:
                parts.append(f"{place}: {_said(problem['msg'], place)}")
        ended = (part if part.endswith((".", "?", "…")) else f"{part}." for part in parts)
        raise PlanError(f"{where} cannot be read. " + " ".join(ended)) from error
    return Plan(
        seed=read.seed,
        data=tuple(DataPlan(name, **d.model_dump()) for name, d in read.data.items()),
        models=tuple(ModelPlan(name, **m.model_dump()) for name, m in read.models.items()),
        train=tuple(TrainPlan(**t.model_dump()) for t in read.train),
        measure=tuple(one for m in read.measure for one in _measures(m, read, where)),
        estimate=tuple(_estimate(e) for e in (*read.estimate, *_claimed(read))),
        relate=tuple(
            RelatePlan(**{"b": None, **r.model_dump(by_alias=True, exclude_none=True)})
            for r in read.relate
        ),
        claim=tuple(_claim(c, number, where) for number, c in enumerate(read.claim, 1)),
        published=tuple(PublishedPlan(**p.model_dump()) for p in read.published),
        resampling=Resampling(**read.resampling.model_dump()),
        on_bad_row=read.on_bad_row,
        where=read.where,
    )


def _measures(measure: Any, plan: Any, where: str) -> Iterator[MeasurePlan]:
    """Measurement, and with ``both_ways`` the one with target and reference exchanged.

    By default it is of all models and data of the plan. Several references are as many
    measurements of the same models: with ``*``, every ordered pair.
    """
    roles = {name: model.role for name, model in plan.models.items()}
    roles |= {node.name: node.role for node in plan.train}
    reference = measure.reference
    several: tuple[str, ...] = ()
    one = MeasurePlan(
        models=_once(measure.models) or tuple(roles),
        data=_once(measure.data) or tuple(plan.data),
        reference=reference if isinstance(reference, str) else "",
        **measure.model_dump(exclude={"models", "data", "reference", "both_ways"}),
    )
    # References of a measurement that names several; ``*`` is its models without controls.
    if not isinstance(reference, str):
        several = _once(reference)
    elif reference == _EVERY:
        several = tuple(name for name in one.models if roles.get(name, "measured") == "measured")
    if several and measure.both_ways:
        raise PlanError(
            f"{where}: measure {one.id!r} names several references, so it goes all ways already: "
            "leave both_ways out."
        )
    for reference in several:
        yield replace(one, id=f"{one.id}-from-{reference}", reference=reference)
    if several:
        return
    yield one
    if not measure.both_ways:
        return
    if not one.reference:
        raise PlanError(
            f"{where}: measure {one.id!r} goes both ways and names no reference: add reference = "
            "and the name of one of its models."
        )
    for target in one.models:
        if target != one.reference:
            yield replace(
                one,
                id=f"{one.id}-from-{target}",
                models=(one.reference, target),
                reference=target,
            )


def _estimate(estimate: Any) -> EstimatePlan:
    """Estimate; a slice behind the metric is added to ``where``, two slices are its sides."""
    stated = estimate.model_dump()
    metric, slice_text, minus = metric_and_slices(estimate.metric)
    if minus and estimate.contrast:
        raise PlanError(f"estimate {estimate.id!r}: say {estimate.metric!r}, or a contrast.")
    if minus:
        stated["contrast"] = {"a": _selector(slice_text), "b": _selector(minus)}
    elif where := joined(slice_text, estimate.where.get(WHERE, "")):
        stated["where"] = {**estimate.where, WHERE: where}
    return EstimatePlan(**{**stated, "metric": metric})


def _claimed(plan: Any) -> Iterator[Any]:
    """Estimates written in claims: a metric with its slice, or of two sides."""
    stated = {estimate.id for estimate in plan.estimate}
    for text in dict.fromkeys(claim.estimate for claim in plan.claim):
        is_written = " where " in text or asks_more(text)
        if is_written and text not in stated and len(plan.measure) == 1:
            yield _ESTIMATE.model_validate({"id": text, "from": plan.measure[0].id, "metric": text})


def _selector(text: str) -> dict[str, Any]:
    """Selector of a side, parsed: the model, the dataset, and the slice."""
    equals, rest = parted(text)
    own = ("subject", "reference", "dataset")
    who = {name: value for name, value in equals.items() if name in own}
    asked = joined(slice_of_values({n: v for n, v in equals.items() if n not in who}), rest)
    return who | ({WHERE: asked} if asked else {})


def _once(names: tuple[str, ...]) -> tuple[str, ...]:
    """Distinct names: duplicates are measured once."""
    return tuple(dict.fromkeys(names))


def _claim(claim: _Claim, number: int, where: str) -> Claim:
    name = claim.id or f"claim-{number}"
    try:
        rule = parse_rule(f"value {claim.rule}")
        is_bare = rule.metric == "value" and not (rule.where or rule.slice or rule.minus)
    except PlanError:
        is_bare = False
    if not is_bare:
        raise PlanError(
            f"{where}: the rule {claim.rule!r} of claim {name!r} cannot be read. It compares the "
            "claim's estimate with a limit, a finite number: '> 0', '<= 5%'."
        )
    checks = [check for check in claim.checks if not check.startswith("choices:")]
    known("check", checks, [*CHECKS, "choices:NAME"], where=f"{where}: claim {name!r}")
    return Claim(
        id=name,
        says=claim.says,
        diagnostic="plan",
        components=(Component(claim.estimate, rule.limit, "reference", rule.operator),),
        family=claim.family,
        level=claim.level,
        checks=claim.checks,
        competence=tuple(claim.skill.items()),
    )


def _said(message: str, place: str) -> str:
    """Problem with a value, in TOML's terms."""
    found = message.lower()
    if found.endswith("valid tuple") and place in _TABLES:
        return f"it is a list of tables: write [[{place}]]"
    for kind, word in (("tuple", "list"), ("dictionary", "table"), ("mapping", "table")):
        found = found.replace(f"valid {kind}", word)
    return found


def _keys(place: tuple[int | str, ...]) -> list[str]:
    """Keys allowed where an unknown one was found."""
    kind: Any = _PLAN
    if len(place) > 1:
        table = _PLAN.model_fields[str(place[0])].annotation
        of = (*get_args(table), table)
        kind = next(one for one in of if isinstance(one, type) and issubclass(one, _Strict))
    return [f.alias or name for name, f in kind.model_fields.items()]
