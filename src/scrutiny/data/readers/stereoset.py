"""StereoSet as published (``dev.json``), and its gender-swapped control sets.

Nadeem, Bethke and Reddy 2021; controls: Pikuliak, Benova and Bachraty 2023.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from scrutiny.core.boundary.json_text import parse_json
from scrutiny.core.errors import DataError
from scrutiny.data.readers.files import file_in, lines
from scrutiny.data.readers.json_rows import array_rows, value_offset
from scrutiny.data.readers.options import one_of, reader_defaults, takes
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table
from scrutiny.tasks.stereotypes.sentence_pairs import SentencePairs
from scrutiny.tasks.stereotypes.sentence_triples import SentenceTriples

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
    return Table(
        columns=_OF_PAIRS,
        rows=_rows(numbered, size),
        place=source.target,
        defaults=reader_defaults(SentencePairs.name, _OF_PAIRS),
    )


def _rows(numbered: list[tuple[int, str]], size: int) -> Iterator[RawRow]:
    for start in range(0, len(numbered), size):
        group = numbered[start : start + size]
        pair = str(start // size)
        for k, name in enumerate(_SETS):
            line, more, less = _bracketed(group, k) if size == 4 else _followed(group, k)
            values = {"id": f"{pair}/{name}", "more": more, "less": less, "set": name}
            yield RawRow(line, {**values, "pair": pair, "category": "gender"})


def _bracketed(group: list[tuple[int, str]], k: int) -> tuple[int, str, str]:
    (line, more), (_, less) = group[k], group[k + 2]
    return line, _BRACKETED.sub(r"\1", more), _BRACKETED.sub(r"\1", less)


def _followed(group: list[tuple[int, str]], k: int) -> tuple[int, str, str]:
    (line, context), (_, more), (_, less) = group[3 * k : 3 * k + 3]
    return line, f"{context} {more}", f"{context} {less}"


KINDS: Final = ("intrasentence", "intersentence")
_FILES: Final = ("dev.json", "dev_reconstructed.json")
_ROLES: Final = {
    "stereotype": "stereotype",
    "anti-stereotype": "antistereotype",
    "unrelated": "unrelated",
}
_COLUMNS: Final = (
    "id", "context", "stereotype", "antistereotype", "unrelated", "kind", "category", "malformed",
    "stereotype_id", "antistereotype_id", "unrelated_id", "term",
)  # fmt: skip


@takes(
    "encoding",
    kind=f"which examples to read: {' or '.join(KINDS)}; both by default",
    malformed="leave-out leaves out contexts with two blanks or a blank inside a word",
)
def read(source: DataSource) -> Table:
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
    return Table(
        columns=_COLUMNS,
        rows=iter(rows),
        place=source.target,
        defaults=reader_defaults(SentenceTriples.name, _COLUMNS),
        notes=(note,) if odd else (),
    )


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
        raise DataError(
            f"{source.target}:{error.lineno}:{error.colno}: no valid JSON ({error.msg})."
        ) from None
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
    if sorted(map(str, labels)) != sorted(_ROLES):
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
        values |= _sentence(sentence)
    return RawRow(raw.line, values)


def _sentence(sentence: Mapping[str, Any]) -> dict[str, Any]:
    role = _ROLES[sentence["gold_label"]]
    return {role: sentence.get("sentence"), f"{role}_id": sentence.get("id", "")}


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
