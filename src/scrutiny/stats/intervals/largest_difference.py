"""Largest difference between two replicates: whether all are equivalent, or some differ."""

import numpy as np
import scipy

from scrutiny.stats.arrays import finite
from scrutiny.stats.errors import StatisticsError
from scrutiny.stats.intervals.interval import Interval
from scrutiny.stats.resampling.resample import Resampled


def largest_difference(resampled: Resampled, *, level: float = 0.95) -> Interval:
    """Interval of the largest difference between two replicates, on other items.

    Parameters
    ----------
    resampled
        A statistic of each replicate, on the same draws of items.
    level
        Nominal coverage.

    Returns
    -------
    Interval
        The upper limit lies below a margin where two one-sided tests (`tost`) show each pair
        equivalent within it: all pairs have to pass, so nothing is corrected. The lower limit lies
        above a value where some pair differs by more, with Bonferroni's correction over the pairs.

    Raises
    ------
    StatisticsError
        With fewer than two replicates, one unit, or without a value of each on two draws.

    **Measures**: whether these replicates do equally well within a margin, or not equally well.

    **Misleads when**: read as about other seeds: the largest of more pairs is larger. With few
    items even equal replicates lie several errors apart: see `workable_margin`.

    **References**: Schuirmann (1987), A comparison of the two one-sided tests procedure; Berger
    (1982), Multiparameter hypothesis testing and acceptance sampling.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> one = rng.normal(size=(1000, 1)) + rng.normal(0, 0.01, (1000, 2))
    >>> found = largest_difference(Resampled(np.array([0.8, 0.83]), one, 100, 100, None, ""))
    >>> round(found.point, 3), round(found.low, 3), round(found.high, 3)
    (0.03, 0.0, 0.059)
    """
    values = finite(resampled.point, "point", ndim=1)
    draws = resampled.defined_draws
    if values.size < 2 or resampled.degrees < 1 or len(draws) < 2:
        raise StatisticsError("two replicates, two units and draws of both are the least.")
    one, other = np.triu_indices(values.size, 1)
    size = np.abs(values[one] - values[other])
    errors = np.std(draws[:, one] - draws[:, other], axis=0, ddof=1)

    def ends(level: float) -> tuple[float, float]:
        tail = (1.0 - level) / 2.0
        some, every = scipy.special.stdtrit(
            resampled.degrees, [1.0 - tail / (2 * size.size), 1.0 - tail]
        )
        return max(0.0, float((size - some * errors).max())), float((size + every * errors).max())

    return Interval.of_ends(float(size.max()), ends, level=level, method="items of pairs")
