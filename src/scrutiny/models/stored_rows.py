"""Rows of stored answers: read from JSON lines, CSV, TSV or Parquet, and found by item.

A file of columns is held as a table, objects of lines as bytes: rows become objects when they are
asked for, so that an answer takes no more room than in its file.
"""

import marshal
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, cast

from scrutiny.models.row_files import (
    DELIMITERS,
    READERS,
    FileRow,
    batches_of,
    cells_of,
    foreign,
    lines_of,
    object_of,
    read_rows,
    told,
)

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

Key = tuple[str, str]  # item, variant
#: Rows that are made together for who walks through them.
_BLOCK: Final = 4_096


class StoredRows(ABC):
    """Rows of a file by number, from 0, and their numbers by item and variant.

    Keys are looked up by their hashes, which take eight bytes each, and then compared.
    """

    _key: "Callable[[StoredRows, int], Key]"
    _hashes: "NDArray[np.int64]"
    _order: "NDArray[np.int64]"
    #: Rows that were made last, by number.
    _made: Mapping[int, FileRow] = MappingProxyType({})

    @abstractmethod
    def __len__(self) -> int:
        """Number of rows."""

    def __getitem__(self, number: int) -> FileRow:
        """Cells of the row of a number; who walks through is given ever more rows at a time."""
        if number not in self._made:
            import numpy as np

            n = min(2 * len(self._made), _BLOCK) if number - 1 in self._made else 1
            self._make(np.arange(number, min(number + n, len(self))))
        return self._made[number]

    def _make(self, numbers: "NDArray[np.int64]") -> None:
        """Make the rows of some numbers together."""
        self._made = dict(zip(numbers.tolist(), self._some(numbers), strict=True))

    @abstractmethod
    def _some(self, numbers: "NDArray[np.int64]") -> Sequence[FileRow]:
        """Rows of some numbers."""

    @abstractmethod
    def place(self, number: int) -> str:
        """``file:line`` of a row."""

    @abstractmethod
    def names(self, number: int) -> Sequence[str]:
        """Names of all columns of a row."""

    def words(self, column: str) -> Iterator[str] | None:
        """Cell of every row as a text; None unless all have one, and one spelling."""
        return None

    @abstractmethod
    def kinds(self, column: str) -> Iterable[int]:
        """Numbers of rows that have, together, all values of a column, in order."""

    def index(
        self, key: "Callable[[StoredRows, int], Key]", *, column: str | None = None
    ) -> tuple[int, int] | None:
        """Make rows known by their keys; two of one key, the first such pair, or None.

        Parameters
        ----------
        key
            Key of the row of a number among rows; it raises for a row without one.
        column
            Column with the items, where no row has a variant.
        """
        import numpy as np

        self._key = key
        names = None if column is None else self.words(column)
        each = (key(self, number) for number in range(len(self)))
        hashes = map(hash, each if names is None else ((name, "") for name in names))
        every = np.fromiter(hashes, dtype=np.int64, count=len(self))
        self._order = np.argsort(every, kind="stable")
        self._hashes = every[self._order]
        again = np.flatnonzero(self._hashes[1:] == self._hashes[:-1]) + 1
        for number in sorted(self._order[again].tolist()):
            first = self.places([key(self, number)])[0]
            if first != number:
                return first, number
        return None

    def places(self, keys: Sequence[Key]) -> list[int]:
        """Number of the first row of each key; -1 where there is none."""
        import numpy as np

        wanted = np.fromiter(map(hash, keys), dtype=np.int64, count=len(keys))
        starts = np.searchsorted(self._hashes, wanted)
        last = np.minimum(starts, max(0, len(self) - 1))
        is_there = self._hashes[last] == wanted if len(self) else np.zeros(len(keys), np.bool_)
        firsts = np.where(is_there, self._order[last] if len(self) else -1, -1)
        self._make(firsts[firsts >= 0])
        return [
            number if number < 0 or self._key(self, number) == key else self._further(key, start)
            for key, number, start in zip(keys, firsts.tolist(), starts.tolist(), strict=True)
        ]

    def _further(self, key: Key, start: int) -> int:
        """Number of the row of a key that shares its hash with an earlier one."""
        wanted = self._hashes[start]
        for at in range(start + 1, len(self)):
            if self._hashes[at] != wanted:
                break
            if self._key(self, number := int(self._order[at])) == key:
                return number
        return -1


class RowsOfLines(StoredRows):
    """Rows of a JSON Lines file, each kept in a short form that is soon read."""

    def __init__(self, path: Path) -> None:
        self._name = path.name
        self._rows, self._ends, self._numbers = bytearray(), array("q", [0]), array("q")
        for number, line in lines_of(path):
            self._rows += marshal.dumps(object_of(line, f"{path.name}:{number}"))
            self._ends.append(len(self._rows))
            self._numbers.append(number)

    def __len__(self) -> int:
        return len(self._numbers)

    def _some(self, numbers: "NDArray[np.int64]") -> Sequence[FileRow]:
        rows, ends = memoryview(self._rows), self._ends
        return [marshal.loads(rows[ends[n] : ends[n + 1]]) for n in numbers.tolist()]

    def place(self, number: int) -> str:
        """``file:line`` of a row."""
        return f"{self._name}:{self._numbers[number]}"

    def names(self, number: int) -> Sequence[str]:
        """Names of the columns of a row."""
        return list(self[number])

    def kinds(self, column: str) -> Iterable[int]:
        """All rows: each may have other columns."""
        return range(len(self))


class RowsOfTable(StoredRows):
    """Rows of a table, of which some columns are read.

    Parameters
    ----------
    table
        The columns that are read.
    path
        The file.
    names
        All columns of the file.
    lines
        Line of each row ``(row,)``; None where the rows are numbered.
    """

    def __init__(
        self,
        table: "pa.Table",
        path: Path,
        names: Sequence[str],
        lines: Sequence[int] | None = None,
    ) -> None:
        self._table, self._name, self._names, self._lines = table, path.name, names, lines

    def __len__(self) -> int:
        size: int = self._table.num_rows
        return size

    def _some(self, numbers: "NDArray[np.int64]") -> Sequence[FileRow]:
        import numpy as np
        import pyarrow as pa

        if not numbers.size:
            return []
        is_stretch = bool((np.diff(numbers) == 1).all())
        first, n = int(numbers[0]), len(numbers)
        part = self._table.slice(first, n) if is_stretch else self._table.take(pa.array(numbers))
        rows: list[FileRow] = part.to_pylist()
        return rows

    def place(self, number: int) -> str:
        """``file:line`` of a row, or ``file:row``."""
        return f"{self._name}:{number + 1 if self._lines is None else self._lines[number]}"

    def names(self, number: int) -> Sequence[str]:
        """Names of the columns of the file, whether they are read or not."""
        return self._names

    def kinds(self, column: str) -> Iterable[int]:
        """First row of each value; all rows where there is no such column."""
        import numpy as np
        import pyarrow as pa

        from scrutiny.store.arrow import coded

        place = self._table.schema.get_field_index(column)
        if place < 0 or pa.types.is_nested(self._table.schema.field(place).type):
            return range(len(self))
        _, codes = coded(self._table[column])
        first = np.unique(codes, return_index=True)[1]
        return [int(row) for row in first]

    def words(self, column: str) -> Iterator[str] | None:
        """Cell of every row as a text; None unless all are texts or whole numbers."""
        if column not in self._names or not _is_word_or_number(own := self._table[column]):
            return None
        if own.null_count:
            return None
        return (str(cell) for chunk in own.chunks for cell in chunk.to_pylist())

    def found(self, column: str, ids: "pa.ChunkedArray") -> "NDArray[np.int64] | None":
        """Number of the first row that has each of these words in a column; -1 for none.

        None where its cells are neither words nor whole numbers.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        if column not in self._names or not _is_word_or_number(own := self._table[column]):
            return None
        places = pc.index_in(ids.cast(pa.large_string()), own.cast(pa.large_string()))
        return cast("NDArray[np.int64]", places.fill_null(-1).to_numpy().astype("int64"))

    def codes(self, column: str) -> "NDArray[np.int64] | None":
        """Code of each row's value; rows of one code have equal values. None for other cells."""
        from scrutiny.store.arrow import coded

        if column not in self._names or not _is_word_or_number(own := self._table[column]):
            return None
        return coded(own)[1]

    def says(self, column: str, places: "NDArray[np.int64]", texts: "pa.ChunkedArray") -> bool:
        """Whether rows have these texts, one each."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        own = self._table[column]
        if not _is_word_or_number(own):
            return False
        first, n = int(places[0]), len(places)
        is_stretch = bool((np.diff(places) == 1).all())
        part = own.slice(first, n) if is_stretch else own.take(pa.array(places))
        return bool(pc.all(pc.equal(part.cast(texts.type), texts), skip_nulls=False).as_py())


def _is_word_or_number(column: "pa.ChunkedArray") -> bool:
    """Whether the cells of a column are texts or whole numbers, which have one spelling."""
    import pyarrow as pa

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    types = pa.types
    return any(is_of(kind) for is_of in (types.is_string, types.is_large_string, types.is_integer))


def stored_rows(path: Path, is_read: Callable[[str], bool]) -> StoredRows:
    """Rows of a file of stored answers, by number.

    Parameters
    ----------
    path
        The file.
    is_read
        Whether a column is needed, by its name.

    Raises
    ------
    ModelError
        As `read_rows`.
    """
    ending = path.suffix.lower()
    if ending not in READERS or not path.is_file():
        next(read_rows(path))  # it says why
    with told(path):
        if ending in DELIMITERS:
            return _table_of_words(path, is_read)
        if ending != ".parquet":
            return RowsOfLines(path)
        import pyarrow as pa

        file = foreign(path)
        names = [name for name in file.schema.names if is_read(name)]
        batches = [*batches_of(path, file, names)]
        pa.default_memory_pool().release_unused()  # what Arrow keeps of decoding
        schema = pa.schema([file.schema.field(name) for name in names])
        return RowsOfTable(pa.Table.from_batches(batches, schema), path, file.schema.names)


def _table_of_words(path: Path, is_read: Callable[[str], bool]) -> RowsOfTable:
    """Rows of a delimited file: cells are words, whatever they look like."""
    import pyarrow as pa

    cells = cells_of(path)
    _, names = next(cells)
    read = [*filter(is_read, names)] or names[:1]  # one says how many rows there are
    own = {name: names.index(name) for name in read}
    schema = pa.schema([(name, pa.large_string()) for name in own])
    lines, batches = array("q"), []
    while some := [*islice(cells, _BLOCK)]:
        lines.extend(line for line, _ in some)
        words = [*zip(*(row for _, row in some), strict=True)]
        batches.append(pa.record_batch([words[place] for place in own.values()], schema))
    return RowsOfTable(pa.Table.from_batches(batches, schema), path, names, lines)
