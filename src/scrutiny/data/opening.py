"""Opening a data source: its reader, the roles of its columns, its task, and its options."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

from scrutiny.core.errors import DataError
from scrutiny.core.example import Example
from scrutiny.core.registry import registry
from scrutiny.core.task import Task
from scrutiny.data.columns import resolve_columns, with_names
from scrutiny.data.labels import parse_label_map
from scrutiny.data.readers.suites import is_of_cases
from scrutiny.data.reading import OnBadRow, Reading, parse_limit, permutation_seed
from scrutiny.data.source import (
    OF_MODELS,
    DataSource,
    check_reader_option,
    parse_source,
    reader_options,
)
from scrutiny.data.table import Table
from scrutiny.tasks.tasks import load_task

#: Readers of tables whose rows may be cases of a suite, as their columns tell.
_TABLES: Final = ("csv", "tsv", "jsonl")
#: Items that a model is asked about together.
_STRETCH: Final = 1024


def open_data(
    source: Any,
    *,
    task: str | None = None,
    on_bad_row: OnBadRow = "skip",
    columns: Mapping[str, str] | None = None,
) -> Reading:
    """Open a data source, to be iterated once.

    Parameters
    ----------
    source
        A data string, a path, or an object that holds a table: a pandas or polars data frame, a
        pyarrow table, a ``datasets.Dataset``, a list of dicts, a dict of columns.
    task
        Name of the task; default: identified by the columns.
    on_bad_row
        ``skip`` counts and lists rows that cannot be read; ``fail`` stops at the first.
    columns
        Options of the data string as a mapping, ``{"text": "sentence"}``: for objects, which have
        no data string of their own.

    Raises
    ------
    DataError
        If the data string or the file cannot be read.
    """
    if on_bad_row not in ("skip", "fail"):
        raise DataError(f"on_bad_row is {on_bad_row!r}; it is 'skip' or 'fail'.")
    scheme = ""
    if isinstance(source, str | Path):
        parsed = parse_source(str(source))
        scheme = parsed.scheme
    _check_columns(columns, scheme)
    if scheme:
        parsed = replace(parsed, options={**parsed.options, **(columns or {})})
        table: Table = registry().load("reader", parsed.scheme)(parsed)
        if scheme in _TABLES and is_of_cases(table.columns):
            scheme = "suite"
            parsed = replace(parsed, scheme=scheme)
            table = registry().load("reader", scheme)(parsed)
    else:
        from scrutiny.data.readers.objects import read_object

        table = read_object(source)
        parsed = DataSource("object", table.place, dict(columns or {}))
    own = reader_options(scheme)
    naming = replace(parsed, options={k: v for k, v in parsed.options.items() if k not in own})
    roles = resolve_columns(naming, table, task=task or "")
    found = load_task(roles.task)
    return Reading(
        source=parsed,
        table=with_names(table, parsed, roles, found),
        columns=roles,
        task=found,
        permute=permutation_seed(parsed, found),
        keeps_unlabeled=_keeps_unlabeled(parsed, table, found),
        label_map=_label_map(parsed, found),
        on_bad_row=on_bad_row,
    )


def _check_columns(columns: Any, scheme: str) -> None:
    """Raise for options of an object that could not be written in a data string."""
    if columns is None:
        return
    if not isinstance(columns, Mapping):
        raise DataError(
            f"columns is a {type(columns).__name__}; it is a dict of options and names of columns, "
            "as in {'text': 'sentence'}."
        )
    for name, value in columns.items():
        if not isinstance(name, str) or not isinstance(value, str | None):
            raise DataError(
                f"columns has {name!r}: {value!r}, and options and names of columns are text: "
                f"write {str(name)!r}: {str(value)!r}."
            )
        check_reader_option(name, where="columns", scheme=scheme)


def iter_examples(
    source: Any,
    *,
    task: str | None = None,
    limit: int | str | None = None,
    on_bad_row: OnBadRow = "skip",
    columns: Mapping[str, str] | None = None,
) -> Iterator[Example]:
    """Examples of a data source, read one at a time.

    Memory does not grow with the texts; identifiers take 16 to 48 bytes a row, and a model that the
    data string names is asked about a thousand items at a time. For the bad rows and notes as well,
    iterate over `open_data`, whose parameters these are.

    Parameters
    ----------
    limit
        How many examples, or which (``"100:200"``).
    """
    parse_limit(limit)  # refused before anything is opened
    reading = open_data(source, task=task, on_bad_row=on_bad_row, columns=columns)
    return with_models(reading.limited(limit), reading.source)


def models_named(source: DataSource) -> list[str]:
    """Attributes that a data string has a model for."""
    return [name for name in OF_MODELS if name in source.options]


def with_models(examples: Iterable[Example], source: DataSource) -> Iterator[Example]:
    """Examples with the attributes that models give, where the data string names such a model.

    A stretch of items is asked about at a time: what a model says of one depends on no other.
    """
    if not (asked := models_named(source)):
        yield from examples
        return
    rest = iter(examples)
    while stretch := list(islice(rest, _STRETCH)):
        for name in asked:
            values = registry().load("attribute", name).of_all(stretch, source.option(name))
            stretch = [
                e if v is None else replace(e, attributes={**e.attributes, f"a_{name}": v})
                for e, v in zip(stretch, values, strict=True)
            ]
        yield from stretch


def _keeps_unlabeled(source: DataSource, table: Table, task: Task) -> bool:
    """Whether the data string keeps rows without a label.

    Raises
    ------
    DataError
        For another word than keep or skip, or a task whose items have no labels.
    """
    stated = source.option("unlabeled")
    if stated not in ("", "keep", "skip"):
        raise DataError(f"unlabeled={stated} in {source}: it is keep or skip.")
    if stated and not task.answer:
        raise DataError(
            f"unlabeled={stated} in {source}: items of {task.name} have no label that a row could "
            "lack; leave it out."
        )
    return (stated or table.defaults.get("unlabeled")) == "keep"


def _label_map(source: DataSource, task: Task) -> dict[str, str]:
    """New names of labels, as stated in the data string.

    Raises
    ------
    DataError
        If they cannot be read, or the items of the task have no labels.
    """
    labels = source.options.get("labels", "")
    if labels and not task.answer:
        raise DataError(
            f"labels={labels} in {source}: items of {task.name} have no labels that could have "
            "other names; leave it out."
        )
    return parse_label_map(labels) if labels else {}
