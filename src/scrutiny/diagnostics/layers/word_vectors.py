"""Vectors of the words of texts at several layers, read text by text.

What is held does not depend on how many texts there are: a window of words is read at a time, all
of them in one pass, and given out before the next one is read.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, TypeVar

import numpy as np

from scrutiny.core.arrays import Booleans, Singles
from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import Example
from scrutiny.core.queries.language import Passage
from scrutiny.models.answers.language_answers import answered_vectors
from scrutiny.text.tokens import token_spans

#: Words of a window.
WORDS_AT_ONCE: Final = 1024
T = TypeVar("T")
#: Borders of words in a text.
Borders = Sequence[tuple[int, int]]


def words_of(example: Example) -> tuple[str, Borders]:
    """Text of an item and the borders of its words: annotated ones, or as scrutiny cuts them."""
    field, borders = next(iter((example.tokens or {}).items()), ("", ()))
    if field:
        return example.fields[field], borders
    text = " ".join(example.fields.values())
    return text, token_spans(text)


def forms_of(example: Example) -> tuple[str, ...]:
    """Words of an item as they are written."""
    text, borders = words_of(example)
    return tuple(text[start:end] for start, end in borders)


def word_vectors(
    model: Any, examples: Iterable[Example], layers: Sequence[int]
) -> Iterator[Singles | Failure]:
    """Vectors ``(layer, word, dimension)`` of the words of each item, in order.

    Those of a word without a piece are NaN. An item of which no word has a vector is a failure:
    ``no_words``, ``no_vector`` (it is longer than the model takes), ``out_of_memory``.

    Parameters
    ----------
    model
        With the capability ``representations``.
    examples
        Items; they are taken as they are needed.
    layers
        Ascending; 0 are the embeddings.
    """
    for window in _windows(examples):
        passages = [[Passage(text, place) for place in borders] for text, borders in window]
        asked = [one for own in passages for one in own]
        found = answered_vectors(model, asked, layers=layers, poolings=("word",))
        start = 0
        for own in passages:
            vectors = np.moveaxis(found.values[start : start + len(own), :, 0], 0, 1)
            start += len(own)
            if not own:
                yield Failure("no_words", status="skipped")
            elif found.failure or not words_there(vectors).any():
                yield Failure(found.failure or "no_vector")
            else:
                yield vectors


def words_there(vectors: Singles) -> Booleans:
    """Whether each word of ``(layer, word, dimension)`` has a vector at all of these layers."""
    return np.asarray(np.isfinite(vectors).all(axis=(0, 2)), dtype=bool)


def _windows(examples: Iterable[Example]) -> Iterator[list[tuple[str, Borders]]]:
    """Texts with their words, as many as make a window."""
    held: list[tuple[str, Borders]] = []
    count = 0
    for example in examples:
        one = words_of(example)
        if held and count + len(one[1]) > WORDS_AT_ONCE:
            yield held
            held, count = [], 0
        held.append(one)
        count += len(one[1])
    if held:
        yield held


def width_of(model: Any, examples: Iterable[Example]) -> int:
    """Width of the vectors, as the first word of the items has it; 1 where none has any."""
    for example in islice(examples, 20):
        text, borders = words_of(example)
        if borders:
            passages = [Passage(text, borders[0])]
            found = answered_vectors(model, passages, layers=(0,), poolings=("word",))
            return int(found.values.shape[-1])
    return 1


def in_blocks(layers: Sequence[T], *, each: int, most: int) -> Iterator[Sequence[T]]:
    """Layers that are held together: as many as fit into so many bytes, and at least one.

    Examples
    --------
    >>> [*in_blocks([0, 1, 2], each=40, most=100)]
    [[0, 1], [2]]
    """
    at_once = max(1, most // max(1, each))
    for start in range(0, len(layers), at_once):
        yield layers[start : start + at_once]
