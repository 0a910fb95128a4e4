"""Toy language models: answers worked out on paper."""

from math import exp, log

import numpy as np
import pytest

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.core.queries.language import Cloze, Continuation, Passage, SentencePair
from scrutiny.models.answers.language_answers import ask_or_fail
from scrutiny.testing import ToyCausalLanguageModel, ToyEncoder, ToyMaskedLanguageModel
from scrutiny.testing.checking import ToyContext

UNIGRAMS = {"he": 3.0, "she": 1.0, "runs": 4.0, ".": 2.0}
BIGRAMS = {"she": {"runs": 9.0, "he": 1.0}}


def token(model, word):
    return model.words.index(word)


def test_a_word_has_its_share_of_what_the_special_tokens_leave():
    model = ToyMaskedLanguageModel(UNIGRAMS)
    ids = model.encode(["She runs."])[0].ids
    assert [model.words[i] for i in ids] == ["[CLS]", "she", "runs", ".", "[SEP]"]
    query = (Cloze(ids, (1, 2, 0), (ids[1], ids[2], 0)),)
    [[row]] = model.masked_logprobs([query])
    assert row == pytest.approx((log(0.95 * 0.1), log(0.95 * 0.4), log(0.01)))


def test_the_sum_over_the_vocabulary_is_one():
    masked = ToyMaskedLanguageModel(UNIGRAMS, BIGRAMS)
    every = tuple(range(len(masked.words)))
    for left in ("he", "she"):
        ids = (2, token(masked, left), 4, 3)
        [[row]] = masked.masked_logprobs([(Cloze(ids, (2,) * len(every), every),)])
        assert sum(map(exp, row)) == pytest.approx(1)
    causal = ToyCausalLanguageModel(UNIGRAMS)
    rows = causal.token_logprobs([Continuation((2, t)) for t in every])
    assert sum(exp(row[0]) for row in rows) == pytest.approx(1)


def test_the_word_to_the_left_counts():
    model = ToyCausalLanguageModel(UNIGRAMS, BIGRAMS)
    assert (model.begin_id, model.mask_id) == (2, None)
    he, she, runs = (token(model, w) for w in ("he", "she", "runs"))
    [behind_she, behind_he] = model.token_logprobs(
        [Continuation((2, she, runs), 2), Continuation((2, he, runs), 2)]
    )
    assert behind_she == pytest.approx((log(0.95 * 0.9),))
    assert behind_he == pytest.approx((log(0.95 * 0.4),))


def test_what_cannot_be_has_no_answer():
    model = ToyCausalLanguageModel(UNIGRAMS, BIGRAMS)
    she = token(model, "she")
    [answer] = ask_or_fail(model, "token_logprobs", [Continuation((2, she, she), 2)])
    assert isinstance(answer, Failure)
    assert answer.reason == "non_finite"


def test_the_next_sentence_shares_words():
    model = ToyMaskedLanguageModel(UNIGRAMS)
    pairs = [SentencePair("he runs", "she runs"), SentencePair("he", "she")]
    assert model.next_sentence(pairs) == pytest.approx([2 / 5, 1 / 4])


def test_vectors_of_the_encoder():
    model = ToyEncoder({"good": (2.0, 0.0), "bad": (0.0, 4.0)})
    found = model.representations(
        [Passage("Good, bad", (6, 9)), Passage("")],
        poolings=["cls", "mean", "first-piece", "last", "word"],
        layers=[0, 1],
    )  # the tokens are [CLS] good , bad [SEP]
    mean = np.array([0.4, 0.8])
    plain = [(0, 0), mean, (2, 0), (0, 0), (0, 4)]
    np.testing.assert_allclose(found[0, 0], plain, atol=1e-6)
    bare = np.array([2 / 3, 4 / 3])  # without the special tokens
    lifted = [mean, mean * 2, np.array([2, 0]) + bare, mean, np.array([0, 4]) + mean]
    np.testing.assert_allclose(found[0, 1], lifted, atol=1e-6)
    is_missing = np.isnan(found[1, 0]).all(-1)
    assert is_missing.tolist() == [False, False, True, False, True]


def test_the_limit_and_labels():
    model = ToyMaskedLanguageModel(UNIGRAMS, limit=4)
    assert ask_or_fail(model, "attention_received", [(2, 5, 6, 3)]) == [(0.25,) * 4]
    [answer] = ask_or_fail(model, "attention_received", [(2, 5, 6, 7, 3)])
    assert answer.reason == "too_long"
    with pytest.raises(ModelError, match="no labels"):
        model.predict([])
    with pytest.raises(ModelError, match="more than 0"):
        ToyMaskedLanguageModel({"he": 0.0})


def test_fingerprints():
    made = [
        ToyMaskedLanguageModel(UNIGRAMS),
        ToyMaskedLanguageModel(UNIGRAMS, BIGRAMS),
        ToyMaskedLanguageModel({**UNIGRAMS, "he": 1.0}),
        ToyCausalLanguageModel(UNIGRAMS),
        ToyMaskedLanguageModel(UNIGRAMS, limit=9),
    ]
    assert len({model.fingerprint() for model in made}) == 5
    assert ToyMaskedLanguageModel(dict(UNIGRAMS)).fingerprint() == made[0].fingerprint()


def test_the_toy_context_asks():
    model = ToyMaskedLanguageModel(UNIGRAMS)
    context = ToyContext(None, model)
    pair = SentencePair("he", "she")
    assert context.ask("next_sentence", [pair]) == [0.25]
    assert context.queries == [("next_sentence", pair)]
    with pytest.raises(ModelError, match="cannot be asked for token_logprobs"):
        context.ask("token_logprobs", [Continuation((2, 5))])
    assert ToyContext(None).ask("next_sentence", [pair]) == [Failure("no_model")]
