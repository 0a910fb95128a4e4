"""Number of replicates that hit an item, with two expected distributions; no verdict uses them."""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from scrutiny.stats.agreement.flips import Flips, flips
from scrutiny.stats.arrays import finite
from scrutiny.stats.errors import StatisticsError
from scrutiny.stats.significance import binomial
from scrutiny.stats.significance.binomial import poisson_binomial

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class HitCounts:
    """Counts of items by number of hits over replicates, with two baselines.

    Parameters
    ----------
    observed
        Items by number of replicates  # (R + 1,)
    coin
        Expected if every replicate tossed a fair coin on every item, same length.
    margin
        Expected if each item had its own mean margin and every replicate added noise of one size;
        None without margins.
    flips
        Disagreement of the replicates, item by item.
    """

    observed: tuple[int, ...]
    coin: tuple[float, ...]
    margin: tuple[float, ...] | None
    flips: Flips


def hit_counts(hits: ArrayLike, *, margins: ArrayLike | None = None) -> HitCounts:
    """Agreement of raters on items: how many items 0, 1, ... replicates hit, with two baselines.

    Parameters
    ----------
    hits
        ``(replicate, item)`` of 0 and 1, finite.
    margins
        ``(replicate, item)`` signed margins, or None.

    **Measures**: whether replicates agree item by item where their averages agree; and whether
    the average moves more than independent flips of items would move it.

    **Misleads when**: R is small (with five, coins agree fully on 6 % of items); items share a
    text. The margin baseline is fitted to the same margins (each item's mean, one common spread),
    so it shows a shape and is no test.

    **References**: Aribandi, Tay & Metzler (2021), How reliable are model diagnostics, Figure 1;
    Wang (1993), On the number of successes in independent trials.

    Examples
    --------
    >>> found = hit_counts([[1, 0, 1], [1, 0, 0]])
    >>> found.observed, found.coin, round(found.flips.any_share, 2)
    ((1, 1, 1), (0.75, 1.5, 0.75), 0.33)
    """
    told = finite(hits, "hits", ndim=2)
    if not np.isin(told, (0.0, 1.0)).all():
        raise StatisticsError("hits must be 0 or 1 (replicate, item).")
    replicates, items = told.shape
    times = told.sum(axis=0).astype(np.int64)
    fair = binomial.pmf(np.arange(replicates + 1), replicates, 0.5) * items
    by_margin = None
    if margins is not None and replicates > 1:
        expected = poisson_binomial(_margin_chances(margins, told.shape)).sum(axis=0)
        by_margin = tuple(round(float(c), 6) for c in expected)
    return HitCounts(
        observed=tuple(np.bincount(times, minlength=replicates + 1).tolist()),
        coin=tuple(round(float(c), 6) for c in fair),
        margin=by_margin,
        flips=flips(told),
    )


def _margin_chances(margins: ArrayLike, shape: tuple[int, ...]) -> Array:
    """Chance of a positive margin ``(replicate, item)``: normal around each item's mean."""
    given = finite(margins, "margins", ndim=2)
    if given.shape != shape:
        raise StatisticsError(f"margins have shape {given.shape}; {shape} needed.")
    mean = given.mean(axis=0)
    noise = float(np.sqrt(given.var(axis=0, ddof=1).mean()))
    each = np.where(mean > 0, 1.0, 0.0) if noise == 0.0 else scipy.special.ndtr(mean / noise)
    return np.tile(each, (shape[0], 1))
