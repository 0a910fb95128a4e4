"""Splits of units into two groups of given sizes, as bits, and sums over the first group.

A table holds one bit for each unit and split. Sums look up each byte's partial sum (256 entries)
instead of multiplying by a matrix of zeros and ones: an eighth of the memory and no conversion.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, combinations
from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.randomness import generator
from scrutiny.stats.arrays import FloatArray
from scrutiny.stats.errors import StatisticsError

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
