"""Networks that read words in their context: answers by hand, batches, gradients, taggers."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from scrutiny.core.diagnostic import Failure  # noqa: E402
from scrutiny.core.errors import ModelError, PlanError  # noqa: E402
from scrutiny.core.example import Span  # noqa: E402
from scrutiny.core.queries.language import Passage  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402
from scrutiny.models.words.convolution_classifier import (  # noqa: E402
    ConvolutionArchitecture,
    ConvolutionParts,
)
from scrutiny.models.words.recurrent_classifier import (  # noqa: E402
    RecurrentArchitecture,
    RecurrentParts,
)
from scrutiny.models.words.self_attention_classifier import (  # noqa: E402
    SelfAttentionArchitecture,
    SelfAttentionParts,
    positions,
)
from scrutiny.models.words.sequence_networks import (  # noqa: E402
    POOLINGS,
    SequenceClassifier,
)
from scrutiny.models.words.sequence_taggers import SequenceTagger  # noqa: E402
from scrutiny.models.words.word_model import BEGIN, END, Vocabulary  # noqa: E402
from scrutiny.models.words.word_networks import fresh_parts, write_network  # noqa: E402
from scrutiny.tasks.tags import bio_names  # noqa: E402
from scrutiny.testing import check_adapter  # noqa: E402

WORDS = Vocabulary(("good", "bad", "film", "the", "."))
TEXTS = ["The film was good.", "bad", "", "good good bad film the the film"]
TAGS = bio_names(["NOUN", "ADJ"])
KINDS = {
    "convolution": (ConvolutionParts, ConvolutionArchitecture),
    "self-attention": (SelfAttentionParts, SelfAttentionArchitecture),
    "recurrent": (RecurrentParts, RecurrentArchitecture),
}


def parts_of(kind, *, tags=False, **choices):
    parts, architecture = KINDS[kind]
    made = architecture(embedding=4, hidden=6, **choices)
    names, answer = (TAGS, "spans") if tags else (("neg", "pos"), "label")
    found = fresh_parts(parts, made, WORDS, labels=names, seed=3, answer=answer)
    with torch.no_grad():  # answers that differ visibly
        for values in found.network.parameters():
            values.mul_(1.5)
    return found


def softmax(values):
    powers = np.exp(values - values.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def weights(parts):
    return {n: v.double().numpy() for n, v in parts.network.state_dict().items()}


def embedded(parts, text):
    ids = [BEGIN, *WORDS.ids(WORDS.cut(text)), END]
    return weights(parts)["embedding.weight"][ids]


def read_out(parts, vectors):
    own, pooling = weights(parts), parts.architecture.pooling
    vector = {"last": vectors[-1], "max": vectors.max(0), "mean": vectors.mean(0)}[pooling]
    return softmax(own["output.weight"] @ vector + own["output.bias"])


def convolved(parts, text):
    """Vectors of a text by sums over the words that stand in each window."""
    own, vectors = weights(parts), embedded(parts, text)
    for layer in range(parts.architecture.layers):
        kernel = own[f"convolution.{layer}.weight"]  # (out, in, place)
        half, given = kernel.shape[2] // 2, vectors
        vectors = np.zeros((len(given), len(kernel)))
        for place in range(len(given)):
            total = own[f"convolution.{layer}.bias"].copy()
            for offset in range(-half, half + 1):
                if 0 <= place + offset < len(given):
                    total += kernel[:, :, half + offset] @ given[place + offset]
            vectors[place] = np.maximum(total, 0)
    return vectors


def normed(values, weight, bias):
    centered = values - values.mean(-1, keepdims=True)
    return centered / np.sqrt(centered.var(-1, keepdims=True) + 1e-5) * weight + bias


def attended(parts, text):
    """Vectors of a text by the formulas of Vaswani et al., with normalization before each part."""
    own, made = weights(parts), parts.architecture
    vectors = embedded(parts, text)
    places, half = np.arange(len(vectors))[:, None], np.arange(0, made.embedding, 2)
    angles = places / 10_000 ** (half / made.embedding)
    vectors = vectors + np.stack([np.sin(angles), np.cos(angles)], -1).reshape(len(vectors), -1)
    size = made.embedding // made.heads
    for layer in range(made.layers):
        at = f"attention.{layer}."
        given = normed(vectors, own[f"{at}norm1.weight"], own[f"{at}norm1.bias"])
        mixed = given @ own[f"{at}self_attn.in_proj_weight"].T + own[f"{at}self_attn.in_proj_bias"]
        heads = []
        for head in range(made.heads):
            q, k, v = (
                part[:, head * size : (head + 1) * size] for part in np.split(mixed, 3, axis=1)
            )
            heads.append(softmax(q @ k.T / np.sqrt(size)) @ v)
        joined = np.concatenate(heads, 1)
        vectors = vectors + joined @ own[f"{at}self_attn.out_proj.weight"].T
        vectors = vectors + own[f"{at}self_attn.out_proj.bias"]
        given = normed(vectors, own[f"{at}norm2.weight"], own[f"{at}norm2.bias"])
        inner = np.maximum(given @ own[f"{at}linear1.weight"].T + own[f"{at}linear1.bias"], 0)
        vectors = vectors + inner @ own[f"{at}linear2.weight"].T + own[f"{at}linear2.bias"]
    end = f"attention.{made.layers}."
    return normed(vectors, own[f"{end}weight"], own[f"{end}bias"])


@pytest.mark.parametrize("pooling", POOLINGS)
@pytest.mark.parametrize(
    ("kind", "vectors", "choices"),
    [
        ("convolution", convolved, {"width": 3, "layers": 2}),
        ("convolution", convolved, {"width": 5}),
        ("self-attention", attended, {"heads": 2, "layers": 2}),
    ],
)
def test_answers_are_those_of_the_formulas(kind, vectors, choices, pooling, make):
    """One text at a time by hand, while the model pads them side by side."""
    parts = parts_of(kind, pooling=pooling, **choices)
    expected = [read_out(parts, vectors(parts, text)) for text in TEXTS]
    answers = SequenceClassifier(parts, f"{kind}:here").predict(make(*TEXTS))
    for answer, wanted in zip(answers, expected, strict=True):
        assert answer.scores == pytest.approx(wanted, abs=1e-12)
    assert len({answer.scores for answer in answers}) == len(TEXTS)


def test_a_convolution_sees_so_far_and_no_farther(make):
    """Two layers of three words: the closing boundary feels two words before it, not the third."""
    parts = parts_of("convolution", width=3, layers=2, pooling="last")
    model = SequenceClassifier(parts, "convolution:here")
    same, far, near = model.predict(make("bad the film .", "good the film .", "bad the good ."))
    assert same.scores == pytest.approx(far.scores, abs=1e-12)
    assert abs(same.scores[0] - near.scores[0]) > 1e-4


def test_self_attention_knows_the_order(make):
    model = SequenceClassifier(parts_of("self-attention", heads=2), "self-attention:here")
    one, other = model.predict(make("good film bad", "bad film good"))
    assert abs(one.scores[0] - other.scores[0]) > 1e-6
    assert positions(3, 4).shape == (3, 4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tags", [False, True])
def test_conformance(kind, tags):
    made = (SequenceTagger if tags else SequenceClassifier)(parts_of(kind, tags=tags), f"{kind}:x")
    own = {"gradients", "predict", "shuffled_weights"}
    followed = {"path_gradients", "parameter_gradients", "last_layer", "representations"}
    assert made.capabilities == (own if tags else own | followed)
    check_adapter(made)


@pytest.mark.parametrize("kind", KINDS)
def test_path_gradients_sum_to_the_difference(kind, make):
    from scrutiny.core.queries.gradients import PathGradient

    model = SequenceClassifier(parts_of(kind), f"{kind}:here")
    (example,) = make(TEXTS[3])
    (found,) = model.path_gradients([PathGradient.of(example, "pos", steps=1000)])
    start, end = found.scores
    assert sum(found.attributions) == pytest.approx(end - start, abs=1e-2)
    assert abs(end - start) > 1e-3


@pytest.mark.parametrize("kind", KINDS)
def test_taggers_answer_word_by_word(kind, make):
    """Spans and how sure they are, from the network's own tags of one text without a batch."""
    parts = parts_of(kind, tags=True)
    model = SequenceTagger(parts, f"{kind}:here")
    assert (model.task, model.labels) == ("token-tagging", ("NOUN", "ADJ"))
    answers = model.predict(make(*TEXTS))
    for text, answer in zip(TEXTS, answers, strict=True):
        ids, lengths, is_word = model._sequences([WORDS.cut(text)])
        with torch.no_grad():
            logits = parts.logits(parts.network["embedding"](ids), lengths, is_word)[0, 1:-1]
        best = torch.softmax(logits, -1).max(-1)
        names = [TAGS[i] for i in best.indices.tolist()]
        named = [p for p, name in zip(best.values.tolist(), names, strict=True) if name != "O"]
        assert {s.label for s in answer.answer} == {n[2:] for n in names if n != "O"}
        assert np.prod(answer.scores or [1.0]) == pytest.approx(np.prod(named or [1.0]), abs=1e-12)
    assert any(answer.answer for answer in answers)


def test_slopes_of_a_tagger_are_those_of_finite_differences(make):
    parts = parts_of("convolution", tags=True)
    model = SequenceTagger(parts, "convolution:here")
    (example,) = make(TEXTS[3])
    label = model.predict([example])[0].answer[0].label
    (found,) = model.gradients([example], [label])
    ids, lengths, is_word = model._sequences([WORDS.cut(example.text)])

    def loss(vectors):
        logs = torch.log_softmax(parts.logits(vectors, lengths, is_word)[0, 1:-1], -1).max(-1)
        of = [label in TAGS[i] for i in logs.indices.tolist()]
        return -logs.values[torch.tensor(of)].sum().item()

    step, place = 1e-6, 2
    for dimension in range(4):
        ends = []
        for sign in (1, -1):
            vectors = parts.network["embedding"](ids).clone()
            vectors[0, place + 1, dimension] += sign * step
            ends.append(loss(vectors))
        slope = (ends[0] - ends[1]) / (2 * step)
        assert found.gradient[place, dimension] == pytest.approx(slope, abs=1e-6)
    others = [name for name in model.labels if name != label]
    answers = {s.label for s in model.predict([example])[0].answer}
    for other in others:
        if other not in answers:
            (failed,) = model.gradients([example], [other])
            assert isinstance(failed, Failure)
            assert failed.reason == "no_such_label"


def test_a_folder_says_what_it_was_trained_for(tmp_path, make, classification, tagging):
    for kind in KINDS:
        (tmp_path / kind).mkdir()
        write_network(parts_of(kind, tags=True), tmp_path / kind)
        model = load_model(f"{kind}:{tmp_path / kind}", tagging)
        direct = SequenceTagger(parts_of(kind, tags=True), "x")
        assert model.predict(make(*TEXTS)) == direct.predict(make(*TEXTS))
        assert model.fingerprint() == direct.fingerprint()
        with pytest.raises(ModelError, match=r"cannot answer the task .* gives spans"):
            load_model(f"{kind}:{tmp_path / kind}", classification)
    other = parts_of("recurrent")
    assert other.digest() != parts_of("recurrent", tags=True).digest()


def test_spans_stand_where_the_words_of_the_data_do(make):
    """Words that the data cuts otherwise than our tokenizer would."""
    from dataclasses import replace

    (example,) = make("good film")
    cut = replace(example, tokens={"text": ((0, 9),)})
    model = SequenceTagger(parts_of("recurrent", tags=True), "recurrent:here")
    assert all(span == Span("text", 0, 9, span.label) for span in model.predict([cut])[0].answer)
    assert len(model._words(cut)) == 1


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        ("convolution", {"width": 4}, "width is odd"),
        ("convolution", {"pooling": "first"}, "pooling is one of"),
        ("convolution", {"layers": 0}, "must be at least 1"),
        ("self-attention", {"heads": 3}, "multiple of heads"),
        ("self-attention", {"embedding": 3, "heads": 1}, "must be even"),
    ],
)
def test_architectures_that_do_not_fit(kind, given, message):
    with pytest.raises(PlanError, match=message):
        KINDS[kind][1](**given)


@pytest.mark.parametrize("kind", KINDS)
def test_layers_end_in_what_is_read_out(kind):
    model = SequenceClassifier(parts_of(kind), f"{kind}:here")
    found = model.representations(
        [Passage("good film bad")], poolings=["mean"], layers=range(model.n_layers + 1)
    )
    ids, lengths, _ = model._sequences([("good", "film", "bad")])
    with torch.inference_mode():
        embedded = model._network["embedding"](ids)
        last, _ = model._parts.read(embedded, lengths)
    assert model.n_layers == model._parts.architecture.layers
    wide = last.shape[-1]
    assert np.allclose(found[0, -1, 0, :wide], last[0].mean(0).numpy(), atol=1e-6)
    assert np.allclose(found[0, 0, 0, : embedded.shape[-1]], embedded[0].mean(0).numpy(), atol=1e-6)
