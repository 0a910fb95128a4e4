"""Units of resampling, and their counts in each draw: many statistics share the same draws.

A chunk of draws is determined by the state of its generator, the strata and its number of rows. It
is cached under their digest, as small whole numbers, and drawn again once it was evicted: the cache
changes how long a resample takes, never its result.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrutiny.stats.arrays import FloatArray, IntArray, StatisticsError

#: Bytes of draws that are cached in a process.
MOST_BYTES: Final = 32_000_000
_MOST_STATES: Final = 64

_Counts = NDArray[np.int32]  # half as many bytes to write as of any wider number


class _Chunk(NamedTuple):
    """Counts ``(draw, unit)``, and the generator's state after drawing them."""

    counts: NDArray[np.unsignedinteger[Any]]
    state: Mapping[str, Any]


class KeptDraws:
    """Cache of chunks of draws; the least recently used are evicted first.

    Parameters
    ----------
    most
        Largest size of the cache in bytes.
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._chunks: OrderedDict[bytes, _Chunk] = OrderedDict()
        self._bytes = 0

    def holds(self, draws: int, n_units: int) -> bool:
        """Whether all draws of a resample fit; a part would only evict others."""
        return draws * n_units <= self._most

    def chunk(
        self,
        make: Callable[[], FloatArray | _Counts],
        rng: np.random.Generator,
        *,
        drawn_as: bytes,
        dtype: type[np.floating[Any]] = np.float64,
    ) -> FloatArray:
        """Chunk drawn by ``make()``, or from the cache; the generator ends in the same state.

        ``drawn_as`` identifies all but the generator's state that determines the chunk; ``dtype``
        is the type of the returned counts.
        """
        key = hashlib.blake2b(state_of(rng) + drawn_as, digest_size=16).digest()
        known = self._chunks.get(key)
        if known is None:
            drawn = make()
            small = drawn.astype(np.min_scalar_type(int(drawn.max())))  # counts, and few bytes
            self._chunks[key] = _Chunk(small, rng.bit_generator.state)
            self._bytes += small.nbytes
            while self._bytes > self._most:
                _, oldest = self._chunks.popitem(last=False)
                self._bytes -= oldest.counts.nbytes
            return drawn.astype(dtype, copy=False)
        self._chunks.move_to_end(key)
        rng.bit_generator.state = known.state
        return known.counts.astype(dtype)


class SaidStates:
    """Cache of generator states as ``repr`` strings, which are slow to compute in NumPy."""

    def __init__(self) -> None:
        self._said: OrderedDict[bytes, str] = OrderedDict()

    def of(self, rng: np.random.Generator) -> str:
        """``repr`` of a generator's state."""
        key = state_of(rng)
        said = self._said.get(key)
        if said is None:
            said = self._said[key] = repr(rng.bit_generator.state)
            if len(self._said) > _MOST_STATES:
                self._said.popitem(last=False)
        return said


def state_of(rng: np.random.Generator) -> bytes:
    """Generator state of a resampling as bytes, for any kind of generator."""
    return repr(_plain(rng.bit_generator.state)).encode()


def _plain(state: Any) -> Any:
    if isinstance(state, Mapping):
        return {name: _plain(value) for name, value in state.items()}
    return state.tolist() if isinstance(state, np.ndarray) else state


CHUNK_BYTES = 4_000_000  # weights held at a time: small enough for the cache, large enough for BLAS
_BLOCK = 65_536  # indices drawn by one call
_KEPT = KeptDraws()


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Units of resampling: rows grouped into units, units grouped into strata.

    Parameters
    ----------
    code
        ``(row,)`` unit of each row, 0 to ``n_units - 1``.
    stratum
        ``(unit,)`` stratum of each unit, 0 to ``n_strata - 1``.
    """

    code: IntArray
    stratum: IntArray
    members: tuple[IntArray, ...] = field(repr=False)

    @classmethod
    def of(
        cls, n_rows: int, unit: ArrayLike | None = None, *, strata: ArrayLike | None = None
    ) -> "Units":
        """Units of ``n_rows`` rows from ids ``(row,)``; without ids, each row is a unit.

        Raises
        ------
        StatisticsError
            An id is missing, or a unit lies in two strata.

        Examples
        --------
        >>> Units.of(4, ["b", "a", "b", "a"]).code.tolist()
        [1, 0, 1, 0]
        """
        code = np.arange(n_rows) if unit is None else _codes(unit, n_rows, "unit")
        n_units = int(code.max()) + 1 if n_rows else 0
        if n_units == 0:
            raise StatisticsError("there are no rows to resample.")
        stratum = np.zeros(n_units, dtype=np.int64)
        if strata is not None:
            by_row = _codes(strata, n_rows, "strata")
            stratum[code] = by_row
            if (stratum[code] != by_row).any():
                raise StatisticsError("a unit lies in two strata; strata must hold whole units.")
        members = tuple(np.flatnonzero(stratum == s) for s in range(int(stratum.max()) + 1))
        return cls(code=code, stratum=stratum, members=members)

    @property
    def crowding(self) -> float:
        """Mean number of rows in the unit of a row; see `crowding_of`."""
        return self.crowding_of(np.bincount(self.code))

    @staticmethod
    def crowding_of(sizes: ArrayLike) -> float:
        """Mean number of items in the unit of resampling of an item; 1 if each item is a unit.

        Items divided by it are the effective number of units of equal size (Kish): ten units of
        very different sizes are worth five or six, in degrees of freedom too.

        Parameters
        ----------
        sizes
            ``(unit,)`` items of each unit of resampling.

        Examples
        --------
        >>> Units.crowding_of([4, 4, 4]), Units.crowding_of([10, 1, 1])
        (4.0, 8.5)
        """
        each = np.asarray(sizes, dtype=np.float64)
        return float((each**2).sum() / each.sum())

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.code.size)

    @property
    def n_units(self) -> int:
        """Number of units."""
        return int(self.stratum.size)

    @property
    def n_strata(self) -> int:
        """Number of strata."""
        return len(self.members)

    def gathered(self, groups: int) -> "Units":
        """Units put together by chance into so many groups of equal size, within their strata.

        The variance of sums over groups is that of sums over units on average, with a relative
        error of the square root of 2 over the groups. So a stratum has at least a quarter of them,
        or as many as it has units. Equal units are always gathered alike.

        Examples
        --------
        >>> np.bincount(Units.of(10).gathered(5).code).tolist()
        [2, 2, 2, 2, 2]
        """
        rng, group = np.random.default_rng(self.n_units), np.empty_like(self.stratum)
        each: list[IntArray] = []
        for members in self.members:
            share = max(round(groups * members.size / self.n_units), -(-groups // 4))
            first = int(each[-1][-1]) + 1 if each else 0
            each.append(first + np.arange(min(members.size, share)))
            group[rng.permutation(members)] = first + np.arange(members.size) % each[-1].size
        stratum = np.repeat(np.arange(self.n_strata), [own.size for own in each])
        return Units(code=group[self.code], stratum=stratum, members=tuple(each))

    def rows(self) -> list[IntArray]:
        """Rows of each unit, in order."""
        order = np.argsort(self.code, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.code, minlength=self.n_units))[:-1])


def _codes(ids: ArrayLike, n_rows: int, name: str) -> IntArray:
    array = np.asarray(ids)
    if array.shape != (n_rows,):
        raise StatisticsError(f"{name} has shape {array.shape}; ({n_rows},), one id a row, needed.")
    if array.dtype.kind == "O" and any(i is None for i in array):
        raise StatisticsError(f"{name} has rows without an id.")
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise StatisticsError(f"{name} has rows without an id.")
    if array.dtype.kind in "iu" and (array[1:] > array[:-1]).all():
        return np.arange(n_rows)  # in order and all different
    return np.unique(array, return_inverse=True)[1].astype(np.int64).reshape(-1)


def draw_weights(
    units: Units,
    *,
    draws: int,
    rng: np.random.Generator,
    dtype: type[np.floating[Any]] = np.float64,
) -> Iterator[FloatArray]:
    """Counts of each unit in each draw ``(draw, unit)``, in chunks, within strata.

    ``dtype`` is the type of numbers that the counts are wanted in: whole numbers in any.

    **Measures**: the multiplicities of the nonparametric bootstrap.

    **Misleads when**: rows are not exchangeable and no unit was given.

    **References**: Efron (1979), Bootstrap methods: another look at the jackknife.

    Notes
    -----
    The stream depends on the units, the draws and ``rng`` only, so two calls with equal seeds
    give the same draws of items whatever is computed on them. What was drawn is kept
    (`scrutiny.stats.resampling.weights`), and ``rng`` moves on as if it were drawn again.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> [w.sum(axis=1).tolist() for w in draw_weights(Units.of(3), draws=2, rng=rng)]
    [[3.0, 3.0]]
    """
    n = units.n_units
    rows_a_block = max(1, _BLOCK // n)
    # whole blocks, so that the memory held at a time never changes which indices are drawn
    rows_a_chunk = max(rows_a_block, CHUNK_BYTES // (8 * n) // rows_a_block * rows_a_block)
    is_kept = _KEPT.holds(draws, n)
    for start in range(0, draws, rows_a_chunk):
        rows = min(rows_a_chunk, draws - start)
        make = partial(_drawn, units, rows, rows_a_block, rng)
        if is_kept:
            drawn_as = f"{rows} {rows_a_block}".encode() + units.stratum.tobytes()
            yield _KEPT.chunk(make, rng, drawn_as=drawn_as, dtype=dtype)
        else:
            yield make().astype(dtype, copy=False)


def _drawn(units: Units, rows: int, rows_a_block: int, rng: np.random.Generator) -> _Counts:
    """Counts of each unit in each draw ``(draw, unit)``."""
    chunk = np.empty((rows, units.n_units), dtype=np.int32)
    for top in range(0, rows, rows_a_block):
        block = chunk[top : top + rows_a_block]
        for members in units.members:
            _fill(block, members, rng)
    return chunk


def _fill(block: _Counts, members: IntArray, rng: np.random.Generator) -> None:
    rows, size = block.shape[0], members.size
    index = rng.integers(0, size, size=(rows, size))
    if rows > 1:
        index += (np.arange(rows) * size)[:, None]
    drawn = np.bincount(index.ravel(), minlength=rows * size).reshape(rows, size)
    if size == block.shape[1]:
        block[...] = drawn
    else:
        block[:, members] = drawn


def draw_indices(units: Units, *, draws: int, rng: np.random.Generator) -> Iterator[IntArray]:
    """Row indices of each resample ``(drawn row,)``: whole units, within strata.

    **Measures**: the resamples of the nonparametric bootstrap, for statistics that are refitted.

    **Misleads when**: a refit treats the copies of one row as different rows (neighbors at
    distance 0).

    **References**: Efron (1979), Bootstrap methods: another look at the jackknife.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> [i.size for i in draw_indices(Units.of(3), draws=2, rng=rng)]
    [3, 3]
    """
    rows = units.rows()
    for _ in range(draws):
        picked = np.concatenate([m[rng.integers(0, m.size, size=m.size)] for m in units.members])
        yield np.concatenate([rows[u] for u in picked])
