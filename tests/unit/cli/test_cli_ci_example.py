"""The example workflow: its commands run, and its gate passes on accepted risks only."""

import re
import shlex
from pathlib import Path

import pytest

from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of
from scrutiny.run.estimating.accepted import read_accepted

ROOT = Path(__file__).parents[3]
CI = ROOT / "examples" / "ci"


def commands() -> list[list[str]]:
    """Words of every command of ours in the workflow."""
    folded = re.sub(r"\n\s+--", " --", (CI / "audit.yml").read_text(encoding="utf-8"))
    lines = [line.strip() for line in folded.splitlines()]
    return [shlex.split(line)[1:] for line in lines if line.startswith("scrutiny ")]


def test_its_commands_are_those_of_an_audit_in_continuous_integration() -> None:
    assert [words[0] for words in commands()] == ["audit", "gate", "report"]
    assert all(one.why for one in read_accepted(CI / "accepted.toml"))


def test_its_commands_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCRUTINY_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    audit, gate, report = commands()
    only = ["--only", "performance", "--only", "attack", "--display", "none"]
    audit[audit.index("builtin:sentiment")] += "/seed-1"  # one model of the five is attacked
    assert exit_code_of(group, [*audit, *only]) == 0
    assert exit_code_of(group, gate) == 0
    out = capsys.readouterr().out
    assert "ACCEPTED  DeepWordBug attack" in out
    assert Path("gate.xml").read_text().startswith("<?xml")
    without = [word for word in gate if word not in ("--accept", "examples/ci/accepted.toml")]
    assert exit_code_of(group, without) == 1
    assert exit_code_of(group, report) == 0
    comment = Path("comment.md").read_text()
    assert comment.startswith("### scrutiny: ")
    assert len(comment) < 65_536
