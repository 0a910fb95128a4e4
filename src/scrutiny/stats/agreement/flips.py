"""Disagreement item by item: of replicates, of two conditions, and counted over replicates.

The counts, of replicates in which an item is right or flips, stand beside two expected
distributions; no verdict uses those of hits.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scrutiny.core.arrays import Floats
from scrutiny.stats.arrays import FloatArray, IntArray, StatisticsError, finite
from scrutiny.stats.significance import binomial
from scrutiny.stats.significance.binomial import poisson_binomial

_MOST_DRAWS: Final = 20


@dataclass(frozen=True, slots=True, eq=False)
class Flips:
    """Disagreement of replicates with the majority, item by item.

    Parameters
    ----------
    share
        ``(d,)`` share of items on which ``d`` replicates are outside the most frequent answer, 0 to
        ``R // 2``.
    observed_sd, flip_sd
        Standard deviation over replicates of the share of answer 1, and what it would be if only
        independent flips made it; None with one replicate.
    """

    share: FloatArray
    observed_sd: float | None
    flip_sd: float | None

    @property
    def any_share(self) -> float:
        """Share of items on which not all replicates agree."""
        return float(1.0 - self.share[0])

    @property
    def sd_ratio(self) -> float | None:
        """``observed_sd / flip_sd``; above 1, replicates shift as a whole, not item by item."""
        if self.observed_sd is None or not self.flip_sd:
            return None
        return self.observed_sd / self.flip_sd


def flips(predictions: ArrayLike) -> Flips:
    """Disagreement of replicates item by item.

    Parameters
    ----------
    predictions
        ``(replicate, item)`` answers, 0 or 1.

    Returns
    -------
    Flips
        Shares, and the spread of replicates beside that of independent flips.

    **Measures**: how many single predictions depend on the seed, where the average may not.

    **Misleads when**: R is small: with five replicates coin flips agree fully on 6 % of items, and
    d cannot exceed 2. ``sd_ratio`` has R - 1 degrees of freedom.

    **References**: Sellam et al. (2022), The MultiBERTs.

    Examples
    --------
    >>> found = flips([[1, 0, 1], [1, 0, 0], [1, 1, 1]])
    >>> found.share.round(2).tolist()
    [0.33, 0.67]
    """
    answers = _zeros_and_ones(predictions, "predictions")
    replicates, items = answers.shape
    ones = answers.sum(axis=0).astype(np.int64)
    dissent = np.minimum(ones, replicates - ones)
    observed, flip = _spreads(answers, ones)
    return Flips(
        share=np.bincount(dissent, minlength=replicates // 2 + 1) / items,
        observed_sd=observed,
        flip_sd=flip,
    )


def _zeros_and_ones(values: ArrayLike, name: str) -> FloatArray:
    """Array ``(replicate, item)``, checked to hold 0 and 1 alone."""
    found = finite(values, name, ndim=2)
    if not np.isin(found, (0.0, 1.0)).all():
        raise StatisticsError(f"{name} must be 0 or 1 (replicate, item).")
    return found


def _spreads(answers: FloatArray, ones: IntArray) -> tuple[float | None, float | None]:
    replicates, items = answers.shape
    if replicates < 2:
        return None, None
    share = ones / replicates
    # p(1 - p) R/(R - 1): unbiased for the variance of one toss
    variance = float((share * (1.0 - share)).sum()) * replicates / (replicates - 1.0)
    return float(answers.mean(axis=1).std(ddof=1)), variance**0.5 / items


def counted_flips(differences: Floats) -> tuple[float, float] | None:
    """Disagreement: rows that one side alone has right, from differences ``(replicate, row)``.

    A row whose answer is the mean of several draws flips in part. None unless differences are
    shares of a few draws.
    """
    # replicate by replicate: what is made on the way is large
    sizes = (np.abs(each) for each in differences)
    draws = round(1.0 / min((size[size > 0].min(initial=1.0) for size in sizes), default=1.0))
    if draws > _MOST_DRAWS:
        return None
    if not all(np.allclose(each * draws, np.round(each * draws)) for each in differences):
        return None
    totals = []
    for sign in (1.0, -1.0):
        signed = sign * differences
        totals.append(float(np.maximum(signed, 0.0, out=signed).sum()) / len(differences))
    return totals[0], totals[1]


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
    told = _zeros_and_ones(hits, "hits")
    replicates, items = told.shape
    times = told.sum(axis=0).astype(np.int64)
    fair = binomial.pmf(np.arange(replicates + 1), replicates, 0.5) * items
    by_margin = None
    if margins is not None and replicates > 1:
        given = finite(margins, "margins", ndim=2)
        if given.shape != told.shape:
            raise StatisticsError(f"margins have shape {given.shape}; {told.shape} needed.")
        # share of hits of each item under noise of one size around its mean margin
        mean = given.mean(axis=0)
        noise = float(np.sqrt(given.var(axis=0, ddof=1).mean()))
        each = np.where(mean > 0, 1.0, 0.0) if noise == 0.0 else scipy.special.ndtr(mean / noise)
        expected = poisson_binomial(np.tile(each, (told.shape[0], 1))).sum(axis=0)
        by_margin = tuple(round(float(c), 6) for c in expected)
    return HitCounts(
        observed=tuple(np.bincount(times, minlength=replicates + 1).tolist()),
        coin=tuple(round(float(c), 6) for c in fair),
        margin=by_margin,
        flips=flips(told),
    )


COIN: Final = "coin flip"
MARGIN: Final = "margin"
_MOST_BINS: Final = 10
_ITEMS_PER_BIN: Final = 20


@dataclass(frozen=True, slots=True)
class FlipCounts:
    """Number of items that changed their answer in exactly 0, 1, ... replicates.

    Parameters
    ----------
    observed
        Items by number of replicates with a changed answer  # (replicates + 1,)
    baselines
        Expected counts under simpler stories, by name ("coin flip", "margin"), same length.
    """

    observed: tuple[int, ...]
    baselines: Mapping[str, tuple[float, ...]] = field(default_factory=dict)


def count_flips(
    flipped: np.ndarray[Any, Any], margins: np.ndarray[Any, Any] | None = None
) -> FlipCounts:
    """Observed and expected counts of items by the number of replicates that flipped.

    **Measures**: whether it is the same items that flip whatever the seed. "Coin flip" throws
    each replicate's flips at random over the items; "margin" throws them by how close the item
    was to the border in that replicate (tenths of the margin), and by nothing else.

    **Misleads when**: there are few items in a tenth, or the replicates share their training
    data order.

    **References**: D'Amour et al. (2022), Underspecification presents challenges for
    credibility in modern machine learning.

    Parameters
    ----------
    flipped
        Whether the answer changed  # (item, replicate)
    margins
        Best score minus second best before the change  # (item, replicate)

    Examples
    --------
    >>> import numpy as np
    >>> counts = count_flips(np.array([[True, True], [False, False]]))
    >>> counts.observed, counts.baselines["coin flip"]
    ((1, 0, 1), (0.5, 1.0, 0.5))
    """
    flipped = np.asarray(flipped, dtype=bool)
    n_replicates = flipped.shape[1]
    times = flipped.sum(axis=1)
    observed = np.bincount(times, minlength=n_replicates + 1)
    baselines = {COIN: _expected(np.broadcast_to(flipped.mean(axis=0), flipped.shape))}
    if margins is not None:
        # rates of items of similar margins
        n = flipped.shape[0]
        bins = max(1, min(_MOST_BINS, n // _ITEMS_PER_BIN))
        shares = np.zeros(flipped.shape)
        for r in range(flipped.shape[1]):
            rank = np.argsort(np.argsort(np.asarray(margins)[:, r], kind="stable"), kind="stable")
            place = rank * bins // n
            rates = np.bincount(place, weights=flipped[:, r], minlength=bins)
            shares[:, r] = (rates / np.bincount(place, minlength=bins))[place]
        baselines[MARGIN] = _expected(shares)
    return FlipCounts(tuple(int(c) for c in observed), baselines)


def _expected(shares: np.ndarray[Any, Any]) -> tuple[float, ...]:
    """Expected items by number of flips if replicates flipped independently.

    The distribution of a sum of unequal coins, item by item, added up.
    """
    return tuple(round(float(c), 6) for c in poisson_binomial(shares.T).sum(axis=0))
