"""Two runs on the items that both measured: level and answer of each, replicate by replicate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from scrutiny.core.boundary.canonical import canonical_json
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.example import Example
from scrutiny.core.plan import Resampling
from scrutiny.core.record import Counts, Measure
from scrutiny.diagnostics.similarity.answers import Labels
from scrutiny.reliability.estimate import estimate
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.panel import Panel, Side
from scrutiny.reliability.statistics import ENTITY_F1
from scrutiny.run.estimating.contrasts import Meeting
from scrutiny.run.planning.assignment import Assignment
from scrutiny.stats.resampling.weights import Units
from scrutiny.store.run_folder import RunFolder

Floats = NDArray[np.float64]
Replicates = Sequence[tuple[int, int]]
#: Labels (choices) that both sides have for each item, or the code of why there are none.
ItemLabels = tuple[Labels, ...] | str
#: Statistic of taggers: of counts over all items; side by side each item has its own.
TAGGING: Final = ENTITY_F1.id
#: Statistics whose value is the mean of one measure of an item, or is looked at item by item.
LEVELS: Final = ("accuracy@1", "mean@1", TAGGING)


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What one run answered to the shared items.

    Parameters
    ----------
    labels
        ``(replicate, item)`` labels or texts, or the JSON of spans; None where there is none.
    scores
        ``(replicate, item, label)`` probabilities, 0 behind those of items with fewer choices;
        nothing where some are missing.
    are_spans, are_texts
        Whether what was answered are spans, or free texts.
    """

    labels: NDArray[np.object_]
    scores: Floats | None
    are_spans: bool = False
    are_texts: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """One level of two runs, on the items that both have.

    Parameters
    ----------
    meeting
        Values ``(replicate, item, 1)`` of the first run and of the second.
    examples
        The items, as the first run has them.
    metric
        Versioned name of the statistic.
    is_paired
        Whether replicate k of one belongs to replicate k of the other.
    resampling, seed
        Of the first run.
    sign
        1 where more is better, -1 where less is.
    answers
        Of both runs; nothing where one keeps none.
    labels
        Labels or choices of each item, in the order of either side's probabilities; or the code of
        why its answers are no labels.
    parts
        Items of each dataset that was pooled.
    """

    meeting: Meeting
    examples: tuple[Example, ...]
    metric: str
    is_paired: bool
    resampling: Resampling
    seed: int
    sign: int = 1
    answers: tuple[Answers, Answers] | None = None
    labels: ItemLabels = "no_labels"
    parts: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)

    @property
    def first(self) -> Floats:
        """Values of the first run ``(replicate, item)``."""
        return self.meeting.values[0][..., 0]

    @property
    def second(self) -> Floats:
        """Values of the second run ``(replicate, item)``."""
        return self.meeting.values[1][..., 0]

    @property
    def units(self) -> Units:
        """What is drawn together."""
        return self.meeting.units or Units.of(len(self.examples))

    @property
    def is_hit(self) -> bool:
        """Whether items are right or wrong."""
        return self.metric == "accuracy@1"

    @property
    def is_share(self) -> bool:
        """Whether items may be partly right: scores from 0 to 1 that are no hits."""
        sides = (self.first, self.second)
        within = all(bool(((side >= 0) & (side <= 1)).all()) for side in sides)
        return not self.is_hit and within

    @property
    def change(self) -> Floats:
        """Change of each item ``(item,)``, second minus first, a mean over replicates."""
        found: Floats = self.second.mean(axis=0) - self.first.mean(axis=0)
        return found

    def pairs(self) -> list[tuple[int, int]]:
        """Replicates that are held against each other.

        By name where both sides have the same; by order where they have as many; a single one
        against each of the other's; else the first ones of both.
        """
        ours, theirs = self.meeting.names
        if set(ours) == set(theirs):
            return [(i, theirs.index(name)) for i, name in enumerate(ours)]
        if 1 in (len(ours), len(theirs)):
            return [(i, k) for i in range(len(ours)) for k in range(len(theirs))]
        return [(k, k) for k in range(min(len(ours), len(theirs)))]

    def part(self, rows: NDArray[np.int64]) -> "Sides":
        """The same two sides on some of their items, without answers."""
        codes = self.units.code[rows]
        meeting = replace(
            self.meeting,
            values=(self.meeting.values[0][:, rows], self.meeting.values[1][:, rows]),
            counts=Counts(n=rows.size),
            units=Units.of(rows.size, codes, strata=self.units.stratum[codes]),
        )
        examples = tuple(self.examples[k] for k in rows.tolist())
        return replace(self, meeting=meeting, examples=examples, answers=None)

    def estimate(
        self, metric: str, numbers: Mapping[str, Floats], *, is_drawn: bool = True
    ) -> Estimate | None:
        """Value of a metric with its interval over items and pairs of replicates.

        Parameters
        ----------
        metric
            Versioned name.
        numbers
            Measures ``(pair, item)`` by name.
        is_drawn
            Whether items are drawn for the interval; else the value alone is of use.

        Returns
        -------
        Estimate
            Nothing where a measure that the metric needs is not there.
        """
        statistic = metric_of(metric)
        if not set(statistic.needs) <= set(numbers):
            return None
        values = np.stack([numbers[name] for name in statistic.needs], axis=-1).astype(np.float64)
        code, units = np.zeros(values.shape[1], dtype=np.int64), self.units
        panel = Panel(
            measures=tuple(map(Measure, statistic.needs)),
            replicates=tuple(f"pair {k}" for k in range(1, len(values) + 1)),
            items=tuple(one.id for one in self.examples),
            units=units.code if is_drawn else code,
            strata=units.stratum[units.code] if is_drawn else code,
        )
        return estimate(
            panel,
            {"": Side(values, np.zeros(values.shape[:2], dtype=np.int8))},
            statistic=statistic,
            key=EstimateKey("compare", metric, "second", "items", reference="first"),
            resampling=self.resampling,
            seed=self.seed,
        ).estimate


def f1_of_items(counts: Floats) -> Floats:
    """F1 of every item by itself, from its spans found, made up and missed.

    Parameters
    ----------
    counts
        ``(replicate, item, 3)``: true positives, false positives, false negatives.

    Returns
    -------
    array
        ``(replicate, item, 1)``; 1 where nothing was to be found and nothing was.

    Examples
    --------
    >>> f1_of_items(np.array([[[1, 1, 0], [0, 0, 0], [0, 0, 2]]])).ravel().round(2).tolist()
    [0.67, 1.0, 0.0]
    """
    f1 = ENTITY_F1.value(np.asarray(counts, dtype=np.float64)[..., None, :], np.ones(1))
    return np.nan_to_num(f1, nan=1.0)[..., None]


def answers_of(
    folder: RunFolder,
    assignments: Sequence[Assignment],
    *,
    items: Sequence[tuple[int, str]],
    replicates: Sequence[Any],
) -> Answers:
    """Outputs of a run for the records of assignments, one a dataset.

    Parameters
    ----------
    folder
        The run.
    assignments
        Of one subject.
    items
        Place of its assignment and identity of each item, in order.
    replicates
        In order.
    """
    wanted = set()
    for one in assignments:
        # a logged score's own name is none of the filter that its answers stand under
        own = {k: v for k, v in one.condition.items() if k != "metric"}
        wanted |= {(one.dataset, canonical_json(c)) for c in (own, dict(one.within))}
    place = {
        (name, assignments[of].dataset, item): (row, column)
        for row, name in enumerate(replicates)
        for column, (of, item) in enumerate(items)
    }
    table = folder.outputs()
    is_own = pc.equal(table["subject"], assignments[0].subject)
    labels = np.full((len(replicates), len(items)), None, dtype=object)
    scores: dict[tuple[int, int], Sequence[float]] = {}
    are_spans = are_texts = False
    for row in table.filter(pc.and_(is_own, pc.is_null(table["variant"]))).to_pylist():
        at = place.get((row["replicate"], row["dataset"], row["item"]))
        if at is None or (row["dataset"], row["condition"]) not in wanted:
            continue
        said = (row[name] for name in ("label", "text", "spans"))
        labels[at] = next((one for one in said if one is not None), None)
        are_spans = are_spans or labels[at] == row["spans"] is not None
        are_texts = are_texts or (row["label"] is None and row["text"] is not None)
        if row["scores"] is not None:
            scores[at] = row["scores"]
    dense = None
    if len(scores) == labels.size > 0:  # 0 behind the probabilities of items with fewer choices
        dense = np.zeros((*labels.shape, max(map(len, scores.values()))))
        for at, found in scores.items():
            dense[(*at, slice(len(found)))] = found
    return Answers(labels, dense, are_spans, are_texts)
