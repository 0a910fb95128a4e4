"""Fixed attention patterns: sums over the rows of a text's tokens, and metrics of them.

Every text has sums over the rows of its words' pieces (one row a piece: where it attends), of every
head, and how many rows there were. Values are means over rows, so that intervals come from texts.

``attention_to(self)@1``, and to ``previous``, ``next``, ``first``, ``last``, ``punctuation``
    **Measures**: mean attention of one head to the piece itself, its neighbors, the first and the
    last special token, words of punctuation. **Misleads when**: summed over kinds: the neighbor of
    the first piece is the special token.
``mean(entropy)@1``, ``mean(first_entropy)@1``
    **Measures**: how broadly a head attends, in nats, from the pieces and from the first special
    token. **Misleads when**: texts differ in length: the bound is its logarithm.
``mean(confidence)@1``
    **Measures**: mean of the largest weight of a row. **Misleads when**: it rests on a separator.
``positional_share@1``
    **Measures**: share of rows whose largest weight lies at one fixed offset, the most frequent
    one (from .9 on, a positional head of Voita et al.). **Misleads when**: texts are short.
``mean(rarest)@1``
    **Measures**: share of rows whose largest weight among words lies on the text's rarest piece.
    **Misleads when**: the vocabulary is not ordered by frequency.
``labeled_heads(positional)@1``, ``labeled_heads(special)@1``, ``labeled_heads(broad)@1``
    **Measures**: how many heads put more than .5 of their attention on one neighbor or on the piece
    itself; more than .6 on the special tokens; have an entropy above 3.8 nats.
    **Misleads when**: compared with 0 and not with untrained networks; texts are shorter than the
    128 pieces of the paper, for which 3.8 nats is 1.05 nats below uniform.
``layer_distance(gap)@1``, ``layer_distance(ratio)@1``
    **Measures**: Jensen-Shannon divergence a row between a head and those of other layers, minus
    (over) that between heads of one layer; means over layers. **Misleads when**: untrained heads
    of a layer are alike too: they read the same vectors.
``mean(mass)@1``, ``class_mass_ratio@1``
    **Measures**: mean attention to the words of a class; the same over what attending to all words
    alike would give. **Misleads when**: the class is frequent where the head always looks.

**References**: Clark et al. (2019), What does BERT look at? An analysis of BERT's attention; Voita
et al. (2019), Analyzing multi-head self-attention; Kovaleva et al. (2019), Revealing the dark
secrets of BERT; Lin (1991), Divergence measures based on the Shannon entropy.
"""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.arrays import Booleans, Floats, Integers
from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import Example
from scrutiny.core.queries.attention import AttentionMap
from scrutiny.core.record import HEADS, LAYERS, Measure
from scrutiny.diagnostics.attention.arc_counts import OFFSETS
from scrutiny.reliability.metrics import one_of
from scrutiny.reliability.row_statistics import Additive, Array, divide, second, sum_and_count
from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.distributions.divergence import row_entropy
from scrutiny.text.tokens import is_punctuation, token_texts

Weights = NDArray[np.floating]
#: What attention can rest on, and how it is said.
PLACES: Final = {
    "self": "itself",
    "previous": "the piece before",
    "next": "the piece behind",
    "first": "the first special token",
    "last": "the last special token",
    "punctuation": "punctuation",
}


def _mean(
    name: str, says: str, stream: str, *, unit: str = "", scale: str = "amount", per: str = "rows"
) -> Measure:
    """Sum by head, whose mean over rows is a metric that has drawn from this stream."""
    drawn_as = (("mean", stream),)
    axes = (LAYERS, HEADS)
    return Measure(name, axes, unit=unit, says=says, scale=scale, per=per, drawn_as=drawn_as)


#: Sums by head, in the order of the records.
MEASURES: Final = (
    *(Measure(place, (LAYERS, HEADS)) for place in PLACES),
    _mean("entropy", "entropy of a row (nats)", "attention_entropy@1", unit="nats"),
    _mean("confidence", "largest weight of a row", "attention_confidence@1", scale="logit"),
    _mean(
        "rarest",
        "rows that attend most to the rarest token",
        "rarest_share@1",
        unit="rows",
        scale="logit",
    ),
    _mean(
        "first_entropy",
        "entropy of the first special token's row (nats)",
        "first_row_entropy@1",
        unit="nats",
        per="first_rows",
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
    of_words = np.array(found.ids)[is_word]
    target = own[..., is_word].argmax(axis=-1)  # (layer, head, row): the strongest word
    apart = own.argmax(axis=-1) - rows
    sums = {
        "self": _at(weights, rows, 0),
        "previous": _at(weights, rows, -1),
        "next": _at(weights, rows, 1),
        "first": _to_special(own, is_word, 0),
        "last": _to_special(own, is_word, -1),
        "punctuation": own[..., np.array(marks, dtype=bool)].sum(axis=(-1, -2), dtype=np.float64),
        "entropy": row_entropy(own).sum(axis=-1),
        "confidence": own.max(axis=-1).sum(axis=-1, dtype=np.float64),
        # the token with the largest id is the rarest
        "rarest": np.asarray((of_words[target] == of_words.max()).sum(axis=-1), dtype=np.float64),
        "first_entropy": np.zeros(weights.shape[:2]),
        "offsets": np.stack([(apart == o).sum(axis=-1) for o in OFFSETS]).astype(np.float64),
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


def summable_map(found: AttentionMap | Failure) -> AttentionMap | Failure:
    """Map whose patterns can be summed: rows are distributions; a failure for any other.

    A masked head has no such rows.
    """
    if isinstance(found, Failure) or np.allclose(found.weights.sum(axis=-1), 1.0, atol=1e-4):
        return found
    return Failure("no_distribution", "rows of attention do not sum to 1")


#: Limits of Clark et al. for what they call positional, special and broad heads.
POSITIONAL: Final = 0.5
SPECIAL: Final = 0.6
BROAD: Final = 3.8
Combine = Callable[[Array], Array]


def _same(measures: Array) -> Array:
    return measures


def _of_heads(parts: int, is_labeled: Callable[[list[Array]], Array]) -> Combine:
    """Number of heads whose means meet a condition; NaN without rows."""

    def combine(sums: Array) -> Array:
        rows = sums[..., -1:]
        heads, rest = divmod(sums.shape[-1] - 1, parts)
        if rest or not heads:
            raise StatisticsError(f"{sums.shape[-1]} columns are not {parts} a head and one more.")
        means = [divide(part, rows) for part in np.split(sums[..., :-1], parts, axis=-1)]
        count = is_labeled(means).sum(axis=-1).astype(np.float64)
        return np.asarray(np.where(rows[..., 0] > 0, count, np.nan))

    return combine


ATTENTION_TO: Final = one_of(
    "attention_to",
    {
        place: Additive(
            f"attention_to_{place}@1",
            f"attention to {said}",
            (place, "rows"),
            sum_and_count,
            scale="logit",
            divisor=second,
        )
        for place, said in PLACES.items()
    },
)
POSITIONAL_SHARE: Final = Additive(
    "positional_share@1",
    "rows that point to one offset",
    ("offsets", "rows"),
    _same,
    lambda sums: divide(sums[..., :-1].max(axis=-1), sums[..., -1]),
    scale="logit",
    divisor=lambda sums: sums[..., -1],
)
LABELED_HEADS: Final = one_of(
    "labeled_heads",
    {
        name: Additive(
            f"{name}_heads@1",
            f"heads that look {where}",
            (*needs, "rows"),
            _same,
            _of_heads(len(needs), is_labeled),
            scale="amount",
        )
        for name, where, needs, is_labeled in (
            (
                "positional",
                "at one neighbor",
                ("self", "previous", "next"),
                lambda means: np.max(means, axis=0) > POSITIONAL,
            ),
            (
                "special",
                "at special tokens",
                ("first", "last"),
                lambda means: means[0] + means[1] > SPECIAL,
            ),
            ("broad", "everywhere", ("entropy",), lambda means: means[0] > BROAD),
        )
    },
)


def _layers(sums: Array) -> tuple[Array, Array]:
    """Mean distance to heads of other layers, and of the same layer, per row."""
    within, between = np.split(sums[..., :-1], 2, axis=-1)
    rows = sums[..., -1:]
    return divide(between, rows).mean(axis=-1), divide(within, rows).mean(axis=-1)


_DISTANCES: Final = ("within", "between", "rows")
LAYER_DISTANCE: Final = one_of(
    "layer_distance",
    {
        "gap": Additive(
            "layer_distance_gap@1",
            "distance of heads to other layers beyond their own (nats a row)",
            _DISTANCES,
            _same,
            lambda sums: np.subtract(*_layers(sums)),
            no_effect=0.0,
        ),
        "ratio": Additive(
            "layer_distance_ratio@1",
            "distance of heads to other layers over their own",
            _DISTANCES,
            _same,
            lambda sums: divide(*_layers(sums)),
            scale="amount",
            no_effect=1.0,
        ),
    },
)
CLASS_MASS_RATIO: Final = Additive(
    "class_mass_ratio@1",
    "attention to words of the class, times what uniform attention gives",
    ("mass", "uniform"),
    sum_and_count,
    scale="amount",
    no_effect=1.0,
)
