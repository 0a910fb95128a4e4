"""Tables of a run: filter, convert, show in a notebook."""

from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.errors import PlanError, require_packages
from scrutiny.core.estimate import Estimate
from scrutiny.core.plugin_base import without_versions

#: Rows that a notebook shows.
SHOWN: Final = 20


class ResultTable:
    """Rows of a run, backed by an Arrow table.

    Examples
    --------
    >>> found = ResultTable(pa.table({"item": ["a", "b"], "broken": [2, 0]}))
    >>> found
    <Table: 2 rows of item, broken>
    >>> [row["item"] for row in found.where(broken=[1, 2])]
    ['a']
    """

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __len__(self) -> int:
        """Number of rows."""
        return int(self._table.num_rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Rows as dicts."""
        for batch in self._table.to_batches(max_chunksize=1024):
            yield from batch.to_pylist()

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self._table.column_names)

    def where(self, **columns: object) -> "ResultTable":
        """Rows with these values in columns; None selects rows without a value.

        Several values in a list stand for any of them, a mapping for its canonical JSON:
        ``condition={"draw": 0}``.

        Raises
        ------
        scrutiny.errors.PlanError
            For a name that is no column, or a value that its column cannot have.
        """
        table = self._table
        for name, value in columns.items():
            if name not in table.column_names:
                raise PlanError(
                    f"This table has no column {name!r}: {', '.join(table.column_names)}."
                )
            table = table.filter(_is(table[name], value, name))
        return ResultTable(table)

    def to_arrow(self) -> pa.Table:
        """The rows as an Arrow table: zero-copy to pandas, polars, duckdb."""
        return self._table

    def to_pandas(self) -> Any:
        """The rows as a pandas data frame."""
        return self._table.to_pandas()

    def to_polars(self) -> Any:
        """The rows as a polars data frame.

        Raises
        ------
        scrutiny.errors.MissingExtraError
            If polars is not installed.
        """
        require_packages("A polars data frame", "polars", "polars")
        import polars

        return polars.from_arrow(self._table)

    def __repr__(self) -> str:
        return f"<Table: {len(self)} row{'s' * (len(self) != 1)} of {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        from scrutiny.report.notebook import table_snippet

        rows = self._table.slice(0, SHOWN).to_pylist()
        return table_snippet(self.columns, rows, n_more=len(self) - len(rows))


def _is(column: pa.ChunkedArray, value: object, name: str) -> pa.ChunkedArray:
    """Mask of the rows that have a value, or one of several."""
    if value is None:
        return pc.is_null(column)
    if isinstance(value, Mapping):
        value = canonical_json(value)
    several = list(value) if isinstance(value, list | tuple | set | frozenset) else [value]
    try:
        return pc.is_in(column, value_set=pa.array(several, type=column.type))
    except (pa.ArrowException, TypeError) as error:
        raise PlanError(
            f"The column {name!r} holds {column.type}, and {value!r} is none: {error}."
        ) from error


def numbers_table(estimates: Sequence[Estimate]) -> pa.Table:
    """Arrow table of estimates in plan order; varying fields have columns of their own.

    Values of one such column that are not of one type are written as JSON.
    """
    varying = dict.fromkeys(name for estimate in estimates for name in estimate.key.condition)
    columns = {name: _column(name, estimates) for name in varying}
    if not estimates:
        return pa.table({})
    front, back = (
        {name: [read(e) for e in estimates] for name, read in side.items()}
        for side in (_KEYS, _VALUES)
    )
    return pa.table({**front, **columns, **back})


#: Columns before and behind the varying ones, and what stands in them.
_KEYS: Final = {
    "diagnostic": attrgetter("key.diagnostic_name"),
    "metric": attrgetter("key.metric_name"),
    "model": attrgetter("key.subject"),
    **{n: attrgetter(f"key.{n}") for n in ("reference", "dataset", "replicate", "role", "group")},
}
_VALUES: Final = {
    **{name: attrgetter(name) for name in ("value", "low", "high", "level")},
    **{name: attrgetter(f"counts.{name}") for name in ("n", "planned")},
    "replicates": attrgetter("n_replicates"),
    **{name: attrgetter(name) for name in ("status", "reason")},
}


def _column(name: str, estimates: Sequence[Estimate]) -> list[Any]:
    """Values of a condition, one for each estimate, versions left out."""
    values = [estimate.key.condition.get(name) for estimate in estimates]
    kinds = {type(value) for value in values if value is not None}
    if kinds == {str}:
        return [None if value is None else without_versions(str(value)) for value in values]
    if len(kinds) == 1 and kinds <= {int, float, bool}:
        return values
    return [None if value is None else canonical_json(value) for value in values]
