"""Conformance of attention: sound models pass, and each broken promise is named."""

import numpy as np
import pytest

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ConformanceError
from scrutiny.core.queries.attention import AttentionMap
from scrutiny.testing.check_adapters import check_adapter
from scrutiny.testing.check_attention import check_attends, check_intervenes
from scrutiny.testing.toy_attention import ToyAttention, ToyAttentionClassifier
from scrutiny.testing.toy_heads import CueHead, NoiseHead, OffsetHead, UniformHead

HEADS = [[NoiseHead(), OffsetHead(-1)], [CueHead(("not", "n't"), 0.6), UniformHead()]]
PIECES = {"n't": ("n", "'t"), "unbelievably": ("un", "believ", "ably")}


@pytest.mark.parametrize(
    "model",
    [
        ToyAttention(HEADS),
        ToyAttention(HEADS, PIECES, limit=24, norms={"un": 2.0}),
        ToyAttention(HEADS, PIECES, is_causal=True),
        ToyAttentionClassifier(HEADS, reads=(1, 0), evidence=("not",)),
    ],
    ids=["plain", "pieces", "causal", "classifier"],
)
def test_sound_models_pass(model):
    check_attends(model)
    check_intervenes(model)
    check_adapter(model)


@pytest.mark.extra("transformers")
@pytest.mark.parametrize(
    ("kind", "head"), [("Bert", "ForMaskedLM"), ("Roberta", ""), ("Llama", "ForCausalLM")]
)
def test_networks_pass(tmp_path, kind, head):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    import sys
    from pathlib import Path
    from types import SimpleNamespace

    sys.path.insert(0, str(Path(__file__).parents[1] / "models"))
    from tiny_language import make_language_model

    from scrutiny.models.strings.model_loading import load_model

    folder = make_language_model(tmp_path, kind, head=head)
    task = SimpleNamespace(
        name="anchored-spans", fields=("text",), scored_by=None, must_be_answered=False
    )
    model = load_model(f"hf:{folder}", task)
    check_attends(model)
    check_intervenes(model)


class Changed(ToyAttention):
    """A toy whose maps go through a function."""

    def __init__(self, change, **options):
        super().__init__(HEADS, PIECES, **options)
        self._change = change

    def attentions(self, sentences, *, weighting="raw"):
        return (
            one if isinstance(one, Failure) else self._change(self, one, words, weighting)
            for words, one in zip(
                sentences, super().attentions(sentences, weighting=weighting), strict=True
            )
        )


def weights(change, **options):
    """A toy whose weights go through a function of (weights, words, weighting)."""
    return Changed(
        lambda self, one, words, weighting: one._replace(
            weights=change(one.weights, words, weighting)
        ),
        **options,
    )


def peeked(model, one, words, weighting):
    return one._replace(weights=np.full_like(one.weights, 1 / len(one.ids)))


def shifted(model, one, words, weighting):
    return one._replace(words=(*one.words[1:], None))


def swapped(model, one, words, weighting):
    return one._replace(words=one.words[::-1])


def beside(model, one, words, weighting):
    """Pieces that depend on the word before."""
    ids = [i + (len(words) > 5) for i in one.ids]
    return AttentionMap(one.weights, one.words, tuple(ids))


class Counting(Changed):
    calls = 0

    def __init__(self):
        def change(self, one, words, weighting):
            self.calls += 1
            rolled = np.roll(one.weights, self.calls % 7, axis=0 if self.calls % 2 else 1)
            return one._replace(weights=rolled)

        super().__init__(change)


class Silent(ToyAttention):
    def attentions(self, sentences, *, weighting="raw"):
        found = list(super().attentions(sentences, weighting=weighting))
        return iter(found[:-1] if len(found) > 1 else found)


class Greedy(ToyAttention):
    def attentions(self, sentences, *, weighting="raw"):
        return list(super().attentions(sentences, weighting=weighting))


class Cutting(ToyAttention):
    """Takes long sentences as if they fitted."""

    def _map(self, words, weighting):
        return super()._map(words[: self.limit - 2], weighting)


class Hiding(ToyAttention):
    def __init__(self):
        super().__init__(HEADS)
        self.capabilities = frozenset()


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Hiding(), "does not claim 'attentions'"),
        (Silent(HEADS), "5 answers to 6"),
        (Greedy(HEADS), "must give an iterator"),
        (weights(lambda w, *_: w.astype(float)), "must be float32"),
        (weights(lambda w, *_: w[:1]), "weights of shape"),
        (weights(lambda w, *_: w * np.float32(1.01)), "sums to 1 ± 0.01"),
        (weights(lambda w, *_: w - np.float32(0.5)), "not negative"),
        (weights(lambda w, *_: w * np.float32("nan")), "finite"),
        (Changed(peeked, is_causal=True), "comes later"),
        (Changed(swapped), "not in the order"),
        (Changed(lambda self, one, words, w: one._replace(words=(None,) * len(one.ids))), "pieces"),
        (Changed(beside), "whatever its neighbors are"),
        (Counting(), "gives other maps"),
        (
            weights(lambda w, words, weighting: -w if weighting == "value-norm" else w),
            "value-norm maps must be",
        ),
        (
            weights(lambda w, words, weighting: w[:1] if weighting == "value-norm" else w),
            "another shape",
        ),
        (Cutting(HEADS, limit=20), "must fail with 'too_long'"),
        (
            weights(
                lambda w, words, weighting: w + 1 if weighting == "value-norm" else w,
                is_causal=True,
            ),
            "not zero where",
        ),
    ],
)
def test_broken_promises_are_named(model, message):
    with pytest.raises(ConformanceError, match=message):
        check_attends(model)


class Unmoved(ToyAttention):
    """Says yes and changes nothing."""

    def intervened(self, intervention):
        changed = super().intervened(intervention)
        changed._changed = lambda weights, made, ids: weights
        return changed


class Clumsy(ToyAttention):
    """Changes the whole layer."""

    def _changed(self, weights, made, ids):
        changed = super()._changed(weights, made, ids)
        layer, head = made.heads[0]
        changed[layer] = changed[layer, head]
        return changed


class Confused(ToyAttention):
    """Has one fingerprint for all."""

    def fingerprint(self):
        return "the same for all"


class Lasting(ToyAttention):
    """Does not find its way back."""

    def intervened(self, intervention):
        self._seed += 1
        return super().intervened(intervention)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Hiding(), "does not claim 'head_interventions'"),
        (Unmoved(HEADS), "'mask' of a head has another effect than documented"),
        (Clumsy(HEADS), "changes others of its layer"),
        (Confused(HEADS), "fingerprints"),
        (Lasting(HEADS), "changes others|after an intervention"),
    ],
)
def test_broken_interventions_are_named(model, message):
    with pytest.raises(ConformanceError, match=message):
        check_intervenes(model)
