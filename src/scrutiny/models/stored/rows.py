"""Rows of files of stored answers and of ratings, with their positions."""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from scrutiny.core.boundary.json_text import parse_json
from scrutiny.core.boundary.storable import repeated
from scrutiny.core.errors import ModelError

Row = Mapping[str, Any]


def read_rows(path: Path) -> Iterator[tuple[str, Row]]:
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
    try:
        yield from reader(path)
    except (ValueError, csv.Error, OSError) as error:
        raise ModelError(f"{str(path)!r} cannot be read: {error}") from error


def _json_lines(path: Path) -> Iterator[tuple[str, Row]]:
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


def _delimited(delimiter: str) -> Callable[[Path], Iterator[tuple[str, Row]]]:
    """Reader of delimited files with a header."""

    def read(path: Path) -> Iterator[tuple[str, Row]]:
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


def _parquet(path: Path) -> Iterator[tuple[str, Row]]:
    """Rows of a Parquet file."""
    from scrutiny.store.native import ForeignParquet, UnpacksToTooMuchError  # they import pyarrow

    number = 0
    whole = ForeignParquet(path)
    _must_differ(whole.schema.names, path)
    try:
        for batch in whole.batches():
            for row in batch.to_pylist():
                number += 1
                yield f"{path.name}:{number}", row
    except UnpacksToTooMuchError as error:
        raise ModelError(f"{str(path)!r} {error}") from None


_READERS: Final[Mapping[str, Callable[[Path], Iterator[tuple[str, Row]]]]] = {
    ".jsonl": _json_lines,
    ".csv": _delimited(","),
    ".tsv": _delimited("\t"),
    ".parquet": _parquet,
    ".ndjson": _json_lines,
}
