"""Toy attention: every weight as worked out on paper."""

import numpy as np
import pytest

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ConformanceError, ModelError
from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.queries.attention import Attends, Intervenes, Intervention
from scrutiny.models.answers.checked import predict_or_fail
from scrutiny.testing.toy_attention import ToyAttention, ToyAttentionClassifier
from scrutiny.testing.toy_heads import CueHead, NoiseHead, OffsetHead, UniformHead

WORDS = ("she", "is", "n't", "here")
PIECES = {"n't": ("n", "'t")}


def only(model, words=WORDS, **options):
    (found,) = model.attentions([words], **options)
    return found


def looked_at(model, words):
    """Word that each word of a sentence looks at most, by its first piece."""
    one = only(model, words)
    rows = [one.words.index(i) for i in range(len(words))]
    return [one.words[int(np.argmax(one.weights[0, 0, row]))] for row in rows]


def test_it_is_a_model_that_attends():
    model = ToyAttention([[UniformHead()]])
    assert isinstance(model, Model)
    assert isinstance(model, Attends)
    assert isinstance(model, Intervenes)
    with pytest.raises(ModelError):
        model.predict([])


def test_rows_are_those_on_paper():
    one = only(ToyAttention([[OffsetHead(-1, weight=0.7), UniformHead()]], PIECES))
    assert one.words == (None, 0, 1, 2, 2, 3, None)
    assert one.weights.shape == (1, 2, 7, 7)
    alike, previous = 1 / 7, 0.3 / 7
    wanted = np.full((7, 7), alike)
    wanted[2] = previous + 0.7 * np.array([0, 1, 0, 0, 0, 0, 0])  # "is" looks at "she"
    wanted[3] = wanted[4] = previous + 0.7 * np.array([0, 0, 1, 0, 0, 0, 0])
    wanted[5] = previous + 0.7 * np.array([0, 0, 0, 0.5, 0.5, 0, 0])  # two pieces of "n't"
    np.testing.assert_allclose(one.weights[0, 0], wanted, rtol=1e-6)
    np.testing.assert_allclose(one.weights[0, 1], alike, rtol=1e-6)


def test_a_causal_model_shares_out_what_has_come():
    one = only(ToyAttention([[OffsetHead(1, weight=0.5), UniformHead()]], is_causal=True))
    n = len(one.ids)
    wanted = np.tril(np.ones((n, n))) / np.arange(1, n + 1)[:, None]
    np.testing.assert_allclose(one.weights[0], np.stack([wanted, wanted]), rtol=1e-6)


def test_norms_weight_what_is_attended_to():
    model = ToyAttention([[UniformHead()]], PIECES, norms={"'t": 3.0, "she": 0.0})
    one, two = only(model), only(model, weighting="value-norm")
    np.testing.assert_allclose(two.weights, one.weights * [1, 0, 1, 1, 3, 1, 1], rtol=1e-6)
    with pytest.raises(ConformanceError):
        model.attentions([WORDS], weighting="norm")


def test_a_faithful_cue_head_looks_at_the_first_cue():
    model = ToyAttention([[CueHead(("not", "never"))]])
    words = ("it", "is", "Not", "a", "film", "never", "seen")
    found = looked_at(model, words)
    assert [found[i] for i in (0, 1, 3, 4, 5, 6)] == [2] * 6
    assert found[2] != 2
    assert only(model, words).weights[0, 0, 0].argmax() == 3  # [CLS] too
    assert set(only(model, ("it", "is")).weights[0, 0, 0].tolist()) == {0.25}


def test_fidelity_is_a_probability_and_holds_for_whom_it_should():
    among = tuple((("a", "not", *(f"w{i}" for i in range(20)), f"{k}"), (5, 6)) for k in range(400))
    model = ToyAttention([[CueHead(("not",), 0.7, among)]], seed=3)
    hits = np.array([[x == 1 for x in looked_at(model, words)] for words, _ in among])
    by_chance = 1 / 22
    rate = 0.7 + 0.3 * by_chance
    assert abs(hits[:, 5:7].mean() - rate) < 4 * np.sqrt(rate * (1 - rate) / 800)
    assert abs(hits[:, 8:].mean() - by_chance) < 4 * np.sqrt(by_chance / 400 / 15)
    assert not hits[:, 1].any()


def test_noise_is_spread_over_all_ways_to_share():
    model = ToyAttention([[NoiseHead()] * 40] * 2)
    one = only(model, ("a", "b", "c", "d"))
    assert one.weights.shape == (2, 40, 6, 6)
    share = one.weights.ravel()  # Beta(1, 5)
    assert abs(share.mean() - 1 / 6) < 1e-6
    assert abs(share.var() - 5 / (36 * 7)) < 0.002
    assert np.unique(share).size > 0.99 * share.size


def test_what_is_random_depends_on_seed_and_sentence_alone():
    heads = [[NoiseHead(), CueHead(("not",), 0.5)]]
    sentences = [("a", "not", "b", "c"), ("d", "e"), ("a", "not", "b", "c")]
    model = ToyAttention(heads, seed=1)
    one, two, three = (m.weights for m in model.attentions(sentences))
    np.testing.assert_array_equal(one, three)
    np.testing.assert_array_equal(only(model, sentences[1]).weights, two)
    assert (only(ToyAttention(heads, seed=2), sentences[0]).weights != one).any()


def test_blank_words_and_long_sentences():
    model = ToyAttention([[UniformHead()]], limit=4)
    assert only(model, ("a", "", " ", "b")).words == (None, 0, 3, None)
    first, long, last = model.attentions([("a",), ("a", "b", "c"), ("b",)])
    assert long == Failure("too_long", "5 pieces, the limit is 4")
    assert first.ids != last.ids


def test_pieces_have_their_places_in_the_text():
    (one,) = ToyAttention([[UniformHead()]], PIECES).encode(["She is  n't N't"])
    cut = ["She is  n't N't"[a:b] for a, b in one.offsets]
    assert cut == ["", "She", "is", "n", "'t", "N", "'t", ""]
    assert one.words == (None, 0, 1, 2, 2, 3, 3, None)
    assert one.is_special == (True, *[False] * 6, True)
    with pytest.raises(ModelError):
        ToyAttention([[UniformHead()]]).encode(["a"], pairs=["b"])


def test_heads_and_interventions_are_in_the_fingerprint():
    prints = {
        m.fingerprint()
        for m in (
            ToyAttention([[NoiseHead()]]),
            ToyAttention([[UniformHead()]]),
            ToyAttention([[NoiseHead()]], seed=1),
            ToyAttention([[OffsetHead(-1)]]),
            ToyAttention([[OffsetHead(1)]]),
            ToyAttention([[CueHead(("not",))]]),
            ToyAttention([[CueHead(("not",), 0.5)]]),
            ToyAttention([[NoiseHead()]]).intervened(Intervention("mask", ((0, 0),))),
            ToyAttention([[NoiseHead()]]).intervened(Intervention("uniform", ((0, 0),))),
        )
    }
    assert len(prints) == 9


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ConformanceError, match="equally many"):
        ToyAttention([[UniformHead()], []])
    with pytest.raises(ConformanceError, match="make up"):
        ToyAttention([[UniformHead()]], {"not": ("n", "t")})
    with pytest.raises(ConformanceError, match=r"no head \(0, 1\)"):
        ToyAttention([[UniformHead()]]).intervened(Intervention("mask", ((0, 1),)))


# --- a classifier that lives by one head ---


@pytest.fixture
def classifier():
    heads = [[NoiseHead(), OffsetHead(-1)], [CueHead(("not",), weight=0.8), UniformHead()]]
    return ToyAttentionClassifier(heads, reads=(1, 0), evidence=("not",))


def score(model, text):
    return model.predict([Example("1", {"text": text})])[0].scores[1]


def test_it_says_what_its_head_sees(classifier):
    assert score(classifier, "this is not good") == pytest.approx(0.05 + 0.9 * (0.8 + 0.2 / 6))
    assert score(classifier, "this is good") == pytest.approx(0.05)


@pytest.mark.parametrize("change", ["mask", "uniform"])
def test_only_the_head_that_decides_changes_its_mind(classifier, change):
    text = "this is not good"
    own = score(classifier, text)
    for head in ((0, 0), (0, 1), (1, 1)):
        assert score(classifier.intervened(Intervention(change, (head,))), text) == own
    changed = classifier.intervened(Intervention(change, ((1, 0),)))
    mass = 0.0 if change == "mask" else 1 / 6
    assert score(changed, text) == pytest.approx(0.05 + 0.9 * mass)
    assert score(classifier, text) == own
    assert changed.fingerprint() != classifier.fingerprint()


def test_erasing_evidence_needs_its_place(classifier):
    (one,) = classifier.encode(["this is not good"])
    erased = Intervention("erase", ((1, 0),), ((one.ids, (3,)),))
    changed = classifier.intervened(erased)
    assert score(changed, "this is not good") == pytest.approx(0.05)
    (other,) = classifier.encode(["this is not good"])
    kept = Intervention("erase", ((1, 0),), ((other.ids, (1,)),))
    share = (0.8 + 0.2 / 6) / (1 - 0.2 / 6)
    assert score(classifier.intervened(kept), "this is not good") == pytest.approx(
        0.05 + 0.9 * share
    )
    examples = [Example(str(i), {"text": t}) for i, t in enumerate(["this is not good", "bad"])]
    good, bad = predict_or_fail(changed, examples)
    assert not isinstance(good, Failure)
    assert bad.reason == "not_stated"
