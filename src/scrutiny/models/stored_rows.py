"""Rows of stored answers: read from JSON lines, CSV, TSV or Parquet, and found by item.

A Parquet file stays a table: its rows become objects when they are asked for.
"""

import csv
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from scrutiny.core.boundary.json_text import parse_json
from scrutiny.core.boundary.printable import repeated
from scrutiny.core.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from scrutiny.store.arrow import ForeignParquet

FileRow = Mapping[str, Any]


def read_rows(path: Path) -> Iterator[tuple[str, FileRow]]:
    """Rows of a JSON Lines, CSV, TSV or Parquet file, each with its ``file:line``.

    Raises
    ------
    ModelError
        If the file is not there, has another ending, or cannot be read.
    """
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise ModelError(
            f"{str(path)!r} has the ending {path.suffix!r}; its rows are read from "
            f"{', '.join(_READERS)} files."
        )
    if not path.is_file():
        there = sorted(p.name for p in path.parent.glob(f"*{path.suffix}"))[:12]
        hint = f" Such files there: {', '.join(there)}." if there else ""
        raise ModelError(f"There is no file {str(path)!r}.{hint}")
    with _told(path):
        yield from reader(path)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Context in which what a reader raises becomes a sentence about the file."""
    try:
        yield
    except (ValueError, csv.Error, OSError) as error:
        raise ModelError(f"{str(path)!r} cannot be read: {error}") from error


def _json_lines(path: Path) -> Iterator[tuple[str, FileRow]]:
    """Objects of a JSON Lines file."""
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            place = f"{path.name}:{number}"
            try:
                row = parse_json(line)
            except ValueError as error:
                raise ModelError(f"{place} is no JSON: {error}") from error
            if not isinstance(row, dict):
                raise ModelError(f"{place} is no JSON object.")
            yield place, row


def _delimited(delimiter: str) -> Callable[[Path], Iterator[tuple[str, FileRow]]]:
    """Reader of delimited files with a header."""

    def read(path: Path) -> Iterator[tuple[str, FileRow]]:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file, delimiter=delimiter)
            _must_differ(rows.fieldnames or (), path)
            for row in rows:
                place = f"{path.name}:{rows.line_num}"
                if None in row or None in row.values():
                    raise ModelError(f"{place} has more or fewer cells than the header.")
                yield place, row

    return read


def _must_differ(columns: Sequence[str], path: Path) -> None:
    """Refuse two columns with one name."""
    twice = repeated(columns)
    if twice is not None:
        raise ModelError(f"{str(path)!r} has two columns named {twice!r}; rename one of them.")


def _parquet(path: Path) -> Iterator[tuple[str, FileRow]]:
    """Rows of a Parquet file."""
    number = 0
    for batch in _batches(path, _foreign(path)):
        for row in batch.to_pylist():
            number += 1
            yield f"{path.name}:{number}", row


def _foreign(path: Path) -> "ForeignParquet":
    """Open Parquet file, with columns of different names."""
    from scrutiny.store.arrow import ForeignParquet  # it imports pyarrow

    whole = ForeignParquet(path)
    _must_differ(whole.schema.names, path)
    return whole


def _batches(
    path: Path, file: "ForeignParquet", columns: Sequence[str] | None = None
) -> "Iterator[pa.RecordBatch]":
    """Rows of a file in batches; a sentence where they would fill the memory."""
    from scrutiny.store.arrow import UnpacksToTooMuchError

    try:
        yield from file.batches(columns=columns)
    except UnpacksToTooMuchError as error:
        raise ModelError(f"{str(path)!r} {error}") from None


_READERS: Final[Mapping[str, Callable[[Path], Iterator[tuple[str, FileRow]]]]] = {
    ".jsonl": _json_lines,
    ".csv": _delimited(","),
    ".tsv": _delimited("\t"),
    ".parquet": _parquet,
    ".ndjson": _json_lines,
}
Key = tuple[str, str]  # item, variant
#: Rows of a table that are made together.
_BLOCK: Final = 4_096


class StoredRows(ABC):
    """Rows of a file by number, from 0, and their numbers by item and variant.

    Keys are looked up by their hashes, which take eight bytes each, and then compared.
    """

    _key: Callable[[int], Key]
    _hashes: "NDArray[np.int64]"
    _order: "NDArray[np.int64]"

    @abstractmethod
    def __len__(self) -> int:
        """Number of rows."""

    @abstractmethod
    def __getitem__(self, number: int) -> FileRow:
        """Cells of the row of a number."""

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
        self, key: Callable[[int], Key], *, column: str | None = None
    ) -> tuple[int, int] | None:
        """Make rows known by their keys; two of one key, the first such pair, or None.

        Parameters
        ----------
        key
            Key of the row of a number; it raises for a row without one.
        column
            Column with the items, where no row has a variant.
        """
        import numpy as np

        self._key = key
        names = None if column is None else self.words(column)
        keys = map(key, range(len(self))) if names is None else ((name, "") for name in names)
        hashes = map(hash, keys)
        every = np.fromiter(hashes, dtype=np.int64, count=len(self))
        self._order = np.argsort(every, kind="stable")
        self._hashes = every[self._order]
        again = np.flatnonzero(self._hashes[1:] == self._hashes[:-1]) + 1
        for number in sorted(self._order[again].tolist()):
            first = self.places([key(number)])[0]
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
        firsts = np.where(is_there, self._order[last] if len(self) else -1, -1).tolist()
        return [
            number if number < 0 or self._key(number) == key else self._further(key, start)
            for key, number, start in zip(keys, firsts, starts.tolist(), strict=True)
        ]

    def _further(self, key: Key, start: int) -> int:
        """Number of the row of a key that shares its hash with an earlier one."""
        wanted = self._hashes[start]
        for at in range(start + 1, len(self)):
            if self._hashes[at] != wanted:
                break
            if self._key(number := int(self._order[at])) == key:
                return number
        return -1


class RowsInMemory(StoredRows):
    """Rows of a file that is read row by row."""

    def __init__(self, rows: Iterable[tuple[str, FileRow]]) -> None:
        self._rows = [*rows]

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, number: int) -> FileRow:
        return self._rows[number][1]

    def place(self, number: int) -> str:
        """``file:line`` of a row."""
        return self._rows[number][0]

    def names(self, number: int) -> Sequence[str]:
        """Names of the columns of a row."""
        return list(self._rows[number][1])

    def kinds(self, column: str) -> Iterable[int]:
        """All rows: each may have other columns."""
        return range(len(self._rows))


class RowsOfTable(StoredRows):
    """Rows of a Parquet file, of which some columns are read."""

    def __init__(self, table: "pa.Table", path: Path, names: Sequence[str]) -> None:
        self._table, self._name, self._names = table, path.name, names
        self._block: tuple[int, list[dict[str, Any]]] = -1, []

    def __len__(self) -> int:
        size: int = self._table.num_rows
        return size

    def __getitem__(self, number: int) -> FileRow:
        block, place = divmod(number, _BLOCK)
        if block != self._block[0]:
            self._block = block, self._table.slice(block * _BLOCK, _BLOCK).to_pylist()
        return self._block[1][place]

    def place(self, number: int) -> str:
        """``file:row`` of a row."""
        return f"{self._name}:{number + 1}"

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
    if path.suffix.lower() != ".parquet" or not path.is_file():
        return RowsInMemory(read_rows(path))
    with _told(path):
        import pyarrow as pa

        file = _foreign(path)
        names = [name for name in file.schema.names if is_read(name)]
        batches = [*_batches(path, file, names)]
        pa.default_memory_pool().release_unused()  # what Arrow keeps of decoding
        schema = pa.schema([file.schema.field(name) for name in names])
        return RowsOfTable(pa.Table.from_batches(batches, schema), path, file.schema.names)
