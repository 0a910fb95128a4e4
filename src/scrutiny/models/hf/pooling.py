"""Pooling: one vector for a text, as weights over its tokens."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from scrutiny.core.errors import ConformanceError
from scrutiny.core.queries.language import POOLINGS, Encoded, Passage

Floats = np.ndarray[Any, np.dtype[np.float32]]


def check_poolings(poolings: Sequence[str]) -> None:
    """Raise unless an encoder knows all these poolings.

    Raises
    ------
    ConformanceError
        For the first that is none.
    """
    for name in poolings:
        if name not in POOLINGS:
            raise ConformanceError(f"{name!r} is no pooling. There are: {', '.join(POOLINGS)}.")


def pooling_weights(
    encoded: Sequence[Encoded], passages: Sequence[Passage], poolings: Sequence[str]
) -> Floats:
    """Weight of each token in each pooling ``(passage, pooling, token)``; 0 for padding.

    Where a vector does not exist, all its weights are 0.
    """
    width = max(len(one.ids) for one in encoded)
    weights = np.zeros((len(encoded), len(poolings), width), np.float32)
    for row, (one, passage) in enumerate(zip(encoded, passages, strict=True)):
        for column, pooling in enumerate(poolings):
            tokens = _tokens(one, passage, pooling)
            weights[row, column, tokens] = 1.0 / max(1, len(tokens))
    return weights


def _tokens(encoded: Encoded, passage: Passage, pooling: str) -> Sequence[int]:
    """Tokens over which a pooling takes the mean."""
    count = len(encoded.ids)
    if pooling in {"cls", "first-piece"}:
        return range(min(1, count))
    if pooling == "last":
        return range(max(0, count - 1), count)
    if pooling == "mean":
        return range(count)
    if passage.word is None:
        return []
    pieces = _pieces_of(encoded, passage.word)
    # the word stands in the first text, and offsets of the second begin at 0 as well
    return pieces if passage.pair is None else [i for i in pieces if not encoded.segments[i]]


def _pieces_of(encoded: Encoded, word: tuple[int, int]) -> list[int]:
    """Tokens that overlap with a word.

    Examples
    --------
    >>> offsets = ((0, 0), (0, 3), (3, 7), (8, 9))
    >>> one = Encoded((1, 2, 3, 4), (True, False, False, False), offsets, (), ())
    >>> _pieces_of(one, (4, 9))
    [2, 3]
    """
    start, end = word
    return [
        i
        for i, (first, last) in enumerate(encoded.offsets)
        if first < end and last > start and not encoded.is_special[i]
    ]
