"""Conformance of language models: sound ones pass, and each broken promise is named."""

import numpy as np
import pytest

from scrutiny.core.errors import ConformanceError
from scrutiny.testing import (
    ToyCausalLanguageModel,
    ToyEncoder,
    ToyMaskedLanguageModel,
    check_adapter,
    check_language_model,
)

WORDS = {"he": 3.0, "she": 1.0, "doctor": 4.0, ".": 2.0}
VECTORS = {"he": (1.0, 0.0), "she": (0.0, 1.0)}


@pytest.mark.parametrize(
    "model",
    [
        ToyMaskedLanguageModel(WORDS),
        ToyMaskedLanguageModel(WORDS, {"he": {"he": 1.0, "she": 2.0, "doctor": 3.0, ".": 1.0}}),
        ToyCausalLanguageModel(WORDS),
        ToyEncoder(VECTORS),
    ],
    ids=["masked", "bigrams", "causal", "encoder"],
)
def test_sound_models_pass(model):
    check_language_model(model)
    check_adapter(model)


class Counting(ToyMaskedLanguageModel):
    calls = 0

    def next_sentence(self, queries):
        self.calls += 1
        return [1 / (1 + self.calls)] * len(queries)


class Summing(ToyMaskedLanguageModel):
    def masked_logprobs(self, queries):
        return [tuple((-0.1,) * len(c.targets) for c in query) for query in queries]


class Positive(ToyMaskedLanguageModel):
    def masked_logprobs(self, queries):
        return [tuple((0.3,) * len(c.targets) for c in query) for query in queries]


class Short(ToyMaskedLanguageModel):
    def masked_logprobs(self, queries):
        return super().masked_logprobs(queries)[:-1]


class ShortRows(ToyMaskedLanguageModel):
    def masked_logprobs(self, queries):
        return [answer[:-1] for answer in super().masked_logprobs(queries)]


class Foreseeing(ToyCausalLanguageModel):
    def token_logprobs(self, queries):
        answers = super().token_logprobs(queries)
        return [
            tuple(v - 0.01 * len(q.ids) for v in a) for q, a in zip(queries, answers, strict=True)
        ]


class Nan(ToyCausalLanguageModel):
    def token_logprobs(self, queries):
        return [(float("nan"),) * (len(q.ids) - q.start) for q in queries]


class Attentive(ToyMaskedLanguageModel):
    def attention_received(self, queries):
        return [(0.01,) * len(query) for query in queries]


class Misplaced(ToyMaskedLanguageModel):
    def _encode(self, texts, *, special):
        one = super()._encode(texts, special=special)
        return one._replace(offsets=tuple((a + 9, b + 9) for a, b in one.offsets))


class Wide(ToyEncoder):
    def representations(self, passages, *, poolings, layers):
        found = super().representations(passages, poolings=poolings, layers=layers)
        return found.astype(np.float64)


class Zeros(ToyEncoder):
    def representations(self, passages, *, poolings, layers):
        found = super().representations(passages, poolings=poolings, layers=layers)
        return np.nan_to_num(found)


class Company(ToyEncoder):
    def representations(self, passages, *, poolings, layers):
        found = super().representations(passages, poolings=poolings, layers=layers)
        return found + np.float32(len(passages))


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (Counting(WORDS), "next_sentence asked again gives other answers"),
        (Summing(WORDS), "probabilities of distinct tokens sum to"),
        (Positive(WORDS), "not above 0"),
        (Short(WORDS), "answers to"),
        (ShortRows(WORDS), "one value for each target"),
        (Foreseeing(WORDS), "depend on the tokens behind"),
        (Nan(WORDS), "token_logprobs failed: .*nan"),
        (Attentive(WORDS), "attention received sums to"),
        (Misplaced(WORDS), "has the place"),
        (Wide(VECTORS), "must be float32"),
        (Zeros(VECTORS), "must be NaN exactly where"),
        (Company(VECTORS), "order or the company"),
    ],
)
def test_broken_promises_are_named(model, sentence):
    with pytest.raises(ConformanceError, match=sentence):
        check_language_model(model)


def test_a_model_that_claims_nothing():
    model = ToyMaskedLanguageModel(WORDS)
    model.capabilities = frozenset()
    with pytest.raises(ConformanceError, match="neither the capability 'predict'"):
        check_adapter(model)
    model.capabilities = frozenset({"masked_logprobs"})
    with pytest.raises(ConformanceError, match="must have the capability 'tokenizes'"):
        check_adapter(model)
