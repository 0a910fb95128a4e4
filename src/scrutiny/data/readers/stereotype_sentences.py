"""CrowS-Pairs and StereoSet as published, with the revision and the control sets made from them.

CrowS-Pairs: Nangia, Vania, Bhalerao and Bowman 2020, ``crows_pairs_anonymized.csv``. Revised:
Neveol, Dupont, Bezancon and Fort 2022; controls: Pikuliak, Benova and Bachraty 2023
(``crows_revised.csv``, ``crows_negation.csv``, ``crows_antistereotype.csv``). StereoSet: Nadeem,
Bethke and Reddy 2021 (``dev.json``); gender-swapped controls: Pikuliak et al. 2023.
"""

import csv
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from scrutiny.core.boundary.json_text import parse_json
from scrutiny.core.errors import DataError
from scrutiny.data.readers.delimited import read_csv
from scrutiny.data.readers.files import file_in, lines
from scrutiny.data.readers.json_rows import array_rows, no_json, value_offset
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table, corpus_table, one_of, takes
from scrutiny.tasks.stereotypes import SentencePairs, SentenceTriples

_CROWS_FILES: Final = ("crows_pairs_anonymized.csv",)
_CROWS_COLUMNS: Final = ("id", "more", "less", "direction", "category", "set", "pair")
_ORIGINALS: Final = ("original", "revised")
_DIRECTIONS: Final = ("stereo", "antistereo")
_PUBLISHED: Final = ("sent_more", "sent_less", "stereo_antistereo", "bias_type")
_CONTROLS: Final = {"negated": ("negated", "negated-2"), "antistereotype": ("antistereotype",)}


@takes("encoding", control=f"kind of a control set: {' or '.join(_CONTROLS)}")
def read_crows_pairs(source: DataSource) -> Table:
    """Pairs of the published file, of the revised one, or of a control set.

    A control set has no header: each of its columns is one item, its first two rows the original
    pair, the next two (and two more) the controls.
    """
    found = file_in(source, _CROWS_FILES)
    first = next(_cells(found), [])
    rows = list(_published(found, first) if "sent_more" in first else _transposed(found))
    good = [row.values for row in rows if not row.problem]
    twice = sum(row.get("is_repeated", False) for row in good)
    folded = sum(row.get("is_folded", False) for row in good)
    controls = sum(row["set"] not in _ORIGINALS for row in good)
    sentences = (
        (twice, "pairs repeat an earlier one and are one unit with it (u_pair)."),
        (folded, "categories were written with capitals and were lowered."),
        (controls, "pairs are controls (a_set); u_pair ties them to their originals."),
    )
    notes = tuple(f"{n:,} {says}" for n, says in sentences if n)
    return corpus_table(found, SentencePairs.name, _CROWS_COLUMNS, rows, notes=notes)


def _cells(source: DataSource) -> Iterator[list[str]]:
    """Cells of each row of a file."""
    try:
        yield from csv.reader(lines(source))
    except csv.Error as error:
        raise DataError(f"{source.target} is no file of CrowS-Pairs: {error}.") from None


def _published(source: DataSource, header: list[str]) -> Iterator[RawRow]:
    """Rows of the file with a header; its repetitions share a ``pair``."""
    missing = set(_PUBLISHED) - set(header)
    if missing:
        raise DataError(
            f"{source.target} is not a file of CrowS-Pairs: it lacks {', '.join(sorted(missing))}. "
            "Pairs of your own are read by csv: with more= and less=."
        )
    number = None if header[0] in _PUBLISHED else header[0].strip()
    name = _ORIGINALS["annotations" not in header]
    firsts: dict[tuple[str, str], str] = {}
    for i, raw in enumerate(read_csv(source).rows):
        row, problem = raw.values, raw.problem
        if not problem:
            direction, category = row["stereo_antistereo"], row["bias_type"]
            if direction not in _DIRECTIONS:
                problem = f"stereo_antistereo is {direction!r}, neither stereo nor antistereo"
            elif category in _DIRECTIONS or not category:
                problem = f"bias_type is {category!r}: its columns are out of place"
        if problem:
            yield RawRow(raw.line, {}, problem)
            continue
        more, less = row["sent_more"], row["sent_less"]
        own = str(i) if number is None else str(row[number])
        first = firsts.setdefault((more, less), own)
        values = {"id": own, "more": more, "less": less, "direction": direction}
        values |= {"category": category.lower(), "set": name, "pair": first}
        values |= {"is_repeated": first != own, "is_folded": category != category.lower()}
        yield RawRow(raw.line, values)


def _transposed(source: DataSource) -> Iterator[RawRow]:
    """Pairs of a control set, originals and their variants, item by item."""
    rows = [cells for cells in _cells(source) if cells]
    if len(rows) not in (4, 6) or len({len(cells) for cells in rows}) > 1:
        raise DataError(
            f"{source.target} is no file of CrowS-Pairs: it has neither a column sent_more nor the "
            "form of a control set (4 or 6 rows of equal length)."
        )
    # names of the sets of controls, by the option or the file's name
    n = len(rows) // 2 - 1
    stated = source.option("control")
    name = source.path.name.lower()
    kind = stated or ("negated" if "negat" in name else "antistereotype" if "anti" in name else "")
    if kind not in _CONTROLS or len(_CONTROLS[kind]) < n:
        raise DataError(
            f"{source.target}: its name does not tell the kind of controls: add "
            f"control={' or control='.join(_CONTROLS)} to the data string."
        )
    for i in range(len(rows[0])):
        for k, name in enumerate(("original", *_CONTROLS[kind][:n])):
            line = 2 * k + 1
            more, less = rows[line - 1][i].strip(), rows[line][i].strip()
            if not more and not less and k:
                continue  # most items have no control
            values = {"id": f"{i}/{name}", "more": more, "less": less, "set": name}
            yield RawRow(line, {**values, "pair": str(i), "category": "gender", "direction": ""})


_OF_PAIRS: Final = ("id", "more", "less", "category", "set", "pair")
_BRACKETED: Final = re.compile(r"<([^<>]+)>")
_SETS: Final = ("original", "swapped")


def _read_swaps(source: DataSource) -> Table:
    """Pairs of sentences: ``original`` and ``swapped`` of each group share a ``pair``.

    Groups of four lines have the target word in angle brackets: the stereotype, the same with the
    gender swapped, then what goes against it, likewise. Groups of six have none: a context and two
    sentences that follow it, then all three swapped.

    Brackets are taken away: the words that differ are the target. Context and what follows it are
    joined by a space.
    """
    numbered = [(i, line.strip()) for i, line in enumerate(lines(source), 1) if line.strip()]
    marked = sum(bool(_BRACKETED.search(line)) for _, line in numbered)
    if marked not in (0, len(numbered)):
        odd = next(i for i, line in numbered if not _BRACKETED.search(line))
        raise DataError(f"{source.target}:{odd} has no <word>; other lines have.")
    size = 4 if marked else 6
    if len(numbered) % size:
        raise DataError(
            f"{source.target} has {len(numbered)} lines of text, which are no groups of {size}."
        )
    return corpus_table(source, SentencePairs.name, _OF_PAIRS, _rows(numbered, size))


def _rows(numbered: list[tuple[int, str]], size: int) -> Iterator[RawRow]:
    for start in range(0, len(numbered), size):
        group = numbered[start : start + size]
        pair = str(start // size)
        for k, name in enumerate(_SETS):
            if size == 4:
                (line, more), (_, less) = group[k], group[k + 2]
                more, less = (_BRACKETED.sub(r"\1", text) for text in (more, less))
            else:
                (line, context), (_, more), (_, less) = group[3 * k : 3 * k + 3]
                more, less = f"{context} {more}", f"{context} {less}"
            values = {"id": f"{pair}/{name}", "more": more, "less": less, "set": name}
            yield RawRow(line, {**values, "pair": pair, "category": "gender"})


KINDS: Final = ("intrasentence", "intersentence")
_FILES: Final = ("dev.json", "dev_reconstructed.json")
#: Labels of the sentences of an example; roles are called the same, without the hyphen.
_LABELS: Final = ["anti-stereotype", "stereotype", "unrelated"]
_COLUMNS: Final = (
    "id", "context", "stereotype", "antistereotype", "unrelated", "kind", "category", "malformed",
    "stereotype_id", "antistereotype_id", "unrelated_id", "term",
)  # fmt: skip


@takes(
    "encoding",
    kind=f"which examples to read: {' or '.join(KINDS)}; both by default",
    malformed="leave-out leaves out contexts with two blanks or a blank inside a word",
)
def read_stereoset(source: DataSource) -> Table:
    """Triples of the published file, or pairs of a gender-swapped control file (``.txt``)."""
    found = file_in(source, _FILES)
    return _read_swaps(found) if found.path.suffix == ".txt" else _triples(found)


def _triples(source: DataSource) -> Table:
    wanted = one_of(source, "kind", "", *KINDS)
    leave_out = one_of(source, "malformed", "keep", "leave-out") == "leave-out"
    rows = [_row(raw, kind) for kind, raw in _raw_rows(source) if wanted in ("", kind)]
    odd = sum(bool(row.values.get("malformed")) for row in rows)
    note = f"{odd} contexts have two blanks or a blank inside a word (a_malformed); "
    if leave_out:
        rows = [row for row in rows if not row.values.get("malformed")]
        note += f"they were left out: {len(rows):,} examples stay."
    else:
        note += "the official evaluation keeps them; malformed=leave-out does not."
    return corpus_table(source, SentenceTriples.name, _COLUMNS, rows, notes=(note,) if odd else ())


def _raw_rows(source: DataSource) -> Iterator[tuple[str, RawRow]]:
    """Raw examples by kind, with their line numbers."""
    text = "".join(lines(source))
    try:
        data = parse_json(text)["data"]
        kinds = [kind for kind in KINDS if isinstance(data.get(kind), list)]
        places = {
            kind: value_offset(text, value_offset(text, text.index("{"), "data"), kind)
            for kind in kinds
        }
    except json.JSONDecodeError as error:
        raise no_json(source, error) from None
    except (KeyError, TypeError, AttributeError):
        kinds = []
    if not kinds:
        raise DataError(
            f'{source.target} is no file of StereoSet: it is {{"data": {{"intrasentence": […], '
            '"intersentence": […]}}.'
        )
    for kind in kinds:
        for raw in array_rows(text, places[kind]):
            yield kind, raw


def _row(raw: RawRow, kind: str) -> RawRow:
    """Row of one example, or the problem with it."""
    if raw.problem:
        return raw
    example = raw.values
    missing = {"id", "target", "bias_type", "context", "sentences"} - set(example)
    if missing:
        return RawRow(raw.line, {}, f"the example lacks {', '.join(sorted(missing))}")
    sentences = example["sentences"]
    if not isinstance(sentences, list) or not all(isinstance(s, Mapping) for s in sentences):
        return RawRow(raw.line, {}, "its sentences are no list of objects")
    labels = [s.get("gold_label") for s in sentences]
    if sorted(map(str, labels)) != _LABELS:
        return RawRow(
            raw.line, {}, f"its sentences are {', '.join(map(str, labels))}, not one of each kind"
        )
    values = {
        "id": example["id"],
        "context": example["context"],
        "kind": kind,
        "category": example["bias_type"],
        "malformed": _malformed(example["context"]) if kind == "intrasentence" else "",
        "term": example["target"],
    }
    for sentence in example["sentences"]:
        role = sentence["gold_label"].replace("-", "")
        values |= {role: sentence.get("sentence"), f"{role}_id": sentence.get("id", "")}
    return RawRow(raw.line, values)


def _malformed(context: Any) -> str:
    """Problem with the blank of a context; empty if there is none."""
    if not isinstance(context, str):
        return ""
    n = context.count("BLANK")
    if n != 1:
        return f"{n} blanks"
    before, _, after = context.partition("BLANK")
    is_inside = before[-1:].isalnum() or after[:1].isalnum()
    return "blank inside a word" if is_inside else ""
