"""Corpora of coreference: documents in CoNLL-2012's format, and GAP's texts with a pronoun.

CoNLL-2012: Pradhan, Moschitti, Xue, Uryupina and Zhang (2012); OntoNotes, LitBank and CorefUD's
exports are in this format, one word a line. The word stands in the fourth column, brackets in the
last: ``(12`` begins a mention of the cluster 12, ``12)`` ends it, ``|`` joins several.

GAP: Webster, Recasens, Axelrod and Baldridge (2018), Wikipedia texts with a pronoun and two names,
to one of which it may refer. Texts are kept whole; scrutiny's own tokenizer cuts them, and a
mention is every word that it has a character in.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

from scrutiny.core.errors import DataError
from scrutiny.data.readers.delimited import read_tsv
from scrutiny.data.readers.files import files_in, lines
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table, corpus_table, takes
from scrutiny.tasks.annotated import MentionClusters
from scrutiny.tasks.coreference import Coreference
from scrutiny.text.tokens import token_spans

_OF_DOCUMENTS: Final = ("id", "words", "clusters", "document")
_BEGIN: Final = re.compile(r"#begin document \(?(.*?)\)?(?:; part 0*(\d{1,9}))?\s*$")
_BRACKET: Final = re.compile(r"(\()?([^()|\s]+)(\))?")
#: What stands behind the last line of a file: a document ends there, too.
_LAST: Final = "# end of file"
_WORD: Final = 3
#: Digits of a number of words.
_LONGEST_ID: Final = 9
_NONE: Final = frozenset({"", "-", "_", "*"})
Mention = tuple[str, int, int]  # cluster, first and last word


class _Sentence(NamedTuple):
    """Sentence of a document: the number of its first line, its words and their brackets."""

    line: int
    words: list[str]
    brackets: list[str]


@takes(
    "encoding",
    window="cuts documents at the ends of sentences into items of at most so many words, or of one "
    "sentence; whole documents without",
)
def read_conll2012(source: DataSource) -> Table:
    """Documents of a file in CoNLL-2012's format, or of all files ``*conll`` of a folder.

    A mention reaches from its first to its last word. A document cut by ``window`` loses what
    joins mentions of two windows.

    Raises
    ------
    DataError
        If the folder has no such file, or the window is no number.
    """
    window = source.option("window") or "0"
    if not window.isdecimal() or len(window) > _LONGEST_ID:
        raise DataError(f"window={window} in {source}: it is a number of words.")
    return corpus_table(source, Coreference.name, _OF_DOCUMENTS, _rows(source, int(window)))


def _rows(source: DataSource, window: int) -> Iterator[RawRow]:
    for file in files_in(source, "*conll", "file whose name ends with conll"):
        place = "" if file is source else file.target
        text = lines(file, every_end=True)
        for name, part, sentences, is_open in _documents(text, file.path.stem):
            whole = f"{name}/{part}" if part else name
            if is_open:
                said = f"{whole} begins and has no line #end document: the file may be cut off"
                yield RawRow(sentences[0].line, {}, said, place)
                continue
            items = _windows(sentences, window) if window else [sentences]
            for number, item in enumerate(items, 1):
                yield _document(item, f"{whole}/{number}" if window else whole, name, place)


def _documents(text: Iterable[str], stem: str) -> Iterator[tuple[str, int, list[_Sentence], bool]]:
    """Name, part and sentences of each document, and whether it begins without an end."""
    name, part, found, is_open = stem, 0, [_Sentence(0, [], [])], False
    for number, line in enumerate(chain(text, [_LAST]), 1):
        if not line.strip() or line.startswith("#"):
            if found[-1].words:
                found.append(_Sentence(0, [], []))
            begins = _BEGIN.match(line)
            ends = line is not _LAST and line.startswith("#end")
            if (begins or ends or line is _LAST) and len(found) > 1:
                yield name, part, found[:-1], is_open and not ends
                found = found[-1:]
            is_open = bool(begins) or (is_open and not ends)
            if begins:
                name, part = begins[1] or stem, int(begins[2] or 0)
            continue
        if not found[-1].words:
            found[-1] = _Sentence(number, [], [])
        cells = line.rstrip("\r\n").split("\t") if "\t" in line else line.split()
        found[-1].words.append(cells[_WORD] if len(cells) > _WORD + 1 else "")
        found[-1].brackets.append(cells[-1].strip())


def _windows(sentences: Sequence[_Sentence], most: int) -> Iterator[list[_Sentence]]:
    """Sentences in items of at most so many words."""
    item: list[_Sentence] = []
    for sentence in sentences:
        if item and sum(len(s.words) for s in item) + len(sentence.words) > most:
            yield item
            item = []
        item.append(sentence)
    yield item


def _document(sentences: Sequence[_Sentence], name: str, document: str, place: str) -> RawRow:
    line = sentences[0].line
    words = [word for sentence in sentences for word in sentence.words]
    if "" in words:
        problem = f"{name}: word {words.index('') + 1} has too few columns for CoNLL-2012"
        return RawRow(line, {}, problem, place)
    try:
        clusters: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for cluster, first, last in _clustered(b for s in sentences for b in s.brackets):
            clusters[cluster].append((first, last))
    except DataError as error:
        return RawRow(line, {}, f"{name}: {error}", place)
    values = {"id": name, "words": words, "clusters": [*clusters.values()], "document": document}
    return RawRow(line, values, place=place)


def _clustered(brackets: Iterable[str]) -> Iterator[Mention]:
    """Mentions of a document; of several that are open in one cluster, the last one ends first."""
    begun: defaultdict[str, list[int]] = defaultdict(list)
    for number, cell in enumerate(brackets):
        for written in () if cell in _NONE else cell.split("|"):
            match = _BRACKET.fullmatch(written)
            if match is None or not (match[1] or match[3]):
                raise DataError(f"word {number + 1} has {written!r}, no bracket of coreference")
            if match[1]:
                begun[match[2]].append(number)
            if match[3]:
                if not begun[match[2]]:
                    raise DataError(f"word {number + 1} ends a mention that nothing begins")
                yield match[2], begun[match[2]].pop(), number
    if left := next((name for name, starts in begun.items() if starts), None):
        raise DataError(f"a mention of the cluster {left} has no end")


GAP_COLUMNS: Final = (
    "ID", "Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "A-coref", "B", "B-offset",
    "B-coref",
)  # fmt: skip
_COLUMNS: Final = ("id", "words", "mentions", "pronoun", "gender", "sentence")
_FLAGS: Final = {"TRUE": True, "FALSE": False}
FEMININE: Final = frozenset({"she", "her", "hers", "herself"})
#: Digits of a number of a character.
_LONGEST: Final = 9


@takes("encoding")
def read_gap(source: DataSource) -> Table:
    """Texts with three mentions: the pronoun, and the names A and B, each coreferent or not.

    A name that the pronoun does not refer to has a cluster of its own.

    Raises
    ------
    DataError
        If columns are missing.
    """
    table = read_tsv(source)
    missing = [name for name in GAP_COLUMNS if name not in table.columns]
    if missing:
        raise DataError(f"{source.target} is no file of GAP: it lacks {', '.join(missing)}.")
    return corpus_table(
        source,
        MentionClusters.name,
        _COLUMNS,
        (_row(raw, source.path.stem) for raw in table.rows),
        notes=("Words are cut by scrutiny's tokenizer; texts are kept whole.",),
    )


def _row(raw: RawRow, stem: str) -> RawRow:
    if raw.problem:
        return raw
    row, text = raw.values, raw.values["Text"]
    borders = token_spans(text)
    try:
        mentions = list(_mentions(row, borders))
    except DataError as error:
        return RawRow(raw.line, {}, str(error))
    pronoun = row["Pronoun"].lower()
    return RawRow(
        raw.line,
        {
            "id": row["ID"],
            "words": [text[a:b] for a, b in borders],
            "mentions": mentions,
            "pronoun": pronoun,
            "gender": "feminine" if pronoun in FEMININE else "masculine",
            "sentence": f"{stem}/{row['ID']}",
        },
    )


def _mentions(
    row: Mapping[str, str], borders: Sequence[tuple[int, int]]
) -> Iterator[dict[str, Any]]:
    """The pronoun and both names; the cluster ``P`` is the pronoun's."""
    for name in ("Pronoun", "A", "B"):
        # indices of the words of a mention
        given, surface = row[f"{name}-offset"], row[name]
        if not given.isdecimal() or len(given) > _LONGEST:
            raise DataError(f"{name}-offset is {given!r:.60}, no number")
        start, end = int(given), int(given) + len(surface)
        if not surface or row["Text"][start:end] != surface:
            raise DataError(f"{name} {surface!r} is not at character {start} of the text")
        words = [i for i, (a, b) in enumerate(borders) if a < end and b > start]
        if name == "Pronoun":
            yield {"words": words, "cluster": "P", "kind": "pronoun"}
            continue
        flag = row[f"{name}-coref"].upper()
        if flag not in _FLAGS:
            raise DataError(f"{name}-coref is {flag!r}, neither TRUE nor FALSE")
        yield {"words": words, "cluster": "P" if _FLAGS[flag] else name, "kind": "proper"}
