"""Sums of attention over the rows of a text's tokens, for each head."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.arrays import Booleans, Floats, Integers
from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import Example
from scrutiny.core.queries.attention import AttentionMap
from scrutiny.core.record import HEADS, LAYERS, Measure
from scrutiny.diagnostics.attention.arcs.params import OFFSETS
from scrutiny.stats.distributions.divergence import row_entropy
from scrutiny.text.tokens import is_punctuation, token_texts

Weights = NDArray[np.floating]

#: Sums by head, in the order of the records.
MEASURES: Final = (
    *(Measure(name, (LAYERS, HEADS)) for name in ("self", "previous", "next", "first", "last")),
    Measure("punctuation", (LAYERS, HEADS)),
    Measure(
        "entropy",
        (LAYERS, HEADS),
        unit="nats",
        says="entropy of a row (nats)",
        scale="amount",
        per="rows",
        drawn_as=(("mean", "attention_entropy@1"),),
    ),
    Measure(
        "confidence",
        (LAYERS, HEADS),
        says="largest weight of a row",
        scale="logit",
        per="rows",
        drawn_as=(("mean", "attention_confidence@1"),),
    ),
    Measure(
        "rarest",
        (LAYERS, HEADS),
        unit="rows",
        says="rows that attend most to the rarest token",
        scale="logit",
        per="rows",
        drawn_as=(("mean", "rarest_share@1"),),
    ),
    Measure(
        "first_entropy",
        (LAYERS, HEADS),
        unit="nats",
        says="entropy of the first special token's row (nats)",
        scale="amount",
        per="first_rows",
        drawn_as=(("mean", "first_row_entropy@1"),),
    ),
)
SUMS: Final = tuple(measure.name for measure in MEASURES)


def pattern_words(example: Example, most: int) -> tuple[str, ...]:
    """Words whose attention patterns are read: the first ones given, or tokens of the text."""
    if example.tokens:
        field, borders = next(iter(example.tokens.items()))
        text = example.fields[field]
        return tuple(text[start:end] for start, end in borders[:most])
    return tuple(token_texts(example.text)[:most])


def sums_of(found: AttentionMap, words: Sequence[str]) -> tuple[dict[str, Floats], float, float]:
    """Sums ``(layer, head)`` over the rows of word tokens, their number, and sums of first rows.

    ``offsets`` is ``(offset, layer, head)``: rows whose largest weight lies there.

    **Measures**: what heads do that say nothing of the text: look beside them, or at a separator.

    **Misleads when**: read off few texts of one length: every share of neighbors depends on it.

    **References**: Clark et al. (2019), section 3 and the released code (entropies are smoothed by
    .0001); Voita et al. (2019), section 5.1.
    """
    is_word = np.array([word is not None for word in found.words], dtype=bool)
    rows = np.flatnonzero(is_word)
    weights = found.weights  # (layer, head, piece, piece)
    own = weights[:, :, rows]  # (layer, head, row, piece)
    marks = [w is not None and is_punctuation(words[w]) for w in found.words]
    sums = {
        "self": _at(weights, rows, 0),
        "previous": _at(weights, rows, -1),
        "next": _at(weights, rows, 1),
        "first": _to_special(own, is_word, 0),
        "last": _to_special(own, is_word, -1),
        "punctuation": own[..., np.array(marks, dtype=bool)].sum(axis=(-1, -2), dtype=np.float64),
        "entropy": row_entropy(own).sum(axis=-1),
        "confidence": own.max(axis=-1).sum(axis=-1, dtype=np.float64),
        "rarest": _to_rarest(own, is_word, found.ids),
        "first_entropy": np.zeros(weights.shape[:2]),
        "offsets": _strongest_offsets(own, rows),
    }
    has_first = not is_word[0]
    if has_first:
        sums["first_entropy"] = row_entropy(weights[:, :, 0])
    return sums, float(rows.size), float(has_first)


def _at(weights: Weights, rows: Integers, offset: int) -> Floats:
    """Weight at a fixed offset, summed over the rows that have a token there."""
    there = rows[(rows + offset >= 0) & (rows + offset < weights.shape[-1])]
    return np.asarray(weights[:, :, there, there + offset].sum(axis=-1, dtype=np.float64))


def _to_special(own: Weights, is_word: Booleans, end: int) -> Floats:
    """Weight on the first or last token, if that is a special token."""
    if is_word[end]:
        return np.zeros(own.shape[:2])
    return np.asarray(own[..., end].sum(axis=-1, dtype=np.float64))


def _to_rarest(own: Weights, is_word: Booleans, ids: Sequence[int]) -> Floats:
    """Rows whose largest weight among words is on the token with the largest id.

    Vocabularies are ordered by frequency, nearly: the larger the id, the rarer the piece.
    """
    of_words = np.array(ids)[is_word]
    target = own[..., is_word].argmax(axis=-1)  # (layer, head, row)
    return np.asarray((of_words[target] == of_words.max()).sum(axis=-1), dtype=np.float64)


def _strongest_offsets(own: Weights, rows: Integers) -> Floats:
    """Rows ``(offset, layer, head)`` whose largest weight is at each offset."""
    apart = own.argmax(axis=-1) - rows
    return np.stack([(apart == offset).sum(axis=-1) for offset in OFFSETS]).astype(np.float64)


def summable_map(found: AttentionMap | Failure) -> AttentionMap | Failure:
    """Map whose patterns can be summed: rows are distributions; a failure for any other.

    A masked head has no such rows.
    """
    if isinstance(found, Failure) or np.allclose(found.weights.sum(axis=-1), 1.0, atol=1e-4):
        return found
    return Failure("no_distribution", "rows of attention do not sum to 1")
