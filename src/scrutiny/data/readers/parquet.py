"""Parquet files and Arrow batches: their rows, and class names in their metadata."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from scrutiny.core.errors import DataError
from scrutiny.data.readers.files import existing_file
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table


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


def class_names_of(schema: Any) -> dict[str, tuple[str, ...]]:
    """Class names of integer labels, from the metadata that ``datasets`` writes into a schema."""
    try:
        stated = json.loads((schema.metadata or {})[b"huggingface"])
        return feature_names(stated["info"]["features"])
    except (KeyError, TypeError, ValueError):
        return {}


def feature_names(features: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Names of classes by column, from a description of features as plain dicts.

    Examples
    --------
    >>> feature_names({"label": {"_type": "ClassLabel", "names": ["no", "yes"]}})
    {'label': ('no', 'yes')}
    """
    return {
        column: tuple(map(str, names)) for column, f in features.items() if (names := _names(f))
    }


def _names(feature: Any) -> list[Any]:
    """Class names of a feature, or of a list of it: ``{"feature": {…}}``, formerly ``[{…}]``."""
    if isinstance(feature, list):
        return _names(feature[0]) if feature else []
    if not isinstance(feature, Mapping):
        return []
    return list(feature.get("names") or _names(feature.get("feature")))


def read(source: DataSource) -> Table:
    """Rows of a Parquet file, numbered from 1; read in batches.

    Raises
    ------
    DataError
        If the file is truncated, damaged, no Parquet, has no rows, or unpacks to what fills the
        memory.
    """
    import pyarrow as pa

    from scrutiny.store.native import ForeignParquet  # it imports pyarrow

    path = existing_file(source)
    try:
        file = ForeignParquet(path)
        columns = tuple(file.schema.names)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(_damaged(source, error)) from None
    if file.n_rows == 0:
        raise DataError(f"{source.target} is empty: it holds no rows.")
    return Table(
        columns=columns,
        rows=_rows(file, source),
        place=source.target,
        class_names=class_names_of(file.schema),
    )


def _rows(file: Any, source: DataSource) -> Iterator[RawRow]:
    import pyarrow as pa

    from scrutiny.store.native import UnpacksToTooMuchError

    try:
        yield from batch_rows(file.batches())
    except UnpacksToTooMuchError as error:
        raise DataError(f"{source.target} {error}") from None
    except (pa.ArrowException, OSError) as error:
        raise DataError(_damaged(source, error)) from None


def _damaged(source: DataSource, error: Exception) -> str:
    if "utf" in str(error).lower():
        return (
            f"{source.target} holds text that is no UTF-8, in the name of a column or in the table "
            "of its values, where Parquet tells no row. Write the file anew from its source."
        )
    return (
        f"{source.target} is no complete Parquet file; it may be cut off, for example by an "
        f"interrupted download: {str(error).splitlines()[0].rstrip('.')}."
    )
