"""A run folder that an earlier version left, whose verdicts did not compare printed limits.

`tests/fixtures/runs/before_limits` is such a folder: five seeds of `builtin:sentiment` on 40
reviews, without its journal.
"""

import shutil
from pathlib import Path

import pytest

import scrutiny
from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of
from scrutiny.core.errors import DataError

FOLDER = Path(__file__).parents[1] / "fixtures" / "runs" / "before_limits"
NAMED = "were made by an earlier version, before verdicts compared the limits"
AGAIN = "run performance --model builtin:sentiment --data builtin:reviews --limit 40 --draws 200"


@pytest.fixture
def earlier(tmp_path):
    return Path(shutil.copytree(FOLDER, tmp_path / "earlier"))


@pytest.mark.parametrize("words", [["report"], ["report", "-o", "page.html"], ["gate", "--risks"]])
def test_what_shows_verdicts_refuses_it_by_name(earlier, words, capsys, monkeypatch):
    monkeypatch.chdir(earlier.parent)
    assert exit_code_of(group, [words[0], "earlier", *words[1:]]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert f"The verdicts of earlier {NAMED}" in said
    assert "scrutiny gate earlier --rule" in said


def test_python_refuses_it_by_the_same_name(earlier):
    with pytest.raises(DataError, match=NAMED):
        _ = scrutiny.load(earlier).findings


def test_rules_read_its_answers(earlier):
    (found,) = scrutiny.load(earlier).gate("accuracy > 0.2")
    assert (found.verdict, found.limits[0].n_rows) == ("supported", 1)
    assert found.limits[0].recipe is not None


def test_two_of_them_are_compared(earlier, capsys):
    shutil.copytree(earlier, earlier.parent / "other")
    assert exit_code_of(group, ["compare", str(earlier), str(earlier.parent / "other")]) == 0
    assert "0.530" in capsys.readouterr().out


def test_its_command_issued_again_makes_verdicts_of_today(earlier):
    assert exit_code_of(group, [*AGAIN.split(), "--out", str(earlier), "--display", "none"]) == 0
    (finding,) = scrutiny.load(earlier).findings
    assert finding.limits[0].recipe is not None
