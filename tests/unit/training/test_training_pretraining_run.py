import json
from dataclasses import replace

import numpy as np
import pytest
from pretraining_texts import DOCUMENTS, SMALL, write_texts

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from safetensors.torch import load_file  # noqa: E402

from scrutiny.core.errors import ModelError, PlanError, StorageError  # noqa: E402
from scrutiny.data.hashes import letters_hash  # noqa: E402
from scrutiny.models.strings.training_records import replicates_of  # noqa: E402
from scrutiny.training.pretraining.job import (  # noqa: E402
    PretrainingJob,
    Seeds,
    Stated,
    Teacher,
)
from scrutiny.training.pretraining.loop import STATE_FILE as STATE  # noqa: E402
from scrutiny.training.pretraining.pretraining import (  # noqa: E402
    SeedFamily,
    prepare,
    pretrain,
    pretrain_family,
    seed_pairs,
)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    return prepare([write_texts(tmp_path_factory.mktemp("texts"))], SMALL)


def weights(folder):
    return load_file(folder / "model.safetensors")


def equal(a, b):
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


class StopAfter:
    """Says stop once it was asked so many times."""

    def __init__(self, times):
        self.left = times

    def __call__(self):
        self.left -= 1
        return self.left < 0


@pytest.fixture(scope="module")
def whole(prepared, tmp_path_factory):
    return pretrain(PretrainingJob(prepared, Seeds(1, 1), (7,)), tmp_path_factory.mktemp("whole"))


@pytest.mark.parametrize("stops", [[1], [9, 6]])
def test_an_interrupted_run_gives_the_same_bits(prepared, whole, tmp_path, stops):
    job = PretrainingJob(prepared, Seeds(1, 1), (7,))
    for steps in stops:
        assert pretrain(job, tmp_path, should_stop=StopAfter(steps)) is None
        assert any((tmp_path / "seed-1").rglob(STATE))
    folder = pretrain(job, tmp_path)
    assert equal(weights(folder), weights(whole))
    assert equal(weights(folder / "step-7"), weights(whole / "step-7"))
    assert not any(folder.rglob(STATE))


def test_the_moments_are_taken_up_too(prepared, whole, tmp_path):
    """Resuming without the optimizer's state would differ: the test above can fail."""
    job = PretrainingJob(prepared, Seeds(1, 1))
    pretrain(job, tmp_path, should_stop=StopAfter(9))
    state = tmp_path / "seed-1" / "working" / "state.safetensors"
    from safetensors import safe_open
    from safetensors.torch import save_file

    with safe_open(state, "pt") as file:
        metadata = file.metadata()
        kept = {n: file.get_tensor(n) for n in file.keys() if n.startswith("weight/")}
    save_file(kept, state, metadata=metadata)
    assert not equal(weights(pretrain(job, tmp_path)), weights(whole))


def test_training_teaches(prepared, tmp_path):
    longer = replace(prepared, recipe=replace(SMALL, vocabulary=70, steps=150, learning_rate=0.01))
    rows = []
    pretrain(PretrainingJob(longer, Seeds(1, 1)), tmp_path, on_log=rows.append)
    assert [row["step"] for row in rows] == [100, 150]
    assert rows[1]["masked"] < rows[0]["masked"]


def test_seeds_of_weights_and_of_data_are_apart(prepared, tmp_path):
    found = {
        pair: weights(pretrain(PretrainingJob(prepared, Seeds(*pair)), tmp_path))
        for pair in ((1, 1), (1, 2), (2, 1))
    }
    assert not equal(found[1, 1], found[1, 2])
    assert not equal(found[1, 1], found[2, 1])
    assert (tmp_path / "init_seed-1" / "data_seed-2" / "config.json").is_file()


def test_precision_of_the_export_and_of_training(prepared, whole, tmp_path):
    folder = pretrain(PretrainingJob(prepared, Seeds(1, 1), precision="fp16"), tmp_path)
    half, full = weights(folder), weights(whole)
    assert all(half[name].dtype == torch.float16 for name in half)
    assert all(torch.equal(half[name], full[name].half()) for name in half)


def test_transformers_reads_the_folder(whole):
    network, info = transformers.BertForPreTraining.from_pretrained(whole, output_loading_info=True)
    assert not info["missing_keys"]
    assert not info["unexpected_keys"]
    tokenizer = transformers.AutoTokenizer.from_pretrained(whole)
    asked = tokenizer("the [MASK] sat", return_tensors="pt")
    assert network(**asked).prediction_logits.shape[1] == asked["input_ids"].shape[1]
    words = network.bert.embeddings.word_embeddings.weight
    assert network.cls.predictions.decoder.weight is words


def test_the_record_says_what_made_it(prepared, tmp_path):
    stated = Stated("CC BY-SA 4.0", ("Our own cats (CC0)",))
    folder = pretrain(PretrainingJob(prepared, Seeds(3, 3), (5,), stated=stated), tmp_path)
    record = json.loads((folder / "training.json").read_text())
    early = json.loads((folder / "step-5" / "training.json").read_text())
    assert (record["step"], early["step"]) == (20, 5)
    assert record["seeds"] == {"init_seed": 3, "data_seed": 3}
    assert record["texts"] == [{"name": f.name, "sha256": f.sha256} for f in prepared.files]
    assert record["documents"] == len(DOCUMENTS)
    assert record["recipe"]["masking"] == "dynamic"
    assert replicates_of(f"hf:{folder}") == "pre-training"
    card = (folder / "README.md").read_text()
    assert "license: cc-by-sa-4.0" in card
    assert "Our own cats" in card
    assert "Step 5 of 20" in (folder / "step-5" / "README.md").read_text()


def test_what_is_finished_is_not_trained_again(prepared, whole):
    job = PretrainingJob(prepared, Seeds(1, 1), (7,))
    before = (whole / "model.safetensors").stat().st_mtime_ns
    assert pretrain(job, whole.parent) == whole
    assert (whole / "model.safetensors").stat().st_mtime_ns == before


def test_another_run_in_the_folder_is_refused(prepared, whole, tmp_path):
    other = replace(prepared, recipe=replace(prepared.recipe, steps=30))
    with pytest.raises(PlanError, match="holds another run"):
        pretrain(PretrainingJob(other, Seeds(1, 1)), whole.parent)
    pretrain(PretrainingJob(prepared, Seeds(1, 1)), tmp_path, should_stop=StopAfter(2))
    with pytest.raises(StorageError, match="another recipe"):
        pretrain(PretrainingJob(other, Seeds(1, 1)), tmp_path)


def test_a_family_shares_its_vocabulary(tmp_path):
    texts = (write_texts(tmp_path),)
    family = SeedFamily(texts, SMALL, seed_pairs([1, 2], [], []))
    rows = []
    folders = pretrain_family(
        family, tmp_path / "out", on_log=lambda seeds, row: rows.append(seeds.init)
    )
    assert [folder.name for folder in folders] == ["seed-1", "seed-2"]
    assert rows == [1, 2]
    kept = [f / "tokenizer.json" for f in (tmp_path / "out" / "tokenizer", *folders)]
    assert len({path.read_text() for path in kept}) == 1
    hashes = np.load(tmp_path / "out" / "training_hashes.npy")
    assert letters_hash("one SENTENCE stands alone here") in hashes
    assert letters_hash("nobody wrote this sentence") not in hashes
    assert pretrain_family(family, tmp_path / "out") == folders


def test_a_stopped_family_goes_on(tmp_path):
    family = SeedFamily((write_texts(tmp_path),), SMALL, seed_pairs([1, 2], [], []))
    assert pretrain_family(family, tmp_path / "out", should_stop=StopAfter(25)) is None
    folders = pretrain_family(family, tmp_path / "out")
    fresh = pretrain_family(family, tmp_path / "fresh")
    for one, other in zip(folders, fresh, strict=True):
        assert equal(weights(one), weights(other))


def test_a_student_learns_from_its_teacher(prepared, whole, tmp_path):
    teacher = Teacher(whole, "zoo:teacher")
    folder = pretrain(PretrainingJob(prepared, Seeds(1, 1), teacher=teacher), tmp_path)
    record = json.loads((folder / "training.json").read_text())
    assert record["distilled_from"]["name"] == "zoo:teacher"
    assert "no further replicate" in (folder / "README.md").read_text()
    assert not equal(weights(folder), weights(whole))


def test_a_teacher_of_another_vocabulary_is_refused(whole, tmp_path):
    texts = write_texts(tmp_path, [["Quite other words, with a zebra in a box."] * 9])
    other = prepare([texts], SMALL)
    with pytest.raises(ModelError, match="another vocabulary"):
        pretrain(PretrainingJob(other, Seeds(1, 1), teacher=Teacher(whole, "t")), tmp_path / "out")


def test_stop_is_asked_by_signals():
    import os
    import signal

    from scrutiny.training.pretraining.loop import stopping_on_signals

    before = signal.getsignal(signal.SIGTERM)
    with stopping_on_signals() as stop:
        assert not stop.is_set()
        os.kill(os.getpid(), signal.SIGTERM)
        assert stop.is_set()
    assert signal.getsignal(signal.SIGTERM) is before
