"""Tables that are Python objects: data frames, lists, dicts. Imports no library but Arrow."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol, runtime_checkable

from scrutiny.core.boundary.storable import repeated
from scrutiny.core.errors import DataError
from scrutiny.data.readers.features import feature_names
from scrutiny.data.readers.json_rows import column_rows
from scrutiny.data.readers.options import with_columns
from scrutiny.data.readers.parquet import batch_rows, class_names_of, columns_of
from scrutiny.data.table import RawRow, Table

_BATCH = 1000
#: Types of the values that mark a missing cell in pandas, which need not be installed.
_MISSING = ("NAType", "NaTType")


@runtime_checkable
class NamesColumns(Protocol):
    """Protocol of a data frame; pandas allows two columns of one name."""

    columns: Any


def read_object(value: Any) -> Table:
    """Rows, numbered from 1, of an object that holds a table.

    Takes ``datasets.Dataset`` (and one split of it), whatever exports an Arrow stream (pandas and
    polars data frames, pyarrow tables), a list of dicts, and a dict of columns.

    Raises
    ------
    DataError
        If it is none of these, or holds no rows.
    """
    place = type(value).__name__
    if isinstance(value, Mapping) and hasattr(value, "num_rows"):
        raise DataError(
            f"A {place} holds several splits ({', '.join(value)}): give one of them, as in "
            f"data[{next(iter(value), 'test')!r}]."
        )
    if hasattr(value, "features") and hasattr(value, "column_names"):
        return hub_table(value, place)
    if hasattr(value, "__arrow_c_stream__"):
        return _arrow_table(value, place)
    if isinstance(value, Mapping):
        return with_columns(iter(column_rows(_as_lists(value), place)), place)
    if isinstance(value, list | tuple):
        return with_columns(_list_rows(value), place)
    raise DataError(
        f"Examples cannot be read from an object of type {place}. Give a data string "
        "(csv:dev.csv), a pandas or polars data frame, a pyarrow table, a datasets.Dataset, a list "
        "of dicts or a dict of columns."
    )


def hub_table(value: Any, place: str) -> Table:
    """Rows of a ``datasets.Dataset`` or ``IterableDataset``, numbered from 1."""
    features = value.features
    described = features.to_dict() if features is not None else {}
    table = with_columns(_hub_rows(value), place)
    return Table(
        columns=tuple(dict.fromkeys([*(value.column_names or ()), *table.columns])),
        rows=table.rows,
        place=place,
        class_names=feature_names(described),
    )


def _hub_rows(value: Any) -> Iterator[RawRow]:
    number = 0
    for batch in value.iter(batch_size=_BATCH):
        for cells in zip(*batch.values(), strict=True):
            number += 1
            yield RawRow(number, dict(zip(batch, cells, strict=True)))


def _arrow_table(value: Any, place: str) -> Table:
    import pyarrow as pa

    _must_name_columns_apart(value, place)
    try:
        reader = pa.RecordBatchReader.from_stream(value)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        if hasattr(value, "to_frame"):
            raise DataError(
                f"A {place} is one column, not a table. Give a dict of columns, as in "
                "{'text': series}."
            ) from None
        message = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataError(
            f"A column of the {place} mixes types that Arrow cannot hold together: {message}. "
            "Convert it, for example with astype(str), or give a list of dicts."
        ) from None
    names = [n for n in columns_of(reader.schema) if not n.startswith("__index_level_")]
    rows = with_columns(batch_rows(reader), place).rows
    return Table(
        columns=tuple(names), rows=rows, place=place, class_names=class_names_of(reader.schema)
    )


def _must_name_columns_apart(value: Any, place: str) -> None:
    """Raise for two columns of one name, which Arrow would take for mixed types."""
    stated = value.columns if isinstance(value, NamesColumns) else ()
    names = [str(name) for name in stated if isinstance(name, str | int)]
    Table(columns=tuple(names), rows=iter(()), place=f"The {place}")


def _list_rows(value: list[Any] | tuple[Any, ...]) -> Iterator[RawRow]:
    for number, row in enumerate(value, 1):
        if isinstance(row, Mapping):
            yield _dict_row(number, row)
        else:
            yield RawRow(number, {}, f"the row is of type {type(row).__name__}, not a dict")


def _dict_row(number: int, row: Mapping[Any, Any]) -> RawRow:
    """Row from a dict, with string keys and Python scalars for those of NumPy and pandas."""
    named = {str(key): _plain(value) for key, value in row.items()}
    if len(named) < len(row):
        twice = repeated([str(key) for key in row])
        return RawRow(number, {}, f"two keys are named {twice!r}")
    return RawRow(number, named)


def _plain(value: Any) -> Any:
    """Cell as a Python value: NumPy scalars converted, pandas' missing values as ``None``.

    Examples
    --------
    >>> import numpy as np
    >>> _plain(np.int64(1)), _plain("text")
    (1, 'text')
    """
    if type(value).__name__ in _MISSING and type(value).__module__.startswith("pandas."):
        return None
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value


def _as_lists(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Columns as lists, from arrays and series."""
    Table(columns=tuple(map(str, columns)), rows=iter(()), place="The dict of columns")
    return {
        str(name): [_plain(v) for v in values.tolist()] if hasattr(values, "tolist") else values
        for name, values in columns.items()
    }
