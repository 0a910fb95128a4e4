"""Exact tests: their result type, and McNemar's test of two conditions on the same items."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import one_of
from scrutiny.stats.errors import StatisticsError
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
    p = _tails(gained, n, method=method, alternative=alternative)
    ends = (0, n) if alternative == "two-sided" else ((n,) if alternative == "greater" else (0,))
    smallest = min(_tails(k, n, method=method, alternative=alternative) for k in ends)
    return ExactTest(float(gained), p, smallest, n, method, alternative)


def _tails(k: int, n: int, *, method: str, alternative: str) -> float:
    if n == 0:
        return 1.0  # no item changed: no evidence either way
    half = 0.5 * float(binomial.pmf(k, n, 0.5)) if method == "mid-p" else 0.0
    lower = float(binomial.cdf(k, n, 0.5)) - half
    upper = float(binomial.sf(k - 1, n, 0.5)) - half
    if alternative == "greater":
        return upper
    return lower if alternative == "less" else min(1.0, 2.0 * min(lower, upper))


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
    b, a = (_hits(x, name) for x, name in ((before, "before"), (after, "after")))
    if a.shape != b.shape:
        raise StatisticsError(f"before has shape {b.shape}, after {a.shape}; they must agree.")
    gained, lost = (~b & a).sum(axis=1), (b & ~a).sum(axis=1)
    return tuple(mcnemar(int(g), int(k), method=method) for g, k in zip(gained, lost, strict=True))


def _hits(values: ArrayLike, name: str) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    array = np.asarray(values)
    if array.ndim != 2 or not np.isin(array, (0, 1)).all():
        raise StatisticsError(f"{name} must be (replicate, item) of 0 and 1; got {array.shape}.")
    return array.astype(np.bool_)
