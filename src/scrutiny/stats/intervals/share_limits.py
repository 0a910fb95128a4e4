"""Shares and design effects: exact limits of as many independent items as a sample is worth.

Items of one document fail together, and answers of several seeds are averaged: the variance of a
share is then a multiple of that of independent items, the design effect. A share of n items is
worth n / (design effect) independent ones, and has the exact limits of so many. For a difference of
two shares of the same items there is Tango's variance.
"""

from typing import Final

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray
from scrutiny.stats.intervals.interval import Scale

#: Units that count as if all of their items had failed together, beside those that were seen.
_WHOLE_UNITS: Final = 1.0
_LEAST_EFFECT: Final = 1e-3  # of items that are all alike
_ERRORS: Final = 3.0  # standard errors of a variance of draws that tell it from another


def exact_limits(share: ArrayLike, n: ArrayLike, *, tail: float) -> tuple[FloatArray, FloatArray]:
    """Exact (Clopper-Pearson) limits of a share, low and high.

    Parameters
    ----------
    share
        From 0 to 1.
    n
        Independent items that it is worth; fractions are fine.
    tail
        Probability on one side.

    **Measures**: the shares of which so many cases, or more, or so few, are not yet improbable.

    **Misleads when**: n is the number of items where these are not independent.

    **References**: Clopper & Pearson (1934), The use of confidence or fiducial limits; Korn &
    Graubard (1998), Confidence intervals for proportions with small expected number of positive
    counts estimated from survey data.

    Examples
    --------
    >>> [round(float(end), 4) for end in exact_limits(1 / 200, 200, tail=0.025)]
    [0.0001, 0.0275]
    """
    p, size = np.asarray(share, dtype=np.float64), np.asarray(n, dtype=np.float64)
    cases = np.clip(p, 0.0, 1.0) * size
    others = np.clip(1.0 - p, 0.0, 1.0) * size
    has_cases, has_others = cases > 0, others > 0
    least = scipy.special.betaincinv(np.where(has_cases, cases, 1.0), others + 1.0, tail)
    most = scipy.special.betaincinv(cases + 1.0, np.where(has_others, others, 1.0), 1.0 - tail)
    return np.where(has_cases, least, 0.0), np.where(has_others, most, 1.0)


def clipped_share(share: float, n: float) -> float:
    """Share at least half a case away from 0 and 1.

    Examples
    --------
    >>> clipped_share(0.0, 99), clipped_share(0.3, 99)
    (0.005, 0.3)
    """
    least = 0.5 / (n + 1.0)
    return min(max(share, least), 1.0 - least)


def share_of(value: float, scale: Scale) -> float:
    """Value of a share as a part of one.

    Examples
    --------
    >>> share_of(35.0, Scale.of("percent"))
    0.35
    """
    return min(max((value - scale.low) / (scale.high - scale.low), 0.0), 1.0)


def effect_of_few(effect: float, cases: float, crowding: float) -> float:
    """Design effect that was seen, moved to the largest one where few units have cases.

    Samples without a difficult document have a low share and a low variance: as many limits would
    then lie below the truth as there are such samples. One more unit, all of whose items fail,
    counts beside those that were seen.

    Parameters
    ----------
    effect
        Variance that was seen, over that of independent items.
    cases
        Items that failed (that flipped), or did not if these are fewer.
    crowding
        Items in the unit of an average item: the effect if units fail whole.

    Examples
    --------
    >>> effect_of_few(1.0, 7, 1.0), effect_of_few(2.0, 18, 12.0), effect_of_few(0.0, 0, 12.0)
    (1.0, 3.0, 12.0)
    """
    units = cases / max(effect, _LEAST_EFFECT)
    return (units * effect + _WHOLE_UNITS * crowding) / (units + _WHOLE_UNITS)


def is_independent(effect: float, crowding: float, draws: int) -> bool:
    """Whether a design effect is that of independent items, within the error of so many draws.

    Examples
    --------
    >>> is_independent(1.02, 1.0, 4000), is_independent(1.02, 4.0, 4000)
    (True, False)
    """
    # a count of one case is nearly Poisson: the variance of its variance is 3 / draws
    return crowding == 1.0 and abs(effect - 1.0) <= _ERRORS * (3.0 / draws) ** 0.5


def apart_of(influences: FloatArray) -> tuple[float, float]:
    """Variance of a value if its items were independent, and number of items that it comes from.

    Both are of one replicate: means over replicates. Items count as far as they move the value:
    (sum of squares)² / sum of fourth powers, which is their number where all move it alike.

    Parameters
    ----------
    influences
        ``(replicate, item)`` by how much each moves the value (`resample.influences`).

    Examples
    --------
    >>> apart_of(np.array([[0.1, -0.1, 0.1, -0.1, 0.0, 0.0]]))
    (0.04, 4.0)
    """
    squares = (influences - influences.mean(axis=1, keepdims=True)) ** 2
    variance, fourth = squares.sum(axis=1), (squares**2).sum(axis=1)
    cases = np.divide(variance**2, fourth, out=np.zeros(fourth.size), where=fourth > 0)
    return float(np.round(variance.mean(), 15)), float(np.round(cases.mean(), 9))


def family_effects(
    items: FloatArray, usual: FloatArray, cases: FloatArray, crowding: float
) -> FloatArray:
    """Design effects of a family's rows ``(row,)``: none below that of all rows together.

    A change that happened to miss the difficult documents of a sample looks harmless and sure;
    other changes on the same documents show how much items of one document have in common.

    Parameters
    ----------
    items
        ``(row,)`` variance that was seen.
    usual
        ``(row,)`` variance of as many independent items; 0 where nothing flipped.
    cases
        ``(row,)`` items that flipped.
    crowding
        Items in the unit of an average item.
    """
    own = np.divide(items, usual, out=np.full(items.size, crowding), where=usual > 0)
    own = np.minimum(own, crowding)
    together = float((own * usual).sum() / usual.sum()) if usual.any() else crowding
    least = effect_of_few(together, float(cases.sum()), crowding)
    return np.asarray(np.maximum(own, least), dtype=np.float64)


def tango_variance(
    difference: ArrayLike, against: ArrayLike, favor: ArrayLike, units: ArrayLike
) -> FloatArray:
    """Tango's score variance of a paired difference of shares, given its true value.

    Parameters
    ----------
    difference
        Supposed difference: ``(against - favor) / units`` in the long run.
    against, favor
        Discordant pairs of both kinds.
    units
        Pairs.

    References
    ----------
    Tango (1998), Equivalence test and confidence interval for the difference in proportions for
    the paired-sample design.
    """
    delta, b, c, n = (
        np.asarray(one, dtype=np.float64) for one in (difference, against, favor, units)
    )
    half = -b - c + (2.0 * n - b + c) * delta
    last = -c * delta * (1.0 - delta)
    rest = np.sqrt(np.maximum(half**2 - 8.0 * n * last, 0.0))
    rarer = np.maximum((rest - half) / (4.0 * n), np.maximum(0.0, -delta))
    return np.asarray(np.maximum(2.0 * rarer + delta * (1.0 - delta), 0.0) / n)
