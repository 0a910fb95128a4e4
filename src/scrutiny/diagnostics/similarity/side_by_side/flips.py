"""Flips of answers between two runs, compared with the noise within one run."""

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final, Literal

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.estimate import Estimate
from scrutiny.diagnostics.similarity.side_by_side.sides import Answers, Replicates, Sides
from scrutiny.stats.significance.mcnemar import ExactTest, mcnemar_by_replicate

#: Share of items that go from right to wrong, and from wrong to right.
_RATES: Final = ("broken_rate@1", "mended_rate@1")
_SAME: Final = 1e-9  # scores nearer than this are one score
How = Literal["replicates", "another run", "asked again", "exact", "unknown"]


@dataclass(frozen=True, slots=True)
class FlippedItems:
    """Items that are right in one run and wrong in the other; for scores, worse or better.

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
    """Noise floor: the first model compared with itself.

    Parameters
    ----------
    how
        By replicates of the first run, another run of it, asking again, an adapter's promise of
        exact answers; or it is not known.
    share
        Share of items that flip; nothing where it is not known.
    n_items, n_pairs
        What it rests on.
    """

    how: How
    share: float | None = None
    n_items: int = 0
    n_pairs: int = 0


UNKNOWN: Final = Noise("unknown")


def flips_of(sides: Sides) -> FlippedItems:
    """Flips between matched replicates."""
    pairs = sides.pairs()
    before = sides.first[[i for i, _ in pairs]]
    after = sides.second[[k for _, k in pairs]]
    if not sides.is_hit:  # right before and wrong after is what got worse, and the other way round
        gain = sides.sign * (after - before)
        before, after = (gain < _SAME).astype(np.float64), (gain > -_SAME).astype(np.float64)
    numbers = {"before.hit": before, "after.hit": after}
    broken, mended = (sides.estimate(rate, numbers) for rate in _RATES)
    assert broken is not None  # all that it needs is there
    assert mended is not None
    return FlippedItems(
        broken=broken,
        mended=mended,
        tests=mcnemar_by_replicate(before, after),
        n_pairs=len(pairs),
        answers_differ=answers_differ(sides.answers, pairs=pairs),
        is_graded=not sides.is_hit,
    )


def answers_differ(both: tuple[Answers, Answers] | None, *, pairs: Replicates) -> float | None:
    """Flips of any answer between two sides: share of items, a mean over pairs of replicates.

    Nothing where a run kept no answer to some item.
    """
    if both is None or any((found.given == None).any() for found in both):  # noqa: E711
        return None
    first, second = (found.given for found in both)
    return float(np.mean([(first[i] != second[k]).mean() for i, k in pairs]))


def noise_of_replicates(sides: Sides) -> Noise:
    """Flips between the replicates of the first run; unknown for a single one."""
    return _between(sides.first, sides.first, list(combinations(range(len(sides.first)), 2)))


def noise_of_rerun(sides: Sides, how: How = "another run") -> Noise:
    """Noise floor of flips, side by side: a run of the first model beside another one of it."""
    return replace(_between(sides.first, sides.second, sides.pairs()), how=how)


def _between(first: Floats, second: Floats, pairs: Replicates) -> Noise:
    """Share of items on which two replicates differ, a mean over pairs."""
    if not pairs:
        return UNKNOWN
    share = float(np.mean([(np.abs(first[i] - second[k]) > _SAME).mean() for i, k in pairs]))
    return Noise("replicates", share, n_items=first.shape[1], n_pairs=len(pairs))
