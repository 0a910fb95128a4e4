"""Assignments: estimates to compute from a run's records, kept in its manifest."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from scrutiny.core.boundary.json_text import canonical_json, plain
from scrutiny.core.design import EstimateSpec, Selector
from scrutiny.core.estimate import EstimateKey
from scrutiny.core.record import Measure
from scrutiny.core.statistic import Statistic
from scrutiny.reliability.along_axes import places_along
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.panel import columns_of
from scrutiny.store.run_folder import RunFolder

_TUPLES: Final = ("along", "beside", "presupposes")


@dataclass(frozen=True, slots=True)
class Assignment:
    """One specification on the records of one diagnostic, subject and dataset.

    ``measure`` is the measurement's identifier in the plan. ``within`` is the condition that all
    its records share: the captures of the family that are not random. ``base`` is the family that
    the subject was trained from, if the measurement has it; ``reference`` the family that it was
    measured beside, if the measurement names one. ``presupposes`` are assignments with the least
    value that each must have.
    """

    measure: str
    kind: str
    subject: str
    dataset: str
    measures: tuple[Measure, ...]
    spec: EstimateSpec
    within: Mapping[str, str]
    base: str = ""
    reference: str | None = None
    presupposes: tuple[tuple["Assignment", float], ...] = ()

    @property
    def condition(self) -> dict[str, object]:
        """Condition of the estimate: the specification's, within that of the family."""
        return {**self.spec.condition, **self.within}

    @property
    def key(self) -> EstimateKey:
        """Identity of the estimate."""
        return EstimateKey(
            diagnostic=self.kind,
            metric=self.spec.metric,
            subject=self.subject,
            reference=self.reference,
            dataset="+".join([self.dataset, *self.spec.beside]),
            role=self.spec.role,
            condition={**self.condition, **self.spec.at},
            group=self.spec.group,
        )

    @property
    def statistic(self) -> Statistic:
        """Its statistic, with its condition (a tolerance) and widths of needs."""
        metric = metric_of(self.spec.metric, self.measures)
        statistic = metric.of_condition(self.condition)
        at = next(iter(self.places), self.spec.at)
        names = (need.rpartition(".")[2] for need in statistic.needs)
        return statistic.of_widths(
            [len(columns_of(self.measures, name, at) or ()) for name in names]
        )

    @property
    def family(self) -> tuple[Hashable, ...]:
        """Key of the family of numbers that is tested together.

        They are of one measurement, one model in one condition, one dataset and one metric; the
        slices of each are a family of their own.
        """
        key, within = self.key, tuple(sorted(self.within.items()))
        items = canonical_json(key.condition) if self.spec.where else key.group
        about = (self.measure, self.subject, within, self.reference, key.dataset)
        return (*about, key.metric, key.role, bool(self.spec.where), items)

    @property
    def places(self) -> list[dict[str, int]]:
        """Indices of its axes at which it is computed."""
        axes = self.spec.along
        return [{**self.spec.at, **place} for place in places_along(self.measures, axes)]


@dataclass(frozen=True, slots=True)
class PlannedContrast:
    """One number of two assignments on one dataset: ``a`` minus ``b``, or a joint metric.

    ``is_paired`` says whether the replicates of both sides belong together; ``exact_at`` the share
    of misses that claims are about, where the interval of few misses is to be exact; ``how``
    is "-" or "/" between two metrics, or names a metric of both sides' measures; empty for one
    metric of two selections.
    """

    id: str
    a: Assignment
    b: Assignment
    is_paired: bool
    exact_at: float | None = None
    how: str = ""

    @property
    def family(self) -> tuple[Hashable, ...]:
        """Key of the family of differences that is tested together."""
        sides = (self.b.subject, self.b.spec.role, self.is_of_slices)
        return (*self.a.family, self.key.metric if self.how else "minus", *sides)

    @property
    def is_of_slices(self) -> bool:
        """Whether the sides are different slices."""
        return self.a.spec.where != self.b.spec.where

    @property
    def key(self) -> EstimateKey:
        """Identity of the estimate."""
        return self.a.key.beside(self.b.key, how=self.how, is_of_slices=self.is_of_slices)


@dataclass(frozen=True, slots=True)
class PlannedRelation:
    """Estimates to be related over replicates, each by its steps in the same order.

    ``steps`` are the conditions of the families that are not random, as canonical JSON. ``b`` is
    empty for what is of one estimate alone; ``how`` is as in `RelatePlan`.
    """

    id: str
    a: tuple[Assignment, ...]
    b: tuple[Assignment, ...]
    steps: tuple[str, ...]
    how: str = "correlation"

    @property
    def full(self) -> str:
        """Name among all estimates of the run."""
        return f"relate/{self.id}"

    @property
    def family(self) -> tuple[Hashable, ...]:
        """Key of the family of relations that is tested together: of one kind and metric."""
        return (self.how, *self.a[0].family)


def to_json(assignment: Assignment) -> dict[str, Any]:
    """Plain JSON of an assignment; its measures without their defaults, for it repeats them."""
    found = plain(replace(assignment, measures=(), presupposes=()))
    return {
        **found,
        "measures": [measure.to_json() for measure in assignment.measures],
        "presupposes": [[to_json(one), low] for one, low in assignment.presupposes],
    }


def from_json(data: Mapping[str, Any]) -> Assignment:
    """Assignment from plain JSON."""
    spec = dict(data["spec"])
    spec["sides"] = {name: Selector(**side) for name, side in spec["sides"].items()}
    return Assignment(
        measure=data["measure"],
        kind=data["kind"],
        subject=data["subject"],
        dataset=data["dataset"],
        measures=tuple(Measure.of(measure) for measure in data["measures"]),
        spec=EstimateSpec(**{**spec, **{name: tuple(spec.get(name, ())) for name in _TUPLES}}),
        within=data["within"],
        base=data["base"],
        reference=data.get("reference"),
        presupposes=tuple((from_json(one), low) for one, low in data.get("presupposes", ())),
    )


def assignments_of(folder: RunFolder) -> list[Assignment]:
    """Assignments that a finished run has computed."""
    return [from_json(line) for line in folder.manifest["specs"]]
