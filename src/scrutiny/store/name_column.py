"""Names in a column: those of items by the hundred thousand, which become texts when asked for."""

from collections.abc import Iterator, Sequence
from typing import Final, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from scrutiny.store.arrow import coded

_BLOCK: Final = 4_096


class NameColumn(Sequence[str]):
    """Different words in order; one as a text takes five times the room of one in a column.

    Parameters
    ----------
    column
        The words.

    Examples
    --------
    >>> names = NameColumn(pa.chunked_array([["a", "b", "c"]]))
    >>> names[1], names == ("a", "b", "c"), names.places(pa.array(["c", "a"])).tolist()
    ('b', True, [2, 0])
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, column: pa.ChunkedArray) -> None:
        self._column = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
        self._next = 0  # where the last stretch that was asked for ended

    def __len__(self) -> int:
        return len(self._column)

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), _BLOCK):
            yield from self._column.slice(start, _BLOCK).to_pylist()

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[str, ...]: ...
    def __getitem__(self, place: int | slice) -> str | tuple[str, ...]:
        """One word, or a tuple of several."""
        if isinstance(place, slice):
            return tuple(self._column[place].to_pylist())
        word: str = self._column[range(len(self))[place]].as_py()
        return word

    def __eq__(self, other: object) -> bool:
        """Whether others are the same words in the same order."""
        if isinstance(other, NameColumn):
            return bool(self._column.equals(other._column))
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def places(self, column: pa.ChunkedArray | pa.Array) -> NDArray[np.int64]:
        """Position ``(row,)`` among these of each row's word; -1 of one that is none of them."""
        names, codes = coded(column)
        return self._in_stretches(names)[codes]

    def _in_stretches(self, names: pa.Array) -> NDArray[np.int64]:
        """Positions of different words, which mostly stand one after the other."""
        found, done = np.empty(len(names), dtype=np.int64), 0
        while done < len(names):
            start = self._position(names[done])
            n = min(len(names) - done, len(self) - start)
            if start < 0 or not self._column.slice(start, n).equals(names.slice(done, n)):
                found[done:] = self._one_by_one(names.slice(done), max(start, 0))
                break
            found[done : done + n] = np.arange(start, start + n)
            done += n
            self._next = start + n
        return found

    def _position(self, name: pa.StringScalar) -> int:
        """Position of a word: looked for where the last stretch ended, then from the beginning."""
        if self._next < len(self) and self._column[self._next].equals(name):
            return self._next
        place: int = pc.index(self._column, name).as_py()
        return place

    def _one_by_one(self, names: pa.Array, start: int) -> NDArray[np.int64]:
        """Positions of words, most of which stand not far behind a position; -1 for others."""
        near = self._column.slice(start, max(_BLOCK, 4 * len(names)))
        found = _index(names, near)
        found[found >= 0] += start
        far = np.flatnonzero(found < 0)
        if far.size and len(near) < len(self):
            found[far] = _index(names.take(pa.array(far)), self._column)
        return found


def _index(names: pa.Array, among: pa.Array) -> NDArray[np.int64]:
    """Position of each word among others; -1 of one that is none of them."""
    places = pc.fill_null(pc.index_in(names, among), -1)
    return np.array(places.to_numpy(), np.int64)
