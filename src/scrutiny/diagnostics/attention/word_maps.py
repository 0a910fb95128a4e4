"""Attention between words, from attention between tokens, with explicit options.

A word that is cut into three pieces receives three shares of attention and gives three rows. How
they become one number decides which heads look good: summed, a corpus whose cues split ("n't") has
better heads than one whose cues do not, trained or not. So every choice has a name, and stands in
the condition of every number.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.arrays import Booleans, Integers, Singles
from scrutiny.core.queries.attention import AttentionMap, Weighting

Into = Literal["sum", "mean", "max"]
OutOf = Literal["mean", "first", "max"]
Special = Literal["drop", "renormalize", "keep"]
Direction = Literal["from", "to", "both"]
Missing = Literal["drop-sentence", "drop-word"]

#: Word of a unit that is a special token.
SPECIAL: Final = -1


@dataclass(frozen=True, slots=True)
class MapOptions:
    """Options of attention between words.

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
        The weights, the norms of what they weight, or weights times gradients (see
        `scrutiny.core.queries.attention`).
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


@dataclass(frozen=True, eq=False)  # no slots: what several anchors ask for is kept
class WordMap:
    """Attention of all heads between units: words, and special tokens if kept.

    Parameters
    ----------
    weights
        float32 ``(layer, head, unit, unit)``.
    words
        ``(unit,)`` index of each unit's word, `SPECIAL` for special tokens; ascending among words.
    n_words
        Words of the sentence; those without a piece have no unit.
    """

    weights: Singles
    words: Integers
    n_words: int

    @cached_property
    def is_word(self) -> Booleans:
        """Whether each unit is a word."""
        return np.asarray(self.words != SPECIAL)

    @cached_property
    def is_whole(self) -> bool:
        """Whether the units are exactly the words of the sentence, in order."""
        return self.words.size == self.n_words and bool(self.is_word.all())

    @cached_property
    def strongest(self) -> Integers:
        """Unit ``(layer, head, unit)`` with the largest weight in each row, -1 if the row is zero.

        The first of equals.
        """
        return strongest_of(self.weights)

    def is_any_of(self, words: Integers) -> Booleans:
        """Whether each unit is one of these words of the sentence."""
        named = np.zeros(self.n_words + 1, dtype=bool)  # special tokens are the last one
        named[words] = True
        return np.asarray(named[self.words])

    def by_word(self, by_word_unit: NDArray[Any], without: Any) -> NDArray[Any]:
        """Values ``(..., word)`` of the units that are words; ``without`` for words without one."""
        found = np.full((*by_word_unit.shape[:-1], self.n_words), without)
        found[..., self.words[self.is_word]] = by_word_unit
        return found


def strongest_of(weights: Singles) -> Integers:
    """Unit ``(..., unit)`` that each row of a word map attends to most, -1 if the row is zero."""
    if not weights.shape[-1]:
        return np.empty(weights.shape[:-1], dtype=np.int64)
    rows = weights.reshape(-1, weights.shape[-1])
    target = rows.argmax(axis=-1)
    target[rows[np.arange(len(rows)), target] <= 0] = -1
    return np.asarray(target.reshape(weights.shape[:-1]))


def rows_to_sum_one(weights: Singles) -> Singles:
    """Rows of a word map, brought to sum 1; rows of zeros stay."""
    total = weights.sum(axis=-1, keepdims=True)
    return np.asarray(np.divide(weights, total, out=np.zeros_like(weights), where=total > 0))


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
    codes = np.array([SPECIAL if word is None else word for word in found.words], dtype=np.int64)
    is_first = np.ones(codes.size, dtype=bool)  # every special token is a unit of its own
    is_first[1:] = (codes[1:] != codes[:-1]) | (codes[1:] == SPECIAL)
    starts = np.flatnonzero(is_first)
    words = codes[starts]
    sizes = np.empty_like(starts)
    sizes[:-1], sizes[-1:] = starts[1:] - starts[:-1], len(found.words) - starts[-1:]
    if options.special != "keep" and options.out_of != "max":  # which weighs whole rows
        kept = words != SPECIAL
        starts, sizes, words = starts[kept], sizes[kept], words[kept]
    weights = _joined(found.weights, starts, sizes, axis=-1, how=options.into)
    weights = _out_of(weights, starts, sizes, options.out_of)
    if options.direction == "to":
        weights = np.swapaxes(weights, -1, -2)
    elif options.direction == "both":
        weights = np.asarray((weights + np.swapaxes(weights, -1, -2)) / 2, dtype=np.float32)
    if options.is_self_masked:
        if np.may_share_memory(weights, found.weights):
            weights = np.array(weights, dtype=np.float32, order="C")
        np.einsum("...ii->...i", weights)[...] = 0.0
    if options.special != "keep" and options.out_of == "max":
        kept = np.flatnonzero(words != SPECIAL)
        weights, words = weights[..., kept[:, None], kept], words[kept]
    if options.special == "renormalize":
        weights = rows_to_sum_one(weights)
    return WordMap(weights, words, n_words)


def _out_of(weights: Singles, starts: Integers, sizes: Integers, how: OutOf) -> Singles:
    """Rows of units from rows of tokens."""
    if how == "first":
        return _joined(weights, starts, np.ones_like(sizes), axis=-2)
    mean = _joined(weights, starts, sizes, axis=-2, how="mean")
    if how == "mean":
        return mean
    largest = _joined(weights, starts, sizes, axis=-2, how="max")
    scale = mean.sum(axis=-1, keepdims=True) / largest.sum(axis=-1, keepdims=True)
    return np.asarray(largest * scale)


def _joined(
    weights: Singles, starts: Integers, sizes: Integers, *, axis: Literal[-1, -2], how: Into = "sum"
) -> Singles:
    """Tokens of each unit combined along an axis.

    Few words are split: first pieces are copied in long runs, and the others added one by one. A
    view, which nobody writes to, where units are pieces that stand in a row.
    """
    runs = _runs(starts)
    split = np.flatnonzero(sizes > 1).tolist()
    if len(runs) == 1 and not split:
        window = slice(int(starts[0]), int(starts[0]) + starts.size)
        return weights[..., window] if axis == -1 else weights[..., window, :]
    shape = [*weights.shape]
    shape[axis] = starts.size
    joined = np.empty(shape, dtype=weights.dtype)
    of_pieces, of_units = weights, joined
    if axis == -2:
        of_pieces, of_units = np.swapaxes(weights, -1, -2), np.swapaxes(joined, -1, -2)
    for first, stop in runs:
        begin = int(starts[first])
        of_units[..., first:stop] = of_pieces[..., begin : begin + stop - first]
    add = np.maximum if how == "max" else np.add
    for unit in split:
        own, begin, size = of_units[..., unit], int(starts[unit]), int(sizes[unit])
        for piece in range(begin + 1, begin + size):
            add(own, of_pieces[..., piece], out=own)
        if how == "mean":
            own /= np.float32(size)
    return joined


def _runs(starts: Integers) -> list[tuple[int, int]]:
    """First unit of each contiguous run, and the one after its last.

    Examples
    --------
    >>> _runs(np.array([1, 2, 3, 6, 7]))
    [(0, 3), (3, 5)]
    """
    cuts = (np.flatnonzero(starts[1:] - starts[:-1] != 1) + 1).tolist()
    return list(zip([0, *cuts], [*cuts, starts.size], strict=True)) if starts.size else []
