"""Percentile, basic and BCa intervals where items are the only factor."""

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, finite, one_of, proper_level
from scrutiny.stats.errors import StatisticsError
from scrutiny.stats.intervals.interval import Interval, quantile_limits
from scrutiny.stats.resampling.resample import Value, jackknife, resample
from scrutiny.stats.resampling.weights import Units

METHODS = ("percentile", "bca")


def bootstrap(
    X: ArrayLike,
    value: Value,
    *,
    rng: np.random.Generator,
    draws: int = 10_000,
    units: Units | None = None,
    method: str = "percentile",
    level: float = 0.95,
) -> Interval:
    """Interval of one model's statistic from resampling items (or clusters of items).

    Parameters
    ----------
    X
        Additive components ``(row, component)``.
    value
        Maps sums ``(..., cell, component)`` and weights ``(..., cell)`` to values ``(...)``.
    rng, draws, units
        As in `resample`.
    method
        "percentile", or "bca" (bias-corrected and accelerated).
    level
        Nominal coverage.

    **Measures**: what other items would have given *this checkpoint*.

    **Misleads when**: it is stated of a recipe: retraining is not in it. With fewer than 20
    clusters percentiles cover 87-92 % instead of 95 %: use `crossed` with ``n_units``.

    **References**: Efron (1987), Better bootstrap confidence intervals.

    Examples
    --------
    >>> share = lambda sums, weight: sums[..., 0, 0] / 50
    >>> hits = np.repeat([[1.0], [0.0]], 25, axis=0)
    >>> found = bootstrap(hits, share, rng=np.random.default_rng(0))
    >>> found.point, round(found.low, 2), round(found.high, 2)
    (0.5, 0.36, 0.64)
    """
    one_of(method, "method", METHODS)
    components = finite(X, "X", ndim=2)[None]
    found = resample(components, value, rng=rng, draws=draws, units=units)
    point = finite(found.point, "the statistic on all items")[0]
    kept = found.defined_draws[:, 0]
    notes = ("undefined_draws",) if kept.size < draws else ()
    if 2 * kept.size < draws:
        raise StatisticsError("the statistic does not exist on most draws; there are too few rows.")
    if method == "bca":
        left_out = jackknife(components, value, units=units)[:, 0]
        low, high = bca_limits(float(point), kept, left_out=left_out, level=level)
    else:
        low, high = quantile_limits(kept, level)
    se = float(kept.std(ddof=1))
    return Interval(float(point), low, high, level, method, se, draws=kept, notes=notes)


def bca_limits(
    point: float, draws: FloatArray, *, left_out: FloatArray, level: float = 0.95
) -> tuple[float, float]:
    """BCa limits from draws ``(draw,)`` and leave-one-out values ``(unit,)``.

    **Measures**: percentile limits moved for the median bias of the draws and for how the
    standard error changes with the parameter.

    **Misleads when**: the statistic does not vary when a unit is left out; the plain percentiles
    come back then.

    **References**: Efron (1987), Better bootstrap confidence intervals.

    Examples
    --------
    >>> draws = np.random.default_rng(0).standard_normal(20000)
    >>> low, high = bca_limits(0.0, draws, left_out=np.array([-1.0, 0.0, 1.0]))
    >>> abs(low + 1.96) < 0.06 and abs(high - 1.96) < 0.06
    True
    """
    # draws equal to the point count half, as discrete statistics have many of them
    below = (np.count_nonzero(draws < point) + 0.5 * np.count_nonzero(draws == point)) / draws.size
    shift = left_out.mean() - left_out
    spread = float((shift**2).sum())
    if spread == 0.0 or not 0.0 < below < 1.0:
        return quantile_limits(draws, level)
    bias = float(scipy.special.ndtri(below))
    acceleration = float((shift**3).sum()) / (6.0 * spread**1.5)
    tail = (1.0 - proper_level(level)) / 2.0
    z = bias + scipy.special.ndtri(np.array([tail, 1.0 - tail]))
    low, high = np.quantile(draws, scipy.special.ndtr(bias + z / (1.0 - acceleration * z)))
    return float(low), float(high)
