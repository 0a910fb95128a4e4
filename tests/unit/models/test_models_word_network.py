"""Folders of classifiers over words: where a training's record lies, and what is missing."""

import json
import sys

import numpy as np
import pytest

from scrutiny.core.errors import MissingExtraError, ModelError
from scrutiny.models.strings.model_loading import load_model
from scrutiny.models.strings.training_records import checkpoint_folder, replicates_of
from scrutiny.models.words.linear_classifier import LinearParts

KINDS = ("recurrent", "attention-classifier")


@pytest.fixture
def written(tmp_path):
    """Folder of each kind with two words, and the record of a training beside the weights."""
    from scrutiny.models.words.attention_classifier import Architecture, AttentionParts
    from scrutiny.models.words.recurrent_classifier import RecurrentArchitecture, RecurrentParts
    from scrutiny.models.words.word_model import Vocabulary
    from scrutiny.models.words.word_networks import fresh_parts, write_network

    pytest.importorskip("torch")
    kinds = {
        "recurrent": (RecurrentParts, RecurrentArchitecture(embedding=2, hidden=2)),
        "attention-classifier": (AttentionParts, Architecture(embedding=2, hidden=2)),
    }
    for name, (parts, architecture) in kinds.items():
        folder = tmp_path / name
        folder.mkdir()
        made = fresh_parts(parts, architecture, Vocabulary(("a", "b")), labels=("x", "y"), seed=1)
        write_network(made, folder)
        (folder / "training.json").write_text(json.dumps({"replicates_of": "training"}))
        np.save(folder / "training_hashes.npy", np.array([7], np.uint64))
    return tmp_path


@pytest.mark.parametrize("kind", KINDS)
def test_a_record_speaks_of_its_own_weights_only(written, kind, classification):
    source = f"{kind}:{written / kind}"
    assert checkpoint_folder(source) == written / kind
    assert replicates_of(source) == "training"
    assert load_model(source, classification).training_hashes().tolist() == [7]
    fresh = f"{source}#untrained=3"
    assert checkpoint_folder(fresh) is None
    assert replicates_of(fresh) is None
    model = load_model(fresh, classification)
    assert "training_hashes" not in model.capabilities
    assert not hasattr(model, "training_hashes")


def test_linear_ones_have_a_record_too(tmp_path, classification):
    parts = LinearParts(("good",), ("x", "y"), np.zeros((1, 2), int), np.zeros(2, int))
    parts.write(tmp_path)
    source = f"linear:{tmp_path}"
    assert replicates_of(source) is None
    (tmp_path / "training.json").write_text(json.dumps({"replicates_of": "training-sample"}))
    assert replicates_of(source) == "training-sample"
    assert "training_hashes" not in load_model(source, classification).capabilities
    assert checkpoint_folder(f"linear:{tmp_path / 'gone'}") is None


@pytest.mark.parametrize("kind", KINDS)
def test_without_torch_the_extra_is_named(written, kind, classification, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"pip install .*scrutiny\[hf\]"):
        load_model(f"{kind}:{written / kind}", classification)


def test_one_kind_does_not_read_the_other(written, classification):
    with pytest.raises(ModelError, match="not in the format recurrent-classifier@1, but atten"):
        load_model(f"recurrent:{written / 'attention-classifier'}", classification)
