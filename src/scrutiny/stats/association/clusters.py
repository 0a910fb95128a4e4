"""Alignment of two clusters with two sets: best matching, permuted labels, adjusted Rand index."""

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import BoolArray, FloatArray
from scrutiny.stats.errors import StatisticsError


def aligned(clusters: ArrayLike, is_first: ArrayLike) -> BoolArray:
    """Whether each item is in its set's cluster ``(..., item)``, under the better matching.

    Parameters
    ----------
    clusters
        ``(..., item)`` 0 or 1.
    is_first
        ``(..., item)`` whether the item is of the first set.

    **Measures**: which items a clustering without labels puts where their set is.

    **Misleads when**: chance is taken to be one half: the better of two matchings is never below
    it, and lies well above it for few items. Clusters follow templates or words.

    **References**: Aribandi, Tay & Metzler (2021), How reliable are model diagnostics?

    Examples
    --------
    >>> aligned([0, 0, 1, 1], [True, True, True, False]).tolist()
    [True, True, False, True]
    """
    same = np.asarray(clusters).astype(np.bool_) == np.asarray(is_first).astype(np.bool_)
    is_swapped = same.mean(axis=-1, keepdims=True) < 0.5
    return np.asarray(same != is_swapped, dtype=np.bool_)


def permuted_sides(
    is_first: ArrayLike,
    *,
    units: ArrayLike | None = None,
    permutations: int,
    rng: np.random.Generator,
) -> BoolArray:
    """Set labels ``(permutation, item)``, permuted between whole words.

    The number of words on each side is kept; a word on both sides counts as two.

    Raises
    ------
    StatisticsError
        If all items are of one side.
    """
    first = np.asarray(is_first).astype(np.bool_)
    ids = np.arange(first.size) if units is None else np.asarray(units)
    codes = np.unique(np.unique(ids, return_inverse=True)[1] * 2 + first, return_inverse=True)[1]
    label = np.zeros(int(codes.max()) + 1, dtype=np.bool_)
    label[codes] = first
    if label.all() or not label.any():
        raise StatisticsError("all items are of one side; there is nothing to exchange.")
    drawn = rng.permuted(np.tile(label, (permutations, 1)), axis=1)
    return np.asarray(drawn[:, codes], dtype=np.bool_)


def permuted_alignments(
    clusters: ArrayLike,
    is_first: ArrayLike,
    *,
    units: ArrayLike | None = None,
    permutations: int = 999,
    rng: np.random.Generator,
) -> FloatArray:
    """Null distribution ``(permutation,)`` of the alignment, labels permuted between whole words.

    **Measures**: what the better of two matchings gives if sets and clusters are unrelated.

    **Misleads when**: sentences of one word are exchanged apart although clusters follow words.

    **References**: Good (2005), Permutation, Parametric and Bootstrap Tests of Hypotheses.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> found = permuted_alignments([0, 0, 1, 1], [1, 1, 0, 0], permutations=9999, rng=rng)
    >>> sorted(set(found.tolist())), round(float(found.mean()), 2)
    ([0.5, 1.0], 0.67)
    """
    sides = permuted_sides(is_first, units=units, permutations=permutations, rng=rng)
    return np.asarray(aligned(clusters, sides).mean(axis=-1), dtype=np.float64)


def adjusted_rand_of_counts(counts: FloatArray) -> FloatArray:
    """Adjusted Rand index ``(...)`` from counts ``(..., 4)`` of two clusters and two sets.

    Parameters
    ----------
    counts
        First cluster and first set, first cluster and second set, second cluster and first set,
        second cluster and second set.

    Returns
    -------
    ndarray
        NaN without at least two items, or where all are in one cluster and one set.

    **Measures**: agreement of pairs of items beyond what the sizes of clusters and sets give.

    **Misleads when**: items come in words: the chance that it subtracts exchanges single items.

    **References**: Hubert & Arabie (1985), Comparing partitions.

    Examples
    --------
    >>> adjusted_rand_of_counts(np.array([[5.0, 0, 0, 5], [3, 2, 2, 3]])).round(3).tolist()
    [1.0, -0.08]
    """
    table = np.asarray(counts, dtype=np.float64).reshape(*np.shape(counts)[:-1], 2, 2)
    cells = _pairs(table).sum(axis=(-2, -1))
    clusters = _pairs(table.sum(axis=-1)).sum(axis=-1)
    sets = _pairs(table.sum(axis=-2)).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = clusters * sets / _pairs(table.sum(axis=(-2, -1)))
        best = (clusters + sets) / 2
        found = (cells - expected) / (best - expected)
    return np.where(np.isfinite(found), found, np.nan)


def _pairs(n: FloatArray) -> FloatArray:
    return n * (n - 1) / 2
