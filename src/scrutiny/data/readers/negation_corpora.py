"""Sentences of four corpora of negation: frames of a cue (the anchor) with its scope.

ConanDoyle-neg as used by Zhao and Bethard (2020): a JSON list of sentences with token ids. These
repeat between chapters, so a sentence is known by its place in the list. A token that a scope lists
twice counts twice, as it did for them; ``&quot;`` stays as the file has it.

CD-SCO, the Conan Doyle corpus of the *SEM 2012 shared task (Morante and Blanco 2012): one token a
line, tab-separated: chapter, sentence, token, word, lemma, part of speech, syntax; then ``***``, or
cue, scope and event for each negation. A cue that is part of its word only (an affix) has no word
of its own: its frame is left out.

SFU Review corpus (Konstantinova et al. 2012): one XML file per review. A scope (``xcope``) names
its cue by ``ref``; it does not hold the cue. Cues of speculation are left out. A word may be a
control character, which no model has a piece for.

BioScope (Vincze et al. 2008): biomedical texts with cues and scopes in the raw text. A scope holds
its cue. The text comes without words: scrutiny's own tokenizer cuts it, and a word belongs to a cue
or scope that it has a character in.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple
from xml.etree import ElementTree

from scrutiny.core.errors import DataError
from scrutiny.core.record import grouped
from scrutiny.data.readers.files import blocks, existing_file, lines
from scrutiny.data.readers.json_rows import array_rows, no_json
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow
from scrutiny.text.tokens import token_spans


class Frame(NamedTuple):
    """Indices of an anchor's words and of its target's, from 0, in the order of the source."""

    anchor: Sequence[int]
    target: Sequence[int]


class Sentence(NamedTuple):
    """A sentence of a corpus.

    Parameters
    ----------
    line
        Line that it starts on, or its number in the file.
    words
        In order.
    frames
        Its annotations, maybe none.
    document
        Document that it belongs to; empty if unknown.
    problem
        Why it cannot be read; empty if it can.
    """

    line: int
    words: Sequence[str]
    frames: Sequence[Frame]
    document: str = ""
    problem: str = ""


def frame_rows(sentences: Iterable[Sentence], *, name: str, place: str) -> Iterator[RawRow]:
    """Rows of the frames of a file's sentences.

    A sentence is known by its file and its place there, because identifiers inside corpora repeat.

    Parameters
    ----------
    sentences
        All sentences of the file, including those without frames.
    name
        Name of the file in identifiers.
    place
        Name of the file in messages.
    """
    for position, one in enumerate(sentences, 1):
        if one.problem:
            yield RawRow(one.line, {}, one.problem, place)
            continue
        sentence = f"{name}/{position}"
        for k, frame in enumerate(one.frames, 1):
            values: dict[str, Any] = {
                "id": f"{sentence}/{k}",
                "words": list(one.words),
                "anchor": list(frame.anchor),
                "target": list(frame.target),
                "sentence": sentence,
            }
            if one.document:
                values["document"] = one.document
            yield RawRow(one.line, values, place=place)


def story_sentences(source: DataSource) -> Iterator[Sentence]:
    """Sentences in file order.

    Raises
    ------
    DataError
        If the file is no JSON list.
    """
    text = "".join(lines(source))
    start = len(text) - len(text.lstrip())
    if text[start : start + 1] != "[":
        raise DataError(
            f"{source.target} is no list of sentences: the JSON of Zhao & Bethard is a list of "
            "objects with sent and negframe."
        )
    try:
        rows = array_rows(text, start)
    except json.JSONDecodeError as error:
        raise no_json(source, error) from None
    for raw in rows:
        if raw.problem:
            yield Sentence(raw.line, (), (), problem=raw.problem)
        else:
            yield _story_sentence(raw.line, raw.values)


def _story_sentence(line: int, values: Mapping[str, Any]) -> Sentence:
    tokens, frames = values.get("sent"), values.get("negframe")
    if not isinstance(tokens, dict) or not isinstance(frames, list):
        return Sentence(line, (), (), problem="the sentence lacks sent or negframe")
    place = {token: i for i, token in enumerate(tokens)}
    try:
        found = [
            Frame([place[t] for t in frame["neg_cue"]], [place[t] for t in frame["neg_scopes"]])
            for frame in frames
        ]
    except (KeyError, TypeError) as error:
        return Sentence(line, (), (), problem=f"a frame names {error}, which is not there")
    return Sentence(line, tuple(tokens.values()), found)


_WORD: Final = 3
_FIXED: Final = 7
_NONE: Final = "***"
_EMPTY: Final = "_"


def is_token(line: str) -> bool:
    """Whether a line is a token of a CD-SCO file."""
    cells = line.rstrip("\r\n").split("\t")
    numbers = len(cells) > _FIXED and cells[1].isdecimal() and cells[2].isdecimal()
    return numbers and (cells[_FIXED] == _NONE or (len(cells) - _FIXED) % 3 == 0)


def cd_sco_sentences(source: DataSource) -> Iterator[Sentence]:
    """Sentences in file order, with the frames whose cues are whole words."""
    for line, cells in _blocks(source):
        problem = _problem(cells)
        if problem:
            yield Sentence(line, (), (), problem=problem)
            continue
        frames = [
            Frame(_marked(cells, _FIXED + 3 * k), _marked(cells, _FIXED + 3 * k + 1))
            for k in range(_n_frames(cells))
            if _is_of_words(cells, k)
        ]
        yield Sentence(line, [row[_WORD] for row in cells], frames, document=cells[0][0])


def cd_sco_notes(files: list[DataSource]) -> tuple[str, ...]:
    """Notes: number of frames whose cue is part of a word."""
    n = sum(
        not _is_of_words(cells, k)
        for file in files
        for _, cells in _blocks(file)
        for k in range(_n_frames(cells))
        if not _problem(cells)
    )
    return (f"{n:,} frames whose cue is part of a word (an affix) were left out.",) if n else ()


def _blocks(source: DataSource) -> Iterator[tuple[int, list[list[str]]]]:
    """Cells of the lines of each sentence, and its first line number."""
    for first, block in blocks(lines(source)):
        yield first, [line.split("\t") for line in block]


def _n_frames(cells: list[list[str]]) -> int:
    return (len(cells[0]) - _FIXED) // 3


def _problem(cells: list[list[str]]) -> str:
    """Problem with the columns of a sentence; empty if there is none."""
    widths = {len(row) for row in cells}
    if len(widths) > 1:
        return f"its lines have {' and '.join(map(str, sorted(widths)))} columns"
    if not is_token("\t".join(cells[0])):
        return f"its lines are no tokens of CD-SCO: {widths.pop()} columns"
    empty = [k for k in range(_n_frames(cells)) if not _marked(cells, _FIXED + 3 * k)]
    return f"its negation {empty[0] + 1} has no cue" if empty else ""


def _marked(cells: list[list[str]], column: int) -> list[int]:
    """Indices of the words with an entry in a column."""
    return [i for i, row in enumerate(cells) if row[column] != _EMPTY]


def _is_of_words(cells: list[list[str]], k: int) -> bool:
    """Whether the cue of a frame consists of whole words."""
    column = _FIXED + 3 * k
    marked = [cells[i] for i in _marked(cells, column)]
    return all(row[column].casefold() == row[_WORD].casefold() for row in marked)


def sfu_sentences(source: DataSource) -> Iterator[Sentence]:
    """Sentences of one review, numbered in file order.

    Raises
    ------
    DataError
        If the file is no well-formed XML.
    """
    path = existing_file(source)
    try:
        root = ElementTree.parse(path).getroot()
    except (ElementTree.ParseError, LookupError, ValueError) as error:
        raise DataError(f"{source.target} is no well-formed XML: {error}.") from None
    document = f"{path.resolve().parent.name}/{path.stem}"
    for number, element in enumerate(root.iter("SENTENCE"), 1):
        words = list(element.iter("W"))
        frames = list(_frames(element, {word: i for i, word in enumerate(words)}))
        yield Sentence(number, [word.text or "" for word in words], frames, document=document)


def _frames(
    sentence: ElementTree.Element, place: dict[ElementTree.Element, int]
) -> Iterator[Frame]:
    """Frames of the cues of negation, in the order of the cues."""
    scopes: dict[str, set[int]] = {}
    for scope in sentence.iter("xcope"):
        for ref in scope.findall("ref"):
            for name in ref.get("SRC", "").split():
                scopes.setdefault(name, set()).update(place[word] for word in scope.iter("W"))
    for cue in sentence.iter("cue"):
        if cue.get("type") == "negation":
            anchor = [place[word] for word in cue.iter("W")]
            yield Frame(anchor, sorted(scopes.get(cue.get("ID", ""), ())))


class _Stretch(NamedTuple):
    """Element that spans the code points from ``start`` to ``end`` of its sentence."""

    element: ElementTree.Element
    start: int
    end: int


def bioscope_sentences(source: DataSource) -> Iterator[Sentence]:
    """Sentences of all documents of a file, numbered in file order.

    Raises
    ------
    DataError
        If the file is no well-formed XML.
    """
    document, number = "", 0
    try:
        for _, element in ElementTree.iterparse(existing_file(source)):
            if element.tag == "DocID":
                document = (element.text or "").strip()
            elif element.tag == "sentence":
                number += 1
                yield _bioscope_sentence(number, element, document)
                element.clear()  # a whole file is 100 MB as a tree
    except (ElementTree.ParseError, LookupError, ValueError, RecursionError) as error:
        raise DataError(f"{source.target} is no well-formed XML: {error}.") from None


def _bioscope_sentence(number: int, element: ElementTree.Element, document: str) -> Sentence:
    stretches: list[_Stretch] = []
    text = _flattened(element, "", stretches)
    borders = token_spans(text)
    cues = grouped(
        (one.element.get("ref", ""), one)
        for one in stretches
        if one.element.tag == "cue" and one.element.get("type") == "negation"
    )
    scopes = {s.element.get("id"): s for s in stretches if s.element.tag == "xcope"}
    frames = [
        Frame(
            sorted({i for cue in found for i in _covered(borders, cue)}),
            _covered(borders, scopes[ref]) if ref in scopes else [],
        )
        for ref, found in cues.items()
    ]
    return Sentence(number, [text[a:b] for a, b in borders], frames, document=document)


def _flattened(element: ElementTree.Element, text: str, found: list[_Stretch]) -> str:
    """Text so far plus that of an element; its span and those inside it are recorded."""
    start = len(text)
    place = len(found)
    text += element.text or ""
    for child in element:
        text = _flattened(child, text, found) + (child.tail or "")
    found.insert(place, _Stretch(element, start, len(text)))
    return text


def _covered(borders: list[tuple[int, int]], stretch: _Stretch) -> list[int]:
    """Indices of the words that overlap a span."""
    return [i for i, (a, b) in enumerate(borders) if a < stretch.end and b > stretch.start]
