"""Changed heads: exact against a network written in numpy, and never taken for the model's own."""

import inspect
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from numpy_bert import NumpyBert  # noqa: E402
from plain_attention import HEADS, SENTENCES  # noqa: E402
from tiny_bert import make_checkpoint  # noqa: E402
from tiny_language import make_language_model  # noqa: E402

from scrutiny.core.diagnostic import Failure  # noqa: E402
from scrutiny.core.errors import ConformanceError, ModelError  # noqa: E402
from scrutiny.core.model import Model  # noqa: E402
from scrutiny.core.queries.attention import Attends, Intervenes, Intervention  # noqa: E402
from scrutiny.core.queries.language import Cloze, Continuation, Passage  # noqa: E402
from scrutiny.models.answers.checked import predict_or_fail  # noqa: E402
from scrutiny.models.answers.language_answers import ask_or_fail  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402
from scrutiny.tasks.tasks import load_task  # noqa: E402

TASK = SimpleNamespace(
    name="anchored-spans", fields=("text",), scored_by=None, must_be_answered=False
)
TEXTS = ("the films was good", "bad", "a very dull story, and not a good film!", "it was fine")
HEADS_CHANGED = ((0, 1), (1, 0))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_language_model(tmp_path_factory.mktemp("heads"), "Bert", head="ForPreTraining")


@pytest.fixture(scope="module")
def bert(folder):
    return load_model(f"hf:{folder}", TASK)


@pytest.fixture(scope="module")
def plain(folder):
    return NumpyBert(folder, "BertForPreTraining")


@pytest.fixture(scope="module")
def classifier(tmp_path_factory):
    task = load_task("text-classification")
    folder = make_checkpoint(tmp_path_factory.mktemp("classifier"))
    return load_model(f"hf:{folder}", task), NumpyBert(folder, "BertForSequenceClassification")


def changes(kind, positions=()):
    """What an intervention does to the weights of a layer, in numpy."""

    def change(layer, weights):
        changed = weights.copy()
        for own, head in HEADS_CHANGED:
            if own != layer:
                continue
            if kind == "mask":
                changed[head] = 0
            elif kind == "uniform":
                changed[head] = 1 / weights.shape[-1]
            else:
                changed[head][:, list(positions)] = 0
                changed[head] /= changed[head].sum(-1, keepdims=True)
        return changed

    return change


def cloze_of(ids, position):
    masked = (*ids[:position], 4, *ids[position + 1 :])
    return Cloze(masked, (position,) * 3, (5, 6, 7))


def stated(sequences, position=2):
    """One position to erase in each of many sequences."""
    return tuple((tuple(ids), (position,)) for ids in dict.fromkeys(map(tuple, sequences)))


# --- exactness ---


def test_without_a_change_the_network_in_numpy_is_that_network(bert, plain):
    for words, one in zip(SENTENCES, bert.attentions(SENTENCES), strict=True):
        del words
        np.testing.assert_allclose(one.weights, plain.run(one.ids)[1], atol=1e-5)


@pytest.mark.parametrize("kind", ["mask", "uniform", "erase"])
def test_masked_probabilities_are_exact(bert, plain, kind):
    encoded = bert.encode(TEXTS)
    clozes = [cloze_of(one.ids, 1) for one in encoded]
    erased = stated(cloze.ids for cloze in clozes) if kind == "erase" else ()
    model = bert.intervened(Intervention(kind, HEADS_CHANGED, erased))
    found = model.masked_logprobs([tuple(clozes)])[0]  # one batch, with padding
    moved = []
    for cloze, values in zip(clozes, found, strict=True):
        wanted = plain.masked_logprobs(cloze.ids, 1, changes(kind, (2,)))
        np.testing.assert_allclose(values, wanted[[5, 6, 7]], atol=2e-5)
        moved.append(np.abs(wanted - plain.masked_logprobs(cloze.ids, 1)).max())
    assert max(moved) > 0.01


@pytest.mark.parametrize("kind", ["mask", "uniform", "erase"])
def test_predictions_of_a_classifier_are_exact(classifier, kind, make):
    model, plain = classifier
    ids = [one.ids for one in model.encode(TEXTS)]
    erased = stated(ids) if kind == "erase" else ()
    changed = model.intervened(Intervention(kind, HEADS_CHANGED, erased))
    for own, answer in zip(ids, changed.predict(make(*TEXTS)), strict=True):
        wanted = plain.label_scores(own, changes(kind, (2,)))
        np.testing.assert_allclose(answer.scores, wanted, atol=1e-5)


def test_vectors_and_maps_are_changed_too(bert, plain):
    model = bert.intervened(Intervention("uniform", HEADS_CHANGED))
    found = model.representations([Passage(t) for t in TEXTS], poolings=["cls"], layers=[2])
    for text, vector in zip(TEXTS, found[:, 0, 0], strict=True):
        states, weights = plain.run(bert.encode([text])[0].ids, changes("uniform"))
        np.testing.assert_allclose(vector, states[0], atol=1e-4)
        (one,) = model.attentions([tuple(text.replace(",", " ,").replace("!", " !").split())])
        np.testing.assert_allclose(one.weights, weights, atol=1e-5)
        assert (one.weights[0, 1] == np.float32(1 / len(one.ids))).all()


def test_masked_heads_have_empty_rows_and_no_norm(bert):
    model = bert.intervened(Intervention("mask", ((1, 0),)))
    for weighting in ("raw", "value-norm"):
        for one in model.attentions(SENTENCES, weighting=weighting):
            assert not one.weights[1, 0].any()
            assert (one.weights[1, 1].sum(-1) > 0).all()


@pytest.mark.parametrize("kind", HEADS)
def test_no_heads_change_nothing(tmp_path, kind):
    folder = make_language_model(tmp_path, kind, head=HEADS[kind])
    model = load_model(f"hf:{folder}", TASK)
    same = model.intervened(Intervention("mask", ()))
    passages = [Passage(text) for text in TEXTS]
    for layer in (0, 2):
        one, two = (
            m.representations(passages, poolings=["mean"], layers=[layer]) for m in (model, same)
        )
        np.testing.assert_allclose(one, two, atol=1e-5)


@pytest.mark.parametrize("kind", ["GPT2", "Llama"])
def test_uniform_heads_of_decoders_see_what_has_come(tmp_path, kind):
    folder = make_language_model(tmp_path, kind, head=HEADS[kind])
    model = load_model(f"hf:{folder}", TASK)
    changed = model.intervened(Intervention("uniform", ((1, 1),)))
    for one in changed.attentions(SENTENCES):
        n = len(one.ids)
        wanted = np.tril(np.ones((n, n))) / np.arange(1, n + 1)[:, None]
        np.testing.assert_allclose(one.weights[1, 1], wanted, rtol=1e-6)
    query = Continuation(model.encode(TEXTS[:1])[0].ids)
    first, second = model.token_logprobs([query])[0], changed.token_logprobs([query])[0]
    assert max(abs(a - b) for a, b in zip(first, second, strict=True)) > 1e-3
    # with its last layer in one place, the answer is that of the changed weights by hand
    alone = model.intervened(Intervention("mask", ((0, 0), (0, 1), (1, 0), (1, 1))))
    assert alone.token_logprobs([query]) != changed.token_logprobs([query])


def test_a_row_that_loses_everything_is_zero(tmp_path):
    folder = make_language_model(tmp_path, "GPT2", head="LMHeadModel")
    model = load_model(f"hf:{folder}", TASK)
    (own,) = model.attentions([("bad", "film")])
    erased = Intervention("erase", ((0, 0),), ((own.ids, (0,)),))
    (one,) = model.intervened(erased).attentions([("bad", "film")])
    assert one.weights[0, 0].tolist() == [[0, 0], [0, 1]]
    np.testing.assert_allclose(one.weights[0, 1], own.weights[0, 1], atol=1e-6)


# --- erasing ---


def test_each_sequence_has_its_own_positions(bert, plain):
    ids = [one.ids for one in bert.encode(TEXTS)]
    places = [(1,), (), (2, 3, 4), (0, 1)]
    change = Intervention("erase", HEADS_CHANGED, tuple(zip(ids, places, strict=True)))
    passages = [Passage(text) for text in TEXTS]
    found = bert.intervened(change).representations(passages, poolings=["cls"], layers=[2])
    for own, erased, vector in zip(ids, places, found[:, 0, 0], strict=True):
        wanted = plain.run(own, changes("erase", erased))[0][0]
        np.testing.assert_allclose(vector, wanted, atol=1e-4)


def test_a_sequence_without_stated_positions_fails_alone(classifier, bert, make):
    model, _ = classifier
    known = stated([model.encode(["bad"])[0].ids], 1)
    changed = model.intervened(Intervention("erase", HEADS_CHANGED, known))
    answers = predict_or_fail(changed, make("bad", "it was fine"))
    assert not isinstance(answers[0], Failure)
    assert answers[1].reason == "not_stated"
    change = Intervention("erase", HEADS_CHANGED, stated([bert.encode(["bad"])[0].ids], 1))
    one, two = bert.intervened(change).attentions([("bad",), ("it", "was", "fine")])
    assert not isinstance(one, Failure)
    assert two.reason == "not_stated"


# --- the model itself ---


def test_the_model_itself_answers_as_before(classifier, make):
    model, _ = classifier
    before = model.predict(make(*TEXTS))
    changed = model.intervened(Intervention("uniform", HEADS_CHANGED))
    other = changed.predict(make(*TEXTS))
    assert other != before
    assert model.predict(make(*TEXTS)) == before
    stream = changed.attentions(SENTENCES)
    next(stream)
    assert model.predict(make(*TEXTS)) == before
    assert changed.predict(make(*TEXTS)) == other


def test_it_is_a_model_with_a_fingerprint_of_its_own(bert):
    made = [
        Intervention("mask", ((0, 0),)),
        Intervention("mask", ((0, 1),)),
        Intervention("uniform", ((0, 0),)),
        Intervention("erase", ((0, 0),), (((2, 3), (1,)),)),
        Intervention("erase", ((0, 0),), (((2, 3), (0,)),)),
    ]
    models = [bert.intervened(one) for one in made]
    assert isinstance(bert, Intervenes)
    assert all(isinstance(model, Model) for model in models)
    prints = {bert.fingerprint(), *(model.fingerprint() for model in models)}
    assert len(prints) == 6
    assert bert.intervened(made[0]).fingerprint() == models[0].fingerprint()


def test_only_what_the_change_reaches_can_be_asked(bert):
    model = bert.intervened(Intervention("mask", ((0, 0),)))
    assert "landscape" in bert.capabilities
    assert model.capabilities == bert.capabilities - {
        "landscape",
        "logprob_slopes",
        "head_interventions",
    }
    assert not hasattr(model, "landscape")
    assert not hasattr(model, "intervened")
    assert model.encode(["bad"]) == bert.encode(["bad"])
    assert model.mask_id == bert.mask_id
    with pytest.raises(ModelError):
        ask_or_fail(model, "token_logprobs", [Continuation((1, 2))])


def test_an_error_leaves_the_network_as_it_was(bert, monkeypatch):
    network = bert._runner.network
    model = bert.intervened(Intervention("mask", ((0, 0),)))

    def fail(*args, **kwargs):
        raise RuntimeError("broken")

    with monkeypatch.context() as patched:
        patched.setattr(network.bert.encoder.layer[1], "forward", fail)
        with pytest.raises(RuntimeError, match="broken"):
            model.representations([Passage("bad")], poolings=["cls"], layers=[2])
    assert network.config._attn_implementation == "sdpa"
    assert not network.base_model._forward_pre_hooks
    assert len(list(model.attentions(SENTENCES))) == len(SENTENCES)


# --- what is refused ---


@pytest.mark.parametrize("head", [(2, 0), (0, 2)])
def test_unknown_heads_are_refused(bert, head):
    with pytest.raises(ConformanceError, match=r"no head \(.*layers are 0 to 1, heads 0 to 1"):
        bert.intervened(Intervention("mask", (head,)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("drop", ()), "mask, uniform, erase"),
        (("mask", ((-1, 0),)), "counted from 0"),
        (("mask", (), (((1, 2), (0,)),)), "Only 'erase'"),
        (("erase", (), (((1, 2), (0,)), ((1, 2), (1,)))), "twice"),
        (("erase", (), (((1, 2), (2,)),)), "0 to 1"),
    ],
)
def test_interventions_that_make_no_sense_are_refused(arguments, message):
    with pytest.raises(ConformanceError, match=message):
        Intervention(*arguments)


def test_a_network_that_cannot_be_changed_says_so(bert, monkeypatch):
    monkeypatch.setattr(bert._attention, "is_open", False)
    with pytest.raises(ModelError, match="BertForPreTraining cannot be changed"):
        bert.intervened(Intervention("mask", ()))


def test_what_a_changed_model_can_be_asked_is_its_own_member(bert, classifier):
    """As ``isinstance`` of a protocol looks for it from Python 3.12 on."""
    changed = bert.intervened(Intervention("mask", ((0, 0),)))
    for name in ("encode", "masked_logprobs", "next_sentence", "representations", "n_layers"):
        inspect.getattr_static(changed, name)
    assert isinstance(changed, Attends)
    assert not isinstance(changed, Intervenes)
    assert not hasattr(changed, "token_logprobs")
    of_classes = classifier[0].intervened(Intervention("mask", ((0, 0),)))
    assert not hasattr(of_classes, "masked_logprobs")
    inspect.getattr_static(of_classes, "encode")
