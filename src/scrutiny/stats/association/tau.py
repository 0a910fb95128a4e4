"""Kendall's tau-b of many pairs of rankings at once, and its test for one pair."""

from math import prod

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from scrutiny.stats.arrays import FloatArray, IntArray, finite
from scrutiny.stats.errors import StatisticsError
from scrutiny.stats.significance.mcnemar import ExactTest

_CHUNK_BYTES = 1_000_000  # of each side at a time: both and their signs stay in the cache


def tau_b(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """Kendall's tau-b ``(...)`` of each pair of rows of ``(..., n)``.

    Parameters
    ----------
    a, b
        ``(..., n)``; leading axes broadcast. Only the order of the values counts; equal ones tie.

    Returns
    -------
    ndarray
        NaN where a side is constant, holds a NaN, or has fewer than two values.

    Raises
    ------
    StatisticsError
        If the sides differ in their number of values.

    **Measures**: pairs ordered alike minus pairs ordered oppositely, over the geometric mean of
    the pairs that each side orders at all.

    **Misleads when**: it is compared with 0 although both sides share what orders them (for
    attention heads: an untrained network scores .4 between two corpora); most values tie.

    **References**: Kendall (1945), The treatment of ties in ranking problems.

    Examples
    --------
    >>> tau_b([[1, 2, 3, 4], [1, 1, 1, 1]], [1, 3, 2, 4]).round(3).tolist()
    [0.667, nan]
    """
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if x.ndim == 0 or y.ndim == 0 or x.shape[-1] != y.shape[-1]:
        raise StatisticsError(f"tau compares values in pairs; got shapes {x.shape} and {y.shape}.")
    x, y = np.broadcast_arrays(x, y)
    n = x.shape[-1]
    out = np.empty(prod(x.shape[:-1]))
    pairs = x.reshape(out.size, n), y.reshape(out.size, n)
    step = max(1, _CHUNK_BYTES // (8 * max(n, 1)))
    for start in range(0, out.size, step):
        # (value, row): the values of one place lie together
        one, other = (np.ascontiguousarray(side[start : start + step].T) for side in pairs)
        out[start : start + step] = _of_columns(one, other)
    return out.reshape(x.shape[:-1])


def _of_columns(x: FloatArray, y: FloatArray) -> FloatArray:
    """Kendall's tau-b ``(row,)`` of values ``(n, row)``."""
    alike = np.zeros(x.shape[1], dtype=np.int64)
    for i in range(x.shape[0] - 1):
        alike += (_signs(x, i) * _signs(y, i)).sum(axis=0, dtype=np.int32)
    with np.errstate(divide="ignore", invalid="ignore"):
        # two roots, as scipy has it: their product does not overflow
        found = np.clip(alike / np.sqrt(_ordered(x)) / np.sqrt(_ordered(y)), -1.0, 1.0)
    found[np.isnan(x).any(axis=0) | np.isnan(y).any(axis=0)] = np.nan
    return np.asarray(found, dtype=np.float64)


def _signs(values: FloatArray, i: int) -> NDArray[np.int8]:
    """Signs ``(n - i - 1, row)`` of later values minus value ``i``; equal infinities are ties."""
    later, this = values[i + 1 :], values[i]
    return np.asarray((later > this).view(np.int8) - (later < this).view(np.int8))


def _ordered(values: FloatArray) -> IntArray:
    """Number of pairs ``(row,)`` of values ``(n, row)`` that differ."""
    n, rows = values.shape
    ranked, tied = np.sort(values, axis=0), np.zeros(rows, dtype=np.int64)
    for lag in range(1, n):
        is_tied = ranked[lag:] == ranked[:-lag]
        if not is_tied.any():  # then none is further on
            break
        tied += np.count_nonzero(is_tied, axis=0)
    return np.asarray(n * (n - 1) // 2 - tied)


def kendall_test(a: ArrayLike, b: ArrayLike) -> ExactTest:
    """Two-sided test of tau-b of two rankings ``(n,)``, by scipy.

    Returns
    -------
    ExactTest
        Statistic: tau-b. Method "exact" without ties and with few values, else "normal".

    Raises
    ------
    StatisticsError
        If a side is constant, or the sides differ in size.

    **Measures**: whether two rankings agree, or disagree, more than independent ones would.

    **Misleads when**: the ranked things are not independent (heads of one network), or share what
    orders them: then a small p is no evidence of anything learned.

    **References**: Kendall (1938), A new measure of rank correlation; Kendall (1945).

    Examples
    --------
    >>> found = kendall_test([1, 2, 3, 4, 5], [1, 2, 3, 5, 4])
    >>> round(found.statistic, 2), round(found.p_value, 3), round(found.smallest_p, 3)
    (0.8, 0.083, 0.017)
    """
    x, y = finite(a, "a", ndim=1), finite(b, "b", ndim=1)
    if x.size != y.size or np.ptp(x) == 0 or np.ptp(y) == 0:
        raise StatisticsError(
            f"a and b have {x.size} and {y.size} values; tau needs equally many, not all equal."
        )
    found = scipy.stats.kendalltau(x, y)
    is_exact = _is_exact(x, y, float(found.statistic))
    ranks = np.arange(x.size)
    smallest = scipy.stats.kendalltau(ranks, ranks, method="exact").pvalue if is_exact else 0.0
    return ExactTest(
        float(found.statistic),
        float(found.pvalue),
        float(smallest),
        x.size,
        "exact" if is_exact else "normal",
        "two-sided",
    )


def _is_exact(x: FloatArray, y: FloatArray, tau: float) -> bool:
    """Whether scipy's p-value is exact: no ties, and few values or an extreme statistic."""
    n = x.size
    if np.unique(x).size < n or np.unique(y).size < n:
        return False
    pairs = n * (n - 1) // 2
    discordant = round(pairs * (1 - tau) / 2)
    return n <= 33 or min(discordant, pairs - discordant) <= 1
