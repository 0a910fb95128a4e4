"""The interval over replicates alone: retraining, on the same items."""

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from scrutiny.stats.arrays import finite, proper_level
from scrutiny.stats.errors import StatisticsError
from scrutiny.stats.interval import Interval


def t_over_replicates(point: ArrayLike, *, level: float = 0.95) -> Interval:
    """Interval of the mean over replicates for new replicates on the *same* items.

    Parameters
    ----------
    point
        ``(replicate,)``, at least two.
    level
        Nominal coverage.

    **Measures**: what retraining alone would move.

    **Misleads when**: it is read as an interval for new items: it then covers 76-92 % instead of
    95 %.

    **References**: Student (1908), The probable error of a mean.

    Examples
    --------
    >>> found = t_over_replicates([1.0, 2.0, 3.0])
    >>> round(found.low, 3), round(found.high, 3)
    (-0.484, 4.484)
    """
    each = finite(point, "point", ndim=1)
    if each.size < 2:
        raise StatisticsError("one replicate has no variance over replicates; two are the least.")
    se = float(each.std(ddof=1) / np.sqrt(each.size))
    half = float(stats.t.ppf((1 + proper_level(level)) / 2, each.size - 1)) * se
    mean = float(each.mean())
    return Interval(mean, mean - half, mean + half, level, "t_over_replicates", se)
