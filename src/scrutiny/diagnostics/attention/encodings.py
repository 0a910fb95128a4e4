"""Hypotheses about heads: from the attention on one sentence to predictions of all heads.

An encoding is a pure function of a map between words. It answers for every head at once, which
words it predicts to belong to an anchor (a cue and its scope, a quantifier and its restrictor).
"""

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from scrutiny.core.arrays import Booleans, Integers
from scrutiny.diagnostics.attention.word_maps import WordMap, rows_to_sum_one, strongest_of

Anchored = Callable[[WordMap, Integers], Booleans]


def attends_to(found: WordMap, anchors: Integers) -> Booleans:
    """Encoding of a scope: words ``(layer, head, word)`` that attend to an anchor most of all.

    The first of equals counts; a word without attention to anything attends to nothing.

    **Measures**: whether a head points from a scope to its cue.

    **Misleads when**: the head points to frequent, early or unusual words, cue or not: compare
    with pseudo-cues and untrained networks.

    **References**: Zhao & Bethard (2020), equation 3.
    """
    return _on_words(found, _points_at(found.strongest, found.is_any_of(anchors)))


def attended_by(found: WordMap, anchors: Integers) -> Booleans:
    """Words to which the anchors give more than uniform attention: from cue to scope.

    An anchor's row has as many winners as it likes: every word with more than 1 / n of the row's
    weight, by the largest of the anchors' rows.

    **Measures**: whether a head spreads from a cue over its scope.

    **Misleads when**: rows are not brought to sum 1 (special tokens dropped): the share is of what
    is left.

    **References**: the transpose of Zhao & Bethard (2020); Clark et al. (2019) try both directions.
    """
    is_word = found.is_word
    rows = found.weights[..., found.is_any_of(anchors), :][..., is_word]
    total = rows.sum(axis=-1, keepdims=True)
    above = (rows * is_word.sum() > total) & (total > 0)
    return found.by_word(above.any(axis=-2), without=False)


def path_to(found: WordMap, anchors: Integers, *, hops: int = 3) -> Booleans:
    """Words whose chain of strongest attention reaches an anchor within a number of steps.

    **Measures**: the paper's own suggestion: a tree of attention with the cue above its scope.

    **Misleads when**: chains are long: every head whose chains end in one place reaches it if the
    anchor lies there.

    **References**: Zhao & Bethard (2020), section 7.
    """
    is_anchor = found.is_any_of(anchors)
    target = found.strongest  # (layer, head, unit), -1: nothing
    place = np.broadcast_to(np.arange(found.words.size), target.shape)
    reached = np.zeros(target.shape, dtype=bool)
    for _ in range(hops):
        place = np.where(place < 0, -1, np.take_along_axis(target, np.maximum(place, 0), axis=-1))
        reached |= (place >= 0) & is_anchor[np.maximum(place, 0)]
    return _on_words(found, reached)


def rollout_to(found: WordMap, anchors: Integers) -> Booleans:
    """Encoding of a scope: words whose attention, rolled out to each layer, is most at an anchor.

    Heads of a layer start from that layer's head and go down through the mean over heads of the
    layers below, each mixed half and half with the identity.

    **Measures**: whether information of the cue can flow to its scope by the whole network up to a
    head, not by one layer.

    **Misleads when**: read as flow: values and feed-forward parts are left out.

    **References**: Abnar & Zuidema (2020), Quantifying attention flow in transformers.
    """
    weights = found.weights
    size = weights.shape[-1]
    identity = np.eye(size, dtype=weights.dtype)
    below = identity
    reached = np.empty(weights.shape[:-1], dtype=bool)
    is_anchor = found.is_any_of(anchors)
    for layer in range(weights.shape[0]):
        rolled = rows_to_sum_one(weights[layer] + identity) @ below
        rolled[..., np.arange(size), np.arange(size)] = 0.0  # a word is no scope of itself
        reached[layer] = _points_at(strongest_of(rolled), is_anchor)
        below = rows_to_sum_one(weights[layer].mean(axis=0) + identity) @ below
    return _on_words(found, reached)


#: Encodings of anchored spans by the name that plans give them.
ENCODINGS: Final[Mapping[str, Anchored]] = {
    "attends-to": attends_to,
    "attended-by": attended_by,
    "path-to": path_to,
    "rollout-to": rollout_to,
}


def _points_at(target: Integers, is_anchor: Booleans) -> Booleans:
    """Rows ``(..., unit)`` whose largest weight is on an anchor; -1 means no unit."""
    reached = np.zeros(is_anchor.size + 1, dtype=bool)
    reached[:-1] = is_anchor
    return reached[target]


def _on_words(found: WordMap, by_unit: Booleans) -> Booleans:
    """Predictions by word instead of unit; words without a token are not predicted."""
    if found.is_whole:
        return by_unit
    return found.by_word(by_unit[..., found.is_word], without=False)
