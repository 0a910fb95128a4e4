"""Exact test of the misses of a single model, compared with a side that misses none.

A bootstrap of few misses is too sure of itself: in 2,000 simulations of a loss that is the margin
it called 5.3 % harmless (150 items, margin .05) and 3.9 % (400 items, .02), where 2.5 % is right.
"""

from dataclasses import replace
from typing import Final

import numpy as np
import scipy

from scrutiny.core.arrays import Floats
from scrutiny.reliability.estimate import Estimated

#: Method of the interval.
EXACT: Final = "clopper-pearson@1"


def with_exact_misses(
    found: Estimated, sides: tuple[Floats, Floats], *, share: float, is_apart: bool
) -> Estimated:
    """Difference from a share of 1, with an exact interval of a proportion if it applies.

    Parameters
    ----------
    found
        The share of one side minus that of the other.
    sides
        ``(replicate, row, 2)`` of each: what is counted of a row, and out of how many.
    share
        Of misses that a claim is about: p-values are exact on the side where it lies.
    is_apart
        Whether rows are drawn one by one.

    Returns
    -------
    Estimated
        As it came, where there are several replicates, more than one of a row, rows that belong
        together, or misses on the other side.

    **Measures**: the share that a single model misses.

    **Misleads when**: read as more than this checkpoint.

    **References**: Clopper & Pearson (1934), The use of confidence or fiducial limits.
    """
    (own, other), interval = sides, found.interval
    is_single = len(own) == 1 and own.max(initial=0.0) <= 1.0 and is_apart
    kept, n = (int(total) for total in own[0].sum(axis=0)) if is_single else (0, 0)
    if interval is None or interval.draws is None or not n or np.diff(other, axis=-1).any():
        return found
    misses, places = n - kept, (np.arange(interval.draws.size) + 0.5) / interval.draws.size

    def ends(level: float) -> tuple[float, float]:
        limits = scipy.stats.binomtest(misses, n).proportion_ci(level, method="exact")
        return 0.0 - limits.high, 0.0 - limits.low

    low, high = ends(interval.level)
    draws = -_shares(misses, n, share, places=places)
    return replace(
        found,
        estimate=replace(found.estimate, low=low, high=high, method=EXACT),
        interval=replace(interval, low=low, high=high, method=EXACT, test_draws=draws, ends=ends),
    )


def _shares(misses: int, n: int, share: float, *, places: Floats) -> Floats:
    """Shares of misses at the exact limits."""
    if misses <= share * n:  # the probability of so few or fewer
        return np.asarray(scipy.special.betaincinv(misses + 1, max(n - misses, 1e-9), places))
    return np.asarray(scipy.special.betaincinv(misses, n - misses + 1, places))
