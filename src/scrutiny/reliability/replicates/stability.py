"""Stability over replicates, conditions and diagnostics: item by item, group by group.

Arrays in, small dataclasses out; no verdict depends on these.
"""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from scrutiny.stats.agreement.flips import Flips, flips
from scrutiny.stats.agreement.raters import cohen_kappa
from scrutiny.stats.arrays import FloatArray, finite
from scrutiny.stats.association.correlation import fisher_limits
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
    """Counts of items by number of hits over replicates, with two baselines.

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


@dataclass(frozen=True, slots=True)
class FewPairsCorrelation:
    """Correlation of few pairs, with its interval.

    ``low`` and ``high`` are None under four pairs; ``value`` is None without variation.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int


def seed_correlation(a: ArrayLike, b: ArrayLike, *, level: float = 0.95) -> FewPairsCorrelation:
    """Pearson correlation of two diagnostics over the same replicates, Fisher's interval.

    Parameters
    ----------
    a, b
        ``(replicate,)`` values of the same replicates, in the same order.
    level
        Nominal coverage.

    **Measures**: whether the checkpoints that one diagnostic calls worse are worse by the other.

    **Misleads when**: there are five replicates: the interval of a correlation of 0 then reaches
    from -.88 to .88, and none of two or three exists at all.

    **References**: Fisher (1921), On the probable error of a coefficient of correlation.

    Examples
    --------
    >>> found = seed_correlation([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])
    >>> round(found.value, 2), round(found.low, 2), round(found.high, 2)
    (0.8, -0.28, 0.99)
    """
    one, other = _of_one_length(a, b, "replicates")
    n = one.size
    if n < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return FewPairsCorrelation(None, None, None, n)
    value = float(np.clip(np.corrcoef(one, other)[0, 1], -1.0, 1.0))
    if n < 4 or abs(value) > 1.0 - 1e-12:
        return FewPairsCorrelation(value, None, None, n)
    return FewPairsCorrelation(value, *fisher_limits(value, n, level=level), n)


@dataclass(frozen=True, slots=True)
class RankAgreement:
    """Rank agreement of two conditions on the same groups; None without variation."""

    spearman: float | None
    kendall: float | None
    n: int


def rank_agreement(a: ArrayLike, b: ArrayLike) -> RankAgreement:
    """Spearman's and Kendall's rank correlation of two rankings of the same groups.

    **Measures**: whether two conditions (variants, representations) rank groups alike.

    **Misleads when**: there are few groups, or their values differ by less than their intervals:
    ranks then follow noise.

    **References**: Kendall (1938), A new measure of rank correlation.

    Examples
    --------
    >>> rank_agreement([1, 2, 3, 4], [1, 2, 4, 3])
    RankAgreement(spearman=0.8, kendall=0.6667, n=4)
    """
    one, other = _of_one_length(a, b, "groups")
    if one.size < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return RankAgreement(None, None, one.size)
    rho = float(scipy.stats.spearmanr(one, other).statistic)
    tau = float(scipy.stats.kendalltau(one, other).statistic)
    return RankAgreement(round(rho, 4), round(tau, 4), one.size)


def _of_one_length(a: ArrayLike, b: ArrayLike, what: str) -> tuple[FloatArray, FloatArray]:
    """Two rows of numbers, refused where one is longer."""
    one, other = finite(a, "a", ndim=1), finite(b, "b", ndim=1)
    if one.shape != other.shape:
        raise StatisticsError(f"a and b have {one.size} and {other.size} {what}.")
    return one, other


def mean_kappa(a: ArrayLike, b: ArrayLike) -> tuple[float | None, int]:
    """Mean Cohen's kappa of two conditions' hits over replicates, and the number of items.

    Parameters
    ----------
    a, b
        ``(replicate, item)`` of 0 and 1; NaN where an item has none.

    **Measures**: whether two conditions agree on single items beyond chance. Replicates are not
    pooled: their rows are the same items.

    **Misleads when**: nearly all hits are 1, or 0: kappa is then low whatever the agreement.

    **References**: Cohen (1960), A coefficient of agreement for nominal scales.

    Examples
    --------
    >>> mean_kappa([[1, 0, 1, 0]], [[1, 0, 0, 0]])
    (0.5, 4)
    """
    one, other = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if one.shape != other.shape:
        raise StatisticsError(f"a and b have shapes {one.shape} and {other.shape}.")
    kept = np.isfinite(one).all(axis=0) & np.isfinite(other).all(axis=0)
    count = int(kept.sum())
    if not count:
        return None, 0
    found = [cohen_kappa(x[kept], y[kept]).value for x, y in zip(one, other, strict=True)]
    known = [kappa for kappa in found if kappa is not None]
    return (float(np.mean(known)) if known else None), count
