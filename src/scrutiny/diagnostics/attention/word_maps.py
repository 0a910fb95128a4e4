"""Attention between words, from attention between pieces, by stated choices.

A word that is cut into three pieces receives three shares of attention and gives three rows. How
they become one number decides which heads look good: summed, a corpus whose cues split ("n't") has
better heads than one whose cues do not, trained or not. So every choice has a name, and stands in
the condition of every number.
"""

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.attention import AttentionMap, Weighting

Floats = NDArray[np.float32]
Into = Literal["sum", "mean", "max"]
OutOf = Literal["mean", "first", "max"]
Special = Literal["drop", "renormalize", "keep"]
Direction = Literal["from", "to", "both"]
Missing = Literal["drop-sentence", "drop-word"]

#: Word of a unit that is a special token.
SPECIAL: Final = -1


@dataclass(frozen=True, slots=True)
class MapOptions:
    """How attention between words is made.

    Parameters
    ----------
    into
        What a word receives of its pieces' columns: their ``sum``, ``mean`` or ``max``.
    out_of
        What a word gives of its pieces' rows: their ``mean``, the ``first``, or the ``max``, whose
        rows are brought back to the sum that means would have.
    is_self_masked
        Whether a word's attention to itself is set to zero.
    special
        Special tokens are left out (``drop``), left out and each row brought to sum 1
        (``renormalize``), or kept as rivals of the words.
    direction
        ``from``: rows attend to columns. ``to``: the transpose. ``both``: the mean of the two.
    is_lower_cased
        Whether words are lower-cased before the model sees them.
    weighting
        The weights, or the norms of what they weight (see `scrutiny.core.attention`).
    missing
        A word without any piece: the sentence is left out, or the word alone, which then predicts
        nothing and is attended to by nothing.
    """

    into: Into = "mean"
    out_of: OutOf = "mean"
    is_self_masked: bool = True
    special: Special = "drop"
    direction: Direction = "from"
    is_lower_cased: bool = False
    weighting: Weighting = "raw"
    missing: Missing = "drop-word"


class WordMap(NamedTuple):
    """Attention of all heads between units: words, and special tokens where they are kept.

    Parameters
    ----------
    weights
        float32 ``(layer, head, unit, unit)``.
    words
        ``(unit,)`` index of each unit's word, `SPECIAL` for special tokens; ascending among words.
    n_words
        Words of the sentence; those without a piece have no unit.
    """

    weights: Floats
    words: NDArray[np.int64]
    n_words: int

    @property
    def is_word(self) -> NDArray[np.bool_]:
        """Whether each unit is a word."""
        is_word: NDArray[np.bool_] = self.words != SPECIAL
        return is_word


def word_map(found: AttentionMap, n_words: int, options: MapOptions) -> WordMap:
    """Attention between the words of one sentence.

    Parameters
    ----------
    found
        Attention between its pieces.
    n_words
        How many words it has.
    options
        How pieces become words.

    **Measures**: where a word looks, whatever pieces a tokenizer cut it into.

    **Misleads when**: read as an amount: a head that looks at [SEP] most of the time still has a
    word that it looks at most, once special tokens are dropped.

    **References**: Clark et al. (2019), What does BERT look at?, section 4.1 (sum into a word, mean
    out of it); Zhao & Bethard (2020).
    """
    starts, words = _units(found.words)
    weights = found.weights
    if starts.size < weights.shape[-1]:
        sizes = np.diff(starts, append=weights.shape[-1])
        weights = _into(weights, starts, sizes, options.into)
        weights = _out_of(weights, starts, sizes, options.out_of)
    if options.direction == "to":
        weights = np.swapaxes(weights, -1, -2)
    elif options.direction == "both":
        weights = (weights + np.swapaxes(weights, -1, -2)) / 2
    if options.is_self_masked:
        weights = weights.copy() if weights is found.weights else np.array(weights)
        unit = np.arange(words.size)
        weights[..., unit, unit] = 0.0
    if options.special != "keep":
        kept = np.flatnonzero(words != SPECIAL)
        weights, words = _only(weights, kept), words[kept]
        if options.special == "renormalize":
            total = weights.sum(axis=-1, keepdims=True)
            weights = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    return WordMap(weights, words, n_words)


def _units(words: tuple[int | None, ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First piece of each unit, and its word; every special token is a unit of its own."""
    starts, names = [], []
    before: int | None = SPECIAL
    for position, word in enumerate(words):
        if word is None or word != before:
            starts.append(position)
            names.append(SPECIAL if word is None else word)
        before = SPECIAL if word is None else word
    return np.array(starts, dtype=np.int64), np.array(names, dtype=np.int64)


def _into(
    weights: Floats, starts: NDArray[np.int64], sizes: NDArray[np.int64], how: Into
) -> Floats:
    """Columns of pieces become columns of units."""
    if how == "max":
        largest: Floats = np.maximum.reduceat(weights, starts, axis=-1)
        return largest
    summed: Floats = np.add.reduceat(weights, starts, axis=-1)
    if how == "mean":
        summed /= sizes.astype(np.float32)
    return summed


def _out_of(
    weights: Floats, starts: NDArray[np.int64], sizes: NDArray[np.int64], how: OutOf
) -> Floats:
    """Rows of pieces become rows of units."""
    if how == "first":
        first: Floats = weights[..., starts, :]
        return first
    mean: Floats = np.add.reduceat(weights, starts, axis=-2)
    mean /= sizes.astype(np.float32)[:, None]
    if how == "mean":
        return mean
    largest: Floats = np.maximum.reduceat(weights, starts, axis=-2)
    largest *= mean.sum(axis=-1, keepdims=True) / largest.sum(axis=-1, keepdims=True)
    return largest


def _only(weights: Floats, kept: NDArray[np.int64]) -> Floats:
    """Rows and columns of some units; a view where they stand together."""
    if kept.size and kept[-1] - kept[0] + 1 == kept.size:
        window = slice(int(kept[0]), int(kept[-1]) + 1)
        return weights[..., window, window]
    chosen: Floats = weights[..., kept[:, None], kept]
    return chosen
