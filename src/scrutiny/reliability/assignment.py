"""Assignments: estimates of a run in their places, and differences and relations of them.

An assignment is an estimate of a design, `EstimateSpec`, with the measurement, the models and the
dataset whose records it reads, under a name that is unique in the run. The plan makes it, the
manifest keeps it, and it is computed from the records by the run, by a gate and by a comparison.
"""

import json
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from functools import lru_cache
from typing import Any, Final, TypeAlias

from scrutiny.core.boundary.json_text import canonical_json, plain
from scrutiny.core.design import Contrast, EstimateSpec, Selector
from scrutiny.core.estimate import EstimateKey
from scrutiny.core.record import Measure
from scrutiny.core.statistic import Statistic
from scrutiny.reliability.along_axes import places_along
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.panel import columns_of, sides_of


@dataclass(frozen=True, slots=True)
class Assignment(EstimateSpec):
    """Estimate in its place: on the records of one diagnostic, subject and dataset.

    Parameters
    ----------
    measure
        Identifier of the measurement in the plan.
    kind
        Its diagnostic, ``name@version#digest of the parameters``.
    subject, reference
        The family that it is of, and the one that the measurement has it beside, if any.
    dataset
        Name of the dataset in the plan.
    measures
        Measures of the records.
    within
        Condition that all its records share: the captures of the family that are not random.
    base
        The family that the subject was trained from, if the measurement has it.
    """

    _: KW_ONLY
    measure: str
    kind: str
    subject: str
    dataset: str
    measures: tuple[Measure, ...]
    presupposes: tuple[tuple["Assignment", float], ...] = ()
    within: Mapping[str, str] = field(default_factory=dict)
    base: str = ""
    reference: str | None = None

    @classmethod
    def of(cls, spec: EstimateSpec, *, measures: tuple[Measure, ...], **place: Any) -> "Assignment":
        """Estimate of a design in a place, with everything stated that follows from its metric.

        Parameters
        ----------
        spec
            The estimate.
        measures
            Measures of the records.
        place
            The rest of the place, and whatever differs there from the design: its name, say.
        """
        whole = spec.reading(sides_of(metric_of(spec.metric, measures), measures))
        stated = {one.name: getattr(whole, one.name) for one in fields(EstimateSpec)}
        return cls(**{**stated, "measures": measures, **place})

    @property
    def whole_condition(self) -> dict[str, object]:
        """Condition of the estimate: its own, within that of the family."""
        return {**self.condition, **self.within}

    @property
    def key(self) -> EstimateKey:
        """Identity of the number."""
        return EstimateKey(
            diagnostic=self.kind,
            metric=self.metric,
            subject=self.subject,
            reference=self.reference,
            dataset="+".join([self.dataset, *self.beside]),
            role=self.role,
            condition={**self.whole_condition, **self.at},
            group=self.group,
        )

    @property
    def statistic(self) -> Statistic:
        """Its statistic, with its condition (a tolerance) and widths of needs."""
        statistic = metric_of(self.metric, self.measures).of_condition(self.whole_condition)
        at = next(iter(self.places), self.at)
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
        items = canonical_json(key.condition) if self.where else key.group
        about = (self.measure, self.subject, within, self.reference, key.dataset)
        return (*about, key.metric, key.role, bool(self.where), items)

    @property
    def places(self) -> list[dict[str, int]]:
        """Indices of its axes at which it is computed."""
        return [{**self.at, **place} for place in places_along(self.measures, self.along)]

    def at_each(self) -> "Iterator[Assignment]":
        """The number at each index of its axes; itself if it is along none."""
        if not self.along:
            yield self
            return
        for place in self.places:
            name = "/".join([self.id, *(f"{axis}={n}" for axis, n in place.items())])
            yield replace(self, id=name, at=place, along=())

    @property
    def is_at_place(self) -> bool:
        """Whether it is of one index of its axes: one head among all."""
        return bool(self.at)

    @property
    def is_of_whole_records(self) -> bool:
        """Whether it reads one dataset of one family, including axes."""
        own = all(selector.of == "own" for selector in self.sides.values())
        return own and not (self.at or self.along or self.beside)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON; measures without their defaults, for it repeats them."""
        return {
            **plain(replace(self, measures=(), presupposes=())),
            "measures": [measure.to_json() for measure in self.measures],
            "presupposes": [[one.to_json(), low] for one, low in self.presupposes],
        }


@dataclass(frozen=True, slots=True)
class PlacedContrast(Contrast[Assignment]):
    """One number of two assignments: ``a - b``, or a metric of both; see `Contrast`."""

    @property
    def measure(self) -> str:
        """Identifier of the first side's measurement."""
        return self.a.measure

    @property
    def family(self) -> tuple[Hashable, ...]:
        """Key of the family of differences that is tested together."""
        sides = (self.b.subject, self.b.role, self.b.dataset, self.is_of_slices)
        return (*self.a.family, self.key.metric if self.how else "minus", *sides)

    @property
    def is_at_place(self) -> bool:
        """A difference is along no axes."""
        return False

    @property
    def is_of_slices(self) -> bool:
        """Whether the sides are different slices."""
        return self.a.where != self.b.where

    @property
    def is_of_datasets(self) -> bool:
        """Whether the sides are of different datasets, which share no items."""
        return self.a.key.dataset != self.b.key.dataset

    @property
    def key(self) -> EstimateKey:
        """Identity of the number."""
        return self.a.key.beside(self.b.key, how=self.how, is_of_slices=self.is_of_slices)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON; what is usual is left out."""
        found = {"id": self.id, "a": self.a.to_json(), "b": self.b.to_json()}
        stated = {"exact_at": self.exact_at, "how": self.how or None}
        usual = {name: value for name, value in stated.items() if value is not None}
        return {**found, "is_paired": self.is_paired, **usual}


@dataclass(frozen=True, slots=True)
class Relation(Contrast[tuple[Assignment, ...]]):
    """Relation of two numbers over replicates, each by its steps in the same order.

    ``b`` is empty for what is of one number alone; ``how`` is as in `RelatePlan`.
    """

    @property
    def full(self) -> str:
        """Name among all estimates of the run."""
        return f"relate/{self.id}"

    @property
    def family(self) -> tuple[Hashable, ...]:
        """Key of the family of relations that is tested together: of one kind and metric."""
        return (self.how, *self.a[0].family)


#: Numbers that are computed from records.
Number: TypeAlias = Assignment | PlacedContrast
_NAMES: Final = frozenset(one.name for one in fields(Assignment))
_TUPLES: Final = ("along", "beside")


def from_json(data: Mapping[str, Any]) -> Assignment:
    """Assignment from plain JSON.

    Runs of earlier versions have its estimate in a table of its own, ``spec``.
    """
    flat = {**data.get("spec", {}), **data}
    stated = {name: flat[name] for name in _NAMES & flat.keys()}
    return Assignment(
        **{
            **stated,
            **{name: tuple(stated.get(name, ())) for name in _TUPLES},
            "sides": {name: Selector(**side) for name, side in stated["sides"].items()},
            "measures": _measures(json.dumps(stated["measures"])),
            "where": stated.get("where") or "",
            "presupposes": tuple((from_json(one), low) for one, low in data.get("presupposes", ())),
        }
    )


@lru_cache(maxsize=64)  # the numbers of a measurement share them
def _measures(stated: str) -> tuple[Measure, ...]:
    return tuple(map(Measure.of, json.loads(stated)))


def assignments_in(manifest: Mapping[str, Any]) -> Iterator[Assignment]:
    """Assignments that a run has computed, from its manifest."""
    return map(from_json, manifest.get("specs", ()))


def differences_in(manifest: Mapping[str, Any]) -> Iterator[PlacedContrast]:
    """Differences that a run has computed, from its manifest."""
    for pair in manifest.get("contrasts", ()):
        yield PlacedContrast(**{**pair, "a": from_json(pair["a"]), "b": from_json(pair["b"])})
