"""Rows of Arrow batches, and the class names that the hub's libraries leave in their metadata."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scrutiny.data.table import RawRow


def batch_rows(batches: Iterable[Any]) -> Iterator[RawRow]:
    """Rows, numbered from 1, of ``pyarrow.RecordBatch`` objects."""
    number = 0
    for batch in batches:
        names = batch.schema.names
        columns = [column.to_pylist() for column in batch.columns]
        for cells in zip(*columns, strict=True):
            number += 1
            yield RawRow(number, dict(zip(names, cells, strict=True)))


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
