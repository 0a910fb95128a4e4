"""Estimates and claims of the designs, under unique full names."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from scrutiny.core.answers.answer import label_in
from scrutiny.core.claim import Claim
from scrutiny.core.design import ContrastSpec, Design, EstimateSpec
from scrutiny.core.example import Example
from scrutiny.core.grouping import grouped
from scrutiny.core.languages import may_be
from scrutiny.core.model import Family
from scrutiny.core.plan import MeasurePlan, ModelPlan
from scrutiny.core.record import Measure
from scrutiny.core.suites.tests import originals
from scrutiny.data.dataset import Dataset
from scrutiny.models.strings.competence import read_competence
from scrutiny.models.strings.lineage import checkpoint_folder
from scrutiny.run.planning.assignment import Assignment, PlannedContrast
from scrutiny.run.planning.resolved import Resolved


@dataclass(frozen=True, slots=True)
class PlacedDesign:
    """Design with its place: a measurement, a family's condition, a dataset."""

    measure: str
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


def places(resolved: Resolved) -> Iterator[PlacedDesign]:
    """Places of every design, in plan order."""
    datasets = resolved.datasets
    units = {d.name: d.unit for d in resolved.plan.data}
    for measurement in resolved.measurements.values():
        for (name, data), design in measurement.designs.items():
            measures = resolved.measures(measurement, family=name, data=data)
            family = resolved.families[name]
            conditions = {str(sorted(r.condition.items())): r.condition for r in family.replicates}
            for within in conditions.values():
                yield PlacedDesign(
                    measure=measurement.plan.id,
                    kind=measurement.kind,
                    family=family,
                    dataset=data,
                    within=within,
                    measures=measures,
                    unit=datasets[data].unit_column(units[data]),
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
        for spec in _wanted(place):
            yield _assignment(place, spec, resolved)


def _assignment(place: PlacedDesign, spec: EstimateSpec, resolved: Resolved) -> Assignment:
    """Assignment of one specification of a design, with its presuppositions."""
    role = place.family.role if spec.role == "measured" else spec.role
    unit = place.unit if spec.unit == "item" else spec.unit
    by_id = {other.id: other for other in place.design.estimates}
    return Assignment(
        measure=place.measure,
        kind=place.kind,
        subject=place.family.name,
        dataset=place.dataset,
        measures=place.measures,
        spec=replace(spec, id=place.prefix + spec.id, role=role, unit=unit),
        within=place.within,
        base=base_of(
            place.family.name,
            plan=resolved.measurements[place.measure].plan,
            models=resolved.plan.models,
        ),
        reference=place.reference,
        presupposes=tuple(
            (_assignment(place, by_id[name], resolved), least) for name, least in spec.presupposes
        ),
    )


def base_of(family: str, *, plan: MeasurePlan, models: Sequence[ModelPlan]) -> str:
    """Base family that one was trained from, if the same measurement has it; else empty."""
    base = next(model.base for model in models if model.name == family)
    return base if base in plan.models else ""


def _wanted(place: PlacedDesign) -> Sequence[EstimateSpec]:
    """Specifications of a place that are used."""
    specs = place.design.estimates
    if place.family.role == "measured":
        return specs
    needed = {c.b for c in place.design.contrasts if c.minus == place.family.role}
    return [s for s in specs if s.id in needed] if needed else specs


def design_contrasts(
    resolved: Resolved, designed: Sequence[Assignment]
) -> Iterator[PlannedContrast]:
    """Contrasts that designs plan, of measured families with controls and references, in order."""
    by_name = {assignment.spec.id: assignment for assignment in designed}
    models = {model.name: model for model in resolved.plan.models}
    everywhere = list(places(resolved))
    for place in everywhere:
        if place.family.role != "measured":
            continue
        for spec in place.design.contrasts:
            other = next((p for p in everywhere if _is_other(p, place, spec, models)), None)
            if other is not None:
                names = [_names(side, resolved) for side in (place, other)]
                yield PlannedContrast(
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


def _is_other(
    other: PlacedDesign, place: PlacedDesign, spec: ContrastSpec, models: Mapping[str, ModelPlan]
) -> bool:
    """Whether a place holds the subtracted side of a contrast."""
    if spec.minus == "exchanged":
        way = (place.kind, place.dataset, place.within, place.reference, place.family.name)
        return way == (other.kind, other.dataset, other.within, other.family.name, other.reference)
    if (other.measure, other.dataset) != (place.measure, place.dataset):
        return False
    if spec.minus == "own":
        return other is place
    if spec.minus == "base":
        return other.family.name == models[place.family.name].base
    if spec.minus == "reference":
        return other.family.name == place.reference == other.reference
    return other.family.role == spec.minus and controls_for(
        models[place.family.name], models[other.family.name]
    )


def controls_for(model: ModelPlan, control: ModelPlan) -> bool:
    """Whether a control or null family belongs to a family, or to its base.

    What was trained from a model has that model's untrained networks, but no other's control task.
    """
    there_for = {"", model.name, *([model.base] if control.role == "null" else [])}
    return control.role in ("control", "null") and control.control_of in there_for


def design_claims(resolved: Resolved) -> Iterator[Claim]:
    """Claims of every design, and those beyond one dataset, with full names.

    Nothing is claimed of control and null families: they are there to be compared with.
    """
    by_dataset: dict[tuple[str, str], list[tuple[str, Claim]]] = {}
    models = {model.name: model for model in resolved.plan.models}
    everywhere = list(places(resolved))
    without_skill: dict[tuple[str, str], str] = {}
    for place in everywhere:
        if place.family.role != "measured":
            continue
        of = place.measure, place.dataset
        if of not in without_skill:
            without_skill[of] = _without_skill(resolved, *of)
        for claim in place.design.claims:
            named = _named(claim, place, everywhere, models=models)
            if claim.is_headline or _presupposes_level(claim):
                named = replace(named, no_skill=without_skill[of])
            if _needs_all(claim) and not named.refused:
                examples = _level_items(resolved, *of)
                named = replace(
                    named, refused=_one_class(resolved.datasets[place.dataset], examples)
                )
            yield named
            across = place.prefix.removesuffix(f"{place.dataset}/")
            by_dataset.setdefault((across, claim.id), []).append((place.dataset, named))
    for (prefix, name), members in by_dataset.items():
        if len(members) > 1:
            yield _on_every_dataset(prefix + name, members)


def _presupposes_level(claim: Claim) -> bool:
    """Whether a claim presupposes a score on its own data, and none of another diagnostic."""
    return bool(claim.competence) and not any(":" in name for name, _ in claim.competence)


def _without_skill(resolved: Resolved, measure: str, dataset: str) -> str:
    """Who gets the score of no skill on the items of a measurement, in words."""
    return resolved.tasks[dataset].without_skill(_level_items(resolved, measure, dataset))


def _level_items(resolved: Resolved, measure: str, dataset: str) -> list[Example]:
    """Items of a measurement whose score is compared with that of no skill."""
    examples = originals(resolved.measurements[measure].examples[dataset])
    return [example for example in examples if example.gold is not None]


def _named(
    claim: Claim,
    place: PlacedDesign,
    everywhere: Sequence[PlacedDesign],
    *,
    models: Mapping[str, ModelPlan],
) -> Claim:
    """Claim with full names instead of the design's own."""
    return replace(
        claim,
        id=place.prefix + claim.id,
        diagnostic=claim.diagnostic or place.kind.partition("@")[0],
        components=tuple(replace(c, estimate=place.prefix + c.estimate) for c in claim.components),
        family=place.prefix + claim.family if claim.family else "",
        gates=_on_record(place.family, place.within, claim.gates),
        refused=_refused(claim, place, everywhere, models=models) if claim.gates else claim.refused,
        competence=tuple(
            (_skill(name, place, everywhere), chance) for name, chance in claim.competence
        ),
        coverage=tuple(place.prefix + name for name in claim.coverage),
    )


def _needs_all(claim: Claim) -> bool:
    """Whether a claim needs a score above 1, which no skill reaches on a single class."""
    against = [c.limit for c in claim.components if c.against == "reference"]
    return any(limit >= 1.0 for limit in [*against, *(least for _, least in claim.competence)])


def _one_class(dataset: Dataset, examples: Sequence[Example]) -> str:
    """Reason why no skill can be shown on items of a single class; empty otherwise."""
    golds = set(filter(None, (label_in(example.gold) for example in examples)))
    if len(golds) != 1:
        return ""
    left_out = f" ({len(dataset.bad_rows):,} rows were left out)" if dataset.bad_rows else ""
    what = "originals in" if dataset.is_suite else "gold labels of"
    more = "add originals with another label" if dataset.is_suite else "give data with two classes"
    return (
        f"all {what} {dataset.name} are {golds.pop()!r}{left_out}, so a model that "
        f"always answers so gets everything right, and no score shows skill: {more}"
    )


def _refused(
    claim: Claim,
    place: PlacedDesign,
    everywhere: Sequence[PlacedDesign],
    *,
    models: Mapping[str, ModelPlan],
) -> str:
    """Reason to refuse a claim: the checkpoint of its family, or of one it is compared with."""
    said = [_refusal_of_claims(place.family, place.within, claim.gates)]
    components = {component.estimate for component in claim.components}
    others = {spec.minus: spec for spec in place.design.contrasts if spec.id in components}
    for spec in others.values():
        other = next((p for p in everywhere if _is_other(p, place, spec, models)), None)
        if other is not None and other.family is not place.family:
            why = _refusal_of_claims(other.family, other.within, claim.gates)
            said.append(why and f"{other.family.name}: {why}")
    return "; ".join(filter(None, said))


def _skill(name: str, place: PlacedDesign, everywhere: Sequence[PlacedDesign]) -> str:
    """Full name of an estimate that shows skill: the design's own, or another's in its language."""
    diagnostic, colon, own = name.partition(":")
    if not colon:
        return place.prefix + name
    for other in everywhere:
        is_same = other.family.name == place.family.name and other.within == place.within
        is_read = may_be(other.languages, place.languages)
        if is_same and is_read and other.kind.partition("@")[0] == diagnostic:
            if any(spec.id == own for spec in other.design.estimates):
                return other.prefix + own
    return name  # nobody computes it, which the gate says


def _on_every_dataset(name: str, members: list[tuple[str, Claim]]) -> Claim:
    """Claim that holds on every dataset, and presupposes skill on each."""
    first = members[0][1]
    components = tuple(
        replace(c, against=f"dataset {dataset}: {c.against}")
        for dataset, claim in members
        for c in claim.components
    )
    return replace(
        first,
        id=name,
        components=components,
        family=f"{first.family}/across" if first.family else "",
        competence=tuple(pair for _, claim in members for pair in claim.competence),
    )


def refused_on_records(
    claims: Sequence[Claim], sides: Mapping[str, Sequence[Assignment]], resolved: Resolved
) -> list[Claim]:
    """Claims of the plan itself; those on checkpoints that fail a gate are refused.

    A claim on a number presupposes the gates that the diagnostic's claims on it have, or, where
    it claims nothing of it, those that all its claims have.

    Parameters
    ----------
    claims
        With full names.
    sides
        What each number of the run is made of, by its full name.
    resolved
        The plan.
    """
    by_name = {(p.measure, p.family.name, p.dataset, str(p.within)): p for p in places(resolved)}
    judged = []
    for claim in claims:
        numbers = [side for part in claim.components for side in sides.get(part.estimate, ())]
        names = [(one.measure, one.subject, one.dataset, str(one.within)) for one in numbers]
        said = dict.fromkeys(map(_below, numbers, [by_name[name] for name in names]))
        judged.append(replace(claim, refused=claim.refused or "; ".join(filter(None, said))))
    return judged


def _below(side: Assignment, place: PlacedDesign) -> str:
    """Reason to refuse a claim of the plan on a number; or empty."""
    claims = place.design.claims
    own = side.spec.id.removeprefix(place.prefix)
    of_it = [c.gates for c in claims if own in {part.estimate for part in c.components}]
    every = [set(c.gates) for c in claims]
    gates = set().union(*of_it) if of_it else set.intersection(*every) if every else set()
    why = _refusal_of_claims(place.family, place.within, gates)
    within = ", ".join(f"{name} {value}" for name, value in place.within.items())
    return why and f"{place.family.name}{within and f', {within}'}: {why}"


def _refusal_of_claims(family: Family, within: Mapping[str, str], gates: Collection[str]) -> str:
    """Reason for a plan to refuse claims about replicates regardless of the numbers; or empty.

    Parameters
    ----------
    family
        The models.
    within
        Condition of the replicates that are meant.
    gates
        Names of the gates that a diagnostic presupposes; others may be failed.
    """
    below = grouped(
        (name, replicate.key or replicate.source)
        for replicate in family.replicates
        if replicate.condition == within
        for name, passed in _gates(replicate.source).items()
        if name in gates and not passed
    )
    return "; ".join(
        f"below the gate {name!r} of the competence record: {', '.join(who)}"
        for name, who in below.items()
    )


def _on_record(
    family: Family, within: Mapping[str, str], gates: Collection[str]
) -> tuple[str, ...]:
    """Gates that the records of all these replicates contain, in the order given."""
    records = [_gates(r.source) for r in family.replicates if r.condition == within]
    return tuple(name for name in gates if records and all(name in each for each in records))


@lru_cache(maxsize=256)
def _gates(source: str) -> Mapping[str, Any]:
    """Gates of a checkpoint's record; empty without a record."""
    folder = checkpoint_folder(source)
    record = None if folder is None else read_competence(folder)
    return {} if record is None else dict(record["gates"])
