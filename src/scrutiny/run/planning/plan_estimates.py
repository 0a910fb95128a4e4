"""Estimates, contrasts and relations of the plan itself, resolved against the designs' numbers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.errors import PlanError
from scrutiny.core.expressions import names_metric
from scrutiny.core.plan import OF_ONE, EstimatePlan, RelatePlan
from scrutiny.core.slice_syntax import WHERE, joined, slice_of_values
from scrutiny.reliability.assignment import Assignment, PlacedContrast, Relation
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.written_metrics import AskedMetric, asked_of, partner
from scrutiny.run.planning.design_numbers import conditions_of, fitting, place_of, said_of
from scrutiny.run.planning.plan_slices import items_of, over
from scrutiny.run.planning.resolved import Resolved


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
            name = plan.id if len(chosen) == 1 else f"{plan.id}/{place_of(one)}"
            for end, where in _each(one, asked, resolved):
                new = over(one, where)
                yield plan.id, replace(new, id=name + end)


def plan_contrasts(
    resolved: Resolved, designed: Sequence[Assignment]
) -> Iterator[tuple[str, PlacedContrast]]:
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
        pairs = [(one, sides[1][name]) for name, one in sides[0].items() if name in sides[1]]
        if not pairs and len(sides[0]) == len(sides[1]) == 1:  # items of two datasets, drawn apart
            pairs = [(next(iter(sides[0].values())), next(iter(sides[1].values())))]
        if not pairs:
            raise PlanError(
                f"estimate {plan.id!r}: the sides share no dataset: a has "
                f"{', '.join(sides[0])}, b has {', '.join(sides[1])}. A contrast pairs items, or "
                'is of one dataset minus another: say which, as in a = { dataset = "new" }.'
            )
        for one, other in pairs:
            name = plan.id if len(pairs) == 1 else f"{plan.id}/{one.dataset}"
            is_paired = _is_paired(resolved, one, other) if plan.paired is None else plan.paired
            for end, where in _each(one, asked, resolved):
                made = PlacedContrast(name + end, one, other, is_paired)
                yield plan.id, over(made, where)


def _written(resolved: Resolved) -> Iterator[tuple[EstimatePlan, AskedMetric]]:
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
    plan: EstimatePlan, asked: AskedMetric, resolved: Resolved, designed: Sequence[Assignment]
) -> Iterator[tuple[str, PlacedContrast]]:
    """Two metrics of one selection; each is the measurement's own, or the only one's that has it.

    Raises
    ------
    PlanError
        If no estimate of one fits one of the other, or they have no common unit.
    """
    asked = asked.of_own(
        lambda metric: {
            n for a in designed if names_metric(metric, a.metric) for n in conditions_of(a)
        }
    )
    sides = []
    for metric, where in asked.sides:
        source = _source(plan, metric, designed)
        own = replace(plan, metric=metric, source=source, where=where)
        sides.append(fitting(own, resolved, designed))
    ones, others = sides
    has = [conditions_of(other) for other in others]
    pairs = [(one, others[at]) for one in ones for at in partner(conditions_of(one), has, asked)]
    if not pairs:
        (one, *_), (other, *_) = sides
        raise PlanError(
            f"estimate {plan.id!r}: the sides are of nothing in common: there is "
            f"{place_of(one)}, and {place_of(other)}."
        )
    for one, other in pairs:
        how = asked.between(one.metric, other.metric)
        made = PlacedContrast(plan.id, one, other, _is_paired(resolved, one, other), how=how)
        metric_of(made.key.metric, (*one.measures, *other.measures))  # it has to exist
        name = "/".join([plan.id, made.a.subject, made.a.dataset, *said_of(made.key.condition)])
        for end, inside in _each(one, asked, resolved):
            new = over(made, inside)
            yield plan.id, replace(new, id=(plan.id if len(pairs) == 1 else name) + end)


def _each(one: Assignment, asked: AskedMetric, resolved: Resolved) -> Iterator[tuple[str, str]]:
    """End of the identifier and slice for each value of an axis; empty where nothing is added."""
    if not asked.each or asked.each in conditions_of(one):
        yield "", ""
        return
    for value in items_of(resolved, one.dataset).values(asked.each):
        yield f"/{asked.each}={value}", slice_of_values({asked.each: value})


def _source(plan: EstimatePlan, metric: str, designed: Sequence[Assignment]) -> str:
    """Measurement of one of two metrics: the plan's, else the only one that is about it."""
    has = [a for a in designed if names_metric(metric, a.metric)]
    about = {a.measure: None for a in has if a.role == "measured"} or {a.measure: None for a in has}
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
                f"{one.dataset!r}: {place_of(found[one.dataset])} and {place_of(one)}. Say which, "
                f"for instance {name} = {{ subject = {one.subject!r} }}."
            )
        found[one.dataset] = one
    return found


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


def plan_relations(resolved: Resolved, designed: Sequence[Assignment]) -> Iterator[Relation]:
    """Relations that the plan asks for, each resolved to the designs' estimates.

    Raises
    ------
    PlanError, UnknownNameError
        If a side names nothing, or several estimates, is missing or one too many, or the sides
        share no step.
    """
    for plan in resolved.plan.relate:
        if (plan.b is None) != (plan.how in OF_ONE):
            raise PlanError(
                f"relate {plan.id!r}: a {plan.how} is of "
                f"{'a alone, so leave b out' if plan.b else 'two sides, a and b'}."
            )
        a = _related_side(plan, "a", resolved, designed)
        b = a if plan.b is None else _related_side(plan, "b", resolved, designed)
        if plan.how != "correlation":
            sides = _one(plan, a), _one(plan, b) if plan.b else ()
            yield Relation(plan.id, *sides, how=plan.how)
            continue
        shared = tuple(step for step in a if step in b)
        if not shared:
            raise PlanError(
                f"relate {plan.id!r}: a is there for {', '.join(a)} and b for {', '.join(b)}; "
                "they share no condition of the model family."
            )
        one, other = (tuple(side[step] for step in shared) for side in (a, b))
        yield Relation(plan.id, one, other, how=plan.how)


def _one(plan: RelatePlan, side: Mapping[str, Assignment]) -> tuple[Assignment]:
    """The only assignment of a side."""
    if len(side) > 1:
        raise PlanError(
            f"relate {plan.id!r}: a {plan.how} is of one condition of the models, and there are "
            f"{', '.join(side)}. Say which with where = {{ ... }}."
        )
    (one,) = side.values()
    return (one,)


def _related_side(
    plan: RelatePlan, name: str, resolved: Resolved, designed: Sequence[Assignment]
) -> dict[str, Assignment]:
    """Assignment of one side by the condition of its family."""
    stated: Mapping[str, Any] = getattr(plan, name)
    wanted = EstimatePlan(
        f"{plan.id}/{name}", stated["from"], stated["metric"], where=stated.get("where", {})
    )
    found: dict[str, Assignment] = {}
    for one in fitting(wanted, resolved, designed):
        step = canonical_json(dict(one.within))
        if step in found:
            raise PlanError(
                f"relate {plan.id!r}: side {name} fits several estimates: "
                f"{found[step].id} and {one.id}. Say which with where = {{ ... }}."
            )
        found[step] = one
    return found
