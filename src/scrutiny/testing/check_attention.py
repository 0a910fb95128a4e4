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
from scrutiny.testing.checking import Promises, promise, promises

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
    """Raise unless a model fulfills the contract of the capability ``attentions``.

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
    promises(model.source, _check_maps(model))


def check_intervenes(model: Any) -> None:
    """Raise unless a model fulfills the contract of the capability ``head_interventions``.

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
    promises(model.source, _check_interventions(model))


def _check_maps(model: Any) -> Promises:
    """Promises of the capability ``attentions``."""
    yield "it does not claim 'attentions'.", "attentions" in model.capabilities
    shape = model.attention_shape
    yield (
        f"attention_shape must be layers and heads, not {shape}.",
        len(shape) == 2 and all(isinstance(n, int) and n > 0 for n in shape),
    )
    yield "attentions([]) must be empty.", list(model.attentions([])) == []
    yield (
        "attentions must give an iterator, so that no corpus of maps is held.",
        isinstance(model.attentions(_SENTENCES), Iterator),
    )
    found = _maps(model, _SENTENCES)
    for words, one in zip(_SENTENCES, found, strict=True):
        yield from _check_map(model, words, one)
    yield (
        "a word must have the same pieces, whatever its neighbors are.",
        _pieces(found[0], 5) == _pieces(found[_BLANK], 2) == _pieces(found[5], 3),
    )
    ways = {
        "in reverse": _maps(model, _SENTENCES[::-1])[::-1],
        "one by one": [one for words in _SENTENCES for one in _maps(model, [words])],
    }
    for way, others in ways.items():
        for one, other in zip(found, others, strict=True):
            yield from _check_same(model, one, other, way=way)
    yield from _check_same(model, found[0], found[4], way="twice")
    for weighting in WEIGHTINGS[1:]:
        yield from _check_weighted(model, found, weighting)
    yield from _check_limit(model, found)


def _maps(model: Any, sentences: Sequence[Words]) -> list[AttentionMap]:
    """Maps of sentences that every model should accept."""
    found = list(model.attentions(sentences))
    promise(
        model.source,
        f"attentions gave {len(found)} answers to {len(sentences)} sentences.",
        len(found) == len(sentences),
    )
    for words, one in zip(sentences, found, strict=True):
        promise(
            model.source,
            f"attentions of {' '.join(words)!r} gave {one!r:.80}.",
            isinstance(one, AttentionMap),
        )
    return found


def _check_map(model: Any, words: Words, one: AttentionMap) -> Promises:
    """Raise unless a map has the stated shape, rows that sum to 1, and pieces in words' order.

    Pieces of a word are adjacent; only blank words have none. A causal model looks back alone.
    """
    n = len(one.ids)
    yield (
        f"{n} pieces have {len(one.words)} words and weights of shape {one.weights.shape}.",
        one.weights.shape == (*model.attention_shape, n, n) and len(one.words) == n,
    )
    yield f"weights must be float32, not {one.weights.dtype}.", one.weights.dtype == np.float32
    is_sound = (one.weights >= 0).all() and np.isfinite(one.weights).all()
    yield "weights must be finite and not negative.", is_sound
    worst = float(np.abs(one.weights.sum(-1) - 1).max())
    yield f"a row of weights sums to 1 ± {worst:.3g}.", worst <= _NEAR
    looks_ahead = _is_causal(model) and np.triu(one.weights, 1).any()
    yield "a causal model attends to what comes later.", not looks_ahead
    said, owners = " ".join(words), [word for word in one.words if word is not None]
    yield (
        f"pieces of {said!r} are not in the order of its words: {one.words}.",
        all(a <= b for a, b in pairwise(owners)),
    )
    there, wanted = sorted(set(owners)), [i for i, word in enumerate(words) if word]
    yield f"{said!r} has pieces of the words {there}, not of {wanted}.", there == wanted


def _pieces(one: AttentionMap, word: int) -> list[int]:
    """Pieces of a word, which are the same in every sentence, except in first position."""
    return [i for i, owner in zip(one.ids, one.words, strict=True) if owner == word]


def _check_same(model: Any, one: AttentionMap, other: AttentionMap, *, way: str) -> Promises:
    """Raise unless two maps are the same."""
    is_same = one.ids == other.ids and one.words == other.words
    near = 0.0 if model.is_batch_invariant else _NEAR
    yield (
        f"attentions asked {way} gives other maps.",
        is_same and bool(np.allclose(one.weights, other.weights, rtol=0, atol=near)),
    )


def _check_weighted(model: Any, found: Sequence[AttentionMap], weighting: Weighting) -> Promises:
    """Raise unless weighted maps, if any, weight the same pieces as the raw weights."""
    try:
        weighted = list(model.attentions(_SENTENCES, weighting=weighting))
    except ModelError:
        return
    for one, other in zip(found, weighted, strict=True):
        is_alike = isinstance(other, AttentionMap) and other.weights.shape == one.weights.shape
        yield f"{weighting} maps have another shape.", is_alike
        ratio = other.weights[one.weights > 0] / one.weights[one.weights > 0]
        yield (
            f"{weighting} maps must be finite and not negative.",
            np.isfinite(ratio).all() and (ratio >= 0).all(),
        )
        yield (
            f"{weighting} maps are not zero where the weights are.",
            not other.weights[one.weights == 0].any(),
        )


def _check_limit(model: Any, found: Sequence[AttentionMap]) -> Promises:
    """Raise unless a sentence that is too long fails, and alone."""
    limit = model.limit
    if limit is None:
        return
    long = ("word",) * (limit + 1)
    first, failed, last = model.attentions([_SENTENCES[0], long, _SENTENCES[1]])
    yield (
        f"a sentence of {limit + 1} words must fail with 'too_long': the limit is {limit}.",
        isinstance(failed, Failure) and failed.reason == "too_long",
    )
    yield from _check_same(model, found[0], first, way="beside one that is too long")
    yield from _check_same(model, found[1], last, way="beside one that is too long")


def _check_interventions(model: Any) -> Promises:
    """Promises of the capability ``head_interventions``."""
    head = model.attention_shape[0] - 1, 0
    yield "it does not claim 'head_interventions'.", "head_interventions" in model.capabilities
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
            wanted = np.zeros_like(own) if intervention.change == "mask" else own.copy()
            if intervention.change == "uniform":
                wanted = np.tril(np.ones_like(own)) if _is_causal(model) else np.ones_like(own)
            elif intervention.change == "erase":
                wanted[:, place] = 0
            sums = wanted.sum(-1, keepdims=True)
            wanted = np.asarray(wanted / np.where(sums > 0, sums, 1))
            yield from _check_changed(one, other, wanted, intervention)
        prints.add(changed.fingerprint())
    yield (
        "the model and its interventions must have fingerprints that differ.",
        len(prints) == 1 + len(made) or prints == {None},
    )
    for one, other in zip(before, _maps(model, _SENTENCES), strict=True):
        yield from _check_same(model, one, other, way="after an intervention")


def _is_causal(model: Any) -> bool:
    """Whether a model is causal: no attention to later pieces."""
    return "token_logprobs" in model.capabilities or model.is_causal


def _check_changed(
    one: AttentionMap, other: AttentionMap, wanted: "np.ndarray[Any, Any]", made: Intervention
) -> Promises:
    """Raise unless exactly the chosen head of its layer is changed."""
    (head,) = made.heads
    yield (
        f"the change {made.change!r} of a head has another effect than documented.",
        np.allclose(other.weights[head], wanted, atol=1e-3),
    )
    rest = np.ones(one.weights.shape[:2], bool)
    rest[head] = False
    yield (
        f"the change {made.change!r} of a head changes others of its layer or before.",
        np.allclose(one.weights[rest], other.weights[rest], atol=_NEAR),
    )
