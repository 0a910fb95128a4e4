"""What a checkpoint's folder says of its training."""

import pytest

from scrutiny.core.errors import ModelError
from scrutiny.core.model import KnowsTrainingText
from scrutiny.models.strings.training_records import (
    checkpoint_folder,
    find_training_hashes,
    replicates_of,
    trained_from,
)


def test_the_folder_of_a_checkpoint(tmp_path, monkeypatch):
    (tmp_path / "tiny" / "seed-1").mkdir(parents=True)
    (tmp_path / "tiny" / "seed-1" / "config.json").write_text("{}")
    monkeypatch.setenv("SCRUTINY_ZOO", str(tmp_path))
    assert checkpoint_folder(f"hf:{tmp_path}#dtype=float32") == tmp_path
    assert checkpoint_folder("zoo:tiny/seed-1") == tmp_path / "tiny" / "seed-1"
    for text in (f"hf:{tmp_path}/no-such", "hf:org/name", f"untrained:hf:{tmp_path}"):
        assert checkpoint_folder(text) is None


def test_the_nearest_hashes_are_found_and_only_beside_a_record(tmp_path):
    folder = tmp_path / "family" / "seed-1"
    folder.mkdir(parents=True)
    own, shared = folder / "training_hashes.npy", tmp_path / "family" / "training_hashes.npy"
    shared.write_bytes(b"")
    assert find_training_hashes(folder) is None  # nothing says that it was trained here
    (folder / "training.json").write_text("{}")
    assert find_training_hashes(folder) == shared
    own.write_bytes(b"")
    assert find_training_hashes(folder) == own


@pytest.mark.parametrize("place", [".", "..", "../..", "../../.."])
def test_checkpoints_trained_here_know_their_training_text(tmp_path, classification, place):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    import numpy as np
    from tiny_bert import make_checkpoint

    from scrutiny.models.strings.model_loading import load_model

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
    with pytest.raises(ModelError, match=r"training_hashes\.npy' cannot be read"):
        load_model(f"hf:{folder}", classification).training_hashes()


def test_of_what_members_are_replicates(tmp_path):
    assert replicates_of("builtin:sentiment") is None
    assert replicates_of("untrained:hf:./any#seed=3") == "initialization"
    assert replicates_of(f"hf:{tmp_path}") is None
    (tmp_path / "training.json").write_text('{"replicates_of": "fine-tuning"}')
    assert replicates_of(f"hf:{tmp_path}") == "fine-tuning"
    (tmp_path / "training.json").write_text("{}")
    assert replicates_of(f"hf:{tmp_path}") is None
    (tmp_path / "training.json").write_text("[")
    with pytest.raises(ModelError, match="cannot be read"):
        replicates_of(f"hf:{tmp_path}")


def test_the_base_of_a_checkpoint(tmp_path):
    source = f"hf:{tmp_path}"
    assert trained_from(source) is trained_from("builtin:sentiment") is None
    (tmp_path / "training.json").write_text('{"base": {"source": "zoo:tiny/seed-1"}}')
    assert trained_from(source) == "zoo:tiny/seed-1"
    assert trained_from(f"untrained:{source}") is None
    (tmp_path / "training.json").write_text('{"base": "all-MiniLM-L6-v2"}')
    assert trained_from(source) is None
