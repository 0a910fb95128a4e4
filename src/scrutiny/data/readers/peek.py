"""Column names of rows that each bring their own."""

from collections.abc import Iterator
from itertools import chain, islice

from scrutiny.core.errors import DataError
from scrutiny.data.table import RawRow, Table

_PEEKED = 100


def with_columns(rows: Iterator[RawRow], place: str) -> Table:
    """Table whose columns are the keys of its first hundred rows, in order of appearance.

    Raises
    ------
    DataError
        If there are no rows, or none of the first hundred reads.
    """
    first = list(islice(rows, _PEEKED))
    if not first:
        raise DataError(f"{place} is empty: it holds no rows.")
    columns = tuple(dict.fromkeys(key for row in first for key in row.values))
    if not columns:
        problem = first[0].problem or "it has no columns"
        raise DataError(
            f"None of the first {len(first)} rows of {place} reads. "
            f"{place}:{first[0].line}: {problem}."
        )
    return Table(columns=columns, rows=chain(first, rows), place=place)
