"""Exact tests: their result type, and McNemar's test of two conditions on the same items."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import BoolArray, FloatArray, one_of
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
