"""Estimates and contrasts of the plan, resolved against the designs'."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from scrutiny.core.boundary.limits import known
from scrutiny.core.design import EstimateSpec, Selector
from scrutiny.core.errors import PlanError
from scrutiny.core.estimate import fits, written
from scrutiny.core.expressions import names_metric
from scrutiny.core.plan import EstimatePlan
from scrutiny.core.slice_syntax import WHERE, joined, slice_of_values
from scrutiny.reliability.asked import Asked, asked_of, partner
from scrutiny.reliability.metrics import metric_name, metric_of
from scrutiny.run.planning.assignment import Assignment, PlannedContrast
from scrutiny.run.planning.resolved import Resolved
from scrutiny.run.planning.slicing import contrast_over, items_of, over, split_selector
from scrutiny.run.planning.specs import places

_IDENTITY: Final = ("subject", "reference", "dataset", "role", "group")


def plan_assignments(
    resolved: Resolved, designed: Sequence[Assignment]
) -> Iterator[tuple[str, Assignment]]:
    """Estimates of the plan that are no contrasts: identifier in the plan, and assignment.

    Raises
    ------
    PlanError, UnknownNameError
        If one names a measurement, metric or condition that there is not.
    """
    for plan, asked in _written(resolved):
        if plan.contrast or asked.how:
            continue
        chosen = fitting(plan, resolved, designed)
        for one in chosen:
            name = plan.id if len(chosen) == 1 else f"{plan.id}/{_place(one)}"
            for end, where in _each(one, asked, resolved):
                new = over(one, where)
                yield plan.id, replace(new, spec=replace(new.spec, id=name + end))


def plan_contrasts(
    resolved: Resolved, designed: Sequence[Assignment]
) -> Iterator[tuple[str, PlannedContrast]]:
    """Contrasts that the plan itself asks for, with its identifier of each; one per dataset.

    Raises
    ------
    PlanError, UnknownNameError
        As `plan_assignments`; or if a side fits several estimates of one dataset.
    """
    for plan, asked in _written(resolved):
        if asked.how:
            yield from _of_two(plan, asked, resolved, designed)
        if not plan.contrast:
            continue
        if set(plan.contrast) != {"a", "b"}:
            raise PlanError(
                f"estimate {plan.id!r}: a contrast has the sides a and b, not "
                f"{', '.join(sorted(plan.contrast))}."
            )
        sides = [_side(plan, resolved, designed, name) for name in ("a", "b")]
        common = [dataset for dataset in sides[0] if dataset in sides[1]]
        if not common:
            raise PlanError(
                f"estimate {plan.id!r}: the sides share no dataset: a has "
                f"{', '.join(sides[0])}, b has {', '.join(sides[1])}. A contrast pairs items."
            )
        for dataset in common:
            name = plan.id if len(common) == 1 else f"{plan.id}/{dataset}"
            one, other = sides[0][dataset], sides[1][dataset]
            is_paired = _is_paired(resolved, one, other) if plan.paired is None else plan.paired
            for end, where in _each(one, asked, resolved):
                made = PlannedContrast(name + end, one, other, is_paired)
                yield plan.id, contrast_over(made, where) if where else made


def _written(resolved: Resolved) -> Iterator[tuple[EstimatePlan, Asked]]:
    """Estimates of the plan with their sides; a gain is written out as a contrast."""
    models = [name for name, one in resolved.families.items() if one.role == "measured"]
    for plan in resolved.plan.estimate:
        text = f"estimate {plan.id!r}"
        asked = asked_of(plan.metric, plan.where, models=models, text=text)
        (metric, where), *second = asked.sides
        if second and plan.contrast:
            raise PlanError(f"{text}: {plan.metric} has two sides already; leave `contrast` out.")
        if second and not asked.how:
            sides = {
                name: {"subject": side["subject"]}
                for name, (_, side) in zip("ab", asked.sides, strict=True)
            }
            rest = {name: value for name, value in where.items() if name != "subject"}
            yield replace(plan, metric=metric, where=rest, contrast=sides), asked
        elif asked.how:
            yield plan, asked
        else:
            yield replace(plan, metric=metric, where=where), asked


def _of_two(
    plan: EstimatePlan, asked: Asked, resolved: Resolved, designed: Sequence[Assignment]
) -> Iterator[tuple[str, PlannedContrast]]:
    """Two metrics of one selection; each is the measurement's own, or the only one's that has it.

    Raises
    ------
    PlanError
        If no estimate of one fits one of the other, or they have no common unit.
    """
    asked = asked.of_own(
        lambda metric: {n for a in designed if names_metric(metric, a.spec.metric) for n in _has(a)}
    )
    sides = []
    for metric, where in asked.sides:
        source = _source(plan, metric, designed)
        own = replace(plan, metric=metric, source=source, where=where)
        sides.append(fitting(own, resolved, designed))
    ones, others = sides
    has = [_has(other) for other in others]
    pairs = [(one, others[at]) for one in ones for at in partner(_has(one), has, asked)]
    if not pairs:
        (one, *_), (other, *_) = sides
        raise PlanError(
            f"estimate {plan.id!r}: the sides are of nothing in common: there is "
            f"{_place(one)}, and {_place(other)}."
        )
    for one, other in pairs:
        how = asked.between(one.spec.metric, other.spec.metric)
        made = PlannedContrast(plan.id, one, other, _is_paired(resolved, one, other), how=how)
        metric_of(made.key.metric, (*one.measures, *other.measures))  # it has to exist
        name = "/".join([plan.id, made.a.subject, made.a.dataset, *_said(made.key.condition)])
        for end, inside in _each(one, asked, resolved):
            new = contrast_over(made, inside) if inside else made
            yield plan.id, replace(new, id=(plan.id if len(pairs) == 1 else name) + end)


def _each(one: Assignment, asked: Asked, resolved: Resolved) -> Iterator[tuple[str, str]]:
    """End of the identifier and slice for each value of an axis; empty where nothing is added."""
    if not asked.each or asked.each in _has(one):
        yield "", ""
        return
    for value in items_of(resolved, one.dataset).values(asked.each):
        yield f"/{asked.each}={value}", slice_of_values({asked.each: value})


def _source(plan: EstimatePlan, metric: str, designed: Sequence[Assignment]) -> str:
    """Measurement of one of two metrics: the plan's, else the only one that is about it."""
    has = [a for a in designed if names_metric(metric, a.spec.metric)]
    about = {a.measure: None for a in has if a.spec.role == "measured"} or {
        a.measure: None for a in has
    }
    if plan.source in {a.measure for a in has} or not about:
        return plan.source
    if len(about) > 1:
        raise PlanError(
            f"estimate {plan.id!r}: {metric} is there in {' and '.join(about)}; say which with "
            "`from`."
        )
    return next(iter(about))


def _side(
    plan: EstimatePlan, resolved: Resolved, designed: Sequence[Assignment], name: str
) -> dict[str, Assignment]:
    """Assignment of one side, by dataset."""
    own = plan.contrast[name]
    both = joined(plan.where.get(WHERE, ""), own.get(WHERE, ""))
    where = {**plan.where, **own, **({WHERE: both} if both else {})}
    found: dict[str, Assignment] = {}
    for one in fitting(replace(plan, where=where), resolved, designed):
        if one.dataset in found:
            raise PlanError(
                f"estimate {plan.id!r}: side {name} fits more than one estimate of "
                f"{one.dataset!r}: {_place(found[one.dataset])} and {_place(one)}. Say which, "
                f"for instance {name} = {{ subject = {one.subject!r} }}."
            )
        found[one.dataset] = one
    return found


def fitting(
    plan: EstimatePlan, resolved: Resolved, designed: Sequence[Assignment]
) -> list[Assignment]:
    """Assignments with the measurement and metric of a plan's estimate, over its slice.

    Where the design does not compute the metric, one is made of the records themselves.

    Raises
    ------
    PlanError, UnknownNameError
        If nothing fits.
    """
    columns, where = split_selector(plan.where)
    items = {name: written(value) for name, value in columns.items()}
    asked = joined(slice_of_values(items), where.pop(WHERE, ""))
    place = f"estimate {plan.id!r}, from"
    known("measurement", [plan.source], resolved.measurements, where=place)
    own = [a for a in designed if a.measure == plan.source]
    there = [a for a in own if names_metric(plan.metric, a.spec.metric)]
    metrics = sorted({a.spec.metric for a in there}) or [metric_name(plan.metric)]
    if len(metrics) > 1:
        raise PlanError(
            f"estimate {plan.id!r}: {plan.metric} may be {' or '.join(metrics)}; say which."
        )
    (metric,) = metrics
    there = there or list(_of_records(plan, resolved, metric, where))
    found = [
        a for a in there if fits({**_has(a), "role": a.spec.role, "group": a.spec.group}, where)
    ]
    for name, usual in (("role", "measured"), ("group", "all")):
        if name not in where:
            found = [a for a in found if getattr(a.spec, name) == usual] or found
    found = [a for a in found if not a.spec.along] or found  # one number, where there is one
    if not found:
        shown = "; ".join(dict.fromkeys(_place(a) for a in there[:8]))
        raise PlanError(
            f"estimate {plan.id!r}: nothing fits {dict(where)}; {metric} is there for: {shown}."
        )
    for dataset in dict.fromkeys(a.dataset for a in found) if asked else ():
        place = f"estimate {plan.id!r}: no item of {dataset!r}"
        items_of(resolved, dataset).must_have(asked, where=place)
    return [over(one, asked) for one in found]


def _has(assignment: Assignment) -> dict[str, object]:
    """What an assignment is told from others by."""
    return {
        **assignment.spec.at,
        "subject": assignment.subject,
        **({} if assignment.reference is None else {"reference": assignment.reference}),
        "dataset": assignment.dataset,
        **assignment.condition,
    }


def _of_records(
    plan: EstimatePlan, resolved: Resolved, metric: str, where: Mapping[str, Any]
) -> Iterator[Assignment]:
    """Assignments that use a metric's measures directly from the records."""
    role = str(where.get("role", "measured"))
    for place in places(resolved):
        if place.measure != plan.source:
            continue
        names = {measure.name for measure in place.measures}
        needs = metric_of(metric, place.measures).needs
        lacking = [need for need in needs if need not in names]
        if lacking:
            designed = sorted({spec.metric for spec in place.design.estimates})
            raise PlanError(
                f"estimate {plan.id!r}: {metric} needs {', '.join(lacking)}, which the records of "
                f"{plan.source!r} do not have by themselves; its own metrics are "
                f"{', '.join(designed)}."
            )
        left_out = {*_IDENTITY, *place.within}
        own = {name: value for name, value in where.items() if name not in left_out}
        axes = {name for measure in place.measures for name, _ in measure.axes}
        at = {name: int(own.pop(name)) for name in sorted(axes & own.keys())}
        spec = EstimateSpec(
            id=plan.id,
            metric=metric,
            sides={"": Selector(role=role, condition=own)},
            role=role,
            condition=own,
            unit=place.unit,
            at=at,
        )
        yield Assignment(
            measure=place.measure,
            kind=place.kind,
            subject=place.family.name,
            dataset=place.dataset,
            measures=place.measures,
            spec=spec,
            within=place.within,
            reference=place.reference,
        )


def _is_paired(resolved: Resolved, one: Assignment, other: Assignment) -> bool:
    """Whether both sides are the same replicates of one family, in two conditions."""
    if one.subject != other.subject:
        return False
    family = resolved.families[one.subject]
    names = [
        [r.key for r in family.replicates if dict(r.condition) == dict(side.within)]
        for side in (one, other)
    ]
    return sorted(map(str, names[0])) == sorted(map(str, names[1]))


def _place(assignment: Assignment) -> str:
    """Condition of an assignment, for identifiers and messages."""
    return "/".join([assignment.subject, assignment.dataset, *_said(assignment.condition)])


def _said(condition: Mapping[str, object]) -> list[str]:
    """Names and values of a condition."""
    return [f"{name}={written(value)}" for name, value in condition.items()]
