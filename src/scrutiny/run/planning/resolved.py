"""Resolved plan, ready to run, and its shards of work in plan order.

Shards are cut by items, never by worker or time.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from itertools import pairwise
from typing import Any, Final, Literal

from scrutiny.core.boundary.json_text import canonical_json, digest
from scrutiny.core.boundary.secrets import redacted
from scrutiny.core.claim import Claim
from scrutiny.core.columns.item_columns import Items
from scrutiny.core.design import Design
from scrutiny.core.diagnostic import ChangesTexts, Diagnostic
from scrutiny.core.model import Family, LoadOptions
from scrutiny.core.plan import MeasurePlan, Plan
from scrutiny.core.record import Measure
from scrutiny.core.task import Task
from scrutiny.data.attribute import TrainingSets
from scrutiny.data.dataset import Dataset
from scrutiny.data.labels import LabelMatch
from scrutiny.models.strings.adapters import without_limits
from scrutiny.reliability.assignment import Assignment, PlacedContrast, Relation
from scrutiny.run.planning.loading import ModelCard, ModelKey

_QUERIES_PER_SHARD: Final = 16_384
_SHARDS: Final = 256
_LEAST, _MOST = 16, 1_024  # a few thousand texts are shards enough for some workers
#: Second family and the index of its replicate, or None.
Beside = tuple[()] | tuple[str, int]


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """Shard: a range of items of one dataset, to be prepared or measured.

    Parameters
    ----------
    id
        Identity in the journal.
    stage
        ``prepare`` makes variants, ``measure`` makes records.
    measure
        Identifier of the measurement in the plan.
    dataset
        Name of the dataset.
    start, stop
        Positions of the items, half open.
    family, replicate
        Model family and index of the replicate; None for ``prepare``.
    reference
        Second family and position of its replicate, where the measurement names one.
    """

    id: str
    stage: Literal["prepare", "measure"]
    measure: str
    dataset: str
    start: int
    stop: int
    family: str = ""
    replicate: int = -1
    reference: Beside = ()

    @property
    def prepared_by(self) -> str:
        """Identity of the task that makes the variants of these items."""
        return _id("prepare", self.measure, self.dataset, self.start, *self.reference)


def shards_of(
    stage: Literal["prepare", "measure"],
    measure: str,
    dataset: str,
    items: int,
    *,
    size: int,
    of: Beside = (),
    reference: Beside = (),
) -> list[TaskSpec]:
    """Tasks that make the variants of a dataset, or that measure a replicate of a family on it.

    Parameters
    ----------
    items, size
        Number of items, and how many of them a task has at most.
    of
        Family, and index of the replicate that is measured.
    reference
        Second family and index of its replicate, if any.
    """
    shards = -(-items // size)  # as even as can be: a small last one leaves workers idle
    return [
        TaskSpec(
            _id(stage, measure, dataset, start, *of, *reference),
            *(stage, measure, dataset, start, stop),
            *(of or ("", -1)),
            reference,
        )
        for start, stop in pairwise(items * n // shards for n in range(shards + 1))
    ]


def shard_size(queries_per_item: int, *, items: int = 0, whole: int | None = None) -> int:
    """Items per shard: about ten seconds of a small model; all of them if ``whole``.

    Of very many ``items``, shards of few queries are larger, so that there are no thousands.
    """
    if whole is not None:
        return max(1, whole)
    most = max(_MOST, items // _SHARDS)
    return max(_LEAST, min(most, _QUERIES_PER_SHARD // max(1, queries_per_item)))


def _id(*parts: object) -> str:
    return "/".join(str(part) for part in parts)


@dataclass(frozen=True, slots=True)
class ReplicatePair:
    """Indices of a replicate and its reference, and the name of the pair.

    ``replicate`` is the canonical JSON of the random factors that the records carry.
    """

    position: int
    reference: int | None
    replicate: str | None


STAGES: Final = ("prepare", "measure")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Pairing(ModelCard):
    """Family on a dataset: its label mapping, and the card of its first replicate."""

    labels: LabelMatch

    @classmethod
    def of(cls, card: ModelCard, labels: LabelMatch) -> "Pairing":
        """Pairing of a card."""
        return cls(labels=labels, **{f.name: getattr(card, f.name) for f in fields(card)})

    @property
    def lengths(self) -> dict[str, int]:
        """Lengths of the axes that depend on the model."""
        return {"layer": self.n_layers, "head": self.n_heads}


@dataclass(frozen=True, slots=True, eq=False)
class Measurement:
    """One diagnostic of the plan, with its parameters and designs.

    ``designs`` are keyed by (family, dataset); ``cells`` are the replicates of each family, each
    with the replicate of the reference that it is measured beside; ``examples`` are the items of
    each dataset that it measures.
    """

    plan: MeasurePlan
    diagnostic: Diagnostic[Any]
    params: Any
    kind: str
    designs: Mapping[tuple[str, str], Design]
    cells: Mapping[str, tuple[ReplicatePair, ...]]
    examples: Mapping[str, Items]

    @property
    def references(self) -> tuple[int, ...]:
        """Indices of the reference's replicates that are queried; empty without a reference."""
        pairs = (pair for pairs in self.cells.values() for pair in pairs)
        return tuple(sorted({p.reference for p in pairs if p.reference is not None}))

    @property
    def searched_with(self) -> tuple[Beside, ...]:
        """References for which variants are prepared: None once, or each replicate."""
        found = tuple((self.plan.reference, position) for position in self.references)
        return found or ((),)

    def beside(self, pair: ReplicatePair) -> Beside:
        """Reference of a pair, as tasks name it."""
        return () if pair.reference is None else (self.plan.reference, pair.reference)

    def size(self, data: str) -> int:
        """Number of items per shard of a dataset."""
        items = len(self.examples[data])
        whole = items if self.diagnostic.scope == "dataset" else None
        designs = [d for (_, name), d in self.designs.items() if name == data]
        costs = [max(d.queries_per_item, d.search_per_item) for d in designs]
        return shard_size(max(costs, default=1), items=items, whole=whole)


@dataclass(frozen=True, slots=True)
class SliceSize:
    """Numbers of items of a dataset that are in a slice, and that are known not to be."""

    dataset: str
    where: str
    inside: int
    elsewhere: int


@dataclass(frozen=True, slots=True, eq=False)
class Resolved:
    """Everything that a run needs; can be sent to workers.

    ``assignments``, ``contrasts``, ``relations`` and ``claims`` are the designs' and the plan's
    own, under full names. ``slices`` are those that are asked for, with how many items they have.
    ``training`` reads the training sets that belong to the data.
    """

    plan: Plan
    datasets: Mapping[str, Dataset]
    families: Mapping[str, Family]
    pairings: Mapping[tuple[str, str], Pairing]
    measurements: Mapping[str, Measurement]
    tasks: Mapping[str, Task]
    options: LoadOptions
    assignments: tuple[Assignment, ...] = ()
    contrasts: tuple[PlacedContrast, ...] = ()
    relations: tuple[Relation, ...] = ()
    claims: tuple[Claim, ...] = ()
    slices: tuple[SliceSize, ...] = ()
    training: TrainingSets = field(default_factory=TrainingSets)

    def measures(self, measurement: Measurement, *, family: str, data: str) -> tuple[Measure, ...]:
        """Measures of a family's records on a dataset, with the lengths of axes filled in."""
        own = measurement.diagnostic.lengths(measurement.params)
        lengths = {**self.pairings[family, data].lengths, **own}
        return tuple(m.sized(lengths) for m in measurement.diagnostic.measured(self.tasks[data]))

    def texts(self, task: TaskSpec) -> int:
        """Largest number of texts that a task sends to its measured model."""
        if not task.family:
            return 0
        design = self.measurements[task.measure].designs[task.family, task.dataset]
        return (task.stop - task.start) * design.queries_per_item

    def shards(self, stage: str) -> Iterator[TaskSpec]:
        """Tasks of one stage that a run works off, in plan order."""
        for measurement in self.measurements.values():
            for name in measurement.plan.data:
                shards = partial(
                    shards_of,
                    measure=measurement.plan.id,
                    dataset=name,
                    items=len(measurement.examples[name]),
                    size=measurement.size(name),
                )
                if stage == "measure":
                    for family, pairs in measurement.cells.items():
                        for pair in pairs:
                            of, reference = (family, pair.position), measurement.beside(pair)
                            yield from shards("measure", of=of, reference=reference)
                elif isinstance(measurement.diagnostic, ChangesTexts):
                    for one in measurement.searched_with:
                        yield from shards("prepare", reference=one)

    def models_of(self, task: TaskSpec) -> list[ModelKey]:
        """Models that a task asks: the one that it measures, and its reference."""
        asked = [(task.family, task.replicate)] if task.family else []
        if task.reference:
            asked.append(task.reference)
        kind = self.tasks[task.dataset].name
        return [
            ModelKey(family, self.families[family].replicates[position].source, kind)
            for family, position in asked
        ]

    @property
    def identity(self) -> str:
        """Digest of everything that determines the records."""
        measured = {
            "seed": self.plan.seed,
            "measure": [m.kind for m in self.measurements.values()],
            "who": [
                (p.id, p.models, p.data, *filter(None, [p.reference, p.items]))
                for p in (m.plan for m in self.measurements.values())
            ],
            "data": {name: data.fingerprint for name, data in self.datasets.items()},
            "models": {
                name: [
                    (redacted(without_limits(r.source)), r.key, r.condition)
                    for r in family.replicates
                ]
                for name, family in self.families.items()
            },
            "pairings": {
                f"{family}/{data}": (pairing.fingerprint, dict(pairing.labels.mapping))
                for (family, data), pairing in self.pairings.items()
            },
        }
        return digest(canonical_json(measured))
