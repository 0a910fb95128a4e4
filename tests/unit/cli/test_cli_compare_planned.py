"""``scrutiny compare --plan``: from numbers and from logs, and what it refuses."""

import json
import tarfile
from pathlib import Path

import pytest

from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of

PACKED = Path(__file__).parents[2] / "fixtures" / "logs"
NUMBERS = ("--plan", "--margin", "0.04", "--accuracy", "0.85", "--limit", "200")


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """An lm-eval log with 220 and 24 items."""
    folder = tmp_path_factory.mktemp("logs")
    with tarfile.open(PACKED / "lm_eval.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return str(folder / "scripted" / "acme__v1")


@pytest.fixture
def command(capsys):
    """Exit code, stdout and stderr on one line."""

    def run(*arguments):
        code = exit_code_of(group, ["compare", *arguments])
        out, err = capsys.readouterr()
        return code, out, " ".join(err.split())

    return run


def designs_of(command, *arguments):
    code, out, _ = command(*arguments, "--json")
    assert code == 0
    return [json.loads(line) for line in out.splitlines()]


def test_more_items_decide_more_often_and_noise_less(command):
    found = designs_of(command, *NUMBERS, "--noise", "0.1")
    once = [one for one in found if one["repeats"] == 1]
    assert [one["items"] for one in once] == [100, 200, 400, 800, 1600]
    assert once[-1]["same"] > 0.95
    assert once[0]["same"] < 0.5
    assert once[-1]["found"] > once[0]["found"]
    assert all(one["alarms"] <= 0.02 for one in found)
    assert [one["texts"] for one in once] == [2 * one["items"] for one in once]
    quiet = designs_of(command, *NUMBERS, "--noise", "0")
    assert {one["repeats"] for one in quiet} == {1}  # a repeat tells nothing more
    assert quiet[1]["same"] > once[1]["same"]


def test_the_first_sentence_names_a_design_that_decides(command):
    code, out, _ = command(*NUMBERS, "--noise", "0.1", "--price", "0.5")
    said = " ".join(out.split())
    assert code == 0
    assert " items, asked once, exclude a loss of 4 points in " in said
    assert " to pay)." in said
    assert "decides if unchanged finds 8 points" in said
    assert all(len(line) <= 80 for line in out.splitlines())
    assert "supposed, as no noise floor is known" in " ".join(command(*NUMBERS)[1].split())
    tight = (*NUMBERS[:2], "0.0001", *NUMBERS[3:])
    assert "None of these designs excludes a loss of 0.01 points" in " ".join(
        command(*tight)[1].split()
    )


def test_a_log_gives_its_items_its_score_and_its_noise(log, command):
    found = designs_of(command, log, "--plan", "--margin", "0.05", "--again", log)
    own = [one for one in found if one["dataset"] == "opinions"]
    assert {one["dataset"] for one in found} == {"opinions", "sums"}
    assert own[0]["noise"] == 0.0
    assert own[0]["is_known"]
    assert own[0]["level"] == pytest.approx(0.786, abs=0.001)
    at_hand = next(one for one in own if one["items"] == 220)
    assert at_hand["texts"] == 220  # the baseline's answers are there


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--plan",), "say which, as in --margin 0.02"),
        (("--plan", "--margin", "0.02"), "either a baseline, which is a run or a log, or its"),
        (("a", "b", "--plan", "--margin", "0.02"), "leave out 'b'"),
        (("builtin:sentiment", "--plan", "--margin", "0.02"), "is a model, and --plan asks none"),
        ((*NUMBERS[:-1], "3:9"), "--plan takes a count of items"),
        (("a",), "Missing argument 'B'"),
        ((), "Missing argument 'A'"),
    ],
)
def test_what_cannot_be_planned_is_said(command, arguments, said):
    code, _, err = command(*arguments)
    assert code == 2
    assert said in err
