"""Training data of probes: maps of some sentences in compact form, and word vectors.

The vectors of word types are the model's own input embeddings, brought to few dimensions.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.answers.words import ROOT
from scrutiny.core.arrays import Integers, Singles
from scrutiny.core.diagnostic import Failure
from scrutiny.core.queries.attention import Words
from scrutiny.core.queries.language import Passage, Represents
from scrutiny.diagnostics.attention.arc_counts import NOWHERE, GoldArcs
from scrutiny.diagnostics.attention.presets import Made, read_sentences
from scrutiny.diagnostics.attention.word_maps import MapOptions, WordMap

_AT_A_TIME: Final = 1024


def vocabulary(sentences: Sequence[Words]) -> tuple[list[str], list[list[int]]]:
    """Word types in order of appearance, and the types of each sentence's words.

    Examples
    --------
    >>> vocabulary([("a", "b"), ("b", "b")])
    (['a', 'b'], [[0, 1], [1, 1]])
    """
    number: dict[str, int] = {}
    types = [[number.setdefault(word, len(number)) for word in words] for words in sentences]
    return list(number), types


def embeddings_of(model: Any, types: Sequence[str]) -> Singles:
    """Input embeddings ``(type, dimension)``: layer 0 of each word alone, mean over tokens.

    A word without a piece is zero.
    """
    parts = [
        cast("Represents", model).representations(
            [Passage(word, (0, len(word))) for word in types[start : start + _AT_A_TIME]],
            poolings=("word",),
            layers=(0,),
        )[:, 0, 0]
        for start in range(0, len(types), _AT_A_TIME)
    ]
    return np.asarray(np.nan_to_num(np.concatenate(parts)).astype(np.float32))


def reduced(embeddings: Singles, known: Integers, *, dimensions: int) -> Singles:
    """Principal components ``(type, dimension)`` for all types, fitted to the known types.

    Coordinates have a mean square of 1 over the known types; fewer come back where there are not
    as many types or dimensions.

    Parameters
    ----------
    embeddings
        Of all types.
    known
        Types that the components are found on: those of the training half.
    dimensions
        How many are kept.
    """
    centered = embeddings - embeddings[known].mean(axis=0)
    _, _, axes = np.linalg.svd(centered[known], full_matrices=False)
    found = centered @ axes[:dimensions].T
    scale = float(np.sqrt(np.mean(found[known].astype(np.float64) ** 2)))
    return np.asarray((found / (scale or 1.0)).astype(np.float32))


Half16 = NDArray[np.float16]


class Parsed(NamedTuple):
    """One sentence as input of a probe: words that have tokens, and their heads.

    Parameters
    ----------
    maps
        float16 ``(map, word, word)``: maps of all heads, layer by layer.
    special
        float16 ``(map, word, 2)``: attention to the first and the last special token.
    types
        ``(word,)`` number of each word in the vocabulary.
    words
        ``(word,)`` index of each in the sentence.
    heads
        ``(word,)`` position of each one's head among them, their number for the root; -1 where it
        is not scored, or its head has no piece.
    """

    maps: Half16
    special: Half16
    types: Integers
    words: Integers
    heads: Integers


def scored_words(gold: GoldArcs) -> Integers:
    """Words whose arcs probes are scored on: including the root, and without punctuation."""
    return np.flatnonzero((gold.heads != NOWHERE) & ~gold.is_punctuation)


def parsed(made: WordMap, gold: GoldArcs, types: Sequence[int]) -> Parsed:
    """Sentence for a probe; special tokens must be in the map if the model has any.

    Parameters
    ----------
    made
        Attention between its words and special tokens.
    gold
        Its annotated heads.
    types
        Number of each of its words in the vocabulary.
    """
    is_word = made.is_word
    kept = made.words[is_word]
    layers, heads, size, _ = made.weights.shape
    flat = made.weights.reshape(layers * heads, size, size)[:, is_word]
    special = np.zeros((*flat.shape[:2], 2), dtype=np.float16)
    for side, unit in enumerate((0, size - 1)):
        if not is_word[unit]:
            special[..., side] = flat[..., unit]
    place = np.full(gold.heads.size + 1, -1, dtype=np.int64)  # the last for NOWHERE
    place[kept] = np.arange(kept.size)
    scored = np.isin(kept, scored_words(gold))
    targets = gold.heads[kept]
    found = np.where(targets == ROOT, kept.size, place[np.maximum(targets, ROOT)])
    return Parsed(
        maps=flat[..., is_word].astype(np.float16),
        special=special,
        types=np.asarray(types, dtype=np.int64)[kept],
        words=kept,
        heads=np.where(scored, found, -1),
    )


def probed_maps(model: Any, sentences: Sequence[Words], options: MapOptions) -> Iterator[Made]:
    """Maps of the sentences that probes read, in order; each is deleted before the next is read."""
    for made, _ in read_sentences(model, sentences, {"probe": options}):
        yield made["probe"]


def chosen_for_training(
    halves: Sequence[str], *, most: int, rng: np.random.Generator
) -> dict[str, list[int]]:
    """Positions of the sentences that probes of each half are trained on, ascending.

    At most ``most`` a half, drawn at random, the same for every model.
    """
    order = rng.permutation(len(halves)).tolist()
    return {
        half: sorted([i for i in order if halves[i] == half][:most]) for half in sorted(set(halves))
    }


def read_training(
    made: Iterator[Made], golds: Sequence[GoldArcs], types: Sequence[Sequence[int]]
) -> list[Parsed]:
    """Training sentences; without those that failed or have nothing to learn."""
    read = (
        parsed(one, gold, own)
        for one, gold, own in zip(made, golds, types, strict=True)
        if not isinstance(one, Failure)
    )
    return [sentence for sentence in read if (sentence.heads >= 0).any()]
