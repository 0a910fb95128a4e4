"""Positions of anchor words in a model's tokens, and as many of other words beside them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scrutiny.core.diagnostic import Context
from scrutiny.core.example import Example
from scrutiny.core.language import Encoded
from scrutiny.diagnostics.faithfulness.head_answers import (
    Erased,
    anchor_words,
    encodings,
    positions_of,
)
from scrutiny.text.tokens import is_word, token_spans


@dataclass(frozen=True, slots=True, eq=False)
class Anchored:
    """Where anchors stand, and where words were drawn instead.

    Parameters
    ----------
    examples
        Items with an anchor, and with enough other words to draw from.
    anchors, others
        Positions to erase in the token ids of each.
    reasons
        Why each other item has none: ``no_anchor``, ``no_other_words``.
    """

    examples: tuple[Example, ...]
    anchors: Erased
    others: Erased
    reasons: dict[str, str]


def anchored(
    ctx: Context, examples: Sequence[Example], anchors: frozenset[str], name: str
) -> Anchored:
    """Items with an anchor word, and positions of anchors and of as many other words.

    Parameters
    ----------
    ctx
        Gives the model and the source of randomness; equal sequences have equal draws.
    examples
        Items.
    anchors
        Words in lower case.
    name
        Versioned name of the diagnostic that draws.
    """
    kept: list[Example] = []
    of_anchors: Erased = {}
    of_others: Erased = {}
    reasons: dict[str, str] = {}
    for example, encoded in zip(examples, encodings(ctx, examples), strict=True):
        texts = list(example.fields.values())
        words = [list(anchor_words(text, anchors)) for text in texts]
        count = sum(map(len, words))
        rng = ctx.rng("other words", name, ",".join(map(str, encoded.ids)))
        others = _others(texts, words, count, rng) if count else None
        if others is None:
            reasons[example.id] = "no_other_words" if count else "no_anchor"
            continue
        kept.append(example)
        of_anchors[encoded.ids] = _positions(encoded, words)
        of_others[encoded.ids] = _positions(encoded, others)
    return Anchored(tuple(kept), of_anchors, of_others, reasons)


def _positions(encoded: Encoded, words: Sequence[Sequence[tuple[int, int]]]) -> tuple[int, ...]:
    """Positions of the words of all texts."""
    found = (positions_of(encoded, spans, segment) for segment, spans in enumerate(words))
    return tuple(sorted(position for some in found for position in some))


def _others(
    texts: Sequence[str],
    anchors: Sequence[Sequence[tuple[int, int]]],
    count: int,
    rng: np.random.Generator,
) -> list[list[tuple[int, int]]] | None:
    """As many words that are no anchors, drawn at random; nothing if there are too few."""
    words = [
        (number, span)
        for number, text in enumerate(texts)
        for span in token_spans(text)
        if span not in anchors[number] and is_word(text[slice(*span)])
    ]
    if len(words) < count:
        return None
    chosen = sorted(rng.choice(len(words), size=count, replace=False).tolist())
    drawn = [words[i] for i in chosen]
    return [[span for number, span in drawn if number == k] for k in range(len(texts))]
