"""Assertions for tests, and the pytest plug-in that shows what each asserted."""

import os
import re
from importlib.metadata import entry_points
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest

import scrutiny
from scrutiny.core.errors import PlanError, UnknownNameError
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


SUITE = """suite = 1
task = "text-classification"
[lexicons]
thing = ["soup", "bread", "film", "room", "bed", "book", "trip", "walk"]
good = ["excellent", "wonderful", "great", "delightful", "superb", "awesome", "brilliant"]
[[tests]]
capability = "vocabulary"
test = "praise"
expect = "gold"
n = 40
cases = [{text = "The {thing} was {good}.", label = "positive"}]
[[tests]]
capability = "negation"
test = "not"
expect = "gold"
n = 40
cases = [{text = "The {thing} was not {good}.", label = "negative"}]
"""
MODEL = "builtin:sentiment/seed-1"


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    path = tmp_path_factory.mktemp("suites") / "tests.suite.toml"
    path.write_text(SUITE)
    return scrutiny.assert_suite(MODEL, path, most=1.0), path


def test_a_suite_is_judged_by_the_limits_of_each_test(asked):
    run, _ = asked
    with pytest.raises(AssertionError) as told:
        scrutiny.assert_suite(None, run)
    first, *cases = str(told.value).splitlines()
    assert re.fullmatch(r"FAIL  negation: not: 100\.0 % \[9\d.*\] of 40 cases fail, 5 % may", first)
    assert len(cases) == 3
    assert "was not" in cases[0]
    assert cases[0].endswith("negative expected, said: positive")
    assert scrutiny.assert_suite(None, run, tests=["vocabulary: praise"], most=0.2) is run
    with pytest.raises(AssertionError, match=r"vocabulary: praise"):  # 40 cases are too few
        scrutiny.assert_suite(None, run, tests=["vocabulary: praise"], undecided="fail")
    with pytest.raises(UnknownNameError, match="vocabulary: praise"):
        scrutiny.assert_suite(None, run, tests=["praise"])
    with pytest.raises(PlanError, match="is a share of cases"):
        scrutiny.assert_suite(None, run, most=5)


def test_pytest_collects_a_suite_where_a_model_is_stated(asked, pytester, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    (pytester.path / "tests.suite.toml").write_text(SUITE)
    (pytester.path / "odd.suite.toml").write_text("suite = 2")
    plugin = ("-p", "scrutiny._pytest_plugin") if not _is_installed() else ()
    done = pytester.runpytest_subprocess(
        *plugin, f"--scrutiny-model={MODEL}", "-o", "scrutiny_most=0.2", "tests.suite.toml"
    )
    done.assert_outcomes(passed=1, failed=1)
    said = done.stdout.str()
    assert "PASS  vocabulary: praise: 0.0 %" in said
    assert "FAIL  negation: not: 100.0 %" in said
    assert "Traceback" not in said
    odd = pytester.runpytest_subprocess(*plugin, f"--scrutiny-model={MODEL}", "odd.suite.toml")
    odd.stdout.fnmatch_lines(["*states suite = 2; this reads suite = 1.*"])


def _is_installed():
    return any(one.name == "scrutiny" for one in entry_points(group="pytest11"))
