import json
import math
import os

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tiny_bert import change_config, make_checkpoint, make_tokenizer  # noqa: E402

from scrutiny.core.diagnostic import Failure  # noqa: E402
from scrutiny.core.errors import ModelError  # noqa: E402
from scrutiny.core.example import Example  # noqa: E402
from scrutiny.core.model import LoadOptions, Model  # noqa: E402
from scrutiny.models.answers.checked import predict_or_fail  # noqa: E402
from scrutiny.models.answers.compared_answers import check_determinism  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402

TAGS = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")
TEXTS = [
    "the film was good",
    "bad",
    "a very dull story , and not a good film !",
    "it was fine",
    "good good good good good good good good",
    "",
    "zzz unseen words",
    "the story was not bad .",
] * 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_checkpoint(tmp_path_factory.mktemp("checkpoint"))


@pytest.fixture(scope="module")
def tagger_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tagger")
    return make_checkpoint(folder, head="TokenClassification", labels=TAGS)


def reference(folder, texts):
    """Probabilities by transformers itself, one text at a time."""
    network = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    with torch.no_grad():
        return [
            torch.softmax(network(**tokenizer(t, return_tensors="pt", truncation=True)).logits, -1)[
                0
            ].tolist()
            for t in texts
        ]


def test_probabilities_are_those_of_transformers(folder, classification, make):
    model = load_model(f"hf:{folder}", classification)
    assert isinstance(model, Model)
    assert (model.labels, model.task) == (("neg", "pos"), "text-classification")
    answers = predict_or_fail(model, make(*TEXTS))
    for answer, expected in zip(answers, reference(folder, TEXTS), strict=True):
        assert answer.scores == pytest.approx(expected, abs=1e-6)
    assert len({answer.scores for answer in answers}) == 8  # no two texts alike


def test_batches_and_orders_change_nothing(folder, classification, make):
    report = check_determinism(load_model(f"hf:{folder}", classification), make(*TEXTS))
    assert report.is_kept, str(report)


def test_any_batch_size_gives_the_same(folder, classification, make):
    examples = make(*TEXTS)
    expected = load_model(f"hf:{folder}", classification).predict(examples)
    for batch in (1, 5, 100):
        model = load_model(f"hf:{folder}", classification, LoadOptions(batch=batch))
        for one, two in zip(model.predict(examples), expected, strict=True):
            assert one.scores == pytest.approx(two.scores, abs=1e-6)


@pytest.mark.parametrize("batch", ["auto", 3])
def test_its_own_batches_asked_alone_give_the_same_bits(folder, classification, make, batch):
    examples = make(*(f"{text} {'again ' * n}" for n in range(1, 9) for text in TEXTS))
    model = load_model(f"hf:{folder}", classification, LoadOptions(batch=batch))
    whole, parts = model.predict(examples), model.batches(examples)
    assert len(parts) > 1
    assert sorted(i for part in parts for i in part) == list(range(len(examples)))
    for part in parts:
        assert model.predict([examples[i] for i in part]) == [whole[i] for i in part]


def test_no_examples(folder, tagger_folder, classification, tagging):
    assert load_model(f"hf:{folder}", classification).predict([]) == []
    assert load_model(f"hf:{tagger_folder}", tagging).predict([]) == []


def test_pairs_are_encoded_together(folder, pairs):
    model = load_model(f"hf:{folder}", pairs)
    one = Example("0", {"text": "good", "text_pair": "bad"})
    two = Example("1", {"text": "bad", "text_pair": "good"})
    scores = [p.scores for p in model.predict([one, two])]
    assert scores[0] != pytest.approx(scores[1], abs=1e-4)
    network = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    with torch.no_grad():
        logits = network(**tokenizer("good", "bad", return_tensors="pt")).logits
    assert scores[0] == pytest.approx(torch.softmax(logits, -1)[0].tolist(), abs=1e-6)


def test_long_texts_are_cut_at_the_limit(folder, classification, make):
    model = load_model(f"hf:{folder}", classification)
    long, longer = model.predict(make("good " * 22, "good " * 500))
    assert long.scores == pytest.approx(longer.scores, abs=1e-6)
    short = load_model(f"hf:{folder}#max_length=4", classification)
    cut, whole = short.predict(make("good bad dull", "good bad"))
    assert cut.scores == pytest.approx(whole.scores, abs=1e-6)
    # "good bad" with its two special tokens is as long as fits
    assert short.truncated(make("good bad dull", "good bad", "good bad dull good")) == 2
    assert short.truncated([]) == model.truncated(make("good")) == 0


def test_label_names_without_meaning_become_indices(tmp_path, classification):
    make_checkpoint(tmp_path, labels=("LABEL_0", "LABEL_1"))
    assert load_model(f"hf:{tmp_path}", classification).labels == ("0", "1")
    stated = load_model(f"hf:{tmp_path}#labels=bad|good", classification)
    assert stated.labels == ("bad", "good")


def test_the_wrong_number_of_labels(folder, classification):
    with pytest.raises(ModelError, match="has 2 outputs, but 3 labels"):
        load_model(f"hf:{folder}#labels=a|b|c", classification)


def test_half_precision(folder, classification, make):
    model = load_model(f"hf:{folder}#dtype=bfloat16", classification)
    for answer, expected in zip(
        predict_or_fail(model, make(*TEXTS)), reference(folder, TEXTS), strict=True
    ):
        assert answer.scores == pytest.approx(expected, abs=0.05)


# --- what is refused ---


def test_a_missing_head_is_refused(tmp_path, classification):
    make_checkpoint(tmp_path, head=None)
    with pytest.raises(ModelError, match=r"is a BertModel|classifier\.bias, classifier\.weight"):
        load_model(f"hf:{tmp_path}", classification)


def test_an_encoder_that_claims_to_be_a_classifier_is_refused(tmp_path, classification):
    make_checkpoint(tmp_path, head=None)
    change_config(tmp_path, architectures=["BertForSequenceClassification"])
    with pytest.raises(ModelError, match=r"lacks weights .*classifier\.bias, classifier\.weight"):
        load_model(f"hf:{tmp_path}", classification)


def test_a_masked_language_model_is_no_classifier(tmp_path, classification):
    make_checkpoint(tmp_path, head="MaskedLM")
    with pytest.raises(ModelError, match=r"BertForMaskedLM; .* …ForSequenceClassification"):
        load_model(f"hf:{tmp_path}", classification)


def test_a_classifier_is_no_tagger(folder, tagging):
    with pytest.raises(ModelError, match=r"needs a model …ForTokenClassification"):
        load_model(f"hf:{folder}", tagging)


@pytest.mark.parametrize("kind", ["regression", "multi_label_classification"])
def test_other_problem_types_are_refused(tmp_path, classification, kind):
    make_checkpoint(tmp_path)
    change_config(tmp_path, problem_type=kind)
    with pytest.raises(ModelError, match="exactly one label"):
        load_model(f"hf:{tmp_path}", classification)


def test_pickled_weights_are_refused(tmp_path, classification):
    make_checkpoint(tmp_path)
    (tmp_path / "model.safetensors").rename(tmp_path / "pytorch_model.bin")
    with pytest.raises(ModelError, match=r"pickle \(pytorch_model\.bin\), which scrutiny never"):
        load_model(f"hf:{tmp_path}", classification)


def test_code_of_its_own_is_refused(tmp_path, classification):
    make_checkpoint(tmp_path)
    change_config(tmp_path, auto_map={"AutoModel": "modeling.Mine"})
    with pytest.raises(ModelError, match="needs Python code of its own"):
        load_model(f"hf:{tmp_path}", classification)


def test_a_folder_without_configuration_says_where_there_is_one(tmp_path, classification):
    (tmp_path / "checkpoint-10").mkdir()
    make_checkpoint(tmp_path / "checkpoint-10")
    with pytest.raises(ModelError, match=r"There is one in: checkpoint-10"):
        load_model(f"hf:{tmp_path}", classification)


def test_an_adapter_without_its_base(tmp_path, classification):
    (tmp_path / "adapter_config.json").write_text("{}")
    with pytest.raises(ModelError, match="PEFT adapter"):
        load_model(f"hf:{tmp_path}", classification)


@pytest.mark.parametrize("text", ["{", '{"a": ' + "[" * 100_000, '{"a": ' + "9" * 5000 + "}"])
def test_a_configuration_that_does_not_read(tmp_path, classification, text):
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(ModelError, match=r"config\.json cannot be read"):
        load_model(f"hf:{tmp_path}", classification)


def test_a_folder_that_is_not_there_names_the_near_ones(tmp_path, classification):
    (tmp_path / "seed-1").mkdir()
    with pytest.raises(ModelError, match=r"Near names in .*: seed-1"):
        load_model(f"hf:{tmp_path}/sed-1", classification)


def test_missing_weights(tmp_path, classification):
    make_checkpoint(tmp_path)
    (tmp_path / "model.safetensors").unlink()
    with pytest.raises(ModelError, match=r"model\.safetensors is missing"):
        load_model(f"hf:{tmp_path}", classification)


def test_a_missing_tokenizer(tmp_path, classification):
    make_checkpoint(tmp_path)
    for path in tmp_path.glob("tokenizer*"):
        path.unlink()
    with pytest.raises(ModelError, match="there is no tokenizer"):
        load_model(f"hf:{tmp_path}", classification)


def test_damaged_weights(tmp_path, classification):
    make_checkpoint(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"not a tensor")
    with pytest.raises(ModelError, match="does not load"):
        load_model(f"hf:{tmp_path}", classification)


@pytest.mark.parametrize("option", ["dtype=int8", "max_length=1", "max_length=99", "dtyp=float32"])
def test_options_that_do_not_read(folder, classification, option):
    with pytest.raises(ModelError, match=option.partition("=")[0]):
        load_model(f"hf:{folder}#{option}", classification)


def test_a_device_that_is_not_there(folder, classification):
    with pytest.raises(
        ModelError, match=r"This machine has cpu.*--device auto takes what there is"
    ):
        load_model(f"hf:{folder}", classification, LoadOptions(device="cuda:99"))
    with pytest.raises(
        ModelError, match=r"This machine has cpu.*--device auto takes what there is"
    ):
        load_model(f"hf:{folder}", classification, LoadOptions(device="gpu"))


def test_a_hub_name_offline(monkeypatch, classification):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ModelError, match=r"hf:\./org/no-such-model"):
        load_model("hf:org/no-such-model@main", classification)


def test_nothing_is_left_on_the_terminal(folder, classification, capfd):
    load_model(f"hf:{folder}", classification)
    assert capfd.readouterr() == ("", "")


# --- fingerprints ---


def fingerprint(folder, task, options=""):
    return load_model(f"hf:{folder}{options}", task).fingerprint()


def test_the_same_files_elsewhere_are_the_same_model(tmp_path, classification):
    one, two = (make_checkpoint(tmp_path / name) for name in "ab")
    assert fingerprint(one, classification) == fingerprint(two, classification)


def test_one_weight_changes_the_fingerprint(tmp_path, classification):
    from safetensors.torch import load_file, save_file

    make_checkpoint(tmp_path)
    before = fingerprint(tmp_path, classification)
    weights = load_file(tmp_path / "model.safetensors")
    weights["classifier.bias"][0] += 1e-3
    save_file(weights, tmp_path / "model.safetensors", metadata={"format": "pt"})
    assert fingerprint(tmp_path, classification) != before


def test_a_file_of_the_same_size_and_another_time_is_read_again(tmp_path):
    from scrutiny.store.files import hash_file

    path = tmp_path / "x"
    path.write_bytes(b"one")
    before = hash_file(path)
    path.write_bytes(b"two")
    os.utime(path, ns=(1, 1))
    assert hash_file(path) != before


def test_the_tokenizer_changes_the_fingerprint(tmp_path, classification):
    from tiny_bert import WORDS

    make_checkpoint(tmp_path)
    before = fingerprint(tmp_path, classification)
    make_tokenizer(tmp_path, words=[*WORDS[:-1], "boston"])
    assert fingerprint(tmp_path, classification) != before


def test_the_dtype_changes_the_fingerprint(folder, classification):
    plain = fingerprint(folder, classification)
    assert fingerprint(folder, classification, "#dtype=float32") == plain  # as it is stored
    assert fingerprint(folder, classification, "#dtype=bfloat16") != plain


def test_the_label_map_changes_the_fingerprint(tmp_path, classification):
    make_checkpoint(tmp_path)
    before = fingerprint(tmp_path, classification)
    assert fingerprint(tmp_path, classification, "#labels=pos|neg") != before
    change_config(tmp_path, id2label={"0": "pos", "1": "neg"}, label2id={"pos": 0, "neg": 1})
    assert fingerprint(tmp_path, classification) != before


def test_attention_and_limit_change_the_fingerprint(folder, classification):
    found = {
        fingerprint(folder, classification, o) for o in ("", "#attention=eager", "#max_length=9")
    }
    assert len(found) == 3


def test_where_it_came_from_does_not_change_the_fingerprint(tmp_path, classification):
    make_checkpoint(tmp_path)
    before = fingerprint(tmp_path, classification)
    change_config(tmp_path, _name_or_path="elsewhere")
    assert fingerprint(tmp_path, classification) == before


def test_shards_are_hashed_all(tmp_path):
    from scrutiny.models.hf.checkpoint import Checkpoint

    index = {"weight_map": {"b": "m-2.safetensors", "a": "m-1.safetensors", "c": "m-1.safetensors"}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    for name in ("m-1", "m-2"):
        (tmp_path / f"{name}.safetensors").write_text(name)
    checkpoint = Checkpoint(tmp_path, {})
    assert [p.name for p in checkpoint.weight_files()] == ["m-1.safetensors", "m-2.safetensors"]
    before = checkpoint.fingerprint()
    (tmp_path / "m-2.safetensors").write_text("other")
    assert checkpoint.fingerprint() != before


# --- tagging ---


def test_words_have_the_tag_of_their_first_piece(tagger_folder, tagging, make):
    texts = ["Ada left Paris .", "new york", "fines", "it was fine"]
    model = load_model(f"hf:{tagger_folder}", tagging)
    assert model.labels == ("PER", "LOC")
    network = transformers.AutoModelForTokenClassification.from_pretrained(tagger_folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(tagger_folder)
    for example, answer in zip(make(*texts), predict_or_fail(model, make(*texts)), strict=True):
        words = example.text.split()
        encoded = tokenizer(words, is_split_into_words=True, return_tensors="pt")
        with torch.no_grad():
            likely = torch.softmax(network(**encoded).logits[0], -1)
        best, sure = likely.argmax(-1).tolist(), likely.max(-1).values.tolist()
        ids = encoded.word_ids()
        tags = [TAGS[best[ids.index(i)]] for i in range(len(words))]
        covered = [
            any(s.start <= start < s.end for s in answer.answer)
            for start in (example.text.index(w) for w in words)
        ]
        assert covered == [tag != "O" for tag in tags]
        of_words = {example.text.index(w): sure[ids.index(i)] for i, w in enumerate(words)}
        for span, confidence in zip(answer.answer, answer.scores, strict=True):
            inside = [p for start, p in of_words.items() if span.start <= start < span.end]
            assert confidence == pytest.approx(math.prod(inside), rel=1e-4)
    assert any(a.answer for a in model.predict(make(*texts)))


def test_taggers_keep_order_and_batches(tagger_folder, tagging, make):
    report = check_determinism(load_model(f"hf:{tagger_folder}", tagging), make(*TEXTS))
    assert report.is_kept, str(report)


def test_a_text_too_long_to_tag_fails_alone(tagger_folder, tagging, make):
    model = load_model(f"hf:{tagger_folder}", tagging)
    good, long, other = predict_or_fail(model, make("ada", "ada " * 30, "paris"))
    assert isinstance(long, Failure)
    assert long.reason == "too_long"
    assert good.answer is not None
    assert other.answer is not None


def test_tokens_of_the_data_are_kept(tagger_folder, tagging):
    model = load_model(f"hf:{tagger_folder}", tagging)
    text = "new york film"
    whole = Example("0", {"text": text}, tokens={"text": ((0, 8), (9, 13))})
    spans = model.predict([whole])[0].answer
    assert all(span.start in (0, 9) and span.end in (8, 13) for span in spans)


def test_outputs_that_are_no_tags(tmp_path, tagging):
    make_checkpoint(tmp_path, head="TokenClassification", labels=("LABEL_0", "LABEL_1", "LABEL_2"))
    with pytest.raises(ModelError, match=r"labels=O\|B-PER"):
        load_model(f"hf:{tmp_path}", tagging)
    model = load_model(f"hf:{tmp_path}#labels=O|B-X|I-X", tagging)
    assert model.labels == ("X",)


@pytest.mark.parametrize(
    ("tags", "types"),
    [("O|B|I", ()), ("o|b|i", ()), ("O|B_X|I_X", ("X",)), ("O|X-B|X-I", ("X",))],
)
def test_outputs_are_tags_in_any_notation(tagging, make, tmp_path, tags, types):
    make_checkpoint(tmp_path, head="TokenClassification", labels=TAGS[:3])
    model = load_model(f"hf:{tmp_path}#labels={tags}", tagging)
    assert model.labels == types
    usual = load_model(f"hf:{tmp_path}#labels=O|B-X|I-X", tagging)
    found, wanted = (
        [
            span[:3]
            for answer in one.predict(make("ada left paris", "the film"))
            for span in answer[0]
        ]
        for one in (model, usual)
    )
    assert found == wanted != []


def test_outputs_are_parts_of_speech(tagging, make, tmp_path):
    make_checkpoint(tmp_path, head="TokenClassification", labels=("NOUN", "VERB", "DET"))
    model = load_model(f"hf:{tmp_path}", tagging)
    assert model.labels == ("NOUN", "VERB", "DET")
    (answer,) = model.predict(make("the film"))
    assert [span[1:3] for span in answer.answer] == [(0, 3), (4, 8)]
