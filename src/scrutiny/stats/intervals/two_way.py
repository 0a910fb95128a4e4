"""Intervals of numbers that come in two crossings of clusters: of models, and of datasets.

A published table has a row for a model on a dataset. Rows of one model go together, and rows of one
dataset do; neither is a sample of its own.
"""

from collections.abc import Sequence
from typing import Final, Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, IntArray, StatisticsError, finite, one_of
from scrutiny.stats.intervals.interval import Interval
from scrutiny.stats.intervals.share_limits import exact_limits

_FEWEST: Final = 3  # clusters of a factor that is drawn anew
_MOST_CELLS: Final = 4_000_000  # of draws by rows that are held at a time
_TIE: Final = 1e-12  # of a sum of weights

Statistic = Literal["median", "share"]


def two_way(
    values: ArrayLike,
    clusters: Sequence[ArrayLike],
    *,
    rng: np.random.Generator,
    statistic: Statistic = "median",
    level: float = 0.95,
    draws: int = 1000,
) -> Interval:
    """Interval of a median or share of rows, with clusters of each factor drawn anew.

    Parameters
    ----------
    values
        ``(row,)``; of a share zeros and ones.
    clusters
        For each factor ``(row,)`` the cluster of each row, numbers or names. Clusters of different
        factors are drawn apart, and a row counts as often as its clusters together.
    rng, draws
        Source of the draws and how many.
    statistic
        "median" or "share". A share of none or of all has the exact limits of as many independent
        rows as the fewest clusters that are drawn.
    level
        Nominal coverage.

    Returns
    -------
    Interval
        Method "two_way". A factor of fewer than three clusters is not drawn; its note is
        ``few_clusters``. If none can be drawn, the limits are NaN and the method is "none": so few
        say nothing about others.

    **Measures**: where the statistic would lie for other models and other datasets, as far as
    those of the table are a sample of them.

    **Misleads when**: the clusters were chosen for their results; or when a factor was not drawn:
    the interval then speaks of these clusters alone. Of three or four clusters it spans nearly all
    that the draws can give.

    **References**: Owen (2007), The pigeonhole bootstrap; Hesterberg (2015), What teachers should
    know about the bootstrap, 4.1.2 (wider percentiles for few units).

    Examples
    --------
    >>> models, data = np.repeat(np.arange(12), 6), np.tile(np.arange(6), 12)
    >>> rng = np.random.default_rng(1)
    >>> found = two_way(models + 10.0 * data, [models, data], rng=rng)
    >>> found.point, found.low < 30.5 < found.high, found.method
    (30.5, True, 'two_way')
    """
    one_of(statistic, "statistic", ("median", "share"))
    seen = finite(values, "values", ndim=1)
    codes = [np.unique(np.asarray(one), return_inverse=True)[1] for one in clusters]
    if any(one.size != seen.size for one in codes):
        raise StatisticsError("each factor names the cluster of every row.")
    if statistic == "share" and not np.isin(seen, (0.0, 1.0)).all():
        raise StatisticsError("a share is of zeros and ones.")
    order = np.argsort(seen, kind="stable")
    seen, codes = seen[order], [one[order] for one in codes]
    point = float(_weighted(seen, np.ones((1, seen.size)), statistic)[0])
    sizes = [int(one.max()) + 1 for one in codes]
    drawn = [(one, size) for one, size in zip(codes, sizes, strict=True) if size >= _FEWEST]
    notes = ("few_clusters",) if len(drawn) < len(codes) else ()
    if not drawn:
        return Interval(point, np.nan, np.nan, level, "none", np.nan, notes=notes)
    fewest = min(size for _, size in drawn)
    if statistic == "share" and point in (0.0, 1.0):
        low, high = exact_limits(point, fewest, tail=0.5 * (1 - level))
        return Interval(point, float(low), float(high), level, "exact", 0.0, notes=notes)
    counts = [(one, _multiplicities(size, draws, rng)) for one, size in drawn]
    step = max(1, _MOST_CELLS // seen.size)
    kept = np.concatenate(
        [
            _weighted(seen, _weights(counts, slice(k, k + step)), statistic)
            for k in range(0, draws, step)
        ]
    )
    kept = kept[np.isfinite(kept)]
    tail = _wider_tail(fewest, level)
    low, high = np.quantile(kept, [tail, 1 - tail])
    ends = float(min(low, point)), float(max(high, point))
    return Interval(
        point, *ends, level, "two_way", float(kept.std(ddof=1)), draws=kept, notes=notes
    )


def _weights(counts: Sequence[tuple[IntArray, IntArray]], part: slice) -> FloatArray:
    """How often each row counts in some of the draws ``(draw, row)``."""
    each = [drawn[part][:, codes] for codes, drawn in counts]
    return np.asarray(np.prod(each, axis=0), dtype=np.float64)


def _multiplicities(size: int, draws: int, rng: np.random.Generator) -> IntArray:
    """How often each cluster is drawn ``(draw, cluster)``."""
    return rng.multinomial(size, np.full(size, 1 / size), size=draws)


def _weighted(values: FloatArray, weights: FloatArray, statistic: Statistic) -> FloatArray:
    """Weighted statistic of sorted values ``(row,)`` under weights ``(draw, row)``."""
    total = weights.sum(axis=1)
    is_there = total > 0  # a draw may have no row of its models on its datasets
    found = np.full(total.size, np.nan)
    if statistic == "share":
        found[is_there] = (weights @ values)[is_there] / total[is_there]
        return found
    reached = np.cumsum(weights, axis=1)
    half = 0.5 * total[:, None]
    lower = np.argmax(reached >= half - _TIE, axis=1)
    upper = np.argmax(reached > half + _TIE, axis=1)
    middle = 0.5 * (values[lower] + values[upper])
    found[is_there] = middle[is_there]
    return found


def _wider_tail(size: int, level: float) -> float:
    """Tail of percentiles that is as far out as a t of so few clusters."""
    t = scipy.special.stdtrit(size - 1, 0.5 * (1 - level))
    return float(scipy.special.ndtr(np.sqrt(size / (size - 1)) * t))
