"""Records or answers of a run, a row group at a time: all of a large run would fill the memory.

What is asked for is of one model and dataset, whose rows stand together: the row groups that hold
none of them are told by their bounds, and not read.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from typing import Any, Final

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from scrutiny.store.arrow import is_value

#: Least and greatest text of a column in a row group, and whether texts and gaps are there.
Bounds = tuple[str, str, bool]
_PLACE: Final = ("kind", "subject", "dataset")


class RowGroups:
    """Rows by row group, of which the last one that was read is kept.

    Parameters
    ----------
    footer
        Of records, their measures by kind, dataset and subject.
    bounds
        Of each group, of some of its columns.
    read
        Table of the group of a number, with texts as codes.
    """

    def __init__(
        self,
        footer: Mapping[str, Any],
        bounds: Sequence[Mapping[str, Bounds]],
        read: Callable[[int], pa.Table],
    ) -> None:
        self.footer = footer
        self._bounds = bounds
        self._read = lru_cache(maxsize=1)(read)

    @classmethod
    def of_table(cls, table: pa.Table) -> "RowGroups":
        """Rows of a table in memory."""
        return cls(_footer(table.schema), [{}], lambda _: table)

    @classmethod
    def of_file(
        cls, schema: pa.Schema, told: parquet.FileMetaData, read: Callable[[int], pa.Table]
    ) -> "RowGroups":
        """Rows of a file with this schema and metadata."""
        bounds = [_bounds(told.row_group(number)) for number in range(told.num_row_groups)]
        return cls(_footer(schema), bounds, read)

    def where(self, **wanted: str | None) -> Iterator[pa.Table]:
        """Rows with these values, in order: those of one group after the other.

        Examples
        --------
        >>> table = pa.table({"role": ["a", "b", "a"], "item": ["x", "y", "z"]})
        >>> [part["item"].to_pylist() for part in RowGroups.of_table(table).where(role="a")]
        [['x', 'z']]
        """
        for number, bounds in enumerate(self._bounds):
            if all(_may_be(value, bounds.get(name)) for name, value in wanted.items()):
                table = self._read(number)
                masks = (is_value(table[name], value) for name, value in wanted.items())
                mask = reduce(np.logical_and, masks, np.ones(len(table), dtype=np.bool_))
                if mask.any():
                    yield table if mask.all() else table.filter(pa.array(mask))

    def places(self) -> list[dict[str, str]]:
        """Kinds, subjects and datasets that have records, by first appearance."""
        found: dict[tuple[str, ...], None] = {}
        for number in range(len(self._bounds)):
            table = self._read(number).select(_PLACE)
            own = table.group_by(_PLACE, use_threads=False).aggregate([])
            found |= dict.fromkeys(zip(*(own[name].to_pylist() for name in _PLACE), strict=True))
        return [dict(zip(_PLACE, place, strict=True)) for place in found]


def _footer(schema: pa.Schema) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads((schema.metadata or {}).get(b"scrutiny", b"{}"))
    return found


def _bounds(group: parquet.RowGroupMetaData) -> dict[str, Bounds]:
    """Bounds of the columns of texts of a row group, where the file states them."""
    found = {}
    for column in map(group.column, range(group.num_columns)):
        known = column.statistics
        if known is not None and known.has_min_max and isinstance(known.min, str):
            found[column.path_in_schema] = known.min, known.max, known.null_count > 0
    return found


def _may_be(value: str | None, bounds: Bounds | None) -> bool:
    """Whether a column with these bounds may have a value."""
    if bounds is None:
        return True
    least, greatest, has_gaps = bounds
    return has_gaps if value is None else least <= value <= greatest
