"""Files of suites: cases from rows, and rows from items and their cases."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Final

from scrutiny.core.answers.stored import from_json, to_json
from scrutiny.core.boundary.canonical import canonical_json, plain
from scrutiny.core.edit import EditRefusedError
from scrutiny.core.errors import DataError
from scrutiny.core.example import Example, Span
from scrutiny.core.record import ROLES, STATUSES
from scrutiny.core.suites.case import Case
from scrutiny.core.suites.tests import CAPABILITY, GROUP, TEST
from scrutiny.store.edits import edits_of
from scrutiny.text.edits.apply import track_of

#: Columns of a case, beside those of its item.
CASE_COLUMNS: Final = tuple(one.name for one in fields(Case))
#: Columns of a suite whose items are whole, whatever their task.
WHOLE: Final = "fields"
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


def item_of_suite(row: Mapping[str, Any], *, source: str) -> Example:
    """Item that a row of a suite holds whole: its texts by field, and all that annotates them.

    Raises
    ------
    DataError
        If it cannot be read.
    """
    try:
        tokens = row.get("tokens")
        item = Example(
            id=str(row.get("id") or ""),
            fields={str(name): str(text) for name, text in row[WHOLE].items()},
            gold=from_json(row.get("gold")),
            spans=tuple(Span(*one) for one in row.get("spans") or ()),
            tokens=tokens and {n: tuple((a, b) for a, b in own) for n, own in tokens.items()},
            protected=tuple(Span(*one) for one in row.get("protected") or ()),
            source=source,
            language=str(row.get("language") or "en"),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"the item cannot be read: {error!r:.200}") from None
    gold = item.gold if isinstance(item.gold, tuple) else ()
    for span in (*item.spans, *item.protected, *(one for one in gold if isinstance(one, Span))):
        _must_be_in(item, span)
    return item


def _must_be_in(item: Example, span: Span) -> None:
    """Raise for a span that is none of the item's texts."""
    is_written = isinstance(span.field, str) and isinstance(span.label, str)
    is_placed = type(span.start) is int and type(span.end) is int
    length = len(item.fields.get(span.field, "")) if is_written else 0
    if not (is_written and is_placed and 0 <= span.start <= span.end <= length):
        raise DataError(
            f"the item has the span {[*span]!r:.60}, and one is [field, start, end, label], within "
            "the text of its field"
        )


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
