"""Contrast sets: items that experts changed, and a file of the items that they are versions of.

Gardner et al. 2020. MATRES, one of them, asks which of two events begins first (Ning, Wu and Roth
2018).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import count, zip_longest
from typing import Any, Final
from xml.etree import ElementTree

from scrutiny.core.errors import DataError
from scrutiny.data.readers import delimited, json_rows, squad
from scrutiny.data.readers.files import existing_file, lines
from scrutiny.data.readers.published_contrast_sets import TEST, published_format, published_names
from scrutiny.data.readers.squad import read_ropes
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table, reader_defaults, takes
from scrutiny.tasks.classification import TextClassification

_BACKGROUND: Final = '"background"'  # a key of ROPES; in a text, its quotes would be escaped


def _read_json(source: DataSource) -> Table:
    """Questions of a file of ROPES, or of one in SQuAD's format."""
    text = "".join(lines(source))
    if _BACKGROUND in text or '"context"' not in text:
        return read_ropes(source)
    table = squad.read_spans(source) if '"context_id"' in text else squad.read(source)
    links = {"of": squad.ORIGINAL} if squad.ORIGINAL in table.columns else {}
    return replace(table, defaults={**table.defaults, **links})


def read_matres(source: DataSource) -> Table:
    """Sentences with two events, written as ``[E1 said ]``, and BEFORE, AFTER, EQUAL or VAGUE.

    What annotators wrote of a change (39 wordings) is its ``perturbation``: order (of appearance,
    of sentences), tense alone, indicator alone, or other.

    Raises
    ------
    DataError
        If it is no such file.
    """
    try:
        rows = []
        sentences = ElementTree.parse(existing_file(source)).iter("SENTENCE")
        for number, one in enumerate(sentences, 1):
            words = (word.rsplit("///", 3) for word in (one.text or "").split())
            text = " ".join(f"[{role} {w} ]" if role in _EVENTS else w for w, _, _, role in words)
            said = one.attrib["PERTURB"].strip()
            kind = said if said in ("", "tense", "indicator") else "other"
            kind = "order" if "order" in said else kind
            cells = (one.attrib["UNITID"], text, one.attrib["LABEL"], kind)
            rows.append(RawRow(number, dict(zip(_COLUMNS, cells, strict=True))))
    except (ElementTree.ParseError, LookupError, ValueError) as error:
        raise DataError(
            f"{source.target} is no file of MATRES, whose SENTENCEs have a UNITID, a LABEL and "
            f"words as WORD///LEMMA///TAG///ROLE: {error!r}."
        ) from None
    defaults = {**reader_defaults(TextClassification.name, _COLUMNS), "group": "perturbation"}
    return Table(_COLUMNS, iter(rows), source.target, defaults=defaults)


_FORMATS: Final[Mapping[str, Callable[[DataSource], Table]]] = {
    "csv": delimited.read_csv,
    "json": _read_json,
    "jsonl": json_rows.read_jsonl,
    "tsv": delimited.read_tsv,
    "xml": read_matres,
}


@takes(
    *("encoding", "quote", "header", "delimiter"),
    originals="file of the items that were changed",
    of="column with the id of the item that was changed; its place in the file, if there is none",
)
def read(source: DataSource) -> Table:
    """Changed items, each beside the original that it is a version of: a suite.

    ``contrast:changed.tsv#originals=original.tsv``: line k changes line k, or the item whose ``id``
    stands in the column ``of``. Tables (``.tsv``, ``.csv``, ``.jsonl``) have the columns of any
    task. ``.json`` is the format of ROPES, or SQuAD's with an ``original_id`` in each question, as
    Quoref's is; ``.xml`` is that of MATRES. They are linked by their own ids. Cases are named
    ``ID/1``, ``ID/2`` after their originals.

    BoolQ and DROP (``.json``), NLVR2 (``.jsonl``, sentences alone) and PERSPECTRUM (``.csv``) are
    one file as published, and MC-TACO (``.tsv``) and UD English (``.conllu``) are two.

    Raises
    ------
    DataError
        If no originals are named, or both files have another number of rows and nothing links them.
    """
    published = published_format(source)
    if published is not None:
        return published(source)
    named = source.option("originals")
    format_of = _FORMATS.get(source.path.suffix.removeprefix(".").lower())
    if not named or format_of is None:
        raise DataError(
            f"{source} is no contrast set: contrast:CHANGED#originals=FILE names two files, both "
            f".{', .'.join(_FORMATS)}. As published, these are read as well: {published_names()}."
        )
    before, after = format_of(source.beside(named)), format_of(source)
    own = "id" if "id" in after.columns else ""
    link = source.option("of") or after.defaults.get("of", own)
    if link and (link not in after.columns or "id" not in before.columns):
        raise DataError(
            f"{after.place} is linked to {before.place} by its column {link!r} and the other's "
            f"'id'; their columns are {', '.join(after.columns)} and {', '.join(before.columns)}."
        )
    return Table(
        columns=tuple(dict.fromkeys(("id", *before.columns, *after.columns))),
        rows=iter([*(_linked(before, after, link) if link else _by_place(before, after))]),
        place=after.place,
        defaults={name: of for name, of in after.defaults.items() if name != "of"} | {"id": "id"},
        is_suite=True,
    )


def _by_place(before: Table, after: Table) -> Iterator[RawRow]:
    """Rows of two files whose row k is of one set."""
    for n, (old, new) in enumerate(zip_longest(before.rows, after.rows), 1):
        if old is None or new is None:
            short, long = (after, before) if new is None else (before, after)
            raise DataError(
                f"{short.place} ends before row {n}, which {long.place} has: row k of one changes "
                "row k of the other. Where ids link them, name their column: of=NAME."
            )
        yield _original(old, str(n), before)
        yield _case(new, f"{n}/1", str(n))


def _linked(before: Table, after: Table, link: str) -> Iterator[RawRow]:
    """Rows of two files, of which the second names the row of the first that it changes."""
    known: set[str] = set()
    bad: set[str] = set()
    for old in before.rows:
        (bad if old.problem else known).add(str(old.values.get("id")))
        yield _original(old, str(old.values.get("id")), before)
    numbers: dict[str, Iterator[int]] = {}
    for new in after.rows:
        of = str(new.values.get(link))
        own = "" if link == "id" else str(new.values.get("id") or "")
        case = _case(new, own or f"{of}/{next(numbers.setdefault(of, count(1)))}", of)
        lacks = "is left out of" if of in bad else "is not in"
        unknown = f"it changes {of!r}, which {lacks} {before.place}"
        yield case if of in known or case.problem else case._replace(problem=unknown)


def _original(row: RawRow, name: str, table: Table) -> RawRow:
    values = {name: cell for name, cell in _named(row, name).items() if name != "expect"}
    return row._replace(values=values, place=table.place)


def _case(row: RawRow, name: str, of: str) -> RawRow:
    return row._replace(
        values=_named(row, name, of=of, expect=row.values.get("expect", "gold"), test=TEST)
    )


def _named(row: RawRow, name: str, **case: str) -> dict[str, Any]:
    """Cells of a row that reads, with its name and its case."""
    return {**row.values, "id": name, **case} if not row.problem else {}


_COLUMNS: Final = ("id", "text", "label", "perturbation")
_EVENTS: Final = ("E1", "E2")
