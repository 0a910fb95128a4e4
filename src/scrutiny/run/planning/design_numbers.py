"""Numbers of the designs under unique full names, and those that a plan's estimate selects."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from scrutiny.core.boundary.parameters import known
from scrutiny.core.design import ContrastSpec, Design, EstimateSpec
from scrutiny.core.errors import PlanError
from scrutiny.core.estimate import fits, written
from scrutiny.core.expressions import names_metric
from scrutiny.core.model import Family
from scrutiny.core.plan import EstimatePlan, MeasurePlan, ModelPlan
from scrutiny.core.record import Measure
from scrutiny.core.slice_syntax import WHERE, joined, slice_of_values
from scrutiny.reliability.assignment import Assignment, PlacedContrast
from scrutiny.reliability.metrics import metric_name, metric_of
from scrutiny.run.planning.plan_slices import items_of, over, split_selector
from scrutiny.run.planning.resolved import Resolved


@dataclass(frozen=True, slots=True)
class PlacedDesign:
    """Design with its place: a measurement, a model's condition, a dataset."""

    measure: str
    model: ModelPlan
    kind: str
    family: Family
    dataset: str
    within: Mapping[str, str]
    measures: tuple[Measure, ...]
    unit: str
    design: Design
    reference: str | None = None
    languages: frozenset[str] = frozenset()

    @property
    def prefix(self) -> str:
        """Prefix that makes names of the design unique in the plan."""
        within = "".join(f"[{k}={v}]" for k, v in sorted(self.within.items()))
        return f"{self.measure}/{self.family.name}{within}/{self.dataset}/"

    def assigned(self, spec: EstimateSpec, **more: Any) -> Assignment:
        """Assignment of a specification in this place; ``more`` as `Assignment.of` takes it."""
        return Assignment.of(
            spec,
            measure=self.measure,
            kind=self.kind,
            subject=self.family.name,
            dataset=self.dataset,
            measures=self.measures,
            within=self.within,
            reference=self.reference,
            **more,
        )


def places(resolved: Resolved) -> Iterator[PlacedDesign]:
    """Places of every design, in plan order."""
    datasets = resolved.datasets
    plan = resolved.plan
    for measurement in resolved.measurements.values():
        for (name, data), design in measurement.designs.items():
            measures = resolved.measures(measurement, family=name, data=data)
            family = resolved.families[name]
            conditions = {str(sorted(r.condition.items())): r.condition for r in family.replicates}
            for within in conditions.values():
                yield PlacedDesign(
                    measure=measurement.plan.id,
                    model=plan.model(name),
                    kind=measurement.kind,
                    family=family,
                    dataset=data,
                    within=within,
                    measures=measures,
                    unit=datasets[data].unit_column(plan.dataset(data).unit),
                    design=design,
                    reference=measurement.plan.reference or None,
                    languages=datasets[data].languages,
                )


def design_assignments(resolved: Resolved) -> Iterator[Assignment]:
    """Assignments of every design, in plan order, with full names.

    What a design measures of a control or null family has that family's role; where the design
    says what is subtracted of such a family, the rest of it is not computed.
    """
    for place in places(resolved):
        # Specifications of a place that are used.
        wanted = place.design.estimates
        needed = {c.b for c in place.design.contrasts if c.minus == place.family.role}
        if place.family.role != "measured" and needed:
            wanted = tuple(spec for spec in wanted if spec.id in needed)
        for spec in wanted:
            yield _assignment(place, spec, resolved)


def _assignment(place: PlacedDesign, spec: EstimateSpec, resolved: Resolved) -> Assignment:
    """Assignment of one specification of a design, with its presuppositions."""
    return place.assigned(
        spec,
        id=place.prefix + spec.id,
        role=place.family.role if spec.role == "measured" else spec.role,
        unit=place.unit if spec.unit == "item" else spec.unit,
        base=base_of(place.model, resolved.measurements[place.measure].plan),
        presupposes=tuple(
            (_assignment(place, one, resolved), least) for one, least in spec.presupposes
        ),
    )


def base_of(model: ModelPlan, measure: MeasurePlan) -> str:
    """Base family that one was trained from, if the same measurement has it; else empty."""
    return model.base if model.base in measure.models else ""


def design_contrasts(
    resolved: Resolved, designed: Sequence[Assignment]
) -> Iterator[PlacedContrast]:
    """Contrasts that designs plan, of measured families with controls and references, in order."""
    by_name = {assignment.id: assignment for assignment in designed}
    everywhere = list(places(resolved))
    for place in everywhere:
        if place.family.role != "measured":
            continue
        for spec in place.design.contrasts:
            other = other_side(place, spec, everywhere)
            if other is not None:
                names = [_names(side, resolved) for side in (place, other)]
                yield PlacedContrast(
                    id=place.prefix + spec.id,
                    a=by_name[place.prefix + spec.a],
                    b=by_name[other.prefix + spec.b],
                    is_paired=other is place or (spec.is_paired and names[0] == names[1]),
                    exact_at=spec.exact_at,
                )


def _names(place: PlacedDesign, resolved: Resolved) -> set[str | None]:
    """Names of the replicates, or pairs of them, at a place."""
    cells = resolved.measurements[place.measure].cells[place.family.name]
    own = place.family.replicates
    return {pair.replicate for pair in cells if own[pair.position].condition == place.within}


def other_side(
    place: PlacedDesign, spec: ContrastSpec, everywhere: Iterable[PlacedDesign]
) -> PlacedDesign | None:
    """Place of the subtracted side of a contrast, the first of all places; None without one."""
    return next((p for p in everywhere if _is_other_side(p, place, spec)), None)


def _is_other_side(other: PlacedDesign, place: PlacedDesign, spec: ContrastSpec) -> bool:
    """Whether a place holds the subtracted side of a contrast."""
    if spec.minus == "exchanged":
        way = (place.kind, place.dataset, place.within, place.reference, place.family.name)
        return way == (other.kind, other.dataset, other.within, other.family.name, other.reference)
    if (other.measure, other.dataset) != (place.measure, place.dataset):
        return False
    if spec.minus == "own":
        return other is place
    if spec.minus == "base":
        return other.family.name == place.model.base
    if spec.minus == "reference":
        return other.family.name == place.reference == other.reference
    return other.family.role == spec.minus and controls_for(place.model, other.model)


def controls_for(model: ModelPlan, control: ModelPlan) -> bool:
    """Whether a control or null family belongs to a family, or to its base.

    What was trained from a model has that model's untrained networks, but no other's control task.
    """
    there_for = {"", model.name, *([model.base] if control.role == "null" else [])}
    return control.role in ("control", "null") and control.control_of in there_for


_IDENTITY: Final = ("subject", "reference", "dataset", "role", "group")


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
    there = [a for a in own if names_metric(plan.metric, a.metric)]
    metrics = sorted({a.metric for a in there}) or [metric_name(plan.metric)]
    if len(metrics) > 1:
        raise PlanError(
            f"estimate {plan.id!r}: {plan.metric} may be {' or '.join(metrics)}; say which."
        )
    (metric,) = metrics
    there = there or list(_of_records(plan, resolved, metric, where))
    found = [
        a for a in there if fits({**conditions_of(a), "role": a.role, "group": a.group}, where)
    ]
    for name, usual in (("role", "measured"), ("group", "all")):
        if name not in where:
            found = [a for a in found if getattr(a, name) == usual] or found
    found = [a for a in found if not a.along] or found  # one number, where there is one
    if not found:
        shown = "; ".join(dict.fromkeys(place_of(a) for a in there[:8]))
        raise PlanError(
            f"estimate {plan.id!r}: nothing fits {dict(where)}; {metric} is there for: {shown}."
        )
    for dataset in dict.fromkeys(a.dataset for a in found) if asked else ():
        place = f"estimate {plan.id!r}: no item of {dataset!r}"
        items_of(resolved, dataset).must_have(asked, where=place)
    return [over(one, asked) for one in found]


def conditions_of(assignment: Assignment) -> dict[str, object]:
    """What an assignment is told from others by."""
    return {
        **assignment.at,
        "subject": assignment.subject,
        **({} if assignment.reference is None else {"reference": assignment.reference}),
        "dataset": assignment.dataset,
        **assignment.whole_condition,
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
        yield place.assigned(EstimateSpec(plan.id, metric, own, role=role, unit=place.unit, at=at))


def place_of(assignment: Assignment) -> str:
    """Condition of an assignment, for identifiers and messages."""
    return "/".join([assignment.subject, assignment.dataset, *said_of(assignment.whole_condition)])


def said_of(condition: Mapping[str, object]) -> list[str]:
    """Names and values of a condition."""
    return [f"{name}={written(value)}" for name, value in condition.items()]
