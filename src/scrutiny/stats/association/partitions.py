"""Partitions into two groups: splits for permutation tests, clusters aligned with sets.

A table of splits holds one bit for each unit and split. Sums look up each byte's partial sum (256
entries) instead of multiplying by a matrix of zeros and ones: an eighth of the memory and no
conversion.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, combinations
from math import comb
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrutiny.core.randomness import generator
from scrutiny.stats.arrays import BoolArray, FloatArray, StatisticsError

#: All splits are enumerated where there are no more than this; otherwise one less is sampled, and
#: the observed split is added to them.
MOST_SPLITS: Final = 100_000
_MOST_CELLS: Final = 50_000_000  # entries of a table before packing
_DRAWN: Final = 4_000_000  # random numbers held at a time
_BITS: Final = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Partitions:
    """Splits of ``n`` units into a first group of ``first`` and the rest.

    Parameters
    ----------
    bits
        ``(byte, split)``: which units are in the first group, eight to a byte.
    n, first
        Units, and how many of them are in the first group.
    is_exact
        Whether these are all splits; otherwise they are a sample without the observed one.
    """

    bits: NDArray[np.uint8] = field(repr=False)
    n: int
    first: int
    is_exact: bool

    def __len__(self) -> int:
        """Number of splits."""
        return int(self.bits.shape[1])

    def sums(self, values: FloatArray) -> FloatArray:
        """Sum of the first group's values ``(unit,)`` under each split ``(split,)``."""
        if values.shape != (self.n,):
            raise StatisticsError(f"values have shape {values.shape}; ({self.n},) needed.")
        padded = np.zeros(8 * self.bits.shape[0])
        padded[: self.n] = values
        partial = padded.reshape(-1, 8) @ _BITS.T  # (byte, 256)
        total = np.zeros(len(self))
        for byte, sums in zip(self.bits, partial, strict=True):
            total += sums[byte]
        return total


def partitions(n: int, first: int, *, most: int = MOST_SPLITS) -> Partitions:
    """Splits of ``n`` units into ``first`` and the rest: all, or a sample of ``most - 1``.

    Tables are kept, because tests of one size come in series: for many words, representations and
    replicates. A sample is drawn from a stream that is named by its sizes, so it is the same for
    all tests of that size, in whatever order they are done.

    Raises
    ------
    StatisticsError
        If a group would be empty.

    Examples
    --------
    >>> partitions(4, 2).sums(np.array([1.0, 2.0, 4.0, 8.0])).tolist()
    [3.0, 5.0, 9.0, 6.0, 10.0, 12.0]
    >>> len(partitions(50, 25)), partitions(50, 25).is_exact
    (99999, False)
    """
    if not 0 < first < n:
        raise StatisticsError(f"{first} of {n} units in the first group leaves a group empty.")
    return _table(n, first, most)


@lru_cache(maxsize=24)
def _table(n: int, first: int, most: int) -> Partitions:
    total = comb(n, first)
    is_exact = total <= most and total * n <= _MOST_CELLS
    bits = _all(n, first, total) if is_exact else _some(n, first, most - 1)
    bits.flags.writeable = False
    return Partitions(bits, n, first, is_exact)


def _all(n: int, first: int, total: int) -> NDArray[np.uint8]:
    """Every split, in lexical order; the observed one comes first."""
    flat = np.fromiter(
        chain.from_iterable(combinations(range(n), first)), dtype=np.int64, count=total * first
    )
    table = np.zeros((total, n), dtype=np.bool_)
    table[np.arange(total)[:, None], flat.reshape(total, first)] = True
    return _packed(table)


def _some(n: int, first: int, draws: int) -> NDArray[np.uint8]:
    """Splits drawn at random, independently."""
    rng = generator(0, "partitions", name=f"{n}/{first}", item=str(draws))
    bits = np.empty((-(-n // 8), draws), dtype=np.uint8)
    most = max(1, _DRAWN // n)
    for start in range(0, draws, most):
        rows = min(most, draws - start)
        keys = rng.random((rows, n), dtype=np.float32)  # a tie moves nobody's chance
        chosen = np.argpartition(keys, first, axis=1)[:, :first]
        table = np.zeros((rows, n), dtype=np.bool_)
        np.put_along_axis(table, chosen, values=True, axis=1)
        bits[:, start : start + rows] = _packed(table)
    return bits


def _packed(table: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Table ``(split, unit)`` packed into bits ``(byte, split)``."""
    return np.ascontiguousarray(np.packbits(table, axis=1).T)


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
