"""Ranks of systems on the same items, with limits that hold for all of them at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from scrutiny.stats.arrays import BoolArray, FloatArray, IntArray, StatisticsError, proper_level
from scrutiny.stats.intervals.contrast import unpaired_contrast
from scrutiny.stats.intervals.interval import Scale
from scrutiny.stats.resampling.resample import Resampled
from scrutiny.stats.significance.combined_tests import max_t


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """Ranks of systems, 1 the best, from tests of every two of them.

    Parameters
    ----------
    differences
        ``(system, system)`` score of the first minus that of the second; positive where it is
        better.
    p_values
        ``(system, system)``, two-sided, corrected for the number of pairs; 1 on the diagonal.
    level
        Of the limits.
    """

    differences: FloatArray
    p_values: FloatArray
    level: float

    @property
    def ahead(self) -> BoolArray:
        """Whether the first is shown to be better than the second, ``(system, system)``."""
        return self.shown_ahead()

    @property
    def low(self) -> IntArray:
        """Best rank of each system: 1 and the number of those shown to be better."""
        return np.asarray(1 + self.ahead.sum(axis=0), dtype=np.int64)

    @property
    def high(self) -> IntArray:
        """Worst rank of each system: all systems less those shown to be worse."""
        return np.asarray(len(self.ahead) - self.ahead.sum(axis=1), dtype=np.int64)

    @property
    def order(self) -> list[int]:
        """Systems by their scores, the best first."""
        # a sum of differences is k times a score, minus what all have in common
        found = np.argsort(-self.differences.sum(axis=1), kind="stable")
        return [int(place) for place in found]

    def shown_ahead(self, boards: int = 1) -> BoolArray:
        """The same, with the correction for so many boards that are read together."""
        is_shown = self.p_values * boards <= 1.0 - self.level
        return np.asarray(is_shown & (self.differences > 0), dtype=np.bool_)

    def ties(self) -> Iterator[tuple[int, ...]]:
        """Systems in a row, by score, of which no two are told apart; each as long as can be.

        Runs may overlap: where the first and the second are not told apart, nor the second and the
        third, the first and the third may be.
        """
        apart, order, reached = self.ahead | self.ahead.T, self.order, 0
        for start in range(len(order)):
            stop = start + 1
            while stop < len(order) and not apart[order[stop], order[start:stop]].any():
                stop += 1
            if stop - start > 1 and stop > reached:
                yield tuple(order[start:stop])
            reached = max(reached, stop)


def ranks(
    systems: Sequence[Resampled],
    *,
    rng: np.random.Generator,
    level: float = 0.95,
    scale: str | Scale = "identity",
    is_higher_better: bool = True,
) -> Ranks:
    """Limits of the rank of each system, holding for all systems at once.

    Every two systems are compared on the items that they share (`unpaired_contrast`, whose
    replicates are the seeds of a system), with a correction for all pairs together (`max_t`). The
    rank of a system lies between 1 plus the number of systems shown to be better, and the number of
    systems minus that of those shown to be worse.

    Parameters
    ----------
    systems
        Two or more, with the same draws of items: parts of one call.
    rng
        Of the replicates' part.
    level
        Probability that the limits hold for all systems.
    scale
        Scale of the scores, as in `unpaired_contrast`.
    is_higher_better
        Whether a higher score is better.

    Returns
    -------
    Ranks
        With one unit of items, no two are told apart.

    Raises
    ------
    StatisticsError
        For fewer than two systems, or if the score of one does not exist.

    **Measures**: which places of a leaderboard other items (and, for systems with several seeds,
    other seeds) of the same source could give each system. Of equal systems, the limits hold all
    places that they share.

    **Misleads when**: the systems were picked after looking at these items; or when a wide range is
    read as "equal": it says that the items do not decide. One more system widens all ranges.

    **References**: Mogstad, Romano, Shaikh & Wilhelm (2024), Inference for ranks with applications
    to mobility across neighbourhoods and academic achievement across countries; Al Mohamad, Goeman
    & van Zwet (2022), Simultaneous confidence intervals for ranks with application to ranking
    institutions; Romano & Wolf (2005) for the correction.

    Examples
    --------
    >>> from scrutiny.stats.resampling.resample import resample
    >>> hits = np.zeros((3, 90, 1))
    >>> hits[0, :80] = hits[1, 10:88] = hits[2, :30] = 1.0
    >>> both = resample(hits, lambda s, w: s[..., 0, 0] / 90, rng=np.random.default_rng(0))
    >>> found = ranks([both.select([i]) for i in range(3)], rng=np.random.default_rng(0))
    >>> found.low.tolist(), found.high.tolist(), list(found.ties())
    ([1, 1, 3], [2, 2, 3], [(0, 1)])
    """
    proper_level(level)
    if len(systems) < 2:
        raise StatisticsError("a board has two systems or more.")
    scores = np.array([one.point.mean() for one in systems])
    if not np.isfinite(scores).all():
        raise StatisticsError("a system has no score: leave it out of the board.")
    sign = 1.0 if is_higher_better else -1.0
    differences = sign * (scores[:, None] - scores)
    p_values = np.ones(differences.shape)
    if systems[0].degrees >= 1:
        defined = np.all([np.isfinite(one.draws).all(axis=1) for one in systems], axis=0)
        kept = [replace(one, draws=one.draws[defined]) for one in systems]
        pairs = list(combinations(range(len(systems)), 2))
        draws = np.empty((np.count_nonzero(defined), len(pairs)))
        for place, (i, k) in enumerate(pairs):
            found = unpaired_contrast(kept[i], kept[k], rng=rng, level=level, scale=scale)
            assert found.test_draws is not None  # it always has them
            draws[:, place] = found.test_draws
        one, other = np.array(pairs).T
        p_values[one, other] = p_values[other, one] = max_t(scores[one] - scores[other], draws)
    return Ranks(differences, p_values, level)


def reordered(boards: Sequence[Ranks]) -> list[tuple[int, int]]:
    """Pairs of systems ``(i, k)`` of which i is shown to be ahead on a board, and k on another.

    Parameters
    ----------
    boards
        The same systems on several sets of items.

    **Measures**: orders that differ beyond chance: all statements on all boards hold at once, at
    the level of the boards.

    **Misleads when** none is found: each of the two orders has to be shown by itself, so sets have
    to be large.

    **References**: Gail & Simon (1985), Testing for qualitative interactions between treatment
    effects and patient subsets.
    """
    ahead = np.array([board.shown_ahead(len(boards)) for board in boards]).any(axis=0)
    return [(int(i), int(k)) for i, k in np.argwhere(np.triu(ahead & ahead.T))]
