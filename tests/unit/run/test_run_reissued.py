"""A finished run that is issued again sees what its models read, whichever replicate reads it."""

import os

import pytest
from small_runs import plan, rows, run

from scrutiny.core.errors import ModelError
from scrutiny.run import driver

READS = """
import json
from pathlib import Path

class Model:
    labels = ("negative", "positive")

    def __init__(self, seed="0"):
        self.file = Path(__file__).parent / f"weights-{seed}.json"

    def predict(self, texts):
        odd = json.loads(self.file.read_text())
        return [self.labels[("good" in text) != odd] for text in texts]
"""
STATES = """
    def fingerprint(self):
        return self.file.read_text()
"""


@pytest.fixture
def issued(tmp_path):
    """Runs a plan of two replicates, each of which reads its own file."""

    def issue(more=""):
        (tmp_path / "reads.py").write_text(READS + more)
        made = plan(f"python:{tmp_path / 'reads.py'}:Model#seed={{seed}}", seeds=(1, 2))
        return run(made, tmp_path / "out", data={"x": rows(20)})

    for seed in (1, 2):
        (tmp_path / f"weights-{seed}.json").write_text("false")
    return issue


@pytest.mark.parametrize("more", ["", STATES], ids=["asked", "stated"])
def test_a_file_that_a_later_replicate_reads_is_seen(issued, tmp_path, more):
    folder = issued(more)
    before = {path: path.read_bytes() for path in folder.path.glob("*.[jp]*")}
    issued(more)
    (tmp_path / "weights-2.json").write_text("true")
    with pytest.raises(ModelError, match=r"seed=2 has changed since this run began"):
        issued(more)
    assert {path: path.read_bytes() for path in folder.path.glob("*.[jp]*")} == before
    (tmp_path / "weights-2.json").write_text("false")
    assert issued(more).manifest["status"] == "done"


def test_a_replicate_that_is_done_is_seen_where_another_goes_on(issued, tmp_path, monkeypatch):
    finish, finished = driver.Journal.finish, []

    def once(self, task, block):
        finished.append(task)
        if len(finished) > 1:
            raise KeyboardInterrupt
        finish(self, task, block)

    with monkeypatch.context() as patched:
        patched.setattr(driver.Journal, "finish", once)
        with pytest.raises(KeyboardInterrupt):
            issued()
    (tmp_path / "weights-1.json").write_text("true")
    with pytest.raises(ModelError, match=r"seed=1 has changed since this run began"):
        issued()


def predicted(folder, seed):
    """File of predictions for `rows`, as one replicate of a family."""
    lines = [f"i{n},{'negative' if n % 3 else 'positive'}" for n in range(20)]
    path = folder / f"answers-{seed}.csv"
    path.write_text("\n".join(["id,label", *lines]) + "\n")
    return path


def test_files_of_replicates_with_a_fingerprint_are_read_only_where_they_differ(
    tmp_path, monkeypatch
):
    for seed in (1, 2):
        predicted(tmp_path, seed)
    made = plan(f"predictions:{tmp_path}/answers-{{seed}}.csv#id=id,label=label")

    def issue():
        return run(made, tmp_path / "out", data={"x": rows(20)})

    issue()
    with monkeypatch.context() as patched:
        patched.setattr(driver.TaskRunner, "ask_again", lambda *_: pytest.fail("loaded"))
        issue()
    path = tmp_path / "answers-2.csv"
    os.utime(path, ns=(1, 1))  # another time, the same bytes
    issue()
    path.write_text(path.read_text().replace("negative", "positive", 1))
    with pytest.raises(ModelError, match=r"answers-2.csv\S* has changed since this run began"):
        issue()
