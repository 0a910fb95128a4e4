"""Files of rows: JSON lines, CSV, TSV and Parquet, each row with its place."""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from scrutiny.core.boundary.json_text import parse_json
from scrutiny.core.boundary.printable import repeated
from scrutiny.core.errors import ModelError

if TYPE_CHECKING:
    import pyarrow as pa

    from scrutiny.store.arrow import ForeignParquet

FileRow = Mapping[str, Any]


def read_rows(path: Path) -> Iterator[tuple[str, FileRow]]:
    """Rows of a JSON Lines, CSV, TSV or Parquet file, each with its ``file:line``.

    Raises
    ------
    ModelError
        If the file is not there, has another ending, or cannot be read.
    """
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise ModelError(
            f"{str(path)!r} has the ending {path.suffix!r}; its rows are read from "
            f"{', '.join(READERS)} files."
        )
    if not path.is_file():
        there = sorted(p.name for p in path.parent.glob(f"*{path.suffix}"))[:12]
        hint = f" Such files there: {', '.join(there)}." if there else ""
        raise ModelError(f"There is no file {str(path)!r}.{hint}")
    with told(path):
        yield from reader(path)


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Context in which what a reader raises becomes a sentence about the file."""
    try:
        yield
    except (ValueError, csv.Error, OSError) as error:
        raise ModelError(f"{str(path)!r} cannot be read: {error}") from error


def _json_lines(path: Path) -> Iterator[tuple[str, FileRow]]:
    """Objects of a JSON Lines file."""
    for number, line in lines_of(path):
        place = f"{path.name}:{number}"
        yield place, object_of(line, place)


def lines_of(path: Path) -> Iterator[tuple[int, str]]:
    """Lines of a file that are not blank, numbered from 1."""
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield number, line


def object_of(line: str, place: str) -> dict[str, Any]:
    """Object of a line.

    Raises
    ------
    ModelError
        If it has another value.
    """
    try:
        row = parse_json(line)
    except ValueError as error:
        raise ModelError(f"{place} is no JSON: {error}") from error
    if not isinstance(row, dict):
        raise ModelError(f"{place} is no JSON object.")
    return row


def _delimited(path: Path) -> Iterator[tuple[str, FileRow]]:
    """Rows of a delimited file with a header."""
    cells = cells_of(path)
    _, names = next(cells)
    for line, row in cells:
        yield f"{path.name}:{line}", dict(zip(names, row, strict=True))


def cells_of(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Cells of the header and of each row of a delimited file, with the line that it ends on."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.reader(file, delimiter=DELIMITERS[path.suffix.lower()])
        names = next(rows, [])
        _must_differ(names, path)
        yield rows.line_num, names
        for row in rows:
            if len(row) == len(names):
                yield rows.line_num, row
            elif row:
                place = f"{path.name}:{rows.line_num}"
                raise ModelError(f"{place} has more or fewer cells than the header.")


def _must_differ(columns: Sequence[str], path: Path) -> None:
    """Refuse two columns with one name."""
    twice = repeated(columns)
    if twice is not None:
        raise ModelError(f"{str(path)!r} has two columns named {twice!r}; rename one of them.")


def _parquet(path: Path) -> Iterator[tuple[str, FileRow]]:
    """Rows of a Parquet file."""
    number = 0
    for batch in batches_of(path, foreign(path)):
        for row in batch.to_pylist():
            number += 1
            yield f"{path.name}:{number}", row


def foreign(path: Path) -> "ForeignParquet":
    """Open Parquet file, with columns of different names."""
    from scrutiny.store.arrow import ForeignParquet  # it imports pyarrow

    whole = ForeignParquet(path)
    _must_differ(whole.schema.names, path)
    return whole


def batches_of(
    path: Path, file: "ForeignParquet", columns: Sequence[str] | None = None
) -> "Iterator[pa.RecordBatch]":
    """Rows of a file in batches; a sentence where they would fill the memory."""
    from scrutiny.store.arrow import UnpacksToTooMuchError

    try:
        yield from file.batches(columns=columns)
    except UnpacksToTooMuchError as error:
        raise ModelError(f"{str(path)!r} {error}") from None


DELIMITERS: Final = {".csv": ",", ".tsv": "\t"}
READERS: Final[Mapping[str, Callable[[Path], Iterator[tuple[str, FileRow]]]]] = {
    ".jsonl": _json_lines,
    ".csv": _delimited,
    ".tsv": _delimited,
    ".parquet": _parquet,
    ".ndjson": _json_lines,
}
