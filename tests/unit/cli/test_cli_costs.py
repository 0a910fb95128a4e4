"""What audit, run and check say of a plan's cost before anything is asked."""

import json
from pathlib import Path

import pytest

from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of
from scrutiny.run.budgeting.budget import REDUCED

TWO = ["--model", "builtin:sentiment", "--data", "builtin:reviews", "--limit", "20"]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCRUTINY_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path


@pytest.mark.parametrize("verb", [["audit", "--only", "performance"], ["run", "performance"]])
def test_a_dry_run_says_the_cost_and_writes_nothing(
    verb: list[str], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code_of(group, [*verb, *TWO, "--dry-run", "--price", "0.01"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "performance: builtin:sentiment on builtin:reviews; 1 claim"
    assert out[1].startswith("  20 items x 5 replicates: about 100 texts (at most 100), ")
    assert "To pay: about 1.00 (at most 1.00) at 0.01 a text." in out
    assert out[-1] == "Nothing was asked but what was timed, and nothing was written."
    assert not (here / "runs").exists()
    assert not (here / "cache").exists()


def test_a_dry_run_is_an_object_for_machines(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code_of(group, ["run", "robustness", *TWO, "--dry-run", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (part,) = found["parts"]
    assert (part["measure"], part["items"], part["replicates"]) == ("robustness", 20, 5)
    assert 100 < part["texts"] < part["queries"] == found["queries"]
    assert found["texts"] == part["texts"]
    assert found["seconds"] == pytest.approx(part["seconds"])


def test_check_says_the_same_of_a_plan(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "plan.toml").write_text(
        '[models.m]\nsource = "builtin:sentiment"\n'
        '[data.x]\nsource = "builtin:reviews"\nlimit = 20\n'
        '[[measure]]\nid = "few"\ndiagnostic = "performance"\nitems = 7\n'
    )
    assert exit_code_of(group, ["check", "plan.toml", "--json", "--price", "2"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["plan"] == "plan.toml"
    assert (found["parts"][0]["items"], found["queries"], found["money"]) == (7, 35, 70.0)
    assert exit_code_of(group, ["check", "plan.toml"]) == 0
    assert capsys.readouterr().out.startswith("plan.toml is a valid plan.\nfew: m on x; 1 claim\n")
    assert exit_code_of(group, ["run", "plan.toml", "--dry-run"]) == 0
    assert capsys.readouterr().out.startswith("few: m on x; 1 claim\n  7 items x 5 replicates")


@pytest.mark.parametrize("price", ["-1", "much"])
def test_what_is_no_price_is_refused(price: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code_of(group, ["run", "performance", *TWO, "--price", price]) == 2
    assert "--price" in capsys.readouterr().err


AUDIT = ["audit", "--model", "builtin:sentiment/seed-1", "--data", "builtin:reviews"]


def test_a_budget_is_chosen_once_and_said(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    only = ["--only", "performance", "--only", "robustness", "--limit", "40"]
    command = [*AUDIT, *only, "--budget", "2s", "--display", "none"]
    assert exit_code_of(group, command) == 0
    first = capsys.readouterr()
    kept = json.loads(Path("runs/audit-1/manifest.json").read_text())["plan"]
    assert kept["budget"]["seconds"] == 2
    measured = {one["id"]: one for one in kept["measure"]}
    for sentence in kept["budget"]["left_out"]:
        assert sentence in " ".join(first.out.split())
        assert REDUCED in first.err
    # the same command finds what was chosen, however fast the machine is now
    assert exit_code_of(group, command) == 0
    again = json.loads(Path("runs/audit-2/manifest.json").read_text())["plan"]
    assert {one["id"]: one for one in again["measure"]} == measured
    records = [Path(f"runs/audit-{n}/records.parquet").read_bytes() for n in (1, 2)]
    assert records[0] == records[1]


@pytest.mark.parametrize("budget", ["soon", "0s", "-2m"])
def test_what_is_no_time_is_refused_at_once(
    budget: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["audit", "--model", "builtin:sentiment", "--data", "absent.csv", "--budget", budget]
    assert exit_code_of(group, command) == 2
    assert "90s, 2m or 1.5h" in " ".join(capsys.readouterr().err.split())


def test_a_dry_run_says_what_a_budget_leaves_out(capsys: pytest.CaptureFixture[str]) -> None:
    five_seeds = ["audit", "--model", "builtin:sentiment", "--data", "builtin:reviews"]
    assert exit_code_of(group, [*five_seeds, "--budget", "2s", "--dry-run", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["left_out"]
    assert all(sentence.startswith("For a budget of 2 s, ") for sentence in found["left_out"])
    assert not Path("runs").exists()
