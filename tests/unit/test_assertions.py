"""Assertions for tests, and the pytest plug-in that shows what each asserted."""

import os
from importlib.metadata import entry_points
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest

import scrutiny
from scrutiny.core.errors import PlanError
from scrutiny.testing import KeywordClassifier

pytest_plugins = ["pytester"]
ROOT = Path(__file__).parents[2]
ROWS = [
    {"id": f"i{n}", "text": f"a {word} film about case {n}", "label": label}
    for n in range(120)
    for word, label in [[("bad", "negative"), ("good", "positive")][n % 2]]
]


class WorseBy(KeywordClassifier):
    """The same classifier, which gets so many items wrong."""

    def __init__(self, wrong):
        super().__init__()
        self.wrong = {f"i{n}" for n in range(wrong)}

    def predict(self, examples):
        other = {"negative": "positive", "positive": "negative"}
        return [
            answer._replace(answer=other[answer.answer], scores=answer.scores[::-1])
            if example.id in self.wrong
            else answer
            for example, answer in zip(examples, super().predict(examples), strict=True)
        ]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Runs of a model that is right, and of ones that get 8 and 60 of 120 wrong."""
    folder = tmp_path_factory.mktemp("asserted")
    return {
        wrong: scrutiny.run("performance", model=WorseBy(wrong), data=ROWS, out=folder / f"{wrong}")
        for wrong in (0, 8, 60)
    }


def test_an_unchanged_model_passes_and_the_comparison_comes_back(runs):
    found = scrutiny.assert_no_loss(runs[0], runs[0].path, margin=0.05)
    assert found.outcome == "no regression"
    assert found.verdict == "PASS  a loss of 5 points or more is ruled out."


def test_a_loss_that_is_shown_fails_with_the_first_lines(runs):
    with pytest.raises(AssertionError) as failed:
        scrutiny.assert_no_loss(runs[0], runs[60], margin=0.05)
    verdict, said = str(failed.value).split("\n")
    assert verdict == "FAIL  a loss of more than 5 points is shown."
    assert "is worse by 50.0 points" in said
    assert "100 % → 50.0 % on 120 items" in said


def test_what_is_undecided_passes_or_fails_as_asked(runs):
    assert scrutiny.assert_no_loss(runs[0], runs[8], margin=0.06).outcome == "undecided"
    with pytest.raises(AssertionError, match="UNDECIDED  a loss of 6 points is neither shown"):
        scrutiny.assert_no_loss(runs[0], runs[8], margin=0.06, undecided="fail")


@pytest.mark.parametrize("margin", [-0.1, "0.02", True, float("nan"), float("inf"), None])
def test_a_margin_is_a_number(runs, margin):
    with pytest.raises(PlanError, match="assert_no_loss: margin="):
        scrutiny.assert_no_loss(runs[0], runs[0], margin=margin)


def test_another_word_for_undecided_is_refused(runs):
    for asserting in (
        lambda: scrutiny.assert_no_loss(runs[0], runs[0], margin=0.1, undecided="skip"),
        lambda: scrutiny.assert_holds(runs[0], "accuracy > 0.5", undecided="maybe"),
    ):
        with pytest.raises(PlanError, match="it is 'pass' or 'fail'"):
            asserting()


def test_rules_hold_or_say_why_not(runs):
    (found,) = scrutiny.assert_holds(runs[8], "accuracy > 0.7")
    assert found.verdict == "supported"
    with pytest.raises(AssertionError) as failed:
        scrutiny.assert_holds(runs[8].path, "accuracy > 0.7", "accuracy > 0.99")
    (line,) = str(failed.value).split("\n")
    assert line.startswith("FAIL  accuracy > 0.99: ")


def test_a_rule_that_is_undecided_fails_unless_it_may_pass(runs):
    with pytest.raises(AssertionError, match=r"FAIL  accuracy > 0\.93: "):
        scrutiny.assert_holds(runs[8], "accuracy > 0.93")
    (found,) = scrutiny.assert_holds(runs[8], "accuracy > 0.93", undecided="pass")
    assert found.verdict == "undecided"


def test_no_rule_is_a_mistake(runs):
    with pytest.raises(PlanError, match="at least one rule"):
        scrutiny.assert_holds(runs[0])


SESSION = """
import scrutiny

def test_same():
    scrutiny.assert_no_loss({before!r}, {before!r}, margin=0.05)

def test_lost():
    scrutiny.assert_no_loss({before!r}, {after!r}, margin=0.05)

def test_rule():
    scrutiny.assert_holds({after!r}, "accuracy > 0.93", undecided="pass")

def test_other():
    pass
"""


def test_a_session_says_what_its_tests_asserted(runs, pytester, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src")]))
    before, after = str(runs[0].path.resolve()), str(runs[60].path.resolve())
    pytester.makepyfile(SESSION.format(before=before, after=after))
    installed = [one.value for one in entry_points(group="pytest11")]
    plugin = [] if "scrutiny._pytest_plugin" in installed else ["-p", "scrutiny._pytest_plugin"]
    done = pytester.runpytest_subprocess(*plugin, "--junitxml=out.xml")
    done.assert_outcomes(passed=2, failed=2)
    done.stdout.fnmatch_lines(
        [
            "E*AssertionError: FAIL  a loss of more than 5 points is shown.",
            "E*is worse by 50.0 points*",
            "*= scrutiny =*",
            "PASS  a loss of 5 points or more is ruled out.  (*::test_same)",
            "FAIL  a loss of more than 5 points is shown.  (*::test_lost)",
            "FAIL  accuracy > 0.93: *(*::test_rule)",
        ]
    )
    suite = fromstring((pytester.path / "out.xml").read_text())
    told = {
        case.get("name"): [one.get("value") for one in case.iter("property")]
        for case in suite.iter("testcase")
    }
    assert told["test_other"] == []
    assert told["test_same"] == ["PASS  a loss of 5 points or more is ruled out."]


def test_a_session_without_assertions_says_nothing_of_scrutiny(pytester, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src")]))
    pytester.makepyfile("def test_other(): pass")
    installed = [one.value for one in entry_points(group="pytest11")]
    plugin = [] if "scrutiny._pytest_plugin" in installed else ["-p", "scrutiny._pytest_plugin"]
    done = pytester.runpytest_subprocess(*plugin)
    done.assert_outcomes(passed=1)
    done.stdout.no_fnmatch_line("*= scrutiny =*")


def test_pytest_finds_the_plug_in():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 'pytest11]\nscrutiny = "scrutiny._pytest_plugin"' in text
