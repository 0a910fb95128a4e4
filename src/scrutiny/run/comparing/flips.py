"""How many inputs change their answer between two runs, beside how many do within one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.record import Measure
from scrutiny.reliability.estimate import estimate
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.panel import Panel, Side
from scrutiny.run.comparing.sides import Answers, Sides
from scrutiny.stats.significance.exact import ExactTest
from scrutiny.stats.significance.mcnemar import mcnemar_by_replicate

#: Share of items that go from right to wrong, and from wrong to right.
_RATES: Final = ("broken_rate@1", "mended_rate@1")
_SAME: Final = 1e-9  # scores nearer than this are one score
How = Literal["replicates", "another run", "asked again", "exact", "unknown"]


@dataclass(frozen=True, slots=True)
class FlippedItems:
    """Items that are right in one run and wrong in the other; of scores, that got worse or better.

    Parameters
    ----------
    broken, mended
        Share that goes from right to wrong (the negative flip rate), and back; of scores the share
        that is worse, and better.
    tests
        McNemar's test of each pair of replicates, never of rows pooled over them.
    n_pairs
        Pairs of replicates held against each other.
    answers_differ
        Share of items with another answer, right or wrong; nothing where answers are not kept.
    is_graded
        Whether items are partly right: scores from 0 to 1, F1 of tagged sentences.
    """

    broken: Estimate
    mended: Estimate
    tests: tuple[ExactTest, ...]
    n_pairs: int
    answers_differ: float | None
    is_graded: bool = False

    @property
    def share(self) -> float:
        """Share of items that flip either way."""
        return (self.broken.value or 0.0) + (self.mended.value or 0.0)


@dataclass(frozen=True, slots=True)
class Noise:
    """The first model against itself: what no new model is needed for.

    Parameters
    ----------
    how
        By replicates of the first run, another run of it, asking again, an adapter's promise of
        exact answers; or it is not known.
    share
        Share of items that flip; nothing where it is not known.
    n_items, n_pairs
        What it rests on.
    agreement
        Values of measures of agreement by their names, where the first model was asked again.
    """

    how: How
    share: float | None = None
    n_items: int = 0
    n_pairs: int = 0
    agreement: Mapping[str, float] = field(default_factory=dict)


UNKNOWN: Final = Noise("unknown")


def flips_of(sides: Sides, answers: tuple[Answers, Answers] | None) -> FlippedItems:
    """Flips between the replicates that are held against each other."""
    pairs = sides.pairs()
    before = sides.first[[i for i, _ in pairs]]
    after = sides.second[[k for _, k in pairs]]
    if not sides.is_hit:
        before, after = _as_hits(before, after, sign=sides.sign)
    units = sides.meeting.units
    panel = Panel(
        measures=(Measure("hit"),),
        replicates=tuple(f"pair {k}" for k in range(1, len(pairs) + 1)),
        items=tuple(one.id for one in sides.examples),
        units=None if units is None else units.code,
        strata=None if units is None else units.stratum[units.code],
    )
    both = {"before": _side(before), "after": _side(after)}
    broken, mended = (
        estimate(
            panel,
            both,
            statistic=metric_of(rate),
            key=EstimateKey("compare", rate, "second", "items", reference="first"),
            resampling=sides.resampling,
            seed=sides.seed,
        ).estimate
        for rate in _RATES
    )
    return FlippedItems(
        broken=broken,
        mended=mended,
        tests=mcnemar_by_replicate(before, after),
        n_pairs=len(pairs),
        answers_differ=None if answers is None else answers_differ(*answers, pairs=pairs),
        is_graded=not sides.is_hit,
    )


def _as_hits(
    before: NDArray[np.float64], after: NDArray[np.float64], *, sign: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Scores as hits: right before and wrong after is what got worse, and the other way round."""
    gain = sign * (after - before)
    return (gain < _SAME).astype(np.float64), (gain > -_SAME).astype(np.float64)


def _side(values: NDArray[np.float64]) -> Side:
    """Values ``(replicate, item)`` as a side all of whose rows are ok."""
    return Side(values[..., None], np.zeros(values.shape, dtype=np.int8))


def answers_differ(
    first: Answers, second: Answers, *, pairs: Sequence[tuple[int, int]]
) -> float | None:
    """Share of items with another answer, a mean over pairs of replicates.

    Nothing where a run kept no answer to some item.
    """
    if any(found.labels.size == 0 or (found.labels == None).any() for found in (first, second)):  # noqa: E711
        return None
    return float(np.mean([(first.labels[i] != second.labels[k]).mean() for i, k in pairs]))


def noise_of_replicates(sides: Sides) -> Noise:
    """Flips between the replicates of the first run; not known where there is one."""
    return _between(sides.first, list(combinations(range(len(sides.first)), 2)), "replicates")


def noise_of_runs(sides: Sides) -> Noise:
    """Flips between a run and another one of the same model."""
    both = np.concatenate([sides.first, sides.second])
    count = len(sides.first)
    return _between(both, [(i, count + k) for i, k in sides.pairs()], "another run")


def _between(hits: NDArray[np.float64], pairs: Sequence[tuple[int, int]], how: How) -> Noise:
    """Share of items on which two replicates differ, a mean over pairs."""
    if not pairs:
        return UNKNOWN
    share = float(np.mean([(np.abs(hits[i] - hits[k]) > _SAME).mean() for i, k in pairs]))
    return Noise(how, share, n_items=hits.shape[1], n_pairs=len(pairs))
