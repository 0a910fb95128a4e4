"""Gradients along paths and by parameters: complete, in closed form, equal to autograd's."""

import json
from collections import Counter
from functools import cache

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tiny_bert import make_checkpoint  # noqa: E402
from tiny_language import GPT2_SIZES, make_plain_tokenizer  # noqa: E402

from scrutiny.core.diagnostic import Failure  # noqa: E402
from scrutiny.core.errors import ConformanceError, ModelError  # noqa: E402
from scrutiny.core.example import Example  # noqa: E402
from scrutiny.core.model import LoadOptions  # noqa: E402
from scrutiny.core.queries.gradients import (  # noqa: E402
    FollowsPaths,
    HasParameters,
    InputPiece,
    ParameterGradient,
    PathGradient,
    PathGradients,
)
from scrutiny.models.answers.language_answers import ask_or_fail  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402
from scrutiny.models.words.attention_classifier import (  # noqa: E402
    ENCODERS,
    Architecture,
    AttentionClassifier,
    AttentionParts,
    make_network,
)
from scrutiny.models.words.linear_classifier import BITS, LinearParts, LinearWordModel  # noqa: E402
from scrutiny.models.words.recurrent_classifier import (  # noqa: E402
    RecurrentArchitecture,
    RecurrentClassifier,
    RecurrentParts,
    make_recurrent,
)
from scrutiny.models.words.word_model import Vocabulary  # noqa: E402
from scrutiny.run.asking.answer_store import forgetful_store  # noqa: E402
from scrutiny.run.asking.client import ModelClient  # noqa: E402
from scrutiny.testing import KeywordClassifier  # noqa: E402

TEXTS = ["the film was good", "bad", "a very dull story , and not a good film !", ""]
LABELS = ["neg", "pos", "pos", "neg"]
WORDS = ("good", "bad", "film", "the", "story", "a")
BASELINES = ["zeros", "unknown", "pad", "mean"]
KINDS = ["hf", "recurrent", *(f"attention-{name}" for name in ENCODERS), "linear"]


def linear(*, has_pairs=False):
    weights = np.array([[-1, 2], [1, -1], [0, 1], [0, 0], [1, 1], [-2, 0]]) << BITS
    return LinearParts(WORDS, ("neg", "pos"), weights, np.array([1, 0]) << BITS, has_pairs)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_checkpoint(tmp_path_factory.mktemp("queries"))


loaded = cache(load_model)  # no test changes what it has loaded


@pytest.fixture
def model(request, folder, classification):
    kind, _, encoder = request.param.partition("-")
    if kind == "hf":
        return loaded(f"hf:{folder}", classification)
    if kind == "linear":
        return LinearWordModel(linear(), "linear:here")
    known, sizes = Vocabulary(WORDS), {"n_words": len(WORDS), "n_labels": 2, "seed": 3}
    if kind == "recurrent":
        made = RecurrentArchitecture(embedding=5, hidden=4)
        parts = RecurrentParts(made, known, ("neg", "pos"), make_recurrent(made, **sizes))
        return RecurrentClassifier(doubled(parts), "recurrent:here")
    made = Architecture(encoder, "tanh", embedding=6, hidden=4, widths=(1, 3))
    parts = AttentionParts(made, known, ("neg", "pos"), make_network(made, **sizes))
    return AttentionClassifier(doubled(parts), f"attention-classifier:{encoder}")


def doubled(parts):
    """Weights for which answers differ visibly."""
    with torch.no_grad():
        for values in parts.network.parameters():
            values.mul_(2)
    return parts


def paths(make, **settings):
    return [PathGradient.of(e, y, **settings) for e, y in zip(make(*TEXTS), LABELS, strict=True)]


def of_parameters(make, *names):
    examples = make(*TEXTS)
    return [ParameterGradient.of(e, y, names) for e, y in zip(examples, LABELS, strict=True)]


def flat(gradient):
    return np.concatenate([np.array(row) for row in gradient])


@pytest.mark.parametrize("model", KINDS, indirect=True)
@pytest.mark.parametrize("baseline", BASELINES)
def test_attributions_sum_to_the_difference_of_the_scores(model, baseline, make):
    assert isinstance(model, FollowsPaths)
    few = model.path_gradients(paths(make, baseline=baseline, steps=64))
    many = model.path_gradients(paths(make, baseline=baseline, steps=128))
    for text, one, two in zip(TEXTS, few, many, strict=True):
        assert len(one.attributions) == len(text.split())
        difference = two.scores[1] - two.scores[0]
        scale = max(map(abs, (difference, *two.attributions)))
        assert sum(two.attributions) == pytest.approx(difference, abs=0.05 * scale + 1e-12)
        has_kinks = model.source.startswith("recurrent") or "conv" in model.source
        assert two.gap <= max(one.gap, 0.05 if has_kinks else 1e-4)
        np.testing.assert_allclose(one.scores, two.scores, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("model", KINDS, indirect=True)
def test_the_score_at_the_text_is_the_models_own_logit(model, make):
    """Differences of two labels' logits are those of the logarithms of their probabilities."""
    by_label = [
        model.path_gradients([PathGradient.of(e, label, steps=1) for e in make(*TEXTS)])
        for label in model.labels
    ]
    for answer, neg, pos in zip(model.predict(make(*TEXTS)), *by_label, strict=True):
        expected = np.log(answer.scores[1]) - np.log(answer.scores[0])
        assert pos.scores[1] - neg.scores[1] == pytest.approx(expected, rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("model", KINDS, indirect=True)
def test_pieces_stand_in_their_text(model, make):
    query, *_ = paths(make, steps=2)
    (found,) = model.path_gradients([query])
    assert [TEXTS[0][p.start : p.end] for p in found.pieces(query)] == TEXTS[0].split()
    assert found.pieces(query)[0] == InputPiece("text", 0, 3)


@pytest.mark.parametrize("model", KINDS, indirect=True)
def test_no_answer_depends_on_the_others(model, make):
    together = model.path_gradients(paths(make, steps=8))
    alone = [model.path_gradients([query])[0] for query in paths(make, steps=8)]
    for one, two in zip(together, alone, strict=True):
        np.testing.assert_allclose(one.attributions, two.attributions, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("model", KINDS, indirect=True)
def test_a_baseline_of_the_unknown_word_gives_unknown_words_nothing(model, make):
    if model.source.startswith("hf:"):
        text = "zzz film"
    else:
        text = "zzz good"
    (found,) = model.path_gradients([PathGradient.of(make(text)[0], "pos", baseline="unknown")])
    assert found.attributions[0] == pytest.approx(0.0, abs=1e-9)


def test_a_linear_model_attributes_its_weights(make):
    model = LinearWordModel(linear(), "linear:here")
    query = PathGradient.of(make("a good good film")[0], "pos", steps=1)
    (found,) = model.path_gradients([query])
    assert found.attributions == (0.0, 2.0, 2.0, 1.0)
    assert found.scores == (0.0, 5.0)
    assert found.gap == 0.0


def test_a_linear_models_parameters_have_their_closed_form(make):
    """Slope of minus the log-probability: counts times (probabilities minus the target)."""
    model = LinearWordModel(linear(), "linear:here")
    example = make("a good good film")[0]
    (answer,) = model.predict([example])
    slope = np.array(answer.scores) - [0, 1]
    counts = Counter(example.text.split())
    weights, bias = model.parameter_gradients([ParameterGradient.of(example, "pos")])[0]
    np.testing.assert_allclose(
        np.reshape(weights, (-1, 2)), np.outer([counts[w] for w in WORDS], slope)
    )
    np.testing.assert_allclose(bias, slope)
    only = model.parameter_gradients([ParameterGradient.of(example, "pos", ("bias",))])
    assert only == [(bias,)]
    pairs = LinearWordModel(linear(has_pairs=True), "linear:here")
    assert "parameter_gradients" in pairs.capabilities
    assert "path_gradients" not in pairs.capabilities


def by_autograd(model, text, label):
    """Gradient of one item's loss by the last layer, by hand."""
    if model.source.startswith("hf:"):
        network = model._forward.network
        inputs = model._tokenizer(text, return_tensors="pt", truncation=True)
        last = [network.classifier.weight, network.classifier.bias]
        ask = lambda: network(**inputs).logits  # noqa: E731
    else:
        network = model._network
        last = [network["output"].weight, network["output"].bias]
        ids, lengths, is_word = model._sequences([model._parts.vocabulary.cut(text)])
        ask = lambda: model._parts.logits(network["embedding"](ids), lengths, is_word)  # noqa: E731
    for parameter in last:
        parameter.requires_grad_(True)
    loss = -torch.log_softmax(ask(), -1)[0, model.labels.index(label)]
    slopes = torch.autograd.grad(loss, last)
    for parameter in last:
        parameter.requires_grad_(False)
    return np.concatenate([slope.flatten().numpy() for slope in slopes])


@pytest.mark.parametrize("model", KINDS[:-1], indirect=True)
def test_gradients_of_the_last_layer_are_those_of_autograd_on_each_item(model, make):
    assert isinstance(model, HasParameters)
    found = model.parameter_gradients(of_parameters(make))
    for text, label, one in zip(TEXTS, LABELS, found, strict=True):
        expected = by_autograd(model, text, label)
        assert expected.any()
        np.testing.assert_allclose(flat(one), expected, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("model", KINDS, indirect=True)
def test_parameters_are_chosen_by_name_and_answers_stay(model, make):
    before = model.predict(make(*TEXTS))
    first, last = model.parameter_names[0], model.parameter_names[-1]
    queries = [*of_parameters(make, last, first), *of_parameters(make, last)]
    found = model.parameter_gradients(queries)
    for both, one in zip(found[:4], found[4:], strict=True):
        assert len(both) == 2
        assert both[0] == pytest.approx(one[0], rel=1e-4, abs=1e-6)
    assert model.predict(make(*TEXTS)) == before
    with pytest.raises(ModelError, match="no parameter 'head'"):
        model.parameter_gradients(of_parameters(make, "head"))
    with pytest.raises(ModelError, match="no label 'good'"):
        model.parameter_gradients([ParameterGradient.of(make("a")[0], "good")])


def test_pairs_have_pieces_in_both_texts_and_padding_on_the_left_is_none(tmp_path, folder, pairs):
    model = load_model(f"hf:{folder}", pairs)
    example = Example("0", {"text": "bad film", "text_pair": "not a good story"})
    query = PathGradient.of(example, "pos")
    (found,) = model.path_gradients([query])
    assert found.fields == (0, 0, 1, 1, 1, 1)
    assert found.pieces(query)[2] == InputPiece("text_pair", 0, 3)
    left = make_checkpoint(tmp_path / "left")
    path = left / "tokenizer_config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "padding_side": "left"}))
    turned = load_model(f"hf:{left}", pairs)
    longer = PathGradient.of(Example("1", dict.fromkeys(("text", "text_pair"), "the film")), "pos")
    other, _ = turned.path_gradients([query, longer])
    assert other.pieces(query) == found.pieces(query)


def test_a_decoder_and_half_precision_are_followed(tmp_path, classification, make):
    torch.manual_seed(0)
    config = transformers.GPT2Config(**GPT2_SIZES, bos_token_id=3, eos_token_id=3, pad_token_id=3)
    transformers.GPT2ForSequenceClassification(config).save_pretrained(tmp_path / "gpt2")
    make_plain_tokenizer(tmp_path / "gpt2")
    decoder = load_model(f"hf:{tmp_path / 'gpt2'}", classification)
    (found,) = decoder.path_gradients([PathGradient.of(make("good film")[0], "1")])
    assert found.gap <= 0.05
    (rows,) = decoder.parameter_gradients([ParameterGradient.of(make("good film")[0], "1")])
    assert len(rows) == 1  # its last layer has no bias
    half = load_model(f"hf:{make_checkpoint(tmp_path / 'b', dtype=torch.bfloat16)}", classification)
    assert all(one.gap <= 0.05 for one in half.path_gradients(paths(make, steps=64)))


def test_small_batches_change_nothing(folder, classification, make):
    model = load_model(f"hf:{folder}", classification)
    alone = load_model(f"hf:{folder}", classification, LoadOptions(batch=4))
    for one, two in zip(
        model.path_gradients(paths(make)), alone.path_gradients(paths(make)), strict=True
    ):
        np.testing.assert_allclose(one.attributions, two.attributions, rtol=1e-4, atol=1e-5)


def test_what_cannot_be_asked_is_refused_with_a_reason(folder, classification, make):
    query = PathGradient.of(make("good")[0], "pos")
    with pytest.raises(ModelError, match=r"cannot be asked for path_gradients\. It has: predict"):
        ask_or_fail(KeywordClassifier(), "path_gradients", [query])
    with pytest.raises(ModelError, match="cannot be asked for parameter_gradients"):
        ask_or_fail(
            KeywordClassifier(), "parameter_gradients", [ParameterGradient.of(make("a")[0], "pos")]
        )
    model = load_model(f"hf:{folder}", classification)
    with pytest.raises(ConformanceError, match="starts from one of zeros, unknown"):
        ask_or_fail(model, "path_gradients", [query._replace(baseline="nowhere")])
    with pytest.raises(ConformanceError, match="at least one step"):
        ask_or_fail(model, "path_gradients", [query._replace(steps=0)])
    with pytest.raises(ModelError, match="no label 'good'"):
        ask_or_fail(model, "path_gradients", [query._replace(target="good")])


def test_a_tokenizer_without_unknown_word_starts_from_zeros(tmp_path, classification, make):
    folder = make_checkpoint(tmp_path)
    model = load_model(f"hf:{folder}", classification)
    model._tokenizer.unk_token = None
    with pytest.raises(ModelError, match="Start from zeros"):
        model.path_gradients(paths(make, baseline="unknown"))
    assert len(model.path_gradients(paths(make, steps=1))) == len(TEXTS)


class Answering:
    """A model that gives one answer to every query."""

    source = "test:model"

    def __init__(self, answer):
        self.capabilities = frozenset({"path_gradients", "parameter_gradients"})
        self.path_gradients = self.parameter_gradients = lambda queries: [answer] * len(queries)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (((0.5,), (0,), (0,), (4,), (0.0, 1.0)), "incomplete_path"),
        (((float("nan"),), (0,), (0,), (4,), (0.0, 1.0)), "non_finite"),
        (((1.0,), (0,), (0,), (9,), (0.0, 1.0)), "bad_answer"),
        (((1.0,), (0,)), "bad_answer"),
        (((1.0,), (0,), (0,), (4,), (0.0, 1.0)), None),
    ],
)
def test_answers_are_checked(answer, reason, make):
    query = PathGradient.of(make("good")[0], "pos", steps=4)
    (found,) = ask_or_fail(Answering(answer), "path_gradients", [query])
    assert isinstance(found, Failure if reason else PathGradients)
    assert getattr(found, "reason", None) == reason
    if reason == "incomplete_path":
        assert "by 50 % in 4 steps; double them" in found.message


@pytest.mark.parametrize(
    ("answer", "reason"),
    [(((1.0,),), None), (((1.0,), (2.0,)), "bad_answer"), (((float("inf"),),), "non_finite")],
)
def test_rows_of_parameters_are_checked(answer, reason, make):
    query = ParameterGradient.of(make("good")[0], "pos", ("bias",))
    (found,) = ask_or_fail(Answering(answer), "parameter_gradients", [query])
    assert getattr(found, "reason", None) == reason


@pytest.mark.parametrize("model", ["hf", "linear"], indirect=True)
def test_a_client_keeps_them_and_takes_the_datas_labels(model, make):
    known = {}
    store = forgetful_store()
    store = type(store)(
        lambda keys: {key: known[key] for key in keys if key in known},
        known.update,
        store.memo,
        store.set_memo,
    )
    to_data = {"neg": "0", "pos": "1"}
    examples = make(*TEXTS)
    queries = {
        "path_gradients": [PathGradient.of(e, "1") for e in [*examples, examples[0]]],
        "parameter_gradients": [ParameterGradient.of(e, "1") for e in examples],
    }
    for capability, asked in queries.items():
        first = ModelClient(model, store, fingerprint="f", to_data=to_data, digest="d")
        found = first.ask(capability, asked)
        assert first.tally.asked == len(TEXTS)  # each distinct one once
        direct = getattr(model, capability)([query._replace(target="pos") for query in asked])
        for one, two in zip(found, direct, strict=True):
            np.testing.assert_allclose(flat(one), flat(two), rtol=1e-4, atol=1e-5)
        again = ModelClient(model, store, fingerprint="f", to_data=to_data, digest="d")
        assert again.ask(capability, asked) == found
        assert (again.tally.asked, again.tally.cached) == (0, len(asked))
    assert isinstance(again.ask("path_gradients", queries["path_gradients"])[0], PathGradients)


@pytest.mark.parametrize(
    ("answer", "told"),
    [(((0.5,), (0,), (0,), (4,), (0.0, 1.0)), 0), (((1.0,), (0,), (0,), (9,), (0.0, 1.0)), 1)],
)
def test_nothing_is_told_of_paths_that_more_steps_may_complete(answer, told, make):
    query = PathGradient.of(make("good")[0], "pos", steps=4)
    model = KeywordClassifier()
    model.capabilities = frozenset({"path_gradients"})
    model.path_gradients = lambda queries: [answer] * len(queries)
    client = ModelClient(model, forgetful_store(), fingerprint="f", to_data={}, digest="d")
    (found,) = client.ask("path_gradients", [query])
    assert isinstance(found, Failure)
    assert len(client.tally.failures) == told


@pytest.mark.parametrize("model", ["hf", "recurrent", "attention-conv", "linear"], indirect=True)
def test_shuffled_weights_answer_otherwise_and_leave_the_model_as_it_was(model, make):
    examples = make(*TEXTS)
    before = [one.scores for one in model.predict(examples)]
    with model.with_shuffled_weights(1.0, seed=4) as other:
        shuffled = [one.scores for one in other.predict(examples)]
    with model.with_shuffled_weights(1.0, seed=4) as other:
        assert [one.scores for one in other.predict(examples)] == shuffled
    assert shuffled != before
    assert [one.scores for one in model.predict(examples)] == before
