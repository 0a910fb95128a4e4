"""Correlation of two quantities over replicates, and what few replicates can detect."""

from dataclasses import dataclass
from functools import cache
from itertools import permutations
from math import sqrt

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, IntArray, StatisticsError, finite, proper_level
from scrutiny.stats.significance.exact_tests import TIE

_LEAST = 4  # Fisher's z has the variance 1 / (n - 3)
_EXACT_UP_TO = 8  # 40,320 orders
_SAMPLES = 20_000


@dataclass(frozen=True, slots=True)
class Correlation:
    """Correlation of two quantities over replicates, with interval and test.

    Parameters
    ----------
    value
        Pearson's r; over several steps, of values centered at their step's mean.
    low, high
        Interval by Fisher's z with as many observations as replicates.
    rank
        Spearman's rho of the same values.
    p_value, smallest_p
        Two-sided, by permuting whole replicates; and the smallest that it could have been.
    replicates, steps
        How many of each.
    detectable
        Smallest correlation that this number of replicates shows with 80 % power at .05.
    """

    value: float
    low: float
    high: float
    rank: float
    p_value: float
    smallest_p: float
    replicates: int
    steps: int
    detectable: float


def correlation_over_replicates(
    a: ArrayLike, b: ArrayLike, *, rng: np.random.Generator, level: float = 0.95
) -> Correlation:
    """Correlation of two quantities over replicates, or over replicates within steps.

    Parameters
    ----------
    a, b
        ``(replicate,)``, or ``(replicate, step)`` where each replicate was measured at the same
        steps. Each step is centered at its mean over replicates, so that what both quantities do
        in the course of training is not taken for a relation between them.
    rng
        For sampled permutations, where there are more than eight replicates.
    level
        Of the interval.

    Returns
    -------
    Correlation

    Raises
    ------
    StatisticsError
        If shapes differ, there are fewer than four replicates, or one of them does not vary.

    **Measures**: whether replicates with more of the one have more of the other.

    **Misleads when**: read with five replicates as if the absence of a correlation were shown:
    ``detectable`` says how strong it would have had to be. Steps of one replicate are not further
    replicates, so they narrow nothing here: the interval is that of the replicates alone.

    **References**: Fisher (1921), On the "probable error" of a coefficient of correlation; Pitman
    (1937), Significance tests which may be applied to samples from any populations, II.

    Examples
    --------
    >>> found = correlation_over_replicates(
    ...     [1, 2, 3, 4, 5], [2, 1, 4, 3, 6], rng=np.random.default_rng(0)
    ... )
    >>> round(found.value, 3), round(found.smallest_p, 4), round(found.detectable, 2)
    (0.822, 0.0167, 0.96)
    """
    one, other = _centered(a, "a"), _centered(b, "b")
    if one.shape != other.shape:
        raise StatisticsError(f"a has shape {one.shape} and b {other.shape}; they must be equal.")
    replicates, steps = one.shape
    if replicates < _LEAST:
        raise StatisticsError(f"{replicates} replicates carry no correlation; {_LEAST} do.")
    norm = sqrt(float((one**2).sum()) * float((other**2).sum()))
    found = float(np.clip((one * other).sum() / norm, -1.0, 1.0))
    count = one.shape[0]
    if count <= _EXACT_UP_TO:
        orders = _all_orders(count)
    else:
        orders = np.stack([np.arange(count), *(rng.permutation(count) for _ in range(_SAMPLES))])
    cross = one @ other.T  # (replicate, replicate), summed over steps
    null = np.asarray(cross[np.arange(count), orders].sum(axis=1) / norm)
    p_value = float((np.abs(null) >= abs(found) - TIE).mean())
    smallest = float((np.abs(null) >= np.abs(null).max() - TIE).mean())
    low, high = fisher_limits(found, replicates, level=level)
    return Correlation(
        value=found,
        low=low,
        high=high,
        rank=float(scipy.stats.spearmanr(one.ravel(), other.ravel()).statistic),
        p_value=p_value,
        smallest_p=smallest,
        replicates=replicates,
        steps=steps,
        detectable=float(
            np.tanh((scipy.special.ndtri(0.975) + scipy.special.ndtri(0.8)) / sqrt(replicates - 3))
        ),
    )


@cache
def _all_orders(count: int) -> IntArray:
    """Every order ``(order, place)`` of so few replicates, read-only: correlations share them."""
    found = np.array(list(permutations(range(count))))
    found.flags.writeable = False
    return found


def _centered(values: ArrayLike, name: str) -> FloatArray:
    """Values ``(replicate, step)`` minus the mean of their step."""
    array = finite(values, name)
    table = array.reshape(array.shape[0], -1)
    centered: FloatArray = table - table.mean(axis=0)
    if np.abs(centered).max() <= TIE * max(1.0, float(np.abs(table).max())):
        raise StatisticsError(f"{name} does not vary over replicates; there is no correlation.")
    return centered


def fisher_limits(r: float, n: int, *, level: float = 0.95) -> tuple[float, float]:
    """Confidence limits of a correlation of ``n >= 4`` pairs, by Fisher's z.

    Examples
    --------
    >>> [round(limit, 2) for limit in fisher_limits(0.8, 5)]
    [-0.28, 0.99]
    """
    z = np.arctanh(np.clip(r, -1 + 1e-12, 1 - 1e-12))
    reach = scipy.special.ndtri(0.5 + proper_level(level) / 2) / sqrt(n - 3)
    return float(np.tanh(z - reach)), float(np.tanh(z + reach))


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
