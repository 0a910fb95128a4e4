"""Parquet files and Arrow batches: their rows, and class names in their metadata."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any, NamedTuple

from scrutiny.core.errors import DataError
from scrutiny.data.readers.files import existing_file
from scrutiny.data.readers.formats import feature_names, other_format, text_format
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table, names_in


class _Unreadable(NamedTuple):
    """Marker of a cell that Python cannot hold, and why."""

    why: str


def batch_rows(batches: Iterable[Any]) -> Iterator[RawRow]:
    """Rows, numbered from 1, of ``pyarrow.RecordBatch`` objects.

    A row with a cell that Python cannot hold (text that is no UTF-8, a date after the year 9999)
    states the problem in place of its values.
    """
    number = 0
    for batch in batches:
        names = batch.schema.names
        for cells in zip(*[_cells(column) for column in batch.columns], strict=True):
            number += 1
            row = dict(zip(names, cells, strict=True))
            bad = next((name for name in names if isinstance(row[name], _Unreadable)), None)
            if bad is None:
                yield RawRow(number, row)
            else:
                yield RawRow(number, {}, f"{bad} {row[bad].why}")


def _cells(column: Any) -> list[Any]:
    """Values of a column; converted one by one if the whole column fails."""
    try:
        return list(column.to_pylist())
    except (ValueError, OverflowError):
        return [_cell(scalar) for scalar in column]


def _cell(scalar: Any) -> Any:
    try:
        return scalar.as_py()
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        return _Unreadable(f"is no UTF-8: byte {byte:#04x} at offset {error.start} does not fit")
    except (ValueError, OverflowError) as error:
        return _Unreadable(f"cannot be read ({error})")


def columns_of(schema: Any) -> tuple[str, ...]:
    """Names of the columns of an Arrow schema, and of fields of the objects in them, with dots."""
    own = schema.names
    return (*own, *(name for name in names_in(_fields(schema)) if name not in own))


def _fields(fields: Iterable[Any]) -> dict[str, Any]:
    """Columns by name, those of objects with their fields."""
    import pyarrow as pa

    is_object = pa.types.is_struct
    return {f.name: _fields([*f.type]) if is_object(f.type) else None for f in fields}


def class_names_of(schema: Any) -> dict[str, tuple[str, ...]]:
    """Class names of integer labels, from the metadata that ``datasets`` writes into a schema."""
    try:
        stated = json.loads((schema.metadata or {})[b"huggingface"])
        return feature_names(stated["info"]["features"])
    except (KeyError, TypeError, ValueError):
        return {}


#: First bytes of an Arrow file that is no stream.
_ARROW = b"ARROW1"


def read(source: DataSource) -> Table:
    """Rows of a Parquet file, numbered from 1; read in batches.

    Raises
    ------
    DataError
        If the file is truncated, damaged, no Parquet, has no rows, or unpacks to what fills the
        memory.
    """
    from scrutiny.store.arrow import ForeignParquet  # it imports pyarrow

    path = existing_file(source)
    with _told(source, _damaged):
        file = ForeignParquet(path)
        columns = columns_of(file.schema)
    if file.n_rows == 0:
        raise DataError(f"{source.target} is empty: it holds no rows.")
    batches = _guarded(file.batches(), source, _damaged)
    return Table(
        columns=columns,
        rows=batch_rows(batches),
        place=source.target,
        class_names=class_names_of(file.schema),
        batches=batches,
    )


def read_arrow(source: DataSource) -> Table:
    """Rows of an Arrow file (Feather) or stream, numbered from 1; read in batches.

    Raises
    ------
    DataError
        If the file is truncated, damaged, no Arrow, has no rows, or unpacks to what fills the
        memory.
    """
    import pyarrow as pa

    from scrutiny.store.arrow import measured, reading

    path = existing_file(source)
    with _told(source, _no_arrow):
        with path.open("rb") as file:
            is_file = file.read(len(_ARROW)) == _ARROW
        batches = pa.ipc.open_file(reading(path)) if is_file else pa.ipc.open_stream(reading(path))
        columns, classes = columns_of(batches.schema), class_names_of(batches.schema)
    each = map(batches.get_batch, range(batches.num_record_batches)) if is_file else batches
    size = path.stat().st_size
    every = _guarded(measured(map(_validated, each), size), source, _no_arrow)
    some = (batch for batch in every if batch.num_rows)
    first = next(some, None)
    if first is None:
        raise DataError(f"{source.target} is empty: it holds no rows.")
    batches = chain([first], some)
    rows = batch_rows(batches)
    return Table(columns, rows, source.target, class_names=classes, batches=batches)


@contextmanager
def _told(source: DataSource, damaged: Callable[[str, Exception], str]) -> Iterator[None]:
    """Context in which what the library raises becomes a sentence about the file."""
    import pyarrow as pa

    from scrutiny.store.arrow import UnpacksToTooMuchError

    try:
        yield
    except UnpacksToTooMuchError as error:
        raise DataError(f"{source.target} {error}") from None
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(_other(source) or damaged(source.target, error)) from None


def _guarded(
    batches: Iterable[Any], source: DataSource, damaged: Callable[[str, Exception], str]
) -> Iterator[Any]:
    """Batches, which are read while they are asked for."""
    with _told(source, damaged):
        yield from batches


def _validated(batch: Any) -> Any:
    """Rows whose offsets lie within their buffers: reading others ends the process."""
    batch.validate(full=True)
    return batch


def _no_arrow(target: str, error: Exception) -> str:
    return (
        f"{target} is no complete file of Arrow, which is Feather version 2 or a stream (as "
        f"datasets writes): {str(error).splitlines()[0].rstrip('.')}."
    )


def _other(source: DataSource) -> str:
    """Sentence about a file of another format; empty for one that may be damaged."""
    said = other_format(source.path, source.target) or text_format(source.path, source.target)
    own, called = f"{source.scheme}:", source.scheme.capitalize()
    is_other = said and own not in said
    return f"{source.target} is no {called} file: it {said}." if is_other else ""


def _damaged(target: str, error: Exception) -> str:
    if "utf" in str(error).lower():
        return (
            f"{target} holds text that is no UTF-8, in the name of a column or in the table of its "
            "values, where Parquet tells no row. Write the file anew from its source."
        )
    return (
        f"{target} is no complete Parquet file; it may be cut off, for example by an interrupted "
        f"download: {str(error).splitlines()[0].rstrip('.')}."
    )
