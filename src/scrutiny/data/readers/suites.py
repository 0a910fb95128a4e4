"""Files of suites: cases from rows, and rows from items and their cases.

One JSON object a line, or a table with a row for each case.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Final

from scrutiny.core.answers.answer import from_json, to_json, type_of
from scrutiny.core.boundary.json_text import canonical_json, plain
from scrutiny.core.edit import EditRefusedError
from scrutiny.core.errors import DataError
from scrutiny.core.example import CAPABILITY, GROUP, PERTURBATION, TEST, Case, Example, Span
from scrutiny.core.record import ROLES, STATUSES
from scrutiny.data.readers import delimited, json_rows, templates
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table, takes
from scrutiny.store.stored_forms import edits_of
from scrutiny.text.edits import track_of

#: Columns of a case, beside those of its item.
CASE_COLUMNS: Final = tuple(one.name for one in fields(Case))
#: Columns of a suite whose items are whole, whatever their task.
WHOLE: Final = "fields"
#: What was done to the item that a case changes.
_KIND: Final = PERTURBATION.removeprefix("a_")
#: Test of cases that state none.
_UNNAMED: Final = "changed texts"


def is_of_cases(columns: Collection[str]) -> bool:
    """Whether columns are those of a suite: what is expected, and of which test or item.

    Examples
    --------
    >>> is_of_cases(["text", "expect", "test"]), is_of_cases(["text", "expect"])
    (True, False)
    """
    names = {*columns}
    return "suite" in names or ("expect" in names and bool({"test", "of"} & names))


def _case_of(row: Mapping[str, Any]) -> Case | None:
    """Case of a row; None for an item of which nothing is expected.

    Raises
    ------
    DataError
        If a cell cannot be read.
    """
    stated = {name: row[name] for name in CASE_COLUMNS if row.get(name) not in (None, "", {})}
    if not stated.keys() & {"test", "expect", "of"}:
        return None
    if not stated.keys() & {"expect", "of"}:
        raise DataError(f"the case of the test {stated['test']!r} does not say what it expects")
    facts = stated.pop("facts", {})
    try:
        stated["draw"] = int(stated.get("draw", 0))
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"draw is {row['draw']!r}, not a whole number") from None
    for name, allowed in (("role", ROLES[:2]), ("status", STATUSES)):
        if stated.get(name, allowed[0]) not in allowed:
            raise DataError(f"{name} is {stated[name]!r}; it is {' or '.join(allowed)}")
    if isinstance(stated.get("edits"), list):
        stated["edits"] = json.dumps(stated["edits"])
    odd = next((n for n, v in stated.items() if n != "draw" and not isinstance(v, str)), None)
    if odd is not None or not isinstance(facts, Mapping):
        raise DataError(f"{odd or 'facts'} is {row[odd or 'facts']!r}, which is no text")
    _must_be_edits(stated.get("edits", "[]"))
    stated.setdefault("expect", "gold")
    stated.setdefault("test", _UNNAMED)
    return Case(**stated, facts=dict(facts))


def _must_be_edits(stated: str) -> None:
    """Raise for text that is no edits: a JSON list of ``[field, start, end, new text, ...]``."""
    try:
        (edits,) = edits_of([stated])
        is_read = all(
            isinstance(edit.field, str)
            and isinstance(edit.text, str)
            and type(edit.start) is type(edit.end) is int
            for edit in edits
        )
    except (TypeError, ValueError, RecursionError):
        is_read = False
    if not is_read:
        raise DataError(
            f"edits is {stated!r:.60}, no JSON list of edits, as in "
            '[["text", 0, 4, "Good", [], false]]'
        )


def with_case(example: Example, row: Mapping[str, Any]) -> Example:
    """Item with its case, which names columns of its own: test, capability, group."""
    case = _case_of(row)
    group = str(row.get("group") or (case.of if case else "") or example.id)
    own: dict[str, str | float] = {GROUP: group}
    if row.get(_KIND):
        own[PERTURBATION] = str(row[_KIND])
    if case is not None:
        own |= {TEST: case.test} | ({CAPABILITY: case.capability} if case.capability else {})
    return replace(example, case=case, attributes={**example.attributes, **own})


def must_fit(examples: Sequence[Example]) -> None:
    """Raise for a case whose edits are no places of the texts that it was made of.

    Raises
    ------
    DataError
        With the case, its row and what is wrong.
    """
    by_id = {example.id: example for example in examples}
    for example in examples:
        case = example.case
        base = by_id.get(case.of) if case is not None and case.edits else None
        if case is None or base is None:
            continue
        try:
            track_of(base, edits_of([case.edits])[0])
        except EditRefusedError as error:
            raise DataError(
                f"{example.source}: the edits of the case {example.id!r} do not fit the item "
                f"{base.id!r}: {error}. They are places in its text as it is; leave them out if "
                "nobody knows them."
            ) from None


def item_of_suite(row: Mapping[str, Any], *, source: str, order: Sequence[str] = ()) -> Example:
    """Item that a row of a suite holds whole: its texts by field, and all that annotates them.

    The texts come in the task's ``order``, which the file need not have; others by their numbers.

    Raises
    ------
    DataError
        If it cannot be read.
    """
    try:
        tokens = row.get("tokens")
        item = Example(
            id=str(row.get("id") or ""),
            fields=_ordered({str(name): str(text) for name, text in row[WHOLE].items()}, order),
            gold=from_json(row.get("gold")),
            spans=tuple(Span(*one) for one in row.get("spans") or ()),
            tokens=tokens and {n: tuple((a, b) for a, b in own) for n, own in tokens.items()},
            protected=tuple(Span(*one) for one in row.get("protected") or ()),
            source=source,
            language=str(row.get("language") or "en"),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"the item cannot be read: {error!r:.200}") from None
    if item.gold is not None and (code := type_of(item.gold).runs(item.gold)):
        raise DataError(
            f"the item is judged by the function {code}, which a file does not run: state what is "
            "expected in another way, or read the prompts with scorer= in their data string"
        )
    gold = item.gold if isinstance(item.gold, tuple) else ()
    for span in (*item.spans, *item.protected, *(one for one in gold if isinstance(one, Span))):
        is_written = isinstance(span.field, str) and isinstance(span.label, str)
        is_placed = type(span.start) is int and type(span.end) is int
        length = len(item.fields.get(span.field, "")) if is_written else 0
        if not (is_written and is_placed and 0 <= span.start <= span.end <= length):
            raise DataError(
                f"the item has the span {[*span]!r:.60}, and one is [field, start, end, label], "
                "within the text of its field"
            )
    return item


def _ordered(texts: Mapping[str, str], order: Sequence[str]) -> dict[str, str]:
    """Texts in the order of their names: those of a list first, then by the numbers in them.

    Examples
    --------
    >>> [*_ordered({"aspect": "a", "option_10": "b", "option_2": "c", "text": "d"}, ("text",))]
    ['text', 'aspect', 'option_2', 'option_10']
    """
    named = [name for name in order if name in texts]
    rest = [name for name in texts if name not in order]
    rest.sort(key=lambda name: [part.zfill(9) for part in _NUMBERS.split(name)])
    return {name: texts[name] for name in (*named, *rest)}


_NUMBERS: Final = re.compile(r"(\d+)")


def row_of(example: Example) -> dict[str, Any]:
    """Row of an item and its case, from which both can be read again.

    Examples
    --------
    >>> row_of(Example("i1", {"text": "Fine."}, "good", case=Case("gold", "praise")))
    {'id': 'i1', 'fields': {'text': 'Fine.'}, 'gold': 'good', 'expect': 'gold', 'test': 'praise'}
    """
    group = example.attributes.get(GROUP)
    found = {
        "id": example.id,
        WHOLE: dict(example.fields),
        "gold": to_json(example.gold),
        "spans": example.spans,
        "tokens": example.tokens,
        "protected": example.protected,
        "language": "" if example.language == "en" else example.language,
        "group": "" if group == example.id else group,
        _KIND: example.attributes.get(PERTURBATION, ""),
    }
    if example.case is not None:
        defaults = Case("", "")
        found |= {
            name: value
            for name in CASE_COLUMNS
            if (value := getattr(example.case, name)) != getattr(defaults, name)
        }
    return {name: plain(value) for name, value in found.items() if value}


def suite_lines(task: str, examples: Iterable[Example]) -> Iterable[str]:
    """Lines of a suite's file: its task, then each item with its case."""
    yield canonical_json({"suite": 1, "task": task})
    yield from (canonical_json(row_of(example)) for example in examples)


_TABLES: Final = {"csv": delimited.read_csv, "tsv": delimited.read_tsv}
#: Items of a circle that a message names.
_MOST_SHOWN: Final = 4
#: Columns that are no column of a task.
_OWN: Final = frozenset({*CASE_COLUMNS, "group", _KIND, "suite", "task"})


@takes("encoding")
def read(source: DataSource) -> Table:
    """Cases of a suite, and the items that they were made of.

    A row has the columns of its task (``text``, ``label``), or its texts under ``fields``. What
    makes it a case are ``expect`` (``gold``, ``same``, ...), ``test``, ``capability``, ``of`` (the
    item that it changes), ``group``; see ``docs/suites.md``. A first line ``{"suite": 1, "task":
    NAME}`` names the task. A ``.toml`` file holds templates of cases.

    Raises
    ------
    DataError
        If no row expects anything.
    """
    suffix = source.target.rpartition(".")[2].lower()
    if suffix == "toml":
        return templates.read(source)
    table = _TABLES.get(suffix, json_rows.read_jsonl)(source)
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
