"""BioScope: sentences of biomedical texts with negation cues and scopes in the raw text.

Vincze et al. (2008). A scope holds its cue. The text comes without words: scrutiny's own tokenizer
cuts it, and a word belongs to a cue or scope that it has a character in.
"""

from collections.abc import Iterator
from typing import NamedTuple
from xml.etree import ElementTree

from scrutiny.core.errors import DataError
from scrutiny.core.grouping import grouped
from scrutiny.data.readers.files import existing_file
from scrutiny.data.readers.negations.frames import Frame, Sentence
from scrutiny.data.source import DataSource
from scrutiny.text.tokens import token_spans


class _Stretch(NamedTuple):
    """Element that spans the code points from ``start`` to ``end`` of its sentence."""

    element: ElementTree.Element
    start: int
    end: int


def sentences(source: DataSource) -> Iterator[Sentence]:
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
                yield _sentence(number, element, document)
                element.clear()  # a whole file is 100 MB as a tree
    except (ElementTree.ParseError, LookupError, ValueError, RecursionError) as error:
        raise DataError(f"{source.target} is no well-formed XML: {error}.") from None


def notes(files: list[DataSource]) -> tuple[str, ...]:
    """Sentences about how BioScope's annotation of negations is read."""
    return (
        "Cues of speculation were left out; scopes hold their cue, as annotated; words are cut by "
        "scrutiny's tokenizer; a source's number is that of a sentence.",
    )


def _sentence(number: int, element: ElementTree.Element, document: str) -> Sentence:
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
