"""Rows of Arrow batches, and the class names that the hub's libraries leave in their metadata."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from scrutiny.data.table import RawRow


class _Unreadable(NamedTuple):
    """A cell that Python cannot hold, and why."""

    why: str


def batch_rows(batches: Iterable[Any]) -> Iterator[RawRow]:
    """Rows, numbered from 1, of ``pyarrow.RecordBatch`` objects.

    A row with a cell that Python cannot hold (text that is no UTF-8, a date after the year 9999)
    says so in place of its values.
    """
    number = 0
    for batch in batches:
        names = batch.schema.names
        columns = [_cells(column) for column in batch.columns]
        for cells in zip(*columns, strict=True):
            number += 1
            row = dict(zip(names, cells, strict=True))
            bad = next((name for name in names if isinstance(row[name], _Unreadable)), None)
            if bad is None:
                yield RawRow(number, row)
            else:
                yield RawRow(number, {}, f"{bad} {row[bad].why}")


def _cells(column: Any) -> list[Any]:
    """Values of a column; one by one where the whole cannot be had."""
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
        return _Unreadable(f"does not read ({error})")


def class_names_of(schema: Any) -> dict[str, tuple[str, ...]]:
    """Names behind integer labels that ``datasets`` wrote into the metadata of a schema."""
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
    """Names of a class, or of the classes in a list: ``{"feature": {…}}``, of old ``[{…}]``."""
    if isinstance(feature, list):
        return _names(feature[0]) if feature else []
    if not isinstance(feature, Mapping):
        return []
    names = feature.get("names") or _names(feature.get("feature"))
    return list(names)
