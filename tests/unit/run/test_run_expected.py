"""Models that are expected: workers start before data are read, and import what loading needs."""

import sys

import pytest
from small_runs import plan, rows, run

from scrutiny.core.long_runs import PATIENCE
from scrutiny.core.plan import DataPlan, ModelPlan
from scrutiny.models.strings import adapters
from scrutiny.models.strings.adapters import Adapter, import_ahead, imports_of
from scrutiny.run.executing import executors
from scrutiny.run.executing.executors import executor
from scrutiny.run.planning import loading
from scrutiny.run.planning.audit import audit_plan
from scrutiny.run.planning.loading import LoadedModels, Opened
from scrutiny.run.planning.resolve import resolve
from scrutiny.testing import KeywordClassifier

NETWORK = ("scrutiny.models.hf.transformer",)
SLOW, QUICK = "hf:./somewhere", "builtin:sentiment/seed-1"


class Started:
    """Both ends of a worker that has been started, as the driver has them; it never answers."""

    def __init__(self, options):
        self.told, self.waited, self.is_there = [], [], True

    def send(self, message):
        self.told.append(message)

    def close(self):
        self.told.append("closed")

    def is_alive(self):
        return self.is_there

    def join(self, timeout=None):
        self.waited.append(timeout)

    def kill(self):
        self.is_there = False


@pytest.fixture
def workers(monkeypatch):
    """Workers that have been started."""
    found = []

    def started(options, workers):
        assert workers == 3
        found.append(Started(options))
        return found[-1], found[-1]

    monkeypatch.setattr(executors, "_started", started)
    return found


def test_what_a_model_string_imports_is_what_its_checkpoint_does(tmp_path, monkeypatch):
    folder = tmp_path / "weights" / "bert-2x128" / "seed-1"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    monkeypatch.setenv("SCRUTINY_ZOO", str(tmp_path))
    assert imports_of("zoo:bert-2x128/seed-1") == imports_of(SLOW) == NETWORK
    assert imports_of("untrained:zoo:bert-2x128") == NETWORK
    assert imports_of("choice:zoo:bert-2x128/seed-1#text=x") == NETWORK
    nowhere = ("zoo:bert-9x9/seed-1", "no-such-scheme:x", "no string")
    assert [imports_of(source) for source in (QUICK, "http:api.toml", *nowhere)] == [()] * 5


def test_imports_ahead_look_seldom_for_garbage_and_leave_errors_to_the_loader(
    tmp_path, monkeypatch
):
    (tmp_path / "patient.py").write_text("import gc\nthreshold, *_ = gc.get_threshold()")
    (tmp_path / "broken.py").write_text("raise RuntimeError('half installed')")
    monkeypatch.syspath_prepend(tmp_path)
    made = Adapter(lambda *_: None, imports=("patient", "broken", "never_reached"))
    monkeypatch.setattr(adapters, "adapter", lambda scheme: made)
    import_ahead("rules:thing")
    assert sys.modules.pop("patient").threshold >= PATIENCE
    assert "broken" not in sys.modules


def test_all_workers_start_for_what_is_slow_to_import_and_none_waits_for_them(workers):
    crew = executor("processes", LoadedModels(), workers=3)
    crew.expect([QUICK])
    assert workers == []
    crew.expect([QUICK, SLOW])
    crew.expect([SLOW])
    assert [worker.told for worker in workers] == [[("expect", [SLOW])] * 2] * 3
    crew.close()
    assert [worker.told[2:] for worker in workers] == [[None, "closed"]] * 3
    assert [(w.waited[0], w.is_there) for w in workers] == [(0, False)] * 3  # amid an import


class Cards(LoadedModels):
    """Cards of models of this process, that notes what is expected, and when."""

    def __init__(self, happened, **given):
        super().__init__(given=given)
        self.happened = happened

    def expect(self, sources):
        self.happened.append([*sources])


def test_models_are_expected_before_data_are_read(monkeypatch):
    happened, real = [], loading.load_dataset
    monkeypatch.setattr(
        loading, "load_dataset", lambda *a, **more: happened.append("data") or real(*a, **more)
    )
    known = Opened(Cards(happened, m=KeywordClassifier()), {"x": rows(12)})
    resolve(plan("python:object:m"), opened=known)
    assert happened == [["python:object:m"], "data"]
    happened.clear()
    known = Opened(Cards(happened, m=KeywordClassifier()), {"x": rows(12)})
    audit_plan([ModelPlan("m", "python:object:m")], [DataPlan("x", "object:x")], opened=known)
    assert happened[:2] == [["python:object:m"], "data"]


ENDS = """
import atexit, pathlib, sys
class Model:
    labels = ("negative", "positive")
    def __init__(self):
        atexit.register(pathlib.Path(__file__).with_name("ended").touch)
    def predict(self, texts):
        return ["positive"] * len(texts)
"""


def test_what_a_model_does_at_the_end_is_done_in_a_worker(tmp_path):
    (tmp_path / "model.py").write_text(ENDS)
    run(plan(f"python:{tmp_path}/model.py:Model"), tmp_path / "out", workers=2)
    assert (tmp_path / "ended").exists()
