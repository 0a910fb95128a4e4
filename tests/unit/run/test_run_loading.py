"""The ways in which a model's training text becomes known: its own record, or what is stated."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from scrutiny.core.example import Example
from scrutiny.core.model import KnowsTrainingText, capabilities_of
from scrutiny.data.hashes import training_hashes
from scrutiny.models.strings import model_loading
from scrutiny.models.strings.adapters import Adapter
from scrutiny.run.planning.doubtful_data import trained_on_it
from scrutiny.run.planning.loading import LoadedModels
from scrutiny.tasks.tasks import load_task
from scrutiny.testing.toy_models import KeywordClassifier

TASK = load_task("text-classification")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Checkpoint that was trained here; its adapter answers with a toy."""
    monkeypatch.setattr(
        model_loading, "adapter", lambda scheme: Adapter(lambda *of: KeywordClassifier())
    )
    folder = tmp_path / "seed-1"
    folder.mkdir()
    (folder / "training.json").write_text(json.dumps({"data": {"fingerprints": ["f"]}}))
    return folder


def test_nothing_is_known_where_nothing_was_kept(folder):
    model = LoadedModels().get("m", f"hf:{folder}", TASK)[0]
    assert not isinstance(model, KnowsTrainingText)
    assert "training_hashes" not in capabilities_of(model, TASK)


@pytest.mark.parametrize("place", ["seed-1", "."])
def test_what_its_training_kept_is_known_for_every_task(folder, place):
    np.save(folder.parent / place / "training_hashes.npy", np.array([5], dtype=np.uint64))
    for task in (TASK, load_task("passages")):
        model = LoadedModels().get("m", f"hf:{folder}", task)[0]
        assert isinstance(model, KeywordClassifier)  # itself, not something around it
        assert "training_hashes" in capabilities_of(model, task)
        assert model.training_hashes().tolist() == [5]


def test_what_the_user_states_comes_first(folder):
    np.save(folder / "training_hashes.npy", np.array([5], dtype=np.uint64))
    texts = folder / "read.csv"
    texts.write_text("text,label\nA film.,positive\n")
    model = LoadedModels().get("m", f"hf:{folder}#training={texts}", TASK)[0]
    assert model.training_hashes().tolist() == training_hashes(["A film."]).tolist()
    example = Example(id="1", fields={"text": "a good film"})
    assert model.predict([example])[0].answer == KeywordClassifier().predict([example])[0].answer


@pytest.mark.parametrize("record", [None, "[", "{}", '{"data": {"fingerprints": "f"}}'])
def test_data_that_chose_are_named_where_a_record_says_so(folder, record):
    replicates = (SimpleNamespace(source=f"hf:{folder}"), SimpleNamespace(source="builtin:x"))
    resolved = SimpleNamespace(
        pairings={("m", "x"): None},
        datasets={"x": SimpleNamespace(fingerprint="f")},
        tasks={"x": TASK},
        families={"m": SimpleNamespace(replicates=replicates)},
    )
    assert next(trained_on_it(resolved)).startswith("1 of 2 replicates of m were trained on x")
    if record is None:
        (folder / "training.json").unlink()
    else:
        (folder / "training.json").write_text(record)
    assert not list(trained_on_it(resolved))
