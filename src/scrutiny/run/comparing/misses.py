"""A single model against a reference that keeps every answer: an exact test of its misses.

A bootstrap of few misses is too sure of itself: in 2,000 simulations of a loss that is the margin
it called 5.3 % harmless (150 items, margin .05) and 3.9 % (400 items, .02), where 2.5 % is right.
"""

from dataclasses import replace
from typing import Final

import numpy as np
import scipy
from numpy.typing import NDArray

from scrutiny.reliability.estimate import Estimated
from scrutiny.reliability.panel import Joined, Panel

#: Method of the interval.
EXACT: Final = "clopper-pearson@1"
_NEEDS: Final = 3  # made, inv1, inv2 of one text of an item


def with_exact_misses(
    found: Estimated, side: tuple[Panel, Joined], *, ceiling: float | None, margin: float
) -> Estimated:
    """Difference from a ceiling of 1 with the interval of a proportion, where it is one.

    Parameters
    ----------
    found
        Hard-SCoPE of a target minus its ceiling.
    side
        Measures of the target (``made``, ``inv1``, ``inv2``).
    ceiling
        Value of the ceiling.
    margin
        Share of misses that the claim is about: p-values are exact on the side where they lie.

    Returns
    -------
    Estimated
        As it came, where there are several replicates, several texts of an item, items that belong
        together, or a ceiling below 1.

    **Measures**: the share of changed texts over which a single model loses its answer.

    **Misleads when**: read as more than this checkpoint.

    **References**: Clopper & Pearson (1934), The use of confidence or fiducial limits.
    """
    panel, joined = side
    rows, interval = joined.values, found.interval
    codes = None if panel.units is None else panel.units[joined.rows]
    is_single = rows.shape[0] == 1 and rows.shape[-1] == _NEEDS
    is_apart = codes is None or np.unique(codes).size == codes.size
    made, _, kept = rows[0].sum(axis=0) if is_single else (0.0, 0.0, 0.0)
    if interval is None or interval.draws is None or ceiling != 1.0 or not (made and is_apart):
        return found
    misses, n = int(made - kept), int(made)
    places = (np.arange(interval.draws.size) + 0.5) / interval.draws.size
    limits = scipy.stats.binomtest(misses, n).proportion_ci(interval.level, method="exact")
    low, high = 0.0 - limits.high, 0.0 - limits.low
    draws = -_shares(misses, n, margin, places=places)
    return replace(
        found,
        estimate=replace(found.estimate, low=low, high=high, method=EXACT),
        interval=replace(interval, low=low, high=high, method=EXACT, test_draws=draws),
    )


def _shares(
    misses: int, n: int, margin: float, *, places: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Shares of misses whose part beyond the margin is the exact p on the side of the misses."""
    if misses <= margin * n:  # the probability of so few or fewer
        return np.asarray(scipy.special.betaincinv(misses + 1, max(n - misses, 1e-9), places))
    return np.asarray(scipy.special.betaincinv(misses, n - misses + 1, places))
