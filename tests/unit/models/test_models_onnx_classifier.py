"""ONNX classifiers: a network made by hand, and tiny BERTs that were exported and quantized."""

import json

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")

from tiny_bert import WORDS, change_config, make_tokenizer  # noqa: E402

from scrutiny.core.errors import ModelError  # noqa: E402
from scrutiny.core.example import Example  # noqa: E402
from scrutiny.core.model import LoadOptions  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402
from scrutiny.models.strings.training_records import replicates_of  # noqa: E402
from scrutiny.testing import check_adapter  # noqa: E402

TEXTS = ["the film was good", "bad", "a very dull story , and not a good film !", ""]


def weights(seed=0):
    return np.random.default_rng(seed).normal(size=(len(WORDS), 2)).astype(np.float32)


def write_network(path, table, *, inputs=("input_ids",)):
    """Logits are the sum of the rows of a table: Gather, then ReduceSum over tokens."""
    from onnx import TensorProto, helper, numpy_helper

    ids = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["text", "token"]) for name in inputs
    ]
    out = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["text", table.shape[1]])
    nodes = [
        helper.make_node("Gather", ["table", inputs[0]], ["rows"], axis=0),
        helper.make_node("ReduceSum", ["rows", "axes"], ["logits"], keepdims=0),
    ]
    constants = [
        numpy_helper.from_array(table, "table"),
        numpy_helper.from_array(np.array([1], np.int64), "axes"),
    ]
    graph = helper.make_graph(nodes, "sum", ids, [out], constants)
    opsets = [helper.make_opsetid("", 18)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), path)


@pytest.fixture
def folder(tmp_path):
    make_tokenizer(tmp_path)
    write_network(tmp_path / "model.onnx", weights())
    config = {"id2label": {"0": "neg", "1": "pos"}, "max_position_embeddings": 24}
    (tmp_path / "config.json").write_text(json.dumps(config))
    return tmp_path


def expected(words, table):
    logits = table[[WORDS.index(w) for w in ("[CLS]", *words, "[SEP]")]].sum(0).astype(float)
    return (np.exp(logits) / np.exp(logits).sum()).tolist()


def test_answers_are_those_of_the_network(folder, classification, make):
    model = load_model(f"onnx:{folder}", classification)
    assert (model.labels, model.is_batch_invariant) == (("neg", "pos"), True)
    for text, answer in zip(TEXTS, model.predict(make(*TEXTS)), strict=True):
        assert answer.scores == pytest.approx(expected(text.split(), weights()), abs=1e-6)


def test_conformance(folder, classification, pairs):
    check_adapter(load_model(f"onnx:{folder}", classification))
    check_adapter(load_model(f"onnx:{folder}", pairs))


def test_pairs_and_long_texts(folder, pairs, classification, make):
    both = Example(id="0", fields={"text": "bad film", "text_pair": "good"})
    (answer,) = load_model(f"onnx:{folder}", pairs).predict([both])
    assert answer.scores == pytest.approx(
        expected(["bad", "film", "[SEP]", "good"], weights()), abs=1e-6
    )
    (long,) = load_model(f"onnx:{folder}#max_length=5", classification).predict(
        make("good bad good film film film")
    )
    assert long.scores == pytest.approx(expected(["good", "bad", "good"], weights()), abs=1e-6)


def test_the_fingerprint_is_of_files_limit_and_labels(folder, classification):
    first = load_model(f"onnx:{folder}", classification).fingerprint()
    assert load_model(f"onnx:{folder}", classification).fingerprint() == first
    prints = {first}
    prints.add(load_model(f"onnx:{folder}#labels=a|b", classification).fingerprint())
    prints.add(load_model(f"onnx:{folder}#max_length=5", classification).fingerprint())
    write_network(folder / "model.onnx", weights(1))
    prints.add(load_model(f"onnx:{folder}", classification).fingerprint())
    make_tokenizer(folder, words=[*WORDS[:-1], "jersey"])
    prints.add(load_model(f"onnx:{folder}", classification).fingerprint())
    assert len(prints) == 5


def test_one_of_several_files(folder, classification, make):
    write_network(folder / "other.onnx", weights(1))
    plain = load_model(f"onnx:{folder}", classification)
    other = load_model(f"onnx:{folder}#file=other.onnx", classification)
    assert plain.predict(make("bad")) != other.predict(make("bad"))
    (folder / "model.onnx").unlink()
    alone = load_model(f"onnx:{folder}", classification)
    assert alone.predict(make("bad")) == other.predict(make("bad"))
    with pytest.raises(ModelError, match=r"no third.onnx.*other.onnx"):
        load_model(f"onnx:{folder}#file=third.onnx", classification)


def test_what_is_missing_is_named(folder, classification, tmp_path):
    with pytest.raises(ModelError, match="scrutiny models quantize"):
        load_model(f"onnx:{folder / 'nowhere'}", classification)
    change_config(folder, id2label={})
    with pytest.raises(ModelError, match="names the labels none"):
        load_model(f"onnx:{folder}", classification)
    assert load_model(f"onnx:{folder}#labels=a|b", classification).labels == ("a", "b")
    (folder / "model.onnx").write_bytes(b"no network")
    with pytest.raises(ModelError, match="does not load"):
        load_model(f"onnx:{folder}#labels=a|b", classification)
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match=r"no tokenizer\.json"):
        load_model(f"onnx:{folder}#labels=a|b", classification)


def test_a_network_that_does_not_fit_is_refused(folder, classification, make):
    write_network(folder / "model.onnx", weights(), inputs=("input_ids", "position_ids"))
    with pytest.raises(ModelError, match="wants the input 'position_ids'"):
        load_model(f"onnx:{folder}", classification)
    write_network(folder / "model.onnx", np.ones((len(WORDS), 3), np.float32))
    with pytest.raises(ModelError, match=r"an answer of shape \(1, 3\)"):
        load_model(f"onnx:{folder}", classification).predict(make("bad"))
    with pytest.raises(ModelError, match="cannot be put on the device 'cuda:0'"):
        load_model(f"onnx:{folder}", classification, LoadOptions(device="cuda:0"))


def test_what_its_training_left_is_known(folder, classification):
    (folder / "training.json").write_text('{"replicates_of": "fine-tuning"}')
    np.save(folder / "training_hashes.npy", np.array([3, 5], np.uint64))
    assert replicates_of(f"onnx:{folder}") == "fine-tuning"
    model = load_model(f"onnx:{folder}", classification)
    assert model.training_hashes().tolist() == [3, 5]
