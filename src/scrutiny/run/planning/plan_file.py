"""Plans in TOML or JSON files, with suggestions for typos."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, get_args

from pydantic import ValidationError

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
from scrutiny.run.planning.plan_schema import _Claim, _Estimate, _Measure, _Plan, _Strict

#: Checks that a claim can require, besides ``choices:NAME``.
CHECKS: Final = ("items", "seeds", "datasets")
#: Keys that hold a table for each of several.
_TABLES: Final = ("train", "measure", "estimate", "relate", "claim", "published")
#: Every model of a measurement is a reference in turn.
_EVERY: Final = "*"


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
        read = _Plan.model_validate(data)
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


def _measures(measure: _Measure, plan: _Plan, where: str) -> Iterator[MeasurePlan]:
    """Measurement, and with ``both_ways`` the one with target and reference exchanged.

    Several references are as many measurements of the same models: with ``*``, every ordered pair.
    """
    one = _measure(measure, plan)
    # References of a measurement that names several; ``*`` is its models without controls.
    if isinstance(measure.reference, tuple):
        several = tuple(dict.fromkeys(measure.reference))
    elif measure.reference != _EVERY:
        several = ()
    else:
        roles = {name: model.role for name, model in plan.models.items()}
        roles |= {node.name: node.role for node in plan.train}
        models = _measure(measure, plan).models
        several = tuple(name for name in models if roles.get(name, "measured") == "measured")
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
                models=tuple(dict.fromkeys((one.reference, target))),
                reference=target,
            )


def _measure(measure: _Measure, plan: _Plan) -> MeasurePlan:
    """Measurement; default models and data: all of the plan's."""
    return MeasurePlan(
        id=measure.id,
        diagnostic=measure.diagnostic,
        models=_once(measure.models) or (*plan.models, *(node.name for node in plan.train)),
        data=_once(measure.data) or tuple(plan.data),
        params=measure.params,
        nulls=measure.nulls,
        items=measure.items,
        where=measure.where,
        reference=measure.reference if isinstance(measure.reference, str) else "",
    )


def _estimate(estimate: _Estimate) -> EstimatePlan:
    """Estimate; a slice behind the metric is added to ``where``, two slices are its sides."""
    stated = estimate.model_dump()
    metric, slice_text, minus = metric_and_slices(estimate.metric)
    if minus and estimate.contrast:
        raise PlanError(f"estimate {estimate.id!r}: say {estimate.metric!r}, or a contrast.")
    if minus:
        sides = {"a": _selector(slice_text), "b": _selector(minus)}
        return EstimatePlan(**{**stated, "metric": metric, "contrast": sides})
    where = {**estimate.where, WHERE: joined(slice_text, estimate.where.get(WHERE, ""))}
    return EstimatePlan(
        **{**stated, "metric": metric, "where": where if where[WHERE] else estimate.where}
    )


def _claimed(plan: _Plan) -> Iterator[_Estimate]:
    """Estimates written in claims: a metric with its slice, or of two sides."""
    stated = {estimate.id for estimate in plan.estimate}
    for text in dict.fromkeys(claim.estimate for claim in plan.claim):
        is_written = " where " in text or asks_more(text)
        if is_written and text not in stated and len(plan.measure) == 1:
            yield _Estimate.model_validate({"id": text, "from": plan.measure[0].id, "metric": text})


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
    return found.replace("valid tuple", "list").replace("valid dictionary", "table")


def _keys(place: tuple[int | str, ...]) -> list[str]:
    """Keys allowed where an unknown one was found."""
    kind: Any = _Plan
    if len(place) > 1:
        table = _Plan.model_fields[str(place[0])].annotation
        of = (*get_args(table), table)
        kind = next(one for one in of if isinstance(one, type) and issubclass(one, _Strict))
    return [f.alias or name for name, f in kind.model_fields.items()]
