import json

import pytest

from scrutiny.core.errors import ModelError
from scrutiny.core.model import KnowsTrainingText
from scrutiny.models.competence import (
    KnowsCompetence,
    failed_gates,
    read_competence,
    with_competence,
)

RECORD = {"gates": {"beats_5gram": True, "agreement": False}, "masked_accuracy": 0.31}


def test_a_record_is_read(tmp_path):
    assert read_competence(tmp_path) is None
    (tmp_path / "competence.json").write_text(json.dumps(RECORD))
    assert read_competence(tmp_path) == RECORD


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"gates": [1]}', '{"gates": {"a": 0.5}}'])
def test_a_record_that_does_not_read(tmp_path, text):
    (tmp_path / "competence.json").write_text(text)
    with pytest.raises(ModelError, match=r"competence record|gates are true or false"):
        read_competence(tmp_path)


class Plain:
    pass


def test_a_model_learns_what_its_checkpoint_can_do(tmp_path):
    unknown = with_competence(Plain(), tmp_path)
    assert not isinstance(unknown, KnowsCompetence)
    assert failed_gates(unknown) == ()
    (tmp_path / "competence.json").write_text(json.dumps(RECORD))
    model = Plain()
    assert with_competence(model, tmp_path) is model
    assert isinstance(model, KnowsCompetence)
    assert model.competence() == RECORD
    assert failed_gates(model) == ("agreement",)


def test_loaded_checkpoints_know_their_competence(tmp_path, classification, monkeypatch):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from tiny_bert import make_checkpoint

    from scrutiny.models.load import load_model

    folder = make_checkpoint(tmp_path / "tiny" / "seed-1")
    assert not isinstance(load_model(f"hf:{folder}", classification), KnowsCompetence)
    (folder / "competence.json").write_text(json.dumps(RECORD))
    monkeypatch.setenv("SCRUTINY_ZOO", str(tmp_path))
    for source in (f"hf:{folder}", "zoo:tiny/seed-1"):
        model = load_model(source, classification)
        assert failed_gates(model) == ("agreement",)
        assert len(model.predict([])) == 0


@pytest.mark.parametrize("place", [".", "..", "../..", "../../.."])
def test_checkpoints_trained_here_know_their_training_text(tmp_path, classification, place):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    import numpy as np
    from tiny_bert import make_checkpoint

    from scrutiny.models.load import load_model

    folder = make_checkpoint(tmp_path / "all" / "family" / "seed-1" / "step-5")
    hashes = np.array([3, 7], dtype=np.uint64)
    np.save(folder / place / "training_hashes.npy", hashes)
    assert not isinstance(load_model(f"hf:{folder}", classification), KnowsTrainingText)
    (folder / "training.json").write_text("{}")
    model = load_model(f"hf:{folder}", classification)
    assert isinstance(model, KnowsTrainingText)
    assert model.training_hashes().tolist() == [3, 7]
    assert not isinstance(load_model(f"untrained:hf:{folder}", classification), KnowsTrainingText)
    (folder / place / "training_hashes.npy").write_bytes(b"x")
    with pytest.raises(ModelError, match=r"training_hashes\.npy' does not read"):
        load_model(f"hf:{folder}", classification).training_hashes()
