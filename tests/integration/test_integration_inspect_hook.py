"""The extension package for inspect: what it does with a log, and the hook in a real evaluation."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from scrutiny.store.run_folder import RunFolder

if find_spec("inspect_ai") is None:  # imported by the process that evaluates alone: it takes long
    pytest.skip("inspect_ai is not installed", allow_module_level=True)
ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "packages" / "scrutiny-inspect" / "src"
#: Tasks one after the other, with a model that needs no network: folder, number of samples, how
#: many it has wrong and environment of each are read, and a line of this end stands behind each.
END = "----- end -----"
EVALUATIONS = f"""
import json, os, sys
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.model._providers.mockllm import MockLLM
from inspect_ai.scorer import match

async def counted(self, text):
    return len(text)

MockLLM.count_text_tokens = counted
before = dict(os.environ)
for folder, count, wrong, settings in json.load(sys.stdin):
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(before | settings)
    answers = ["a" if k >= wrong else "c" for k in range(count)]
    outputs = [ModelOutput.from_content("mockllm/model", answer) for answer in answers]
    model = get_model("mockllm/model", custom_outputs=outputs, memoize=False)
    samples = [Sample(id=k, input=f"Say a ({{k}})", target="a") for k in range(count)]
    task = Task(dataset=samples, scorer=match(), name="letters")
    (log,) = eval(task, model=model, log_dir="logs", display="plain", max_samples=1)
    assert log.status == "success", log.error
    print({END!r}, flush=True)
    runs = os.path.join(folder, "logs", "scrutiny")
    if folder.endswith("plain"):
        (run,) = os.listdir(runs)
        before["SCRUTINY_INSPECT_BASELINE"] = os.path.join(runs, run)
"""


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory):
    """Folder of four evaluations, and what was printed in each; inspect is imported once."""
    place = tmp_path_factory.mktemp("evaluated")
    for name in ("plain", "compared", "off", "failing"):
        (place / name).mkdir()
    (place / "taken").write_text("a file")
    given = [
        ("plain", 60, 15, {}),
        ("compared", 60, 45, {"MARGIN": "0.1", "OUT": str(place / "second")}),
        ("off", 2, 1, {"": "0", "BASELINE": ""}),
        ("failing", 2, 1, {"OUT": str(place / "taken"), "BASELINE": ""}),
    ]
    asked = [
        (
            *(str(place / name), count, wrong),
            {f"SCRUTINY_INSPECT_{k}".rstrip("_"): v for k, v in own.items()},
        )
        for name, count, wrong, own in given
    ]
    path = os.pathsep.join([str(PACKAGE), str(ROOT / "src"), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", EVALUATIONS],
        env={**os.environ, "PYTHONPATH": path},
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    printed = done.stdout.split(f"{END}\n")
    return place, dict(zip((name for name, *_ in given), printed, strict=False))


def test_a_finished_task_becomes_a_run_and_is_compared(evaluated):
    place, printed = evaluated
    (run,) = (place / "plain" / "logs" / "scrutiny").iterdir()
    (found,) = RunFolder.open(run).estimates()
    assert found.value == 0.75
    assert found.counts.planned == 60
    assert "0.75 [0.62, 0.85]" in printed["plain"]
    assert f"scrutiny: the run is {run}" in printed["plain"]
    assert "is worse by 50.0 points" in printed["compared"]
    assert "FAIL  a loss of more than 10 points is shown." in printed["compared"]
    assert len(list((place / "second").iterdir())) == 1


def test_it_can_be_turned_off_and_breaks_no_evaluation(evaluated):
    place, printed = evaluated
    assert "scrutiny: " not in printed["off"]
    assert not (place / "off" / "logs" / "scrutiny").exists()
    assert "scrutiny: the log was not imported: " in printed["failing"]


def test_logs_elsewhere_are_left_alone(monkeypatch):
    monkeypatch.syspath_prepend(str(PACKAGE))
    from scrutiny_inspect import commands, local_log, scrutinized

    assert local_log("file:///logs/a%20b.eval") == Path("/logs/a b.eval")
    assert "is not on this machine" in scrutinized("s3://bucket/a.eval", {})
    log = Path("logs/a.eval")
    assert commands(log, {})[1] == ["report", "logs/scrutiny/a"]
    compared = commands(log, {"SCRUTINY_INSPECT_BASELINE": "runs/a"})[1]
    assert compared == ["compare", "runs/a", "logs/scrutiny/a"]
