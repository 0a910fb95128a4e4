"""Texts with spans marked by their characters: JSON lines of annotation tools, and brat's files."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final, NamedTuple

from scrutiny.core.errors import DataError
from scrutiny.core.example import Span
from scrutiny.data.readers.files import files_in, lines
from scrutiny.data.readers.json_rows import read_jsonl
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table, corpus_table, one_of, takes
from scrutiny.tasks.tags import to_bio
from scrutiny.tasks.token_tagging import TokenTagging
from scrutiny.text.tokens import token_spans

#: Names of the list of spans, and of the parts of a span.
_LISTS: Final = ("spans", "entities", "label", "labels")
_STARTS: Final = ("start", "start_offset", "begin")
_ENDS: Final = ("end", "end_offset", "stop")
_LABELS: Final = ("label", "type", "tag")
_COLUMNS: Final = ("tokens", "tags", "raw")
#: What Prodigy calls a row whose spans nobody accepted.
_NOT_ACCEPTED: Final = ("reject", "ignore")
#: A line of brat that marks a text: its type, its first and last characters, its words.
_MARKED: Final = re.compile(r"T\S+\t(\S+) (\d{1,9})((?:[ ;]\d{1,9})*) (\d{1,9})(?:\t.*)?")
#: A line of something else: a relation, event, attribute, normalization or note.
_UNMARKED: Final = re.compile(r"(?:[REAMN]\d|[*#])\S*\t")

_OVERLAPPING: Final = "refuse, or longest: what to do with a row whose spans overlap"


class _Marked(NamedTuple):
    """Span of a text, by its characters."""

    start: int
    end: int
    label: str


@takes("encoding", overlapping=_OVERLAPPING)
def read(source: DataSource) -> Table:
    """Texts of a JSON-lines file with lists of spans, as doccano, Prodigy and spaCy's users write.

    A span is a list, ``[0, 5, "LOC"]``, or an object with ``start``, ``end`` and ``label``; the
    list is called ``spans``, ``entities``, ``label`` or ``labels``.
    """
    keeps = one_of(source, "overlapping", "refuse", "longest") == "longest"
    table = read_jsonl(source)
    columns = (*(("id",) if "id" in table.columns else ()), *_COLUMNS)
    return _table(source, columns, (_row(raw, keeps_longest=keeps) for raw in table.rows))


@takes("encoding", overlapping=_OVERLAPPING)
def read_brat(source: DataSource) -> Table:
    """Texts of brat's ``.ann`` files, each beside its ``.txt``; of a folder, all by name.

    An item is a whole text. Notes, relations and events are left out.
    """
    keeps = one_of(source, "overlapping", "refuse", "longest") == "longest"
    if source.path.suffix == ".txt":
        source = replace(source, target=str(source.path.with_suffix(".ann")))
    files = files_in(source, "*.ann", ".ann file")
    rows = (_of_brat(file, keeps_longest=keeps) for file in files)
    return _table(source, ("id", *_COLUMNS), rows)


def _table(source: DataSource, columns: tuple[str, ...], rows: Iterator[RawRow]) -> Table:
    """Table of tokens, their tags, and the text as it was written."""
    return corpus_table(source, TokenTagging.name, columns, rows)


def _of_brat(source: DataSource, *, keeps_longest: bool) -> RawRow:
    """Row of a text and its marks."""
    path, beside = str(source.path), source.path.with_suffix(".txt")
    if not beside.is_file():
        return RawRow(1, {}, f"its text {beside.name} does not stand beside it", path)
    text = "".join(lines(replace(source, target=str(beside))))
    marks: list[_Marked] = []
    for number, line in enumerate(lines(source) if source.path.stat().st_size else (), 1):
        found = _MARKED.fullmatch(line.rstrip("\r\n"))
        if line.strip() and found is None and _UNMARKED.match(line) is None:
            return RawRow(number, {}, "the line marks no span as brat writes it", path)
        if found and found[3]:
            return RawRow(number, {}, f"the span {found[1]} has several parts", path)
        if found:
            marks.append(_Marked(int(found[2]), int(found[4]), found[1]))
    values = {"id": source.path.stem}
    return _tagged(RawRow(1, values, "", path), text, marks, keeps_longest=keeps_longest)


def _row(raw: RawRow, *, keeps_longest: bool) -> RawRow:
    """Row of tokens and tags from a row of a text and its spans."""
    if raw.problem:
        return raw
    text = raw.values.get("text")
    name = next((name for name in _LISTS if isinstance(raw.values.get(name), list)), "")
    if not isinstance(text, str) or not text.strip() or not name:
        lacks = f"list of spans ({', '.join(_LISTS)})" if isinstance(text, str) else "text"
        return raw._replace(values={}, problem=f"the row has no {lacks}")
    if raw.values.get("answer") in _NOT_ACCEPTED:
        said = f"its spans were not accepted (answer: {raw.values['answer']}), so none are known"
        return raw._replace(values={}, problem=said)
    try:
        marks = [_marked(one) for one in raw.values[name]]
    except (LookupError, TypeError, ValueError):
        said = f'{name} holds what is no span: a span is [0, 5, "LOC"] or has start, end and label'
        return raw._replace(values={}, problem=said)
    own = raw._replace(values={"id": raw.values["id"]} if "id" in raw.values else {})
    return _tagged(own, text, marks, keeps_longest=keeps_longest)


def _marked(one: Any) -> _Marked:
    """Span of an annotation tool.

    Raises
    ------
    LookupError, TypeError, ValueError
        If it is none.
    """
    if isinstance(one, Mapping):
        one = [one[next((k for k in names if k in one), "")] for names in (_STARTS, _ENDS, _LABELS)]
    start, end, label = one
    if not (type(start) is type(end) is int and isinstance(label, str) and label.strip()):
        raise TypeError
    return _Marked(start, end, label)


def _tagged(raw: RawRow, text: str, marks: Sequence[_Marked], *, keeps_longest: bool) -> RawRow:
    """Row of a text's tokens and their tags, with a border wherever a span has one."""
    outside = [m for m in marks if not 0 <= m.start < m.end <= len(text)]
    if outside:
        said = f"{outside[0].label} {outside[0].start}-{outside[0].end} lies outside of the text"
        return raw._replace(values={}, problem=said)
    if keeps_longest:
        # none that overlaps a longer one; of two as long, the first
        kept: list[_Marked] = []
        for own in sorted(marks, key=lambda m: (m.start - m.end, m)):
            if all(own.end <= m.start or m.end <= own.start for m in kept):
                kept.append(own)
        marks = kept
    ordered = sorted(dict.fromkeys(marks))
    crossed = next(((a, b) for a, b in pairwise(ordered) if b.start < a.end), None)
    if crossed:
        one, other = (f"{m.label} {m.start}-{m.end}" for m in crossed)
        said = f"the spans {one} and {other} overlap; overlapping=longest keeps the longest"
        return raw._replace(values={}, problem=said)
    cuts = {place for m in ordered for place in (m.start, m.end)}
    tokens = [
        part  # of a token, between borders of spans
        for a, b in token_spans(text)
        for part in pairwise([a, *sorted(c for c in cuts if a < c < b), b])
    ]
    spans = []
    for mark in ordered:  # without white space at its ends
        marked = text[mark.start : mark.end]
        start = mark.start + len(marked) - len(marked.lstrip())
        spans.append(Span("text", start, start + len(marked.strip()), mark.label))
    try:
        tags = to_bio(tokens, spans)
    except DataError as error:
        return raw._replace(values={}, problem=str(error))
    words = [text[a:b] for a, b in tokens]
    return raw._replace(values={**raw.values, "tokens": words, "tags": tags, "raw": text})
