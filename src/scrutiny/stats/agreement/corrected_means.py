"""Means of a judge's verdicts, corrected by the few items that people judged, too.

Everything is computed from sums over items, so that resamples cost nothing: the same functions
serve one dataset and thousands of draws of it.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, StatisticsError, finite, proper_level

#: Items that people judged, of which a variance can be had.
FEWEST: Final = 2


@dataclass(frozen=True, slots=True)
class CorrectedMean:
    """A mean corrected by human labels, with its interval.

    Parameters
    ----------
    value, low, high
        The mean and its limits.
    weight
        How far the judge is relied on (PPI++'s lambda): 0 not at all, 1 fully.
    n_human, n_judged
        Items that people judged, and further ones that the judge alone did.
    """

    value: float
    low: float
    high: float
    weight: float
    n_human: int
    n_judged: int


def sums_of(judge: FloatArray, human: FloatArray, has_human: FloatArray) -> FloatArray:
    """What both corrections are made of ``(..., 9)``, additive over items.

    Parameters
    ----------
    judge
        ``(...)`` verdicts as numbers.
    human
        ``(...)`` those of people; any number where there is none.
    has_human
        ``(...)`` 1 where people judged the item, else 0.
    """
    people = np.where(has_human > 0, human, 0.0)
    others = 1.0 - has_human
    return np.stack(
        [
            has_human,
            people,
            has_human * judge,
            people**2,
            has_human * judge**2,
            people * judge,
            others,
            others * judge,
            others * judge**2,
        ],
        axis=-1,
    )


def _over(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Quotient; NaN where the denominator is not above 0."""
    return np.asarray(numerator / np.where(denominator > 0, denominator, np.nan))


def weight_of(sums: FloatArray) -> FloatArray:
    """Weight of the judge ``(...)`` that makes the variance least (PPI++), of sums ``(..., 9)``.

    Between 0 and 1; 0 where the verdicts do not vary or people judged every item.
    """
    n, y, f, _, _, yf, others, g, gg = np.moveaxis(sums, -1, 0)
    ff = sums[..., 4] + gg
    covariance = _over(yf, n) - _over(y, n) * _over(f, n)
    everything = n + others
    spread = _over(ff, everything) - _over(f + g, everything) ** 2
    variance = spread * _over(everything, everything - 1)
    tuned = _over(covariance, (1 + _over(n, others)) * variance)
    return np.asarray(np.clip(np.nan_to_num(tuned, nan=0.0), 0.0, 1.0))


def powered_mean(sums: FloatArray, weight: FloatArray | float | None = None) -> FloatArray:
    """Prediction-powered mean ``(...)`` of sums ``(..., 9)``; NaN without human labels.

    ``weight`` 1 is the plain form, 0 the mean of the human labels alone, None the tuned one.
    """
    n, y, f, _, _, _, others, g, _ = np.moveaxis(sums, -1, 0)
    chosen = weight_of(sums) if weight is None else np.asarray(weight, dtype=np.float64)
    of_judge = np.where(others > 0, _over(g, others) - _over(f, n), 0.0)
    return np.asarray(_over(y, n) + chosen * of_judge)


def prediction_powered_mean(
    human: ArrayLike,
    judge: ArrayLike,
    judge_alone: ArrayLike,
    *,
    level: float = 0.95,
    weight: float | None = None,
) -> CorrectedMean:
    """Mean that people would give, of few human labels and many verdicts of a judge.

    Parameters
    ----------
    human, judge
        ``(n,)`` of the same items: what people said, and the judge.
    judge_alone
        ``(N,)`` verdicts on further items, which people did not judge.
    level
        Of the interval.
    weight
        How far the judge is relied on; None: as far as makes the variance least (PPI++).

    **Measures**: the mean of human verdicts over all items. It is right however wrong the judge is;
    a good judge makes its interval narrower.

    **Misleads when**: people judged a chosen part of the items (the difficult ones), not a random
    one; there are so few labels that the normal approximation fails (below 30 or so).

    **References**: Angelopoulos et al. (2023), Prediction-powered inference; Angelopoulos, Duchi &
    Zrnic (2023), PPI++: Efficient prediction-powered inference. Equal to `ppi_mean_ci`
    of ppi-python 0.2.3.

    Raises
    ------
    StatisticsError
        For arrays of other shapes, or fewer than two human labels.

    Examples
    --------
    >>> found = prediction_powered_mean([1, 0, 1, 1], [1, 0, 0, 1], [1, 0, 1, 1, 0, 1])
    >>> round(found.value, 3), round(found.weight, 3), found.n_judged
    (0.797, 0.281, 6)
    """
    y, f = finite(human, "human", ndim=1), finite(judge, "judge", ndim=1)
    g = np.asarray(judge_alone, dtype=np.float64)
    if y.shape != f.shape or y.size < FEWEST:
        raise StatisticsError(
            f"human has {y.size} and judge {f.size} verdicts: two or more of the same items needed."
        )
    quantile = float(scipy.special.ndtri((1 + proper_level(level)) / 2))
    sums = sums_of(
        np.concatenate([f, g]),
        np.concatenate([y, np.zeros(g.size)]),
        np.concatenate([np.ones(y.size), np.zeros(g.size)]),
    ).sum(axis=0)
    chosen = float(weight_of(sums)) if weight is None else weight
    chosen = chosen if g.size else 0.0
    value = float(powered_mean(sums, chosen))
    variance = np.var(y - chosen * f) / y.size
    if g.size:
        variance += chosen**2 * np.var(g) / g.size
    half = quantile * float(np.sqrt(variance))
    return CorrectedMean(value, value - half, value + half, chosen, y.size, g.size)


def rogan_gladen(sums: FloatArray) -> FloatArray:
    """Share of positive items ``(...)``, corrected by sensitivity and specificity.

    Parameters
    ----------
    sums
        ``(..., 9)`` of verdicts 0 and 1 (`sums_of`).

    **Measures**: the share that people would call positive; sensitivity and specificity are of the
    items that people judged.

    **Misleads when**: the judge is hardly better than a coin, since it divides by sensitivity +
    specificity - 1: no value is given where that is not above 0. Values outside of 0 to 1 are cut.

    **References**: Rogan & Gladen (1978), Estimating prevalence from the results of a screening
    test.

    Examples
    --------
    >>> judge, human = np.array([1.0, 1, 0, 0, 1]), np.array([1.0, 0, 0, 0, 1])
    >>> sums = sums_of(judge, human, np.ones(5)).sum(axis=0)
    >>> round(float(rogan_gladen(sums)), 3)
    0.4
    """
    n, y, f, _, _, yf, others, g, _ = np.moveaxis(sums, -1, 0)
    sensitivity = _over(yf, y)
    specificity = 1.0 - _over(f - yf, n - y)
    raw = _over(f + g, n + others)
    skill = sensitivity + specificity - 1.0
    return np.asarray(np.clip(_over(raw + specificity - 1.0, skill), 0.0, 1.0))


def labels_needed(sums: FloatArray, half_width: float, *, level: float = 0.95) -> FloatArray:
    """How many of the items people have to judge for a corrected interval of this half-width.

    With the best weight, n human labels of T items leave the variance
    ``v (1 - r²) / n + v r² / T``, where v is that of human verdicts and r their correlation with
    the judge's; this is solved for n.

    Parameters
    ----------
    sums
        ``(..., 9)`` of what is there (`sums_of`).
    half_width
        Half of the interval that is wanted.
    level
        Of the interval.

    Returns
    -------
    array
        ``(...)`` whole numbers; NaN where judging all of them would not suffice.

    Examples
    --------
    >>> judge, human = np.tile([1.0, 1, 0, 0], 50), np.tile([1.0, 0, 0, 0], 50)
    >>> seen = sums_of(judge, human, np.ones(200)).sum(axis=0)
    >>> [float(labels_needed(seen, width)) for width in (0.1, 0.01)]
    [55.0, nan]
    """
    if half_width <= 0:
        raise StatisticsError(f"half_width is {half_width}; it must be above 0.")
    quantile = float(scipy.special.ndtri((1 + proper_level(level)) / 2))
    n, y, f, yy, ff, yf, others, _, _ = np.moveaxis(sums, -1, 0)
    items = n + others
    of_human = _over(yy, n) - _over(y, n) ** 2
    of_judge = _over(ff, n) - _over(f, n) ** 2
    covariance = np.maximum(_over(yf, n) - _over(y, n) * _over(f, n), 0.0)
    explained = np.nan_to_num(_over(covariance**2, of_judge), nan=0.0)  # v r²
    needed = _over(of_human - explained, (half_width / quantile) ** 2 - _over(explained, items))
    whole = np.maximum(np.ceil(needed - 1e-9), FEWEST)
    return np.asarray(np.where(whole <= items, whole, np.nan))
