"""Tango's variance of a difference of two shares of the same items."""

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray


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
