"""Completion in a shell, and commands that can be typed where the program is on no path."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scrutiny.report.wording import report_command

PROGRAM = "import sys; sys.argv[0] = 'scrutiny'; from scrutiny.cli import main; main()"


def asked(shell: str, words: str = "") -> subprocess.CompletedProcess[str]:
    """What a shell gets that asks for completions of words, the last of which is begun."""
    variables = {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | {"_SCRUTINY_COMPLETE": shell} | variables,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("scrutiny au", ["plain,audit"]),
        ("scrutiny audit --bud", ["plain,--budget"]),
        ("scrutiny run robust", ["plain,robustness"]),
        ("scrutiny show typo", ["plain,typos"]),
        ("scrutiny audit --only calib", ["plain,calibration"]),
        ("scrutiny compare a b --measure robust", ["plain,robustness"]),
        ("scrutiny run robustness --with typos,contr", ["plain,typos,contraction"]),
        ("scrutiny perturb --with typos+contr", ["plain,typos+contraction"]),
        ("scrutiny data show x.csv --task coref", ["plain,coreference"]),
        ("scrutiny run plans/a", ["file,plans/a"]),
    ],
)
def test_a_shell_completes_without_a_complaint(words: str, found: list[str]) -> None:
    done = asked("bash_complete", words)
    assert (done.returncode, done.stderr, done.stdout.splitlines()) == (0, "", found)


def test_each_shell_gets_its_script() -> None:
    for shell in ("bash", "zsh", "fish"):
        done = asked(f"{shell}_source")
        assert (done.returncode, done.stderr) == (0, "")
        assert "_SCRUTINY_COMPLETE" in done.stdout


def test_a_program_on_no_path_is_named_by_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / ".venv" / "bin" / "scrutiny"
    program.parent.mkdir(parents=True)
    program.touch(mode=0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(program), "audit"])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert report_command("runs/demo") == ".venv/bin/scrutiny report runs/demo"
    monkeypatch.chdir(program.parent.parent)
    monkeypatch.setattr(sys, "argv", [str(program), "audit"])
    assert report_command("x") == "bin/scrutiny report x"
    monkeypatch.chdir("/")
    monkeypatch.setenv("PATH", str(program.parent))
    assert report_command("x") == "scrutiny report x"
    monkeypatch.setattr(sys, "argv", ["pytest"])
    monkeypatch.setenv("PATH", "")
    assert report_command("x") == "scrutiny report x"
