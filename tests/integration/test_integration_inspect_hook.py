"""The extension package for inspect: what it does with a log, and the hook in a real evaluation."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scrutiny.store.run_folder import RunFolder

inspect_ai = pytest.importorskip("inspect_ai")
ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "packages" / "scrutiny-inspect" / "src"
#: A task of sixty samples; a model that is right on 45 of them, and needs no network.
EVALUATION = """
import sys
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.model._providers.mockllm import MockLLM
from inspect_ai.scorer import match

async def counted(self, text):
    return len(text)

MockLLM.count_text_tokens = counted
wrong = int(sys.argv[1])
outputs = [ModelOutput.from_content("mockllm/model", "a" if k >= wrong else "c") for k in range(60)]
model = get_model("mockllm/model", custom_outputs=outputs)
samples = [Sample(id=k, input=f"Say a ({k})", target="a") for k in range(60)]
task = Task(dataset=samples, scorer=match(), name="letters")
(log,) = eval(task, model=model, log_dir="logs", display="plain", max_samples=1)
assert log.status == "success", log.error
"""


@pytest.fixture
def evaluate(tmp_path):
    (tmp_path / "evaluation.py").write_text(EVALUATION)

    def run(wrong, **settings):
        path = os.pathsep.join([str(PACKAGE), str(ROOT / "src"), *sys.path])
        done = subprocess.run(
            [sys.executable, "evaluation.py", str(wrong)],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": path, **settings},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_a_finished_task_becomes_a_run_and_is_compared(evaluate, tmp_path):
    out = evaluate(15)
    (run,) = (tmp_path / "logs" / "scrutiny").iterdir()
    (found,) = RunFolder.open(run).estimates()
    assert found.value == 0.75
    assert found.counts.planned == 60
    assert "0.75 [0.62, 0.85]" in out
    assert f"scrutiny: the run is {run}" in out
    settings = {"SCRUTINY_INSPECT_BASELINE": str(run), "SCRUTINY_INSPECT_MARGIN": "0.1"}
    out = evaluate(45, **settings, SCRUTINY_INSPECT_OUT=str(tmp_path / "second"))
    assert "is worse by 50.0 points" in out
    assert "FAIL  a loss of more than 10 points is shown." in out
    assert len(list((tmp_path / "second").iterdir())) == 1


def test_it_can_be_turned_off_and_breaks_no_evaluation(evaluate, tmp_path):
    assert "scrutiny: " not in evaluate(15, SCRUTINY_INSPECT="0")
    assert not (tmp_path / "logs" / "scrutiny").exists()
    (tmp_path / "taken").write_text("a file")
    out = evaluate(15, SCRUTINY_INSPECT_OUT=str(tmp_path / "taken"))
    assert "scrutiny: the log was not imported: " in out


def test_logs_elsewhere_are_left_alone(monkeypatch):
    monkeypatch.syspath_prepend(str(PACKAGE))
    from scrutiny_inspect import commands, local_log, scrutinized

    assert local_log("file:///logs/a%20b.eval") == Path("/logs/a b.eval")
    assert "is not on this machine" in scrutinized("s3://bucket/a.eval", {})
    log = Path("logs/a.eval")
    assert commands(log, {})[1] == ["report", "logs/scrutiny/a"]
    compared = commands(log, {"SCRUTINY_INSPECT_BASELINE": "runs/a"})[1]
    assert compared == ["compare", "runs/a", "logs/scrutiny/a"]
