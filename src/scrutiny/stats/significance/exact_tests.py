"""Exact tests: their result type, McNemar's test of pairs, rank-sum and signed-rank tests.

The rank tests are exact also with ties.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import BoolArray, FloatArray, IntArray, StatisticsError, finite, one_of
from scrutiny.stats.significance import binomial

Alternative = Literal["two-sided", "greater", "less"]
ALTERNATIVES = ("two-sided", "greater", "less")
TIE = 1e-9  # relative: values closer than this are ties


@dataclass(frozen=True, slots=True)
class ExactTest:
    """P-value of an exact test, and the smallest one that it could have given.

    Parameters
    ----------
    statistic
        The value that was compared with its distribution.
    p_value
        Of the alternative.
    smallest_p
        Smallest p attainable with these sizes and ties. Above the level of the test, no result
        can be significant, and the test must not be read as evidence of no effect.
    n
        Observations that carry information (discordant pairs, non-zero differences, units).
    method
        "exact", "mid-p", "normal" or "sampled".
    alternative
        "two-sided", "greater" or "less".
    """

    statistic: float
    p_value: float
    smallest_p: float
    n: int
    method: str
    alternative: str


def two_sided(lower: float, upper: float) -> float:
    """Two-sided p-value: twice the smaller of two tails that include the observed value."""
    return min(1.0, 2.0 * min(lower, upper))


def exact_test(
    statistic: float,
    tails: tuple[float, float],
    ends: tuple[float, float],
    *,
    n: int,
    method: str,
    side: Alternative,
) -> ExactTest:
    """Test from its lower and upper tail, and the smallest that each of them can be."""
    (lower, upper), (least, most) = tails, ends
    p, smallest = {
        "greater": (upper, most),
        "less": (lower, least),
        "two-sided": (two_sided(lower, upper), two_sided(least, most)),
    }[side]
    return ExactTest(statistic, min(1.0, p), smallest, n, method, side)


def tails_among(
    observed: float, drawn: FloatArray, *, is_exact: bool
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Lower and upper tail of a value among those of other arrangements, and the smallest of each.

    Of all arrangements the observed is one; beside a sample of them it counts as one more.
    """
    slack = TIE * max(abs(observed), float(np.abs(drawn).max()))
    added = 0 if is_exact else 1

    def share(hit: BoolArray) -> float:
        return float((added + np.count_nonzero(hit)) / (added + drawn.size))

    tails = share(drawn <= observed + slack), share(drawn >= observed - slack)
    if not is_exact:
        return tails, (1.0 / (1 + drawn.size), 1.0 / (1 + drawn.size))
    return tails, (share(drawn <= drawn.min() + slack), share(drawn >= drawn.max() - slack))


def mcnemar(
    gained: int, lost: int, *, method: str = "mid-p", alternative: Alternative = "two-sided"
) -> ExactTest:
    """McNemar's exact or mid-p test of discordant pairs.

    Parameters
    ----------
    gained, lost
        Items right only after, and right only before.
    method
        "exact" (conditional binomial, conservative) or "mid-p".
    alternative
        "greater": more gained than lost.

    Returns
    -------
    ExactTest
        Statistic ``gained``; ``n`` is the number of discordant pairs.

    **Measures**: whether the two conditions of *one* model differ in accuracy on these items.

    **Misleads when**: rows of several seeds are pooled: items repeat and the test is far too
    liberal. Mid-p may exceed its level slightly; with fewer than 6 discordant pairs exact can
    cannot reject at .05.

    **References**: McNemar (1947); Fagerland, Lydersen & Laake (2013), The McNemar test for binary
    matched-pairs data: mid-p and asymptotic are better than exact conditional.

    Examples
    --------
    >>> found = mcnemar(1, 5, method="exact")
    >>> found.p_value, found.smallest_p
    (0.21875, 0.03125)
    """
    one_of(method, "method", ("exact", "mid-p"))
    one_of(alternative, "alternative", ALTERNATIVES)
    if gained < 0 or lost < 0:
        raise StatisticsError(f"counts must be at least 0; got {gained} and {lost}.")
    n = gained + lost
    if n == 0:  # no item changed: no evidence either way
        return ExactTest(0.0, 1.0, 1.0, 0, method, alternative)

    def tails(k: int) -> tuple[float, float]:
        half = 0.5 * float(binomial.pmf(k, n, 0.5)) if method == "mid-p" else 0.0
        return float(binomial.cdf(k, n, 0.5)) - half, float(binomial.sf(k - 1, n, 0.5)) - half

    ends = tails(0)[0], tails(n)[1]
    return exact_test(float(gained), tails(gained), ends, n=n, method=method, side=alternative)


def mcnemar_by_replicate(
    before: ArrayLike, after: ArrayLike, *, method: str = "mid-p"
) -> tuple[ExactTest, ...]:
    """Two-sided McNemar test of each replicate, from hits ``(replicate, item)``.

    Parameters
    ----------
    before, after
        0 or 1 (or bool), the same replicates and items.
    method
        As in `mcnemar`.

    **Measures**: in how many replicates the change would be called significant.

    **Misleads when**: the count of significant replicates is read as a vote: "any of five" is a
    false alarm in 92 % where the truth sits at the limit. The claim is tested by `crossed`.

    **References**: as `mcnemar`.

    Examples
    --------
    >>> [t.n for t in mcnemar_by_replicate([[1, 1, 0]], [[1, 0, 1]])]
    [2]
    """
    b, a = np.asarray(before), np.asarray(after)
    for array, name in ((b, "before"), (a, "after")):
        if array.ndim != 2 or not np.isin(array, (0, 1)).all():
            raise StatisticsError(
                f"{name} must be (replicate, item) of 0 and 1; got {array.shape}."
            )
    if a.shape != b.shape:
        raise StatisticsError(f"before has shape {b.shape}, after {a.shape}; they must agree.")
    gained, lost = (b < a).sum(axis=1), (b > a).sum(axis=1)
    return tuple(mcnemar(int(g), int(k), method=method) for g, k in zip(gained, lost, strict=True))


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
    # shares of the sums of as many ranks as x has
    total = int(doubled.sum())
    ways = np.zeros((x.size + 1, total + 1))
    ways[0, 0] = 1.0
    for rank in doubled:
        # (taken, sum): the right side is read before it is written
        ways[1:, rank:] += ways[:-1, : total + 1 - rank].copy()
    shares = np.asarray(ways[x.size] / ways[x.size].sum(), dtype=np.float64)
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
    # shares of the sums of any of the ranks
    total = int(doubled.sum())
    shares = np.zeros(total + 1)
    shares[0] = 1.0
    for rank in doubled:
        moved = np.zeros(total + 1)
        moved[rank:] = shares[: total + 1 - rank]
        shares = 0.5 * (shares + moved)
    return _from_distribution(shares, observed, statistic=observed / 2, n=d.size, side=alternative)


def _doubled_ranks(values: FloatArray) -> IntArray:
    """Twice the mean ranks, whole also with ties; nearly equal values are ties."""
    order = np.sort(values)
    close = np.diff(order) <= TIE * np.maximum(np.abs(order[1:]), np.abs(order[:-1]))
    group = np.concatenate([[0], np.cumsum(~close)])
    size = np.bincount(group)
    doubled = np.empty(values.size, dtype=np.int64)
    doubled[np.argsort(values, kind="stable")] = (2 * np.cumsum(size) - size + 1)[group]
    return doubled


def _from_distribution(
    shares: FloatArray, observed: int, *, statistic: float, n: int, side: Alternative
) -> ExactTest:
    tails = float(shares[: observed + 1].sum()), float(shares[observed:].sum())
    reached = shares[np.flatnonzero(shares)]
    ends = float(reached[0]), float(reached[-1])
    return exact_test(statistic, tails, ends, n=n, method="exact", side=side)


def mcnemar_mid_p(gained: ArrayLike, count: ArrayLike) -> FloatArray:
    """McNemar's two-sided mid-p of many pairs of conditions at once, as of `mcnemar`.

    Parameters
    ----------
    gained
        Items gained of each; any shape.
    count
        Items that changed, of the same shape.

    Returns
    -------
    FloatArray
        1 where nothing changed.

    **Measures** and **misleads** as `mcnemar`.

    Examples
    --------
    >>> mcnemar_mid_p([1, 0], [6, 0]).tolist()
    [0.125, 1.0]
    """
    some, of = np.asarray(gained, dtype=np.float64), np.asarray(count).astype(np.intp)
    at = scipy.special.bdtr(some, of, 0.5)
    before = np.where(some > 0, scipy.special.bdtr(np.maximum(some - 1.0, 0.0), of, 0.5), 0.0)
    half = (at - before) / 2.0
    lower, upper = at - half, 1.0 - before - half
    return np.where(of > 0, np.minimum(1.0, 2.0 * np.minimum(lower, upper)), 1.0)
