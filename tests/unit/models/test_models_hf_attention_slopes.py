"""Attention weights times gradients: those of transformers' own graph, one sentence at a time."""

from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from plain_attention import HEADS, SENTENCES, Plain  # noqa: E402
from tiny_bert import make_checkpoint  # noqa: E402
from tiny_language import make_language_model  # noqa: E402

from scrutiny.core.diagnostic import Batch, Cell  # noqa: E402
from scrutiny.core.errors import ModelError  # noqa: E402
from scrutiny.core.queries.attention import Intervention  # noqa: E402
from scrutiny.data.dataset import load_dataset  # noqa: E402
from scrutiny.diagnostics.attention.heads import Heads, HeadsParams  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402
from scrutiny.testing.check_attention import check_attends  # noqa: E402

TASK = SimpleNamespace(
    name="anchored-spans", fields=("text",), scored_by=None, must_be_answered=False
)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    return {
        kind: make_language_model(tmp_path_factory.mktemp("slopes"), kind, head=head)
        for kind, head in HEADS.items()
    }


def products(network, ids, answer):
    """|weight x gradient| of a log-probability ``(layer, head, piece, piece)``, by backward()."""
    output = network(input_ids=torch.tensor([ids]), output_attentions=True)
    for weights in output.attentions:
        weights.retain_grad()
    logits = output.logits if "logits" in output else output.prediction_logits
    answer(torch.log_softmax(logits[0], dim=-1)).backward()
    pairs = [(weights * weights.grad).detach().abs()[0] for weights in output.attentions]
    return torch.stack(pairs).numpy()


def plain_network(folder, head):
    auto = getattr(transformers, f"AutoModel{head}")
    return auto.from_pretrained(folder, attn_implementation="eager").eval()


@pytest.mark.parametrize("kind", HEADS)
def test_language_models_answer_with_each_token(folders, kind):
    is_causal = kind in ("GPT2", "Llama")
    network = plain_network(folders[kind], "ForCausalLM" if is_causal else "ForMaskedLM")
    if kind == "Bert":
        network = plain_network(folders[kind], "ForPreTraining")
    model, plain = load_model(f"hf:{folders[kind]}", TASK), Plain(folders[kind])
    found = list(model.attentions(SENTENCES, weighting="gradient"))
    for words, one in zip(SENTENCES, found, strict=True):
        ids = plain.pieces(words)[0]

        def answer(logprobs, ids=ids):
            rows, own = (logprobs[:-1], ids[1:]) if is_causal else (logprobs, ids)
            return sum(row[i] for row, i in zip(rows, own, strict=True)) + 0 * logprobs.sum()

        wanted = products(network, ids, answer)
        assert one.weights.max() > 0 or len(ids) == 1
        np.testing.assert_allclose(one.weights, wanted, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("head", ["SequenceClassification", "TokenClassification"])
def test_classifiers_and_taggers_answer_with_their_decisions(tmp_path, head, classification):
    """A tagger on annotated sentences, too: there it is what was tuned on the annotation."""
    is_tagger = head.startswith("Token")
    make_checkpoint(tmp_path, head=head, labels=("O", "B-PER") if is_tagger else ("neg", "pos"))
    model = load_model(f"hf:{tmp_path}", TASK if is_tagger else classification)
    network, plain = plain_network(tmp_path, f"For{head}"), Plain(tmp_path)
    for words, one in zip(
        SENTENCES, model.attentions(SENTENCES, weighting="gradient"), strict=True
    ):
        ids = plain.pieces(words)[0]
        wanted = products(network, ids, lambda logprobs: logprobs.max(dim=-1).values.sum())
        np.testing.assert_allclose(one.weights, wanted, rtol=1e-3, atol=1e-5)


def test_taking_a_small_share_of_a_weight_away_changes_the_answer_by_that_share(folders):
    """The product is a first-order change: by finite differences, without any gradient."""
    from scrutiny.models.hf.attention_taps import tapped

    model = load_model(f"hf:{folders['Bert']}", TASK)
    (one,) = model.attentions(SENTENCES[2:3], weighting="gradient")
    network = model._runner.network.double()
    ids = torch.tensor([one.ids])

    def said(place, share):
        def tap(step):
            if step.layer != place[0]:
                return None
            weights = step.weights.clone()
            weights[0, place[1], place[2], place[3]] *= 1 - share
            return weights

        with torch.no_grad(), tapped(network, tap):
            logprobs = network(input_ids=ids).prediction_logits[0].log_softmax(-1)
        return float(logprobs.gather(-1, ids[0][:, None]).sum())

    places = [(0, 0, 1, 2), (0, 1, 4, 6), (1, 0, 2, 2), (1, 1, 7, 3)]
    for place in places:
        change = (said(place, -1e-4) - said(place, 1e-4)) / 2e-4
        assert one.weights[place] == pytest.approx(abs(change), rel=1e-3, abs=1e-6)


def test_an_intervention_is_there_before_the_gradient(folders):
    model = load_model(f"hf:{folders['Bert']}", TASK)
    masked = model.intervened(Intervention("mask", ((0, 1),)))
    (one,) = masked.attentions(SENTENCES[:1], weighting="gradient")
    (own,) = model.attentions(SENTENCES[:1], weighting="gradient")
    assert not one.weights[0, 1].any()
    assert not np.allclose(one.weights[1], own.weights[1])


def test_the_network_is_left_as_it_was_and_promises_are_kept(folders):
    model = load_model(f"hf:{folders['Bert']}", TASK)
    before = list(model.attentions(SENTENCES[:1]))
    list(model.attentions(SENTENCES, weighting="gradient"))
    assert all(one.grad is None for one in model._runner.network.parameters())
    np.testing.assert_array_equal(before[0].weights, next(model.attentions(SENTENCES[:1])).weights)
    check_attends(model)


def test_with_another_attention_function_there_are_no_gradients(folders, monkeypatch):
    model = load_model(f"hf:{folders['Bert']}", TASK)
    monkeypatch.setattr(model._attention, "is_open", False)
    with pytest.raises(ModelError, match="no gradients by its weights"):
        model.attentions(SENTENCES, weighting="gradient")


def test_without_a_head_there_is_no_answer(tmp_path):
    make_language_model(tmp_path, "Bert", head="Model")
    model = load_model(f"hf:{tmp_path}", TASK)
    with pytest.raises(ModelError, match="BertModel has no head"):
        model.attentions(SENTENCES, weighting="gradient")


def test_heads_are_scored_by_it_as_a_condition_of_its_own(folders):
    model = load_model(f"hf:{folders['Bert']}", TASK)
    frames = tuple(load_dataset("builtin:negation").examples[:6])
    params = HeadsParams(presets=("default",), options={"weighting": "gradient"})

    class Ctx:
        def rng(self, *args):
            return np.random.default_rng(0)

        def array(self, name, value):
            pass

    ctx = Ctx()
    ctx.model = model
    rows = list(Heads().measure(params, Cell("m", None, "x"), Batch(frames), ctx))
    by_preset = {
        name: [
            row.values for row in rows if f'"{name}"' in row.condition and row.role == "measured"
        ]
        for name in ("default", "own")
    }
    assert by_preset["own"]
    assert by_preset["own"] != by_preset["default"]
