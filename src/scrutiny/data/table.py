"""Raw rows of readers: columns by name, and the line each came from."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from scrutiny.core.boundary.storable import is_storable, repeated
from scrutiny.core.errors import DataError


class RawRow(NamedTuple):
    """One row of a file, or the problem with it.

    Parameters
    ----------
    line
        Physical line of the file that the row starts on, or number of the row, from 1.
    values
        Cells by column; empty, or its id alone, where the row cannot be read.
    problem
        Why the row cannot be read; empty if it can.
    place
        File name in front of its line number, if a table has rows of several files.
    """

    line: int
    values: Mapping[str, Any]
    problem: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Result of a reader; its rows can be iterated once.

    Parameters
    ----------
    columns
        Names of the columns; those of the first row if every row names its own.
    rows
        Rows in file order, read lazily.
    place
        File name in ``file:line``.
    class_names
        Names behind integer labels, by column, where the file states them.
    defaults
        Default options, which the data string overrides.
    notes
        Sentences about how it was read.
    is_suite
        Whether its rows may be cases of a suite.
    is_whole
        Whether a row holds an item whole, and not by the columns of its task.

    Raises
    ------
    DataError
        If two columns have one name: the last would be taken in silence.
    """

    columns: tuple[str, ...]
    rows: Iterator[RawRow]
    place: str
    class_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    defaults: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    is_suite: bool = False
    is_whole: bool = False

    def __post_init__(self) -> None:
        for column in self.columns:
            if not is_storable(column):
                raise DataError(f"{self.place} has a column {column!r}: half a surrogate pair.")
        twice = repeated(self.columns)
        if twice is not None:
            raise DataError(
                f"{self.place} has two columns named {twice!r}, so neither can be chosen. Give one "
                "of them another name, or leave it out."
            )
