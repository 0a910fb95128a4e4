"""Rank correlations: tau-b of many pairs of rankings, two measures over all pairs of models.

The second are Spearman's, of matrices, tested model by model.
"""

from dataclasses import dataclass
from itertools import permutations
from math import factorial, prod
from typing import Final

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from scrutiny.stats.arrays import FloatArray, IntArray, StatisticsError, finite, proper_level
from scrutiny.stats.significance.exact_tests import ExactTest

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
        alike = np.zeros(one.shape[1], dtype=np.int64)
        for i in range(one.shape[0] - 1):
            alike += (_signs(one, i) * _signs(other, i)).sum(axis=0, dtype=np.int32)
        with np.errstate(divide="ignore", invalid="ignore"):
            # two roots, as scipy has it: their product does not overflow
            found = np.clip(alike / np.sqrt(_ordered(one)) / np.sqrt(_ordered(other)), -1.0, 1.0)
        found[np.isnan(one).any(axis=0) | np.isnan(other).any(axis=0)] = np.nan
        out[start : start + step] = np.asarray(found, dtype=np.float64)
    return out.reshape(x.shape[:-1])


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
    # whether scipy's p-value was exact
    n, is_exact = x.size, False
    if np.unique(x).size == n and np.unique(y).size == n:
        pairs = n * (n - 1) // 2
        discordant = round(pairs * (1 - float(found.statistic)) / 2)
        is_exact = n <= 33 or min(discordant, pairs - discordant) <= 1
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


#: Models without which leaving one out leaves too few pairs to rank.
FEWEST_MODELS: Final = 4
_ALL: Final = 5040  # orders of seven models: these are gone through, of more some are drawn
_DRAWN: Final = 999
_NEAR_ONE: Final = 1.0 - 1e-9
_ATOL: Final = 1e-12


@dataclass(frozen=True, slots=True)
class PairCorrelation:
    """Spearman's correlation of two matrices over their ordered pairs.

    Parameters
    ----------
    value
        The correlation.
    low, high
        Interval by leaving out one model after the other; None with fewer than four models.
    n_pairs, n_models
        Ordered pairs, and the models that they are of.
    p_value, smallest_p
        Share of reorderings of the models of one matrix with a correlation as far from 0, the
        observed order among them; the smallest that it could be.
    """

    value: float
    low: float | None
    high: float | None
    n_pairs: int
    n_models: int
    p_value: float
    smallest_p: float


def pair_correlation(
    a: ArrayLike, b: ArrayLike, *, rng: np.random.Generator, level: float = 0.95
) -> PairCorrelation:
    """Spearman's correlation of two measures over all ordered pairs of different models.

    Parameters
    ----------
    a, b
        ``(model, model)``; the diagonal is not read.
    rng
        Draws reorderings where there are more than seven models.
    level
        Of the interval.

    Raises
    ------
    StatisticsError
        Other shapes, fewer than three models, a pair without a value, or a measure that is the
        same for all pairs.

    **Measures**: whether pairs of models that are alike by one measure are alike by the other.

    **Misleads when**: pairs are counted as observations: M models give M (M - 1) ordered pairs,
    which share models, and half of them are the other half again where both measures are
    symmetric. So the interval leaves out *models* (a jackknife of a statistic of pairs, by t with
    M - 1 degrees of freedom) and the p-value reorders them. With four models it can hardly be
    below .05, and the result holds for models like these only.

    **References**: Spearman (1904); Arvesen (1969), Jackknifing U-statistics; Mantel (1967), The
    detection of disease clustering; Krackhardt (1988), Predicting with networks: nonparametric
    multiple regression analysis of dyadic data.

    Examples
    --------
    >>> a = np.array([[0, 1, 2, 3], [1, 0, 4, 5], [2, 4, 0, 6], [3, 5, 6, 0]])
    >>> found = pair_correlation(a, -a, rng=np.random.default_rng(0))
    >>> found.value, found.n_pairs, found.n_models
    (-1.0, 12, 4)
    """
    first, second = _matrix(a, "a"), _matrix(b, "b")
    if first.shape != second.shape:
        raise StatisticsError(
            f"a is of {first.shape[0]} models, b of {second.shape[0]}; the same models are needed."
        )
    value = _spearman(first, second)
    if value is None:
        raise StatisticsError("a measure is the same for all pairs: there are no ranks to compare.")
    count = first.shape[0]
    low, high = _interval(value, first, second, level=proper_level(level))
    p_value, smallest = _reordered(value, first, second, rng=rng)
    return PairCorrelation(
        value, low, high, count * (count - 1), count, p_value=p_value, smallest_p=smallest
    )


def _matrix(values: ArrayLike, name: str) -> FloatArray:
    """Square matrix with a value for every pair of different models; 0 on the diagonal."""
    found = np.array(values, dtype=np.float64)
    if found.ndim != 2 or found.shape[0] != found.shape[1]:
        raise StatisticsError(f"{name} has shape {found.shape}; (model, model) is needed.")
    if found.shape[0] < 3:
        raise StatisticsError(f"{found.shape[0]} models have no pairs to rank; 3 are the fewest.")
    np.fill_diagonal(found, 0.0)
    return finite(found, name)


def _ranks(matrix: FloatArray) -> FloatArray:
    """Centered ranks of all pairs, of unit length; 0 on the diagonal, and where none differ."""
    apart = ~np.eye(matrix.shape[0], dtype=bool)
    ranks = scipy.stats.rankdata(matrix[apart])
    ranks = ranks - ranks.mean()
    length = float(np.sqrt(np.square(ranks).sum()))
    found = np.zeros_like(matrix)
    found[apart] = ranks / length if length > _ATOL else 0.0
    return found


def _spearman(first: FloatArray, second: FloatArray) -> float | None:
    """Correlation over the pairs; ``None`` if one side does not vary."""
    one, other = _ranks(first), _ranks(second)
    if not one.any() or not other.any():
        return None
    return float(np.clip((one * other).sum(), -1.0, 1.0).round(12))


def _interval(
    value: float, first: FloatArray, second: FloatArray, *, level: float
) -> tuple[float | None, float | None]:
    """Jackknife limits on Fisher's scale, leaving out each model."""
    count = first.shape[0]
    if count < FEWEST_MODELS:
        return None, None
    left = []
    for model in range(count):
        kept = np.delete(np.arange(count), model)
        part = np.ix_(kept, kept)
        left.append(_spearman(first[part], second[part]))
    found = [one for one in left if one is not None]
    if len(found) < count:
        return None, None
    z = np.arctanh(np.clip([value, *found], -_NEAR_ONE, _NEAR_ONE))
    spread = np.sqrt((count - 1) / count * np.square(z[1:] - z[1:].mean()).sum())
    half = float(scipy.special.stdtrit(count - 1, (1.0 + level) / 2.0)) * float(spread)
    return float(np.tanh(z[0] - half)), float(np.tanh(z[0] + half))


def _reordered(
    value: float, first: FloatArray, second: FloatArray, *, rng: np.random.Generator
) -> tuple[float, float]:
    """Two-sided p-value over reordered models, and its smallest possible value."""
    count = first.shape[0]
    one, other = _ranks(first), _ranks(second)
    is_whole = factorial(count) <= _ALL
    if is_whole:
        orders = np.array(list(permutations(range(count))))
    else:
        orders = np.array([rng.permutation(count) for _ in range(_DRAWN)])
    moved = other[orders[:, :, None], orders[:, None, :]]  # (order, model, model)
    found = np.einsum("kij,ij->k", moved, one)
    far = int((np.abs(found) >= abs(value) - 1e-9).sum())
    if is_whole:  # the order as it stands is among them
        return far / len(orders), 1.0 / len(orders)
    return (1 + far) / (1 + len(orders)), 1.0 / (1 + len(orders))
