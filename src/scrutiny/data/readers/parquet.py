"""Parquet files."""

from collections.abc import Iterator
from typing import Any

from scrutiny.core.errors import DataError
from scrutiny.data.readers.arrow import batch_rows, class_names_of
from scrutiny.data.readers.files import existing_file
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table

_BATCH = 4096


def read(source: DataSource) -> Table:
    """Rows of a Parquet file, numbered from 1; read in batches.

    Raises
    ------
    DataError
        If the file is truncated, damaged, no Parquet, or has no rows.
    """
    import pyarrow as pa
    from pyarrow import parquet

    from scrutiny.store.native import reading  # it imports pyarrow

    path = existing_file(source)
    try:
        file = parquet.ParquetFile(reading(path))
        schema = file.schema_arrow
        columns = tuple(schema.names)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(_damaged(source, error)) from None
    if file.metadata.num_rows == 0:
        raise DataError(f"{source.target} is empty: it holds no rows.")
    return Table(
        columns=columns,
        rows=_rows(file, source),
        place=source.target,
        class_names=class_names_of(schema),
    )


def _rows(file: Any, source: DataSource) -> Iterator[RawRow]:
    import pyarrow as pa

    try:
        yield from batch_rows(file.iter_batches(batch_size=_BATCH))
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
