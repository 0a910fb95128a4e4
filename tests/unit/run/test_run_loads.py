"""Loads: a command loads each replicate once, or shares one with a worker, and reads data once."""

import json
import os

import numpy as np
import pytest
from small_runs import MODEL, rows

import scrutiny
from scrutiny.cli import group, request
from scrutiny.cli.failures import exit_code_of
from scrutiny.core.model import LoadOptions
from scrutiny.core.plan import DataPlan
from scrutiny.data import dataset
from scrutiny.models.python.object_digest import read_object
from scrutiny.run.planning import loading
from scrutiny.run.planning.loading import KEPT, LoadedModels, Opened
from scrutiny.store.run_folder import RunFolder
from scrutiny.tasks.tasks import load_task

#: Writes a line for each time that it is made, in whatever process.
COUNTED = MODEL.format(every=11, shift=0).replace(
    "self.asked = []",
    """self.asked = []
        import os, pathlib
        with pathlib.Path(__file__).with_name("loads").open("a") as file:
            file.write(f"{seed} {os.getpid()}\\n")""",
)
ASKED = ("--only", "performance", "--only", "calibration", "--only", "robustness", "--no-cache")
TASK = load_task("text-classification")


@pytest.fixture
def toys(tmp_path, monkeypatch):
    """Folder with a family of five toy models, and two datasets with labels of their own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(request, "write_page", lambda *_: False)  # it loads nothing
    for seed in range(1, 6):
        (tmp_path / f"toy-{seed}.py").write_text(COUNTED.replace('seed="0"', f'seed="{seed}"'))
    words = {"negative": "neg", "positive": "pos"}
    for items, name, label in ((rows(12), "one", words.get), (rows(24)[12:], "two", str)):
        lines = [json.dumps({**row, "label": label(row["label"])}) for row in items]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    return tmp_path


@pytest.fixture
def read(monkeypatch):
    """Sources of the datasets that are read."""
    found, real = [], dataset.load_dataset
    monkeypatch.setattr(
        loading, "load_dataset", lambda source, **more: found.append(source) or real(source, **more)
    )
    return found


def loads(folder):
    """Replicates that were loaded, and in which processes, since this was asked last."""
    path = folder / "loads"
    lines = [line.split() for line in path.read_text().splitlines()] if path.exists() else []
    path.unlink(missing_ok=True)
    return [seed for seed, _ in lines], {int(process) for _, process in lines}


def command(*words):
    arguments = [*words, "--display", "none"]
    assert exit_code_of(group, arguments) == 0


MODELS = ("--model", "python:./toy-{seed}.py:Model")
SOURCES = ["jsonl:one.jsonl#labels=neg:negative|pos:positive", "jsonl:two.jsonl"]
ONE = ("--data", SOURCES[0])
BOTH = (*ONE, "--data", SOURCES[1])


@pytest.mark.parametrize("workers", [1, 3])
def test_an_audit_loads_each_replicate_once_but_for_one_less_than_workers(toys, read, workers):
    again = ("audit", *MODELS, *BOTH, *ASKED, "--out", "run", "--workers", str(workers))
    command(*again)
    seeds, processes = loads(toys)
    assert set(seeds) == set("12345")
    assert len(seeds) <= 5 + workers - 1
    assert len(processes) <= workers
    assert (os.getpid() in processes) == (workers == 1)  # the driver holds no models
    assert read == SOURCES
    records = RunFolder.open("run").records()
    assert len({(row["dataset"], row["kind"]) for row in records.to_pylist()}) == 2 * 3
    read.clear()
    command(*again)  # the run is done: one says whether they are the same, as it did before
    assert len(loads(toys)[0]) <= 5
    assert read == SOURCES


def test_a_dry_run_and_a_time_budget_load_one_replicate(toys, read):
    command("audit", *MODELS, *ONE, *ASKED, "--dry-run", "--workers", "2")
    seeds, processes = loads(toys)
    assert (seeds, processes) == (["1"], {os.getpid()})
    assert read == SOURCES[:1]
    command("audit", *MODELS, *ONE, *ASKED, "--budget", "1h", "--out", "run")
    assert sorted(loads(toys)[0]) == list("12345")  # what was timed is measured


def test_a_run_with_a_reference_keeps_it(toys, read):
    (toys / "first.py").write_text((toys / "toy-1.py").read_text())
    beside = ("--reference", "python:./first.py:Model")
    command("run", "similarity.outputs", *MODELS, *beside, *ONE, "--no-cache", "--out", "run")
    assert sorted(loads(toys)[0]) == ["1", *"12345"]
    assert read == SOURCES[:1]


def test_who_is_asked_in_both_stages_of_a_run_is_known_to_be_the_same(toys):
    text = (toys / "toy-1.py").read_text().replace("def fingerprint", "def other")
    (toys / "plain.py").write_text(text)
    words = ("--model", "python:./plain.py:Model", "--reference", "python:./plain.py:Model")
    more = ("--limit", "3", "-P", "budget=20", "--no-cache", "--out", "run")
    command("run", "invariance.scope", *words, *ONE, *more)
    (model,) = RunFolder.open("run").manifest["models"].values()
    assert "(none was so far)" in model["compared"]  # no question was asked again


def test_models_that_are_compared_are_loaded_once_and_their_data_read_once(toys, read):
    two = ("python:./toy-1.py:Model", "python:./toy-2.py:Model")
    command("compare", *two, *ONE, "--no-cache")
    assert sorted(loads(toys)[0]) == ["1", "2"]
    assert read == SOURCES[:1]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_audit_from_python(toys, read, workers):
    made = {"model": MODELS[1], "data": SOURCES[0], "workers": workers}
    scrutiny.audit(**made, only=["performance", "calibration"])
    assert len(loads(toys)[0]) <= 5 + workers - 1
    assert read == SOURCES[:1]


def test_what_cannot_be_loaded_is_said_as_ever_and_what_ends_a_worker_too(toys, capsys):
    fails = {"raises": "raise ValueError('no weights')", "leaves": "import os; os._exit(5)"}
    for name, body in fails.items():
        (toys / f"{name}.py").write_text(f"class Model:\n    def __init__(self):\n        {body}\n")
    for name, words in (("raises", "ValueError: no weights"), ("leaves", "with exit code 5")):
        model = ("--model", f"python:./{name}.py:Model")
        assert exit_code_of(group, ["audit", *model, *ONE, "--workers", "2"]) == 2
        assert words in " ".join(capsys.readouterr().err.split())


def test_no_more_models_are_kept_than_one_and_its_reference(monkeypatch):
    models = LoadedModels()
    sources = [f"builtin:sentiment/seed-{seed}" for seed in (1, 2, 3)]
    first = [models.get("m", source, TASK)[0] for source in sources]
    assert len(models._kept) == KEPT
    again = [models.get("m", source, TASK)[0] for source in sources[::-1]]
    assert again[:2] == first[:0:-1]
    assert again[2] is not first[0]
    assert models.slowest > 0
    models.forget()
    assert models.get("m", sources[0], TASK)[0] is not again[2]


@pytest.mark.extra("hf")
def test_models_of_few_weights_stay_besides(monkeypatch):
    monkeypatch.setattr(loading, "LIGHT_KEPT", 3)
    models = LoadedModels()
    monkeypatch.setattr(models, "_load", lambda key, task: (key.source, None))
    heavy = [f"builtin:sentiment/seed-{seed}" for seed in (1, 2, 3)]
    light = [f"{kind}zoo:bert-2x128/seed-{n}" for kind in ("", "untrained:") for n in (1, 2)]
    for source in (*light, *heavy, "zoo:no-such/seed-1"):
        models.get("m", source, TASK)
    assert [key.source for key in models._kept] == [*light[1:], heavy[-1], "zoo:no-such/seed-1"]
    models.get("m", light[0], TASK)
    assert [key.source for key in models._kept][:2] == light[2:]


@pytest.mark.extra("hf")
def test_one_language_model_serves_all_that_need_no_answer():
    models, source = LoadedModels(), "untrained:zoo:bert-2x128/seed-1"
    pairs, triples, labels = map(
        load_task, ("sentence-pairs", "sentence-triples", "text-classification")
    )
    first = models.get("m", source, pairs)[0]
    assert models.get("m", source, triples)[0] is first
    assert models.get("n", source, triples)[0] is not first
    assert models.get("m", f"{source}#seed=1", triples)[0] is not first
    bare = "zoo:bert-2x128/seed-1#head=none"
    assert models.get("m", bare, labels)[0] is not models.get("m", bare, pairs)[0]


def test_what_is_read_of_an_object_is_what_it_was_before_it_answered():
    class Weighted:
        labels = ("negative", "positive")
        weights = np.zeros(2)

        def predict(self, texts):
            return ["positive"] * len(texts)

    given = Weighted()
    models = LoadedModels(given={"m": given})
    model, reading = models.get("m", "python:object:Weighted", TASK)
    given.weights = np.ones(2)
    assert reading.digest != read_object(model).digest
    assert models.get("m", "python:object:Weighted", TASK) == (model, reading)
    assert models.slowest == 0  # it was there


def test_a_card_says_what_a_model_is():
    models = LoadedModels(LoadOptions(batch=4))
    card = models.card("m", "builtin:sentiment/seed-1", TASK)
    model, reading = models.get("m", "builtin:sentiment/seed-1", TASK)
    assert (card.model_labels, card.fingerprint) == (model.labels, model.fingerprint())
    assert (card.reading, reading, card.is_remote, card.truncated) == (None, None, False, 0)
    assert {"predict", "training_hashes"} <= card.capabilities


def test_data_is_read_once_for_each_limit_and_kind_of_bad_rows(read):
    known = Opened(LoadedModels(), {"x": rows(6)})
    plan = DataPlan("x", "object:x", limit=4)
    assert known.dataset(plan) is known.dataset(plan)
    assert len(known.dataset(plan)) == 4
    assert known.dataset(plan, "fail") is not known.dataset(plan)
    assert len(known.dataset(DataPlan("x", "object:x"))) == 6
    assert len(read) == 3


def test_replicates_of_one_training_text_read_it_once(toys, monkeypatch):
    read, real = [], loading.iter_examples
    monkeypatch.setattr(
        loading, "iter_examples", lambda source: read.append(source) or real(source)
    )
    models = LoadedModels(LoadOptions(options={"training": SOURCES[1]}))
    sources = [f"builtin:sentiment/seed-{seed}" for seed in (1, 2)]
    first, second = (models.get("m", source, TASK)[0].training_hashes() for source in sources)
    assert first is second
    assert read == [SOURCES[1]]
