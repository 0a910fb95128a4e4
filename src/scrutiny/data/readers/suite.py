"""Suites: files of cases, one JSON object a line, or a table with a row for each."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from scrutiny.core.errors import DataError
from scrutiny.data.readers import delimited, json_rows
from scrutiny.data.readers.options import takes
from scrutiny.data.source import DataSource
from scrutiny.data.suites import CASE_COLUMNS, WHOLE
from scrutiny.data.table import RawRow, Table

_TABLES: Final = {"csv": delimited.read_csv, "tsv": delimited.read_tsv}
#: Items of a circle that a message names.
_MOST_SHOWN: Final = 4
#: Columns that are no column of a task.
_OWN: Final = frozenset({*CASE_COLUMNS, "group", "suite", "task"})


@takes("encoding")
def read(source: DataSource) -> Table:
    """Cases of a suite, and the items that they were made of.

    A row has the columns of its task (``text``, ``label``), or its texts under ``fields``. What
    makes it a case are ``expect`` (``gold``, ``same``, ...), ``test``, ``capability``, ``of`` (the
    item that it changes), ``group``; see ``docs/suites.md``. A first line ``{"suite": 1, "task":
    NAME}`` names the task.

    Raises
    ------
    DataError
        If no row expects anything.
    """
    reader = _TABLES.get(source.target.rpartition(".")[2].lower(), json_rows.read_jsonl)
    table = reader(source)
    rows = list(table.rows)
    head = rows[0].values if rows and "suite" in rows[0].values else {}
    cases = rows[1:] if head else rows
    problems = _unchanged([row.values for row in cases])
    problems |= _in_circles([row.values for row in cases])
    problems |= _unknown_items([row.values for row in cases])
    columns = dict.fromkeys(name for row in cases for name in row.values)
    if not {"expect", "of"} & set(columns):
        raise DataError(
            f"{source.target} is no suite: none of its rows says what it expects. A case has the "
            "columns of its task and `expect` (gold, same, moves(...)), or `of`, the item that it "
            "is a changed version of."
        )
    empty = dict.fromkeys(columns)
    _must_have_cases(cases, problems, place=f"{source.target}:")
    full = [
        RawRow(row.line, row.values and {**empty, **row.values}, row.problem or problems.get(n, ""))
        for n, row in enumerate(cases)
    ]
    if WHOLE in columns and not head.get("task") and not source.options.get("task"):
        raise DataError(
            f"{source.target} holds the texts of its items under `fields`, so it must name the "
            'task: as its first line, {"suite": 1, "task": NAME}, or behind it, '
            f"suite:{source.target}#task=NAME."
        )
    named = {"task": str(head["task"])} if "task" in head else {}
    return Table(
        columns=tuple(name for name in columns if name not in _OWN),
        rows=iter(full),
        place=table.place,
        defaults={**named, "unlabeled": "keep", **({"id": "id"} if "id" in columns else {})},
        is_suite=True,
        is_whole=WHOLE in columns,
    )


def _must_have_cases(rows: Sequence[RawRow], problems: Mapping[int, str], *, place: str) -> None:
    """Raise where every case has a problem: what is left is no suite."""
    cases = [n for n, row in enumerate(rows) if row.values.get("expect") or row.values.get("of")]
    if cases and all(n in problems for n in cases):
        first = cases[0]
        raise DataError(
            f"None of the {len(cases):,} cases of the suite reads. {place}{rows[first].line}: "
            f"{problems[first]}."
        )


def _in_circles(rows: Sequence[Mapping[str, Any]]) -> dict[int, str]:
    """Problems of cases that are changed versions of themselves, by position."""
    found = {}
    for name in ("of", "twin_of"):
        made_of = {str(row.get("id")): str(row[name]) for row in rows if row.get(name)}
        circle_of = _circles(made_of)
        for place, row in enumerate(rows):
            if circle := circle_of.get(str(row.get("id")), ()):
                shown = " of ".join(map(repr, [*circle[:_MOST_SHOWN], circle[0]]))
                found[place] = f"{name} goes round in a circle, so it changes no item: {shown}"
    return found


def _circles(made_of: Mapping[str, str]) -> dict[str, list[str]]:
    """Circle of each item that is on one; an item is visited once."""
    found: dict[str, list[str]] = {}
    visited: set[str] = set()
    for first in made_of:
        item, way = first, dict[str, int]()
        while item in made_of and item not in visited and item not in way:
            way[item] = len(way)
            item = made_of[item]
        visited |= way.keys()
        if item in way:
            circle = [*way][way[item] :]
            found |= dict.fromkeys(circle, circle)
    return found


def _unknown_items(rows: Sequence[Mapping[str, Any]]) -> dict[int, str]:
    """Problems of rows that speak of an item that is not there, by position."""
    known = {str(row.get("id")) for row in rows}
    found = {}
    for place, row in enumerate(rows):
        for name in ("of", "twin_of"):
            if row.get(name) and str(row[name]) not in known:
                found[place] = f"{name} is {row[name]!r}, and the suite has no such item"
    return found


def _unchanged(rows: Sequence[Mapping[str, Any]]) -> dict[int, str]:
    """Problems of cases that have all that the item has which they change, by position."""
    items = {str(row.get("id")): row for row in rows}
    found = {}
    for place, row in enumerate(rows):
        base = items.get(str(row.get("of"))) if row.get("of") else None
        is_asked = row.get("status") in (None, "", "ok") and row.get("role") != "control"
        own = {n: v for n, v in row.items() if n not in _OWN | {"id"} and v not in (None, "")}
        if base is not None and is_asked and own and own.items() <= base.items():
            found[place] = (
                f"it is a changed version of {row['of']!r}, and nothing is changed, which tells "
                "nothing of any model"
            )
    return found
