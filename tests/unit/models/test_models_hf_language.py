"""Loading checkpoints as language models: heads, weights, types and fingerprints."""

from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tiny_bert import change_config, make_checkpoint  # noqa: E402
from tiny_language import make_language_model  # noqa: E402

from scrutiny.core.errors import ModelError  # noqa: E402
from scrutiny.core.queries.gradients import FOLLOWED  # noqa: E402
from scrutiny.core.queries.language import Cloze, Passage  # noqa: E402
from scrutiny.models.hf.language_models import head_of  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402
from scrutiny.testing import check_adapter  # noqa: E402

ALL = {
    "tokenizes",
    "representations",
    "attention_received",
    "attentions",
    "head_interventions",
}


@pytest.mark.parametrize(
    ("kind", "head", "more"),
    [
        ("Bert", "ForPreTraining", {"masked_logprobs", "next_sentence"}),
        ("Bert", "ForMaskedLM", {"masked_logprobs"}),
        ("Bert", "ForNextSentencePrediction", {"next_sentence"}),
        ("Bert", "", set()),
        ("Bert", "ForSequenceClassification", set()),
        ("Roberta", "ForSequenceClassification", set()),
        ("Roberta", "ForMaskedLM", {"masked_logprobs"}),
        ("Albert", "ForPreTraining", {"masked_logprobs"}),
        ("Electra", "ForPreTraining", set()),
        ("GPT2", "LMHeadModel", {"token_logprobs"}),
        ("GPT2", "ForSequenceClassification", set()),
        ("Llama", "ForCausalLM", {"token_logprobs"}),
    ],
)
def test_the_head_gives_the_capabilities(tmp_path, unlabeled, kind, head, more):
    make_language_model(tmp_path, kind, head=head)
    model = load_model(f"hf:{tmp_path}", unlabeled)
    assert model.capabilities - {"landscape", "logprob_slopes"} == ALL | more
    has_words = bool(more & {"masked_logprobs", "token_logprobs"})
    assert ("logprob_slopes" in model.capabilities) == has_words
    assert (model.labels, model.task) == ((), "sentence-pairs")
    found = model.representations([Passage("the film")], poolings=["cls"], layers=[0, 1, 2])
    assert np.isfinite(found).all()


@pytest.mark.parametrize(
    ("kind", "head"),
    [("Bert", "ForPreTraining"), ("Roberta", "ForMaskedLM"), ("GPT2", "LMHeadModel")],
)
def test_they_keep_the_promises_of_their_capabilities(tmp_path, unlabeled, kind, head):
    make_language_model(tmp_path, kind, head=head)
    check_adapter(load_model(f"hf:{tmp_path}", unlabeled))


def test_heads_by_name_alone():
    assert head_of({})[0] == "AutoModel"
    assert head_of({"architectures": ["XLNetLMHeadModel"]})[0] == "AutoModel"
    assert head_of({"architectures": ["XLMWithLMHeadModel"]})[0] == "AutoModel"
    assert head_of({"architectures": ["AlbertForPreTraining"]})[0] == "AutoModelForMaskedLM"
    assert head_of({"architectures": ["GPT2LMHeadModel"]})[0] == "AutoModelForCausalLM"


def test_a_head_that_is_stated_and_missing_is_refused(tmp_path, unlabeled):
    make_checkpoint(tmp_path, head=None)
    change_config(tmp_path, architectures=["BertForMaskedLM"])
    with pytest.raises(ModelError, match=r"lacks weights that a model BertForMaskedLM needs \(cls"):
        load_model(f"hf:{tmp_path}", unlabeled)
    change_config(tmp_path, architectures=["BertForPreTraining"])
    with pytest.raises(ModelError, match="lacks weights that a model BertForPreTraining needs"):
        load_model(f"hf:{tmp_path}", unlabeled)


def test_a_decoder_that_is_not_tied_must_be_there(tmp_path, unlabeled):
    from safetensors.torch import load_file, save_file

    make_language_model(tmp_path, "Bert")
    names = load_file(tmp_path / "model.safetensors")
    assert "cls.predictions.decoder.weight" not in names  # tied: the embeddings' own
    load_model(f"hf:{tmp_path}", unlabeled)
    save_file(
        {k: v for k, v in names.items() if k != "cls.predictions.bias"},
        tmp_path / "model.safetensors",
        metadata={"format": "pt"},
    )
    with pytest.raises(ModelError, match=r"cls\.predictions\.bias"):
        load_model(f"hf:{tmp_path}", unlabeled)


def test_an_encoder_with_a_decoder_is_refused(tmp_path, unlabeled):
    make_checkpoint(tmp_path, head="MaskedLM")
    change_config(tmp_path, is_encoder_decoder=True)
    with pytest.raises(ModelError, match="has an encoder and a decoder"):
        load_model(f"hf:{tmp_path}", unlabeled)


def test_labels_make_no_sense(tmp_path, unlabeled):
    make_checkpoint(tmp_path, head="MaskedLM")
    with pytest.raises(ModelError, match="sentence-pairs has no labels"):
        load_model(f"hf:{tmp_path}#labels=a|b", unlabeled)


# --- types ---


def test_half_precision_on_the_disk_is_run_in_full(tmp_path, unlabeled):
    whole = make_language_model(tmp_path / "whole", "Bert")
    half = make_language_model(tmp_path / "half", "Bert", dtype=torch.float16)
    query = [(Cloze((2, 5, 4, 8, 3), (2,), (7,)),)]
    one, two = (load_model(f"hf:{folder}", unlabeled) for folder in (whole, half))
    assert two._runner.network.dtype == torch.float32
    assert one.masked_logprobs(query)[0][0] == pytest.approx(two.masked_logprobs(query)[0][0], 0.01)
    coarse = load_model(f"hf:{half}#dtype=bfloat16", unlabeled)
    assert coarse._runner.network.dtype == torch.bfloat16
    assert coarse._reader._head is not None
    assert coarse.masked_logprobs(query)[0][0] == pytest.approx(
        two.masked_logprobs(query)[0][0], abs=0.2
    )


# --- fingerprints ---


def test_the_task_does_not_change_the_fingerprint(tmp_path, unlabeled):
    make_checkpoint(tmp_path, head="PreTraining")
    other = SimpleNamespace(
        name="association-test", fields=("text",), scored_by=None, must_be_answered=False
    )
    one, two = (load_model(f"hf:{tmp_path}", task) for task in (unlabeled, other))
    assert one.fingerprint() == two.fingerprint()
    assert (one.task, two.task) == ("sentence-pairs", "association-test")


def test_what_changes_an_answer_changes_the_fingerprint(tmp_path, unlabeled):
    one = make_checkpoint(tmp_path / "one", head="PreTraining")
    two = make_checkpoint(tmp_path / "two", head="PreTraining", seed=1)
    sources = [f"hf:{one}", f"hf:{two}", f"hf:{one}#dtype=bfloat16", f"hf:{one}#attention=eager"]
    sources.append(f"hf:{one}#max_length=9")
    assert len({load_model(source, unlabeled).fingerprint() for source in sources}) == 5


def test_a_classifier_keeps_predicting(tmp_path, classification, make):
    make_checkpoint(tmp_path)
    model = load_model(f"hf:{tmp_path}", classification)
    of_attention = {"attentions", "head_interventions"}
    of_input = {"gradients", "representations", "tokenizes", "shuffled_weights", *FOLLOWED}
    assert model.capabilities == {"predict"} | of_attention | of_input
    assert len(model.predict(make("the film"))) == 1
