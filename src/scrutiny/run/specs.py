"""What a finished run is to compute from its records: specifications, kept in its manifest."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from scrutiny.core.canonical import plain
from scrutiny.core.claim import Claim
from scrutiny.core.diagnostic import Design, EstimateSpec, Selector
from scrutiny.run.resolve import Resolved


@dataclass(frozen=True, slots=True)
class Assignment:
    """One specification on the records of one diagnostic, subject and dataset.

    ``within`` is the condition that all its records share: the captures of the family that are
    not random.
    """

    kind: str
    subject: str
    dataset: str
    measures: tuple[str, ...]
    spec: EstimateSpec
    within: Mapping[str, str]


def assignments(resolved: Resolved) -> Iterator[Assignment]:
    """Assignments of every design, in plan order; their specifications have full names."""
    for place in _places(resolved):
        for spec in place.design.estimates:
            named = replace(spec, id=place.prefix + spec.id)
            yield Assignment(
                place.kind, place.family, place.dataset, place.measures, named, place.within
            )


def claims_of(resolved: Resolved) -> Iterator[Claim]:
    """Claims of every design, and those that hold beyond one dataset, with full names."""
    by_dataset: dict[tuple[str, str], list[tuple[str, Claim]]] = {}
    for place in _places(resolved):
        for claim in place.design.claims:
            named = _named(claim, place)
            yield named
            across = place.prefix.removesuffix(f"{place.dataset}/")
            by_dataset.setdefault((across, claim.id), []).append((place.dataset, named))
    for (prefix, name), members in by_dataset.items():
        if len(members) > 1:
            yield _across(prefix + name, members)


@dataclass(frozen=True, slots=True)
class _Place:
    """One design with where it applies."""

    measure: str
    kind: str
    family: str
    dataset: str
    within: Mapping[str, str]
    measures: tuple[str, ...]
    design: Design

    @property
    def prefix(self) -> str:
        """What makes names of the design unique in the plan."""
        within = "".join(f"[{k}={v}]" for k, v in sorted(self.within.items()))
        return f"{self.measure}/{self.family}{within}/{self.dataset}/"


def _places(resolved: Resolved) -> Iterator[_Place]:
    for measurement in resolved.measurements.values():
        for (family, data), design in measurement.designs.items():
            measures = measurement.diagnostic.measured(resolved.tasks[data])
            names = tuple(name for m in measures for name in _flat(m.name, m.size))
            replicates = resolved.families[family].replicates
            conditions = {str(sorted(r.condition.items())): r.condition for r in replicates}
            for within in conditions.values():
                yield _Place(
                    measurement.plan.id,
                    measurement.kind,
                    family,
                    data,
                    within,
                    names,
                    design,
                )


def _named(claim: Claim, place: _Place) -> Claim:
    """Claim with full names in place of the design's own."""
    prefix = place.prefix
    return replace(
        claim,
        id=prefix + claim.id,
        components=tuple(replace(c, estimate=prefix + c.estimate) for c in claim.components),
        family=prefix + claim.family if claim.family else "",
        competence=claim.competence and (prefix + claim.competence[0], claim.competence[1]),
    )


def _across(name: str, members: list[tuple[str, Claim]]) -> Claim:
    """Claim that holds on every dataset."""
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
    )


def _flat(name: str, size: int) -> list[str]:
    """Names of a measure's numbers: its own, or numbered from 1."""
    return [name] if size == 1 else [f"{name}.{i}" for i in range(1, size + 1)]


def to_json(assignment: Assignment) -> dict[str, Any]:
    """Plain JSON of an assignment."""
    return dict(plain(assignment))


def from_json(data: Mapping[str, Any]) -> Assignment:
    """Assignment of its plain JSON."""
    spec = dict(data["spec"])
    spec["sides"] = {name: Selector(**side) for name, side in spec["sides"].items()}
    return Assignment(
        kind=data["kind"],
        subject=data["subject"],
        dataset=data["dataset"],
        measures=tuple(data["measures"]),
        spec=EstimateSpec(**spec),
        within=data["within"],
    )
