"""Two runs on the items that both measured: the level of each item, replicate by replicate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from scrutiny.core.canonical import canonical_json
from scrutiny.core.example import Example
from scrutiny.core.plan import Resampling
from scrutiny.core.record import Counts
from scrutiny.run.estimating.contrasts import Meeting, meet
from scrutiny.run.estimating.estimates import Estimator
from scrutiny.run.planning.assignment import Assignment
from scrutiny.stats.resampling.weights import Units
from scrutiny.store.items import examples_of
from scrutiny.store.run_folder import RunFolder

#: Statistic of taggers: of counts over all items; side by side each item has its own.
TAGGING: Final = "entity_f1@1"
#: Statistics whose value is the mean of one measure of an item, or is looked at item by item.
LEVELS: Final = ("accuracy@1", "mean@1", TAGGING)


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
    """

    meeting: Meeting
    examples: tuple[Example, ...]
    metric: str
    is_paired: bool
    resampling: Resampling
    seed: int
    sign: int = 1

    @property
    def first(self) -> NDArray[np.float64]:
        """Values of the first run ``(replicate, item)``."""
        return self.meeting.values[0][..., 0]

    @property
    def second(self) -> NDArray[np.float64]:
        """Values of the second run ``(replicate, item)``."""
        return self.meeting.values[1][..., 0]

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
    def change(self) -> NDArray[np.float64]:
        """Change of each item ``(item,)``, second minus first, a mean over replicates."""
        found: NDArray[np.float64] = self.second.mean(axis=0) - self.first.mean(axis=0)
        return found

    def pairs(self) -> list[tuple[int, int]]:
        """Replicates that are held against each other.

        By name where both sides have the same; by order where they have as many; a single one
        against each of the other's; else the first ones of both.
        """
        ours, theirs = self.meeting.names
        if set(ours) == set(theirs):
            return [(i, theirs.index(name)) for i, name in enumerate(ours)]
        if len(ours) == 1:
            return [(0, k) for k in range(len(theirs))]
        if len(theirs) == 1:
            return [(k, 0) for k in range(len(ours))]
        return [(k, k) for k in range(min(len(ours), len(theirs)))]


def sides_of(
    estimators: tuple[Estimator, Estimator],
    pair: tuple[Assignment, Assignment],
    *,
    items: pa.Table,
    is_paired: bool,
    sign: int = 1,
) -> Sides:
    """Level of two runs on their shared items.

    Parameters
    ----------
    estimators
        Of the two runs.
    pair
        What is compared.
    items
        Items of the first run.
    is_paired, sign
        As `Sides` has them.
    """
    one, other = estimators[0].joined(pair[0]), estimators[1].joined(pair[1])
    meeting = meet(one, other)
    there = {other[0].items[i] for i in other[1].rows.tolist()}
    kept = [name for i in one[1].rows.tolist() if (name := one[0].items[i]) in there]
    known = examples_of(items, pair[0].dataset)
    metric = pair[0].spec.metric
    if metric == TAGGING:
        values = f1_of_items(meeting.values[0]), f1_of_items(meeting.values[1])
        meeting, metric = replace(meeting, values=values), "mean@1"
    return Sides(
        meeting=meeting,
        examples=tuple(known[name] for name in kept),
        metric=metric,
        is_paired=is_paired,
        resampling=estimators[0].resampling,
        seed=estimators[0].seed,
        sign=sign,
    )


def f1_of_items(counts: NDArray[np.float64]) -> NDArray[np.float64]:
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
    found, made_up, missed = np.moveaxis(np.asarray(counts, dtype=np.float64), -1, 0)
    total = 2.0 * found + made_up + missed
    return np.asarray(np.where(total > 0, 2.0 * found / np.maximum(total, 1.0), 1.0)[..., None])


def part_of(meeting: Meeting, rows: NDArray[np.int64]) -> Meeting:
    """The same two sides on some of their items."""
    units = None
    if rows.size and meeting.units is not None:
        codes = meeting.units.code[rows]
        units = Units.of(rows.size, codes, strata=meeting.units.stratum[codes])
    return Meeting(
        values=(meeting.values[0][:, rows], meeting.values[1][:, rows]),
        names=meeting.names,
        counts=Counts(n=rows.size),
        units=units,
        cells=None,
    )


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
    scores: NDArray[np.float64] | None
    are_spans: bool = False
    are_texts: bool = False


def answers_of(
    folder: RunFolder, assignment: Assignment, *, items: Sequence[str], replicates: Sequence[Any]
) -> Answers:
    """Outputs of a run for an assignment's records, replicates and items in this order."""
    table = folder.outputs()
    condition = dict(assignment.condition)
    condition.pop("metric", None)  # a logged score's own name; its answers stand under the filter
    wanted = {canonical_json(condition), canonical_json(dict(assignment.within))}
    mask = pc.and_(
        pc.and_(
            pc.equal(table["subject"], assignment.subject),
            pc.equal(table["dataset"], assignment.dataset),
        ),
        pc.is_null(table["variant"]),
    )
    row_of = {name: k for k, name in enumerate(replicates)}
    place = {name: k for k, name in enumerate(items)}
    labels = np.full((len(row_of), len(place)), None, dtype=object)
    scores: dict[tuple[int, int], Sequence[float]] = {}
    are_spans = are_texts = False
    for row in table.filter(mask).to_pylist():
        if row["condition"] not in wanted or row["item"] not in place:
            continue
        if row["replicate"] not in row_of:
            continue
        at = row_of[row["replicate"]], place[row["item"]]
        said = (row[name] for name in ("label", "text", "spans"))
        labels[at] = next((one for one in said if one is not None), None)
        are_spans = are_spans or labels[at] == row["spans"] is not None
        are_texts = are_texts or (row["label"] is None and row["text"] is not None)
        if row["scores"] is not None:
            scores[at] = row["scores"]
    return Answers(labels, _dense(scores, labels.shape), are_spans, are_texts)


def _dense(
    scores: Mapping[tuple[int, int], Sequence[float]], shape: tuple[int, ...]
) -> NDArray[np.float64] | None:
    """Probabilities ``(replicate, item, label)``, if all are there; 0 behind fewer choices."""
    if not scores or len(scores) != int(np.prod(shape)):
        return None
    dense = np.zeros((*shape, max(map(len, scores.values()))))
    for at, found in scores.items():
        dense[(*at, slice(len(found)))] = found
    return dense
