"""Where a run goes, and what is said of a model that fails."""

import shutil
from pathlib import Path

import pytest

from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of
from scrutiny.cli.progress import Bars, progress_of
from scrutiny.run.asking.client import HOPELESS
from scrutiny.store.run_folder import RunFolder

MODEL = "python:./broken_model.py:answer#labels=bad|good"
PROGRESS = ("Asking models", "A kill costs")
COMMAND = ["run", "performance", "--model", MODEL, "--display"]


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Working folder with a model that only raises."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken_model.py").write_text("def answer(texts):\n    raise ValueError('no')\n")
    return tmp_path


def data_of(count: int) -> list[str]:
    rows = [f"text number {i},{'good' if i % 2 else 'bad'}" for i in range(count)]
    Path("data.csv").write_text("text,label\n" + "\n".join(rows) + "\n")
    return ["--data", "csv:data.csv", "--draws", "100"]


def test_few_failures_are_rows(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code_of(group, [*COMMAND, "plain", *data_of(HOPELESS - 1)]) == 3
    said = " ".join(capsys.readouterr().err.split())
    assert "csv:data.csv: all 19 rows failed (19 model_error), so nothing is known of it." in said
    assert "The first failure said: ValueError: no." in said
    kept = RunFolder(Path("runs/performance-1")).records().to_pylist()
    assert [row["status"] for row in kept] == ["failed"] * (HOPELESS - 1)


def test_a_model_that_only_raises_ends_the_run(
    broken: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code_of(group, [*COMMAND, "plain", *data_of(HOPELESS)]) == 2
    assert f"none of the {HOPELESS} texts" in " ".join(capsys.readouterr().err.split())


def test_display_none_hides_progress_and_nothing_else(
    broken: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = data_of(5)
    with Path("data.csv").open("a") as file:
        file.write(",good\n" * 4)
    said = {}
    for display in ("none", "plain"):
        assert exit_code_of(group, [*COMMAND, display, *data, "--out", "run"]) == 3
        shutil.rmtree("run")
        said[display] = capsys.readouterr().err
    assert "4 rows cannot be read and were left out" in " ".join(said["none"].split())
    assert "all 5 rows failed (5 model_error)" in " ".join(said["none"].split())
    assert "Asking models" not in said["none"]
    shown = [line for line in said["plain"].splitlines() if not line.startswith(PROGRESS)]
    assert shown == said["none"].splitlines()


def test_rows_to_look_at_are_said_once_and_kept(
    broken: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = data_of(5)
    with Path("data.csv").open("a") as file:
        file.write("text number 1,bad\n" * 2 + ",good\n")
    assert exit_code_of(group, [*COMMAND, "none", *data, "--out", "run"]) == 3
    err = " ".join(capsys.readouterr().err.split())
    kept = RunFolder(Path("run")).manifest["data"]
    (doubts,) = [one["doubts"] for one in kept.values()]
    assert doubts == [
        "1 row cannot be read and was left out; the first is data.csv:9: text is empty",
        "2 rows have the texts of an earlier one and a different answer; the first is data.csv:7.",
        "1 row repeats an earlier one exactly; the first is data.csv:8.",
    ]
    assert [err.count(said) for said in doubts] == [1, 1, 1]


def test_bars_print_what_is_said_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    Bars().note("the label '[red]' of row [3] is empty")
    assert "the label '[red]' of row [3] is empty" in capsys.readouterr().err


def test_epochs_are_progress_and_notes_are_not(capsys: pytest.CaptureFixture[str]) -> None:
    quiet = progress_of("none")
    quiet.start("train", total=2, done=0)
    quiet.passed("epoch 1 of 2: loss 0.3")
    quiet.advance("train")
    assert capsys.readouterr().err == ""
    quiet.note("two rows were left out")
    assert capsys.readouterr().err == "two rows were left out\n"


def test_folders_are_numbered_and_the_plan_s_own_is_gone_on_with(broken: Path) -> None:
    data = data_of(5)
    for _ in range(2):
        assert exit_code_of(group, [*COMMAND, "none", *data]) == 3
    assert names() == ["performance-1", "performance-2"]
    unfinish(Path("runs/performance-1"))
    assert exit_code_of(group, [*COMMAND, "none", *data]) == 3
    assert names() == ["performance-1", "performance-2"]
    unfinish(Path("runs/performance-1"))
    assert exit_code_of(group, [*COMMAND, "none", *data, "--seed", "3"]) == 3  # another plan
    assert names() == ["performance-1", "performance-2", "performance-3"]
    Path("runs/performance-3/manifest.json").write_text("{")
    assert exit_code_of(group, [*COMMAND, "none", *data, "--seed", "3"]) == 3  # not overwritten
    assert names()[3:] == ["performance-4"]


def names() -> list[str]:
    return sorted(path.name for path in Path("runs").iterdir())


def unfinish(folder: Path) -> None:
    run = RunFolder(folder)
    run.write_manifest({**run.manifest, "status": "running"})
