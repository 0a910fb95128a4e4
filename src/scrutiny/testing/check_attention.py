"""Conformance of models with readable attention, and with head interventions."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.core.model import as_model
from scrutiny.core.queries.attention import (
    WEIGHTINGS,
    AttentionMap,
    Intervention,
    Weighting,
    Words,
)
from scrutiny.testing.checking import promise

_SENTENCES: Final[tuple[Words, ...]] = (
    ("He", "has", "n't", "seen", "the", "doctor", ",", "nor", "her", "."),
    ("ok",),
    ("The", "plot", "is", "not", "bad", ",", "but", "2", "hours", "are", "unbelievably", "many"),
    ("the", "", "doctor"),
    ("He", "has", "n't", "seen", "the", "doctor", ",", "nor", "her", "."),
    ("She", "saw", "the", "doctor"),
)
_BLANK: Final = 3
_NEAR: Final = 1e-4


def check_attends(model: Any) -> None:
    """Raise unless a model fulfils the contract of the capability ``attentions``.

    Checked: one map for each sentence, in order and made when asked for; float32 of the stated
    shape; rows that sum to 1 and are not negative; pieces that know their word, and words that are
    cut by themselves; nothing attended to that comes later, in a causal model; the same maps in
    reverse, one by one, and of a sentence that comes twice (to the last bit where that is
    promised, else to 1e-4); other weightings of the same shape, if there are any; a sentence that
    is too long failing alone.

    Raises
    ------
    ConformanceError
        With a sentence about the first promise that is broken.
    """
    model = as_model(model)
    _check_claims(model)
    found = _maps(model, _SENTENCES)
    for words, one in zip(_SENTENCES, found, strict=True):
        _check_shape(model, one)
        # raise unless rows sum to 1, in a causal model over earlier pieces only
        is_sound = bool((one.weights >= 0).all() and np.isfinite(one.weights).all())
        promise(model.source, is_kept=is_sound, message="weights must be finite and not negative.")
        worst = float(np.abs(one.weights.sum(-1) - 1).max())
        promise(
            model.source,
            is_kept=worst <= _NEAR,
            message=f"a row of weights sums to 1 ± {worst:.3g}.",
        )
        promise(
            model.source,
            is_kept=not _is_causal(model) or not np.triu(one.weights, 1).any(),
            message="a causal model attends to what comes later.",
        )
        _check_words(model, words, one)
    _check_cutting(model, found)
    ways = {
        "in reverse": _maps(model, _SENTENCES[::-1])[::-1],
        "one by one": [one for words in _SENTENCES for one in _maps(model, [words])],
    }
    for way, others in ways.items():
        for one, other in zip(found, others, strict=True):
            _check_same(model, one, other, way=way)
    _check_same(model, found[0], found[4], way="twice")
    for weighting in WEIGHTINGS[1:]:
        _check_weighted(model, found, weighting)
    _check_limit(model, found)


def check_intervenes(model: Any) -> None:
    """Raise unless a model fulfils the contract of the capability ``head_interventions``.

    Checked on the first head of the last layer: masked rows are zero, uniform rows alike, erased
    weights zero and the rest scaled to 1; the other heads of that layer and the layers before are
    as they were; every intervention has a fingerprint of its own; the model itself answers as
    before.

    Raises
    ------
    ConformanceError
        With a sentence about the first promise that is broken.
    """
    model = as_model(model)
    name, head = model.source, (model.attention_shape[0] - 1, 0)
    promise(
        name,
        is_kept="head_interventions" in model.capabilities,
        message="it does not claim 'head_interventions'.",
    )
    before = _maps(model, _SENTENCES)
    place = len(before[1].ids) // 2  # within every sentence; the shortest is the second
    erased = tuple((ids, (place,)) for ids in dict.fromkeys(one.ids for one in before))
    made = (
        Intervention("mask", (head,)),
        Intervention("uniform", (head,)),
        Intervention("erase", (head,), erased),
    )
    prints = {model.fingerprint()}
    for intervention in made:
        changed = model.intervened(intervention)
        for one, other in zip(before, _maps(changed, _SENTENCES), strict=True):
            # expected weights of one head ``(piece, piece)`` under an intervention
            own = one.weights[head]
            if intervention.change == "mask":
                wanted = np.zeros_like(own)
            else:
                wanted = own.copy()
                if intervention.change == "uniform":
                    wanted = np.tril(np.ones_like(own)) if _is_causal(model) else np.ones_like(own)
                else:
                    wanted[:, place] = 0
                sums = wanted.sum(-1, keepdims=True)
                wanted = np.asarray(wanted / np.where(sums > 0, sums, 1))
            _check_changed(name, (one, other), wanted, intervention)
        prints.add(changed.fingerprint())
    promise(
        name,
        is_kept=len(prints) == 1 + len(made) or prints == {None},
        message="the model and its interventions must have fingerprints that differ.",
    )
    for one, other in zip(before, _maps(model, _SENTENCES), strict=True):
        _check_same(model, one, other, way="after an intervention")


def _check_claims(model: Any) -> None:
    """Raise unless the capability is claimed and the shape stated."""
    promise(
        model.source,
        is_kept="attentions" in model.capabilities,
        message="it does not claim 'attentions'.",
    )
    shape = model.attention_shape
    promise(
        model.source,
        is_kept=len(shape) == 2 and all(isinstance(n, int) and n > 0 for n in shape),
        message=f"attention_shape must be layers and heads, not {shape}.",
    )
    promise(
        model.source,
        is_kept=list(model.attentions([])) == [],
        message="attentions([]) must be empty.",
    )
    promise(
        model.source,
        is_kept=isinstance(model.attentions(_SENTENCES), Iterator),
        message="attentions must give an iterator, so that no corpus of maps is held.",
    )


def _maps(model: Any, sentences: Sequence[Words]) -> list[AttentionMap]:
    """Maps of sentences that every model should accept."""
    found = list(model.attentions(sentences))
    promise(
        model.source,
        is_kept=len(found) == len(sentences),
        message=f"attentions gave {len(found)} answers to {len(sentences)} sentences.",
    )
    for words, one in zip(sentences, found, strict=True):
        promise(
            model.source,
            is_kept=isinstance(one, AttentionMap),
            message=f"attentions of {' '.join(words)!r} gave {one!r:.80}.",
        )
    return found


def _check_shape(model: Any, one: AttentionMap) -> None:
    """Raise unless a map has the stated shape."""
    n = len(one.ids)
    promise(
        model.source,
        is_kept=one.weights.shape == (*model.attention_shape, n, n) and len(one.words) == n,
        message=f"{n} pieces have {len(one.words)} words and weights of shape {one.weights.shape}.",
    )
    promise(
        model.source,
        is_kept=one.weights.dtype == np.float32,
        message=f"weights must be float32, not {one.weights.dtype}.",
    )


def _check_words(model: Any, words: Words, one: AttentionMap) -> None:
    """Raise unless each word's pieces are adjacent and in order; only blank words have none."""
    owners = [word for word in one.words if word is not None]
    promise(
        model.source,
        is_kept=all(a <= b for a, b in pairwise(owners)),
        message=f"pieces of {' '.join(words)!r} are not in the order of its words: {one.words}.",
    )
    wanted = {i for i, word in enumerate(words) if word}
    promise(
        model.source,
        is_kept=set(owners) == wanted,
        message=f"{' '.join(words)!r} has pieces of the words {sorted(set(owners))}, not of "
        f"{sorted(wanted)}.",
    )


def _check_cutting(model: Any, found: Sequence[AttentionMap]) -> None:
    """Raise unless a word has the same pieces in every sentence, except in first position."""

    def pieces(one: AttentionMap, word: int) -> list[int]:
        return [i for i, owner in zip(one.ids, one.words, strict=True) if owner == word]

    promise(
        model.source,
        is_kept=pieces(found[0], 5) == pieces(found[_BLANK], 2) == pieces(found[5], 3),
        message="a word must have the same pieces, whatever its neighbors are.",
    )


def _check_same(model: Any, one: AttentionMap, other: AttentionMap, *, way: str) -> None:
    """Raise unless two maps are the same."""
    is_same = one.ids == other.ids and one.words == other.words
    near = 0.0 if model.is_batch_invariant else _NEAR
    promise(
        model.source,
        is_kept=is_same and bool(np.allclose(one.weights, other.weights, rtol=0, atol=near)),
        message=f"attentions asked {way} gives other maps.",
    )


def _check_weighted(model: Any, found: Sequence[AttentionMap], weighting: Weighting) -> None:
    """Raise unless weighted maps, if any, weight the same pieces as the raw weights."""
    try:
        weighted = list(model.attentions(_SENTENCES, weighting=weighting))
    except ModelError:
        return
    for one, other in zip(found, weighted, strict=True):
        is_alike = isinstance(other, AttentionMap) and other.weights.shape == one.weights.shape
        promise(model.source, is_kept=is_alike, message=f"{weighting} maps have another shape.")
        ratio = other.weights[one.weights > 0] / one.weights[one.weights > 0]
        promise(
            model.source,
            is_kept=bool(np.isfinite(ratio).all() and (ratio >= 0).all()),
            message=f"{weighting} maps must be finite and not negative.",
        )
        promise(
            model.source,
            is_kept=not other.weights[one.weights == 0].any(),
            message=f"{weighting} maps are not zero where the weights are.",
        )


def _check_limit(model: Any, found: Sequence[AttentionMap]) -> None:
    """Raise unless a sentence that is too long fails, and alone."""
    limit = model.limit
    if limit is None:
        return
    long = ("word",) * (limit + 1)
    first, failed, last = model.attentions([_SENTENCES[0], long, _SENTENCES[1]])
    promise(
        model.source,
        is_kept=isinstance(failed, Failure) and failed.reason == "too_long",
        message=f"a sentence of {limit + 1} words must fail with 'too_long': the limit is {limit}.",
    )
    _check_same(model, found[0], first, way="beside one that is too long")
    _check_same(model, found[1], last, way="beside one that is too long")


def _is_causal(model: Any) -> bool:
    """Whether a model is causal: no attention to later pieces."""
    return "token_logprobs" in model.capabilities or model.is_causal


def _check_changed(
    name: str,
    maps: tuple[AttentionMap, AttentionMap],
    wanted: "np.ndarray[Any, Any]",
    made: Intervention,
) -> None:
    """Raise unless exactly the chosen head of its layer is changed."""
    one, other = maps
    (head,) = made.heads
    promise(
        name,
        is_kept=bool(np.allclose(other.weights[head], wanted, atol=1e-3)),
        message=f"the change {made.change!r} of a head has another effect than documented.",
    )
    rest = np.ones(one.weights.shape[:2], bool)
    rest[head] = False
    promise(
        name,
        is_kept=bool(np.allclose(one.weights[rest], other.weights[rest], atol=_NEAR)),
        message=f"the change {made.change!r} of a head changes others of its layer or before.",
    )
