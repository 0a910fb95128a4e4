"""The composite action: its steps run as a runner would run them, and its codes are the gate's."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import scrutiny
from scrutiny.testing import KeywordClassifier

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).parents[3]
ACTION = yaml.safe_load((ROOT / "examples" / "ci" / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
ROWS = [
    {"id": f"i{n}", "text": f"a {word} film about case {n}", "label": label}
    for n in range(80)
    for word, label in [[("bad", "negative"), ("good", "positive")][n % 2]]
]


class Turned(KeywordClassifier):
    """The same classifier, which gets a third of the items wrong."""

    def predict(self, examples):
        other = {"negative": "positive", "positive": "negative"}
        return [
            answer._replace(answer=other[answer.answer], scores=answer.scores[::-1])
            if int(example.id[1:]) % 3 == 0
            else answer
            for example, answer in zip(examples, super().predict(examples), strict=True)
        ]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("action")
    models = {"old": KeywordClassifier(), "new": Turned()}
    return {
        name: str(scrutiny.run("performance", model=model, data=ROWS, out=folder / name).path)
        for name, model in models.items()
    }


@pytest.fixture
def step(tmp_path):
    """Run a step with some inputs, as a runner does; returns exit code, outputs, and summary."""
    outputs, summary = tmp_path / "outputs", tmp_path / "summary"
    binary = tmp_path / "bin" / "scrutiny"
    binary.parent.mkdir()
    binary.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m scrutiny "$@"\n')
    binary.chmod(0o755)

    def run(name, **inputs):
        given = {key: str(one["default"]) for key, one in ACTION["inputs"].items()} | inputs
        own = {
            key: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda found: given[found[1]], value)
            for key, value in STEPS[name]["env"].items()
        }
        paths = {"PATH": f"{binary.parent}:{os.environ['PATH']}"}
        paths |= {"GITHUB_OUTPUT": str(outputs), "GITHUB_STEP_SUMMARY": str(summary)}
        words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[name]["run"]]
        path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run(
            words,
            cwd=tmp_path,
            env={**os.environ, **paths, **own, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        told = [one.read_text() if one.is_file() else "" for one in (outputs, summary)]
        return done.returncode, *told, done.stderr

    return run


def test_every_input_is_used_and_none_is_pasted_into_a_script():
    used = {
        name
        for step in STEPS.values()
        for value in step.get("env", {}).values()
        for name in re.findall(r"inputs\.(\w+)", value)
    }
    conditions = " ".join(step.get("if", "") for step in STEPS.values())
    used |= set(re.findall(r"inputs\.(\w+)", conditions))
    assert used == set(ACTION["inputs"])
    assert not any("${{" in step["run"] for step in STEPS.values())


@pytest.mark.parametrize(
    ("first", "second", "undecided", "code"),
    [
        ("old", "new", "pass", "1"),
        ("old", "old", "pass", "0"),
        ("old", "old", "undecided", "4"),
        ("old", "old", "fail", "1"),
    ],
)
def test_a_comparison_decides(runs, step, first, second, undecided, code):
    ended, outputs, summary, _ = step(
        "Judge", run=runs[second], baseline=runs[first], undecided=undecided
    )
    assert (ended, outputs) == (0, f"code={code}\n")
    assert summary.startswith("### scrutiny: against the baseline\n\n```text\n")
    assert summary.count("```") == 2


def test_risks_decide_and_files_are_written(runs, step, tmp_path):
    ended, outputs, summary, _ = step("Judge", run=runs["old"], model="a")
    assert (ended, outputs) == (0, "code=0\n")
    assert summary
    assert (tmp_path / "gate.xml").is_file()
    assert (tmp_path / "gate.sarif").is_file()


def test_nothing_to_judge_is_a_mistake(step):
    ended, outputs, _, said = step("Judge")
    assert (ended, outputs) == (2, "")
    assert "Nothing is judged" in said


@pytest.mark.parametrize("code", [0, 1, 4])
def test_the_last_step_ends_as_it_was_judged(step, code):
    STEPS["Decide"]["env"] = {"CODE": str(code)}
    assert step("Decide")[0] == code
