"""Names in a column: those of items by the hundred thousand, which become texts when asked for."""

from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from scrutiny.store.arrow import coded

_BLOCK = 4_096


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
            start = pc.index(self._column, names[done]).as_py()
            n = min(len(names) - done, len(self) - start)
            if start < 0 or not self._column.slice(start, n).equals(names.slice(done, n)):
                places = pc.fill_null(pc.index_in(names, self._column), -1)
                return np.asarray(places.to_numpy(), np.int64)
            found[done : done + n] = np.arange(start, start + n)
            done += n
        return found
