"""Workers: their store is the driver's, their errors are the driver's, their death is said."""

import os
import threading
from contextlib import closing
from functools import partial
from multiprocessing import Pipe

import numpy as np
import pytest
from small_runs import family, plan, rows, run

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import DataError, ModelError, RunIncompleteError
from scrutiny.core.example import Example
from scrutiny.core.long_runs import Progress
from scrutiny.run import driver
from scrutiny.run.asking.answer_store import TaskStore, local_store
from scrutiny.run.asking.client import ModelClient
from scrutiny.run.driver import RunOptions, run_plan
from scrutiny.run.estimating.estimator import estimates_by_name
from scrutiny.run.executing import executors
from scrutiny.run.executing.context import RunContext
from scrutiny.run.executing.executors import pipe_store
from scrutiny.run.planning.loading import LoadedModels
from scrutiny.run.planning.resolve import resolve
from scrutiny.store.database import AnswerCache, Journal
from scrutiny.testing import KeywordClassifier

DIES = """
import os
class Model:
    labels = ("negative", "positive")
    def predict(self, texts):
        if any("case 17" in text for text in texts):
            os._exit(9)
        return ["positive"] * len(texts)
"""
MALFORMED = """
class Model:
    labels = ("negative", "positive")
    def predict(self, texts):
        return ["positive"] * (len(texts) + 1)
"""


def source(tmp_path, text):
    (tmp_path / "model.py").write_text(text)
    return f"python:{tmp_path}/model.py:Model"


@pytest.fixture
def store(tmp_path):
    cache, journal = AnswerCache(tmp_path / "a.sqlite"), Journal(tmp_path / "j.sqlite")
    yield local_store(cache, journal, Progress())
    cache.close()
    journal.close()


KILLED = DIES.replace("os._exit(9)", "os.kill(os.getpid(), 9)")


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        (DIES, ModelError, r"ended by itself, with exit code 9.*os\._exit.*re-issue the same"),
        (DIES.replace("9", "0"), ModelError, r"ended by itself, with exit code 0.*os\._exit"),
        (KILLED, RunIncompleteError, r"ended by signal 9 .*re-issue the same command"),
    ],
    ids=["leaves with 9", "leaves with 0", "killed"],
)
def test_a_worker_that_dies_is_said_and_what_was_done_is_kept(tmp_path, text, error, words):
    made = plan(
        source(tmp_path, text), diagnostic="robustness", params={"transformations": ["typos"]}
    )
    with pytest.raises(error, match=words):
        run(made, tmp_path / "out", workers=2, executor="processes")
    journal = Journal(tmp_path / "out" / "journal.sqlite")
    assert journal.meta("identity")
    assert journal.done() == {"prepare/d/x/0"}
    journal.close()


EXITS = """
import sys
class Model:
    labels = ("negative", "positive")
    def predict(self, texts):
        if any("case 17" in text for text in texts):
            sys.exit(0)
        return ["positive"] * len(texts)
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_a_model_that_exits_has_failed_on_that_item(tmp_path, workers):
    folder = run(plan(source(tmp_path, EXITS)), tmp_path / "out", workers=workers)
    failed = [r for r in folder.records().to_pylist() if r["status"] == "failed"]
    assert [(r["item"], r["reason"]) for r in failed] == [("i17", "model_error")]
    assert "SystemExit: 0" in str(folder.table("timings")["failures"].to_pylist())


@pytest.mark.parametrize(
    "text",
    [
        "import sys\nsys.exit(0)",
        "import sys\nclass Model:\n    def __init__(self): sys.exit(0)",
        EXITS + "    def fingerprint(self): sys.exit(0)",
    ],
    ids=["import", "made", "fingerprint"],
)
def test_a_model_that_exits_when_it_is_loaded_is_refused(tmp_path, text):
    with pytest.raises(ModelError, match=r"model.py:Model called sys\.exit\(0\)"):
        run(plan(source(tmp_path, text)), tmp_path / "out")


def test_an_error_for_people_comes_through_whole(tmp_path):
    made = plan(source(tmp_path, MALFORMED))
    with pytest.raises(ModelError) as there:
        run(made, tmp_path / "out", workers=2, executor="processes")
    with pytest.raises(ModelError) as here:
        run(made, tmp_path / "other")
    assert str(there.value) == str(here.value)
    assert "gave 17 answers to 16 examples" in str(here.value)


def test_the_store_of_a_worker_is_the_drivers():
    """Answers, memos and nothing known, through a pipe served by another thread."""
    ours, theirs = Pipe()
    kept = {}

    drivers = TaskStore(
        lambda keys: {k: kept[k] for k in keys if k in kept},
        kept.update,
        lambda key: (key in kept, kept.get(key)),
        kept.__setitem__,
    )

    def serve():
        while (message := ours.recv()) is not None:
            ours.send(drivers.reply(message[1], message[2]))

    thread = threading.Thread(target=serve)
    thread.start()
    store = pipe_store(theirs)
    store.put_many({b"k": b"v"})
    assert store.get_many([b"k", b"z"]) == {b"k": b"v"}
    assert store.memo("m") == (False, None)
    store.set_memo("m", [1])
    assert store.memo("m") == (True, [1])
    theirs.send(None)
    thread.join()


def test_a_value_is_made_once_in_the_life_of_a_run(store):
    made = []
    for _ in range(3):
        context = RunContext(task=None, seed=0, store=store)
        assert context.once("k", lambda: made.append(1) or len(made)) == 1
    assert made == [1]


def test_without_a_model_nothing_is_answered(store):
    context = RunContext(task=None, seed=0, store=store)
    assert context.labels == ()
    assert context.predict([Example("1", {"text": "x"})]) == [Failure("no_model")]


def test_answers_are_kept_as_outputs_under_item_and_variant(store):
    model = KeywordClassifier()
    client = ModelClient(model, store, fingerprint="f", to_data={}, digest="d")
    context = RunContext(task=None, seed=3, store=store, client=client)
    example = Example("1", {"text": "good"})
    context.predict([example, example], variants=[None, "v"])
    assert list(context.outputs) == [("1", None), ("1", "v")]
    assert context.model is model
    drawn = context.rng("p", "n@1", "1").random(2)
    again = RunContext(task=None, seed=3, store=store).rng("p", "n@1", "1").random(2)
    assert np.array_equal(drawn, again)


COUNTED = """
import os, pathlib
class Model:
    labels = ("negative", "positive")
    def predict(self, texts):
        pathlib.Path(__file__).with_name(f"{os.getpid()}.loaded").touch()
        return ["positive"] * len(texts)
"""


def test_workers_stay_from_making_variants_to_asking_models(tmp_path, monkeypatch):
    started = []
    start = executors._started
    monkeypatch.setattr(executors, "_started", lambda *of: started.append(1) or start(*of))
    made = plan(
        source(tmp_path, COUNTED), diagnostic="robustness", params={"transformations": ["typos"]}
    )
    run(made, tmp_path / "out", workers=2, executor="processes")
    journal = Journal(tmp_path / "out" / "journal.sqlite")
    assert {task.split("/")[0] for task in journal.done()} == {"prepare", "measure"}
    journal.close()
    assert 1 <= len(list(tmp_path.glob("*.loaded"))) <= len(started) <= 2


@pytest.fixture
def spread(monkeypatch):
    """What workers have estimated, however few numbers there are."""
    monkeypatch.setattr(driver, "_SPREAD", 1)
    given = []
    made = executors.Processes.spread
    monkeypatch.setattr(
        executors.Processes,
        "spread",
        lambda *asked: (given.append(found) or found for found in made(*asked)),
    )
    return given


def test_workers_estimate_and_the_numbers_are_those_of_one_process(tmp_path, spread):
    changes = {"transformations": ["typos", "ocr"]}
    made = plan(family(tmp_path), seeds=(0, 1), diagnostic="robustness", params=changes)
    many = run(made, tmp_path / "many", workers=2, executor="processes")
    names = [name for name, _ in spread]
    one = run(made, tmp_path / "one")
    assert [name for name, _ in spread] == names  # one process makes its own
    assert len(set(names)) == len(names) > 10
    for file in ("estimates.parquet", "findings.json"):
        assert (many.path / file).read_bytes() == (one.path / file).read_bytes()


def test_one_worker_leaves_the_numbers_to_the_driver(tmp_path, spread):
    made = plan(family(tmp_path), seeds=(0,))
    run(made, tmp_path / "out", workers=1, executor="processes")
    assert spread == []


def test_a_worker_that_cannot_estimate_says_why(tmp_path, spread):
    folder = run(plan(family(tmp_path), seeds=(0, 1)), tmp_path / "one")
    resolved = resolve(plan(family(tmp_path), seeds=(0, 1)), data={"x": rows()})
    crew = RunOptions(workers=2, executor="processes").crew(LoadedModels())
    with closing(crew):
        run_plan(resolved, tmp_path / "two", crew=crew)
        (folder.path / "records.parquet").unlink()
        with pytest.raises(DataError, match=r"has no records\.parquet"):
            list(crew.spread(partial(estimates_by_name, folder=folder), ["a", "b"]))


TELLS = """
import os, pathlib
import numpy as np
class Model:
    labels = ("negative", "positive")
    def __init__(self):
        told = [os.environ.get("TOLD"), np.random.random(), os.environ.get("OMP_NUM_THREADS")]
        pathlib.Path(__file__).with_name(f"{os.getpid()}.told").write_text(" ".join(map(str, told)))
    def predict(self, texts):
        return ["positive"] * len(texts)
"""


def test_workers_have_the_environment_of_their_run_and_chance_of_their_own(tmp_path, monkeypatch):
    """They are forks of one process, which was started for an earlier run."""
    for value in ("first", "second"):
        monkeypatch.setenv("TOLD", value)
        run(plan(source(tmp_path, TELLS)), tmp_path / value, workers=2, executor="processes")
    monkeypatch.delenv("TOLD")
    run(plan(source(tmp_path, TELLS)), tmp_path / "third", workers=2, executor="processes")
    told = [path.read_text().split() for path in tmp_path.glob("*.told")]
    assert {value for value, *_ in told} == {"first", "second", "None"}
    assert len({drawn for _, drawn, _ in told}) == len(told) >= 3


@pytest.mark.parametrize(("stated", "threads"), [(None, "3"), ("2", "2")])
def test_workers_share_the_cores_unless_the_user_says_how_many_threads(
    tmp_path, monkeypatch, stated, threads
):
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    monkeypatch.delenv("OMP_NUM_THREADS")
    if stated:
        monkeypatch.setenv("OMP_NUM_THREADS", stated)
    run(plan(source(tmp_path, TELLS)), tmp_path / "run", workers=2, executor="processes")
    workers = [one for one in tmp_path.glob("*.told") if one.stem != str(os.getpid())]
    assert {one.read_text().split()[-1] for one in workers} == {threads}
