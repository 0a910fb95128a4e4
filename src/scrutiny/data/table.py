"""Raw rows, as readers hand them over: columns by name, and the line each came from."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from scrutiny.core.boundary.storable import repeated
from scrutiny.core.errors import DataError


class RawRow(NamedTuple):
    """One row of a file, or what is wrong with it.

    Parameters
    ----------
    line
        Physical line of the file that the row starts on, or number of the row, from 1.
    values
        Cells by column; empty where the row does not read.
    problem
        Why the row does not read, or nothing.
    place
        What stands before its line number, where a table has rows of several files.
    """

    line: int
    values: Mapping[str, Any]
    problem: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """What a reader returns; its rows can be read once.

    Parameters
    ----------
    columns
        Names of the columns; those of the first row where every row names its own.
    rows
        Rows in file order, read as they are asked for.
    place
        What stands before the line number in ``file:line``.
    class_names
        Names behind integer labels, by column, where the file states them.
    defaults
        Options that hold unless the data string says otherwise.
    notes
        Sentences about how it was read.

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

    def __post_init__(self) -> None:
        twice = repeated(self.columns)
        if twice is not None:
            raise DataError(
                f"{self.place} has two columns named {twice!r}, and neither can be meant. Give one "
                "of them another name, or leave it out."
            )
