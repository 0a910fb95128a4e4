"""Frames of anchored annotations: one row for each anchor with its target words."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from scrutiny.data.table import RawRow


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
