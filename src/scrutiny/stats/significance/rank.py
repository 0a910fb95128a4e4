"""Rank-sum and signed-rank tests, exact also with ties."""

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, IntArray, finite, one_of
from scrutiny.stats.significance.mcnemar import (
    ALTERNATIVES,
    TIE,
    Alternative,
    ExactTest,
    exact_test,
)

LARGEST_EXACT = 60  # observations; above, the normal form with its tie correction


def rank_sum(a: ArrayLike, b: ArrayLike, *, alternative: Alternative = "two-sided") -> ExactTest:
    """Rank-sum test (Mann-Whitney), exact, of two independent samples.

    Parameters
    ----------
    a, b
        ``(replicate,)`` each; sizes may differ. Ties get mean ranks, and the exact distribution
        given the ties is used.
    alternative
        "greater": a tends to be larger than b.

    Returns
    -------
    ExactTest
        Statistic: U of a (pairs that a wins, ties half).

    **Measures**: whether replicates of a tend to score above replicates of b.

    **Misleads when**: there are few runs: 3 + 3 give no two-sided p below .10, 4 + 4 none below
    .029. A difference in spread alone can move it.

    **References**: Wilcoxon (1945); Lehmann (1975), Nonparametrics, chapter 1 (ties).

    Examples
    --------
    >>> found = rank_sum([1, 2, 3], [4, 5, 6])
    >>> round(found.p_value, 3), round(found.smallest_p, 3)
    (0.1, 0.1)
    """
    one_of(alternative, "alternative", ALTERNATIVES)
    x, y = finite(a, "a", ndim=1), finite(b, "b", ndim=1)
    doubled = _doubled_ranks(np.concatenate([x, y]))
    statistic = float(doubled[: x.size].sum() / 2 - x.size * (x.size + 1) / 2)
    if doubled.size > LARGEST_EXACT:
        found = scipy.stats.mannwhitneyu(x, y, alternative=alternative, method="asymptotic")
        p = float(found.pvalue)
        return ExactTest(statistic, p, 0.0, doubled.size, "normal", alternative)
    shares = _subset_sums(doubled, x.size)
    return _from_distribution(
        shares, int(doubled[: x.size].sum()), statistic=statistic, n=doubled.size, side=alternative
    )


def signed_rank(differences: ArrayLike, *, alternative: Alternative = "two-sided") -> ExactTest:
    """Signed-rank test (Wilcoxon), exact, of paired differences.

    Parameters
    ----------
    differences
        ``(replicate,)``; zeros are dropped, ties get mean ranks.
    alternative
        "greater": differences tend to be positive.

    Returns
    -------
    ExactTest
        Statistic: sum of the ranks of positive differences; ``n`` counts the non-zero ones.

    **Measures**: whether paired differences are centered above or below 0.

    **Misleads when**: there are five pairs: no two-sided p below .0625 exists. Differences are
    taken to be symmetric.

    **References**: Wilcoxon (1945); Lehmann (1975), Nonparametrics, chapter 3.

    Examples
    --------
    >>> signed_rank([0.3, 0.1, 0.4, 0.2, 0.5]).p_value
    0.0625
    """
    one_of(alternative, "alternative", ALTERNATIVES)
    d = finite(differences, "differences", ndim=1)
    d = d[d != 0]
    if d.size == 0:
        return ExactTest(0.0, 1.0, 1.0, 0, "exact", alternative)
    doubled = _doubled_ranks(np.abs(d))
    observed = int(doubled[d > 0].sum())
    if d.size > LARGEST_EXACT:
        found = scipy.stats.wilcoxon(d, alternative=alternative, method="asymptotic")
        return ExactTest(observed / 2, float(found.pvalue), 0.0, d.size, "normal", alternative)
    shares = _any_subset_sums(doubled)
    return _from_distribution(shares, observed, statistic=observed / 2, n=d.size, side=alternative)


def _doubled_ranks(values: FloatArray) -> IntArray:
    """Twice the mean ranks, whole also with ties; nearly equal values are ties."""
    order = np.sort(values)
    close = np.diff(order) <= TIE * np.maximum(np.abs(order[1:]), np.abs(order[:-1]))
    group = np.concatenate([[0], np.cumsum(~close)])
    by_value = np.empty(values.size, dtype=np.int64)
    by_value[np.argsort(values, kind="stable")] = group
    return np.asarray(np.rint(2 * scipy.stats.rankdata(by_value)), dtype=np.int64)


def _subset_sums(doubled: IntArray, size: int) -> FloatArray:
    """Share of the subsets of ``size`` ranks that have each sum, ``(sum,)``."""
    total = int(doubled.sum())
    ways = np.zeros((size + 1, total + 1))
    ways[0, 0] = 1.0
    for rank in doubled:
        # (taken, sum): the right side is read before it is written
        ways[1:, rank:] += ways[:-1, : total + 1 - rank].copy()
    return np.asarray(ways[size] / ways[size].sum(), dtype=np.float64)


def _any_subset_sums(doubled: IntArray) -> FloatArray:
    """Share of all subsets (sign patterns) that have each sum, ``(sum,)``."""
    total = int(doubled.sum())
    share = np.zeros(total + 1)
    share[0] = 1.0
    for rank in doubled:
        moved = np.zeros(total + 1)
        moved[rank:] = share[: total + 1 - rank]
        share = 0.5 * (share + moved)
    return share


def _from_distribution(
    shares: FloatArray, observed: int, *, statistic: float, n: int, side: Alternative
) -> ExactTest:
    tails = float(shares[: observed + 1].sum()), float(shares[observed:].sum())
    reached = shares[np.flatnonzero(shares)]
    ends = float(reached[0]), float(reached[-1])
    return exact_test(statistic, tails, ends, n=n, method="exact", side=side)
