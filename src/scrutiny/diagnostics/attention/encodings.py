"""Anchored annotations: words that heads and baselines predict, and words that are scored.

An encoding is a pure function of a map between words. It answers for every head at once, which
words it predicts to belong to an anchor (a cue and its scope, a quantifier and its restrictor).
Baselines predict by place alone. Pseudo-cues are asked as if they were cues: the null of every
finding about cues.

The published scores count everything: examples without a target, in which all that is predicted is
wrong, and the anchor's own words, which no fixed offset and no head without self-attention predicts
if the anchor is one word.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

import numpy as np

from scrutiny.core.arrays import Booleans, Floats, Integers
from scrutiny.core.diagnostic import Failure
from scrutiny.core.queries.annotation import AnchoredWords
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


#: What can be left out of the scores.
EMPTY: Final = "empty"
ANCHORS: Final = "anchors"
UNSCORED: Final[Mapping[str, str]] = {
    EMPTY: "examples without a target",
    ANCHORS: "words of the anchor",
}
#: Row of an example without a target where such examples are left out.
LEFT_OUT: Final = Failure("no_target", status="skipped")


def is_unscored(view: AnchoredWords, unscored: Collection[str]) -> bool:
    """Whether attention heads are not scored on an example: without a target, where that counts."""
    return EMPTY in unscored and not view.targets


def cases_of(view: AnchoredWords, unscored: Collection[str]) -> frozenset[int]:
    """Words of an example that are counted."""
    cases = frozenset(range(len(view.words)))
    return cases - set(view.anchors) if ANCHORS in unscored else cases


def gold_of(view: AnchoredWords, cases: frozenset[int], *, is_listed: bool) -> int:
    """Number of targets among the cases; ``is_listed`` counts a target as often as it is listed."""
    found = len(cases & set(view.targets))
    return found + view.n_listed - len(view.targets) if is_listed else found


#: How far a pseudo-cue may stand from the cue, as a share of the sentence.
NEAR: Final = 0.25


def pseudo_cue(
    anchors: Sequence[int], n_words: int, *, pieces: Mapping[int, int], rng: np.random.Generator
) -> tuple[int, ...]:
    """Pseudo-cue, a baseline of heads: as many consecutive words as the cue has, none its own.

    Those with as many pieces as the cue and near its place are drawn from; where there are none,
    those as near in both as there are. Empty where the sentence has no room.

    Parameters
    ----------
    anchors
        Words of the cue.
    n_words
        Words of the sentence.
    pieces
        Pieces of each word; a word without any is no candidate.
    rng
        Which of the candidates is taken.

    **Measures**: what a head would score if any word of this place and length were the cue.

    **Misleads when**: the sentence is short: the only candidate may stand in the scope's middle.

    **References**: control tasks and selectivity: Hewitt & Liang (2019).
    """
    length = len(anchors)
    is_free = [word not in anchors and bool(pieces.get(word)) for word in range(n_words)]
    places = range(n_words - length + 1)
    starts = [start for start in places if all(is_free[start : start + length])]
    if not starts or not length:
        return ()
    own = sum(pieces.get(word, 0) for word in anchors)
    off = [abs(sum(pieces[start + k] for k in range(length)) - own) for start in starts]
    least = min(off)
    fits = [start for start, error in zip(starts, off, strict=True) if error == least]
    away = [abs(start - anchors[0]) / max(1, n_words) for start in fits]
    limit = max(NEAR, min(away))
    near = [start for start, share in zip(fits, away, strict=True) if share <= limit]
    start = near[int(rng.integers(len(near)))]
    return tuple(range(start, start + length))


#: Offsets from a word to the anchor: -1 is the word after it.
OFFSETS: Final = (-3, -2, -1, 1, 2, 3)
#: Baselines by name, in the order of `span_baselines`.
SPAN_BASELINES: Final = (
    "all",
    *(f"offset {offset:+d}" for offset in OFFSETS),
    "right-branching",
    "uniform",
)


def span_baselines(view: AnchoredWords, cases: Collection[int]) -> Floats:
    """Counts ``(2, baseline)`` of all `SPAN_BASELINES` on one example.

    Targets that are predicted, each once however often the source lists it, and words that are
    predicted; expected counts for random baselines.

    ``all`` predicts every word, the anchor's own too. ``offset o`` predicts a word if the word o
    places after it is an anchor; beyond the sentence there is none. ``right-branching`` predicts
    what follows the anchor's first word and is no anchor: all that is below it in a tree whose
    every word hangs on the word before. ``uniform`` lets every word point to one of the others with
    equal chances, and predicts those that hit an anchor.

    Parameters
    ----------
    view
        The example.
    cases
        Words that are counted, as targets and as predictions.

    **Measures**: how much of an annotation its distance from the anchor explains.

    **Misleads when**: the best of them is chosen on the examples it is scored on; annotation
    schemes are compared (where scopes never precede their cue, half of the offsets are empty).

    **References**: Zhao & Bethard (2020), How does BERT's attention change when you fine-tune?;
    Clark et al. (2019), What does BERT look at?

    Examples
    --------
    >>> view = AnchoredWords(("It", "did", "not", "rain", "."), (2,), (0, 1, 3), 3)
    >>> tp, predicted = span_baselines(view, range(5)).tolist()
    >>> dict(zip(SPAN_BASELINES, tp, strict=True))["offset -1"]
    1.0
    """
    n, anchors = len(view.words), set(view.anchors)
    first, others = min(anchors, default=n), max(n - 1, 1)  # none points to itself
    scored = set(cases)
    targets = scored & set(view.targets)
    behind = {word for word in scored - anchors if word > first}
    shifted = [scored & {anchor - offset for anchor in anchors} for offset in OFFSETS]
    found = [scored, *shifted, behind]

    def pointing(words: set[int]) -> float:
        return (len(anchors) * len(words) - len(anchors & words)) / others

    tp = [*(len(words & targets) for words in found), pointing(targets)]
    predicted = [*map(len, found), pointing(scored)]
    return np.array([tp, predicted], dtype=np.float64)
