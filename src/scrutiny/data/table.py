"""Tables of readers: rows with columns by name, and the options that a reader declares."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any, NamedTuple, TypeVar

from scrutiny.core.boundary.printable import is_storable, repeated
from scrutiny.core.errors import DataError
from scrutiny.data.source import DataSource
from scrutiny.tasks.tasks import load_task


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
    numbers
        What `RawRow.line` is the number of, where that is no line: "test".
    batches
        The same rows as ``pyarrow.RecordBatch`` objects, instead of ``rows``: whoever reads one of
        both leaves the other. None where a reader has rows alone.

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
    numbers: str = ""
    batches: Iterator[Any] | None = None

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


R = TypeVar("R", bound=Callable[[DataSource], Table])


def takes(*reading: str, **options: str) -> Callable[[R], R]:
    """Decorator that declares a reader's options and their meanings.

    Data strings of its scheme may have them; those of others may not. ``reading`` names those of
    `known.READING` that it looks at.
    """

    def marked(reader: R) -> R:
        setattr(reader, "options", options)  # noqa: B010 - functions declare no attributes
        setattr(reader, "reading", reading)  # noqa: B010
        return reader

    return marked


def one_of(source: DataSource, name: str, *allowed: str) -> str:
    """Value of an option with a few allowed words; the first of them by default.

    Raises
    ------
    DataError
        If the value is not allowed.
    """
    given = source.option(name, allowed[0])
    if given not in allowed:
        known = " or ".join(word for word in allowed if word)
        raise DataError(f"{name}={given} in {source}: it is {known}.")
    return given


def reader_defaults(task: str, columns: Collection[str]) -> dict[str, str]:
    """Default options of a reader of one format: its task, and columns named like the roles."""
    roles = [role.name for role in load_task(task).roles if role.name in columns]
    found = {"task": task, **{name: name for name in roles}}
    return found | ({"id": "id"} if "id" in columns else {})


def corpus_table(
    source: DataSource,
    task: str,
    columns: tuple[str, ...],
    rows: Iterable[RawRow],
    *,
    notes: tuple[str, ...] = (),
) -> Table:
    """Table of a reader of one format, whose columns are named like the roles of its task."""
    defaults = reader_defaults(task, columns)
    return Table(columns, iter(rows), source.target, defaults=defaults, notes=notes)


_PEEKED = 100
#: Levels of objects inside a row whose fields are named (``data.text``), and fields of each.
_DEEPEST = 8
_MOST_FIELDS = 50


def names_in(values: Mapping[str, Any], *, deepest: int = _DEEPEST) -> Iterator[str]:
    """Names of the columns of a row, and of fields of the objects in it, with dots.

    Examples
    --------
    >>> list(names_in({"id": 1, "data": {"text": "A", "by": {"name": "B"}}}))
    ['id', 'data', 'data.text', 'data.by', 'data.by.name']
    """
    for name, value in values.items():
        yield name
        if isinstance(value, Mapping) and deepest > 1 and len(value) <= _MOST_FIELDS:
            inside = {f"{name}.{key}": one for key, one in value.items()}
            yield from (one for one in names_in(inside, deepest=deepest - 1) if one not in values)


def with_columns(rows: Iterator[RawRow], place: str) -> Table:
    """Table of a reader, with the keys of its first hundred rows as columns, as they appear.

    Raises
    ------
    DataError
        If there are no rows, or none of the first hundred reads.
    """
    first = list(islice(rows, _PEEKED))
    if not first:
        raise DataError(f"{place} is empty: it holds no rows.")
    columns = tuple(dict.fromkeys(key for row in first for key in names_in(row.values)))
    if not columns:
        problem = first[0].problem or "it has no columns"
        raise DataError(
            f"None of the first {len(first)} rows of {place} reads. "
            f"{place}:{first[0].line}: {problem}."
        )
    return Table(columns=columns, rows=chain(first, rows), place=place)
