"""Attention classifiers: against their formulas, on disk, and as a family."""

import json

import numpy as np
import pytest
from scipy.special import softmax

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from scrutiny.core.errors import ModelError, PlanError  # noqa: E402
from scrutiny.core.example import Example  # noqa: E402
from scrutiny.core.queries.attention import AttentionLayer  # noqa: E402
from scrutiny.models.strings.model_families import expand  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402
from scrutiny.models.words.attention_classifier import (  # noqa: E402
    ATTENTIONS,
    ENCODERS,
    Architecture,
    AttentionClassifier,
    AttentionParts,
    encoded,
    make_network,
    weighted,
)
from scrutiny.models.words.word_model import Vocabulary  # noqa: E402
from scrutiny.models.words.word_networks import (  # noqa: E402
    sequences_of,
    write_network,
)
from scrutiny.tasks.tasks import load_task  # noqa: E402
from scrutiny.testing import check_adapter  # noqa: E402

TASK = load_task("text-classification")
WORDS = tuple("the a film was good bad dull story and not".split())
TEXTS = ["the film was good", "a bad, dull story", "unknown", "the good and the bad film was not"]
ALL = [(encoder, attention) for encoder in ENCODERS for attention in ATTENTIONS]


def parts(encoder="bilstm", attention="tanh", *, seed=0):
    made = Architecture(encoder, attention, embedding=6, hidden=4, widths=(1, 3))
    network = make_network(made, n_words=len(WORDS), n_labels=3, seed=seed)
    return AttentionParts(made, Vocabulary(WORDS), ("x", "y", "z"), network)


def classifier(*args, **kwargs):
    return AttentionClassifier(parts(*args, **kwargs), "test:attention")


@pytest.mark.parametrize(("encoder", "attention"), ALL)
def test_it_keeps_the_promises_of_a_model(encoder, attention):
    model = classifier(encoder, attention)
    check_adapter(model)
    assert isinstance(model, AttentionLayer)
    again = classifier(encoder, attention)
    assert model.fingerprint() == again.fingerprint()
    assert model.fingerprint() != classifier(encoder, attention, seed=1).fingerprint()


@pytest.mark.parametrize(("encoder", "attention"), ALL)
def test_the_answer_is_the_mix_of_its_vectors(encoder, attention):
    model = classifier(encoder, attention)
    output = model._network["output"]
    for text, answer in zip(
        TEXTS, model.predict([Example("e", {"text": t}) for t in TEXTS]), strict=True
    ):
        (one,) = model.attention_layer([text])
        assert len(one.tokens) == len(one.weights) == len(one.vectors)
        assert one.weights.sum() == pytest.approx(1.0)
        context = torch.from_numpy(one.weights @ one.vectors)
        expected = torch.softmax(output(context), -1).numpy()
        assert one.probabilities == pytest.approx(expected)
        assert one.probabilities == pytest.approx(np.array(answer.scores))
        same = model.reweighted([one], one.weights[None, None])[0, 0]
        assert same == pytest.approx(one.probabilities)


@pytest.mark.parametrize(("encoder", "attention"), ALL)
def test_padding_reaches_nobody(encoder, attention):
    """A batch of texts of all lengths, as in training, gives what each text gives alone."""
    own = parts(encoder, attention)
    model = AttentionClassifier(own, "test:attention")
    ids = [own.vocabulary.ids(own.vocabulary.cut(text)) for text in TEXTS]
    padded, lengths, is_word = sequences_of(ids)
    with torch.inference_mode():
        embedded = own.network["embedding"](padded)
        vectors = encoded(own.network, own.architecture, embedded, lengths)
        weights = weighted(own.network, own.architecture, vectors, is_word)
    for i, one in enumerate(model.attention_layer(TEXTS)):
        n = len(one.tokens)
        assert vectors[i, 1 : 1 + n].numpy() == pytest.approx(one.vectors)
        assert weights[i, 1 : 1 + n].numpy() == pytest.approx(one.weights)
        assert float(weights[i, 0]) == float(weights[i, 1 + n]) == 0.0


@pytest.mark.parametrize(("encoder", "attention"), ALL)
def test_slopes_of_weights_are_those_of_autograd(encoder, attention):
    model = classifier(encoder, attention)
    (one,) = model.attention_layer(TEXTS[:1])
    weights = torch.tensor(one.weights, requires_grad=True)
    output = model._network["output"]
    p = torch.softmax(output(weights @ torch.from_numpy(one.vectors)), -1)
    direction = np.array([1.0, -0.5, 2.0])
    (expected,) = torch.autograd.grad((p * torch.from_numpy(direction)).sum(), weights)
    found = model.reweighted_slopes([one], one.weights[None, None], direction[None, None])[0, 0]
    assert found == pytest.approx(expected.numpy())


@pytest.mark.parametrize("encoder", ENCODERS)
def test_input_times_gradient_is_that_of_small_steps(encoder):
    """Scaling a word's embedding by 1 + h changes the answer by h times the slope."""
    own = parts(encoder)
    model = AttentionClassifier(own, "test:attention")
    (one,) = model.attention_layer(TEXTS[:1])
    (found,) = model.input_slopes([one])
    top, step = int(one.probabilities.argmax()), 1e-6
    padded, lengths, _ = sequences_of([own.vocabulary.ids(one.tokens)])
    with torch.inference_mode():
        embedded = own.network["embedding"](padded)
        for i in range(len(one.tokens)):
            sides = []
            for sign in (1, -1):
                moved = embedded.clone()
                moved[0, i + 1] *= 1 + sign * step
                vectors = encoded(own.network, own.architecture, moved, lengths)[0, 1:-1]
                logits = own.network["output"](torch.from_numpy(one.weights) @ vectors)
                sides.append(float(torch.softmax(logits, -1)[top]))
            assert found[i] == pytest.approx((sides[0] - sides[1]) / (2 * step), abs=1e-8)


@pytest.mark.parametrize("encoder", ENCODERS)
def test_leaving_a_word_out_is_reading_the_text_without_it(encoder):
    model = classifier(encoder)
    (one,) = model.attention_layer(TEXTS[:1])
    (found,) = model.without_each([one])
    words = TEXTS[0].split()
    for i in range(len(words)):
        shorter = " ".join(words[:i] + words[i + 1 :])
        (answer,) = model.predict([Example("e", {"text": shorter})])
        assert found[i] == pytest.approx(np.array(answer.scores))
    (single,) = model.attention_layer(["good"])
    (answer,) = model.predict([Example("e", {"text": " "})])
    assert model.without_each([single])[0][0] == pytest.approx(np.array(answer.scores))


def test_only_the_projection_keeps_a_words_vector_to_itself():
    for encoder in ENCODERS:
        model = classifier(encoder)
        one, other = model.attention_layer(["good film", "good story"])
        assert np.allclose(one.vectors[0], other.vectors[0]) == (encoder == "projection")


def test_nothing_attended_to_is_the_bias():
    model = classifier()
    (one,) = model.attention_layer(TEXTS[:1])
    bias = model._network["output"].bias.numpy()
    assert model.reweighted([one], np.zeros((1, 1, 4)))[0, 0] == pytest.approx(softmax(bias))


def test_a_folder_gives_back_what_was_written(tmp_path):
    own = parts("conv", "dot")
    write_network(own, tmp_path)
    model = load_model(f"attention-classifier:{tmp_path}", TASK)
    assert model.fingerprint() == own.digest() == load_model(model.source, TASK).fingerprint()
    assert model.labels == ("x", "y", "z")
    assert "training_hashes" not in model.capabilities
    named = load_model(f"attention-classifier:{tmp_path}#labels=p|q|r", TASK)
    assert named.labels == ("p", "q", "r")
    files = {path.name for path in tmp_path.iterdir()}
    assert files == {"config.json", "vocabulary.json", "model.safetensors"}


def test_untrained_ones_have_the_words_and_other_weights(tmp_path):
    write_network(parts(), tmp_path)
    source = f"attention-classifier:{tmp_path}"
    family = expand(f"{source}#untrained={{seed}}", name="null", seeds=(0, 1), role="null")
    models = [load_model(one.source, TASK) for one in family.replicates]
    prints = {model.fingerprint() for model in [*models, load_model(source, TASK)]}
    assert len(prints) == 2  # the trained one here was itself drawn with seed 0
    assert [one.key for one in family.replicates] == ['{"seed":"0"}', '{"seed":"1"}']
    state = torch.get_rng_state()
    load_model(f"{source}#untrained=7", TASK)
    assert torch.equal(state, torch.get_rng_state())


def test_families_on_the_disk_are_found(tmp_path):
    for seed in (1, 2, 10):
        folder = tmp_path / f"seed-{seed}"
        folder.mkdir()
        write_network(parts(seed=seed), folder)
    family = expand(f"attention-classifier:{tmp_path}/seed-{{seed}}", name="m")
    assert [one.random for one in family.replicates] == [{"seed": s} for s in ("1", "2", "10")]


def test_folders_that_hold_something_else_are_refused(tmp_path):
    source = f"attention-classifier:{tmp_path}"
    with pytest.raises(ModelError, match=r"cannot be read.*train attention"):
        load_model(source, TASK)
    (tmp_path / "config.json").write_text(json.dumps({"architectures": ["BertModel"]}))
    with pytest.raises(ModelError, match="write hf: in front"):
        load_model(source, TASK)
    write_network(parts(), tmp_path)
    with pytest.raises(ModelError, match=r"has 3 labels, in the order x\|y\|z"):
        load_model(f"{source}#labels=a|b", TASK)
    with pytest.raises(ModelError, match="untrained is a whole number"):
        load_model(f"{source}#untrained=x", TASK)
    with pytest.raises(ModelError, match="cannot answer the task token-tagging"):
        load_model(source, load_task("token-tagging"))
    (tmp_path / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(ModelError, match="does not load"):
        load_model(source, TASK)
    (tmp_path / "vocabulary.json").write_text("{}")
    with pytest.raises(ModelError, match="must be a list of words"):
        load_model(source, TASK)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"encoder": "lstm"}, "encoder is one of"),
        ({"attention": "sdpa"}, "attention is one of"),
        ({"hidden": 1}, "hidden must be at least 2"),
        ({"widths": (2,)}, "widths are odd"),
    ],
)
def test_strange_architectures_are_refused(values, message):
    with pytest.raises(PlanError, match=message):
        Architecture(**values)
