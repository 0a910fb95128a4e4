"""Assertions for tests, and the pytest plug-in that shows what each asserted."""

import json
import os
import re
from dataclasses import replace
from importlib.metadata import entry_points
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest

import scrutiny
from scrutiny import _pytest_suites
from scrutiny._suite_tests import _judged, suite_data, suite_lines
from scrutiny.core.errors import ModelError, PlanError, UnknownNameError
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan
from scrutiny.testing import KeywordClassifier

pytest_plugins = ["pytester"]
ROOT = Path(__file__).parents[2]
#: For sessions without the plug-ins of others, which take longer to import than the tests.
ALONE = ("-p", "scrutiny._pytest_plugin")
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
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    before, after = str(runs[0].path.resolve()), str(runs[60].path.resolve())
    pytester.makepyfile(SESSION.format(before=before, after=after))
    done = pytester.runpytest_inprocess(*ALONE, "--junitxml=out.xml")
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
    assert re.fullmatch(r"FAIL  negation: not: 100\.0 % \[89.*\] of 40 cases fail, 5 % may", first)
    assert len(cases) == 3
    assert "was not" in cases[0]
    assert cases[0].endswith("negative expected, said: positive")
    assert scrutiny.assert_suite(None, run, tests=["vocabulary: praise"], most=0.2) is run
    with pytest.raises(AssertionError, match=r"vocabulary: praise"):  # 40 cases are too few
        scrutiny.assert_suite(None, run, tests=["vocabulary: praise"], undecided="fail")
    with pytest.raises(UnknownNameError, match="vocabulary: praise"):
        scrutiny.assert_suite(None, run, tests=["praise"])
    with pytest.raises(PlanError, match="most = 5 is no share of cases"):
        scrutiny.assert_suite(None, run, most=5)


MODELS = """labels = ("negative", "positive")
def right(texts): return ["positive" if "good" in text else "negative" for text in texts]
def constant(texts): return ["positive" for _ in texts]
right.labels = constant.labels = labels
"""


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """Run of a model that knows nothing and, behind it, one that is right, on a folder C#."""
    folder = tmp_path_factory.mktemp("C#")
    (folder / "models.py").write_text(MODELS)
    rows = [{"id": "z", "text": "good", "label": "positive", "test": "one", "expect": "gold"}]
    for n in range(120):
        word, label = [("bad", "negative"), ("good", "positive")][n % 2]
        of = {"label": label, "of": f"b{n}"}
        rows += [
            {"id": f"b{n}", "text": f"a {word} film {n}", "label": label},
            {"id": f"s{n}", "text": f"a {word} film {n}!", "test": "same", "expect": "same", **of},
            {"id": f"g{n}", "text": f"one {word} film {n}", "test": "cost", **of},
        ]
    path = folder / "tests.suite.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    names = ("constant", "right")
    plan = Plan(
        data=(DataPlan("x", f"suite:{path}".replace("#", "%23")),),
        models=tuple(ModelPlan(name, f"python:models:{name}") for name in names),
        measure=(MeasurePlan("d", "suites", names, ("x",)),),
    )
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(folder)
        return scrutiny.run(plan), path


def test_every_model_of_a_run_is_judged_and_what_was_not_tested_never_passes(both):
    run, _ = both
    with pytest.raises(AssertionError) as told:
        scrutiny.assert_suite(None, run, most=0.1)
    lines = [line for line in str(told.value).splitlines() if line.startswith("FAIL")]
    assert [line.partition(" (")[0] for line in lines] == ["FAIL  same", "FAIL  cost"]
    for line in lines:
        assert "(constant on x): not tested: no skill: accuracy 50.0 %" in line


def test_a_drop_is_judged_where_the_audit_tells_it_and_one_case_is_undecided(both):
    lines = {one.split(":")[0]: one for one in suite_lines(both[0], most=0.1) if "right" in one}
    assert [*lines] == [
        "UNDECIDED  one (right on x)",
        "PASS  same (right on x)",
        "PASS  cost (right on x)",
    ]
    assert "one item, or group of items, says nothing of others" in lines[next(iter(lines))]
    assert re.search(r"costs 0\.0 points \[-.*\] on 120 cases, 10 may", [*lines.values()][2])


def test_a_suite_is_a_path_and_a_run_has_its_model(both, runs):
    run, path = both
    assert suite_data(path) == ["one", "same", "cost"]  # below a folder with # in its name
    for given, said in (
        ((MODEL, run), "leave model= out"),
        ((None, runs[0]), "has asked no suite"),
        ((MODEL, [1]), "suite must be a path"),
    ):
        with pytest.raises(PlanError, match=said):
            scrutiny.assert_suite(*given)
    for more, said in (({"cache": "x"}, "leave cache= out"), ({"tests": "one"}, "is a list of")):
        with pytest.raises(PlanError, match=said):
            scrutiny.assert_suite(None, run, **more)


def test_a_setting_that_is_no_share_ends_pytest_before_its_tests(pytester, monkeypatch):
    for written in ("five", "nan", "-1"):
        with pytest.raises(PlanError, match="is no share of cases"):
            _pytest_suites.most_of(written)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    done = pytester.runpytest_inprocess(*ALONE, "-o", "scrutiny_most=5")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["ERROR: scrutiny_most = 5.0 is no share of cases*"])


def test_a_model_that_cannot_be_loaded_is_loaded_once(monkeypatch):
    asked = []

    def asks(*given, **more):
        asked.append(given)
        raise ModelError("out of order")

    monkeypatch.setattr(_pytest_suites, "asked_suite", asks)
    file = object.__new__(_pytest_suites.SuiteFile)
    file.path = Path("x")
    for _ in range(2):
        with pytest.raises(ModelError, match="out of order"):
            file.run  # noqa: B018
    assert len(asked) == 1


def test_pytest_collects_a_suite_where_a_model_is_stated(asked, pytester, monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (pytester.path / "tests.suite.toml").write_text(SUITE)
    (pytester.path / "odd.suite.toml").write_text("suite = 2")
    asked_for = (f"--scrutiny-model={MODEL}", "-o", "scrutiny_most=0.2")
    files = ("tests.suite.toml", "odd.suite.toml", "--continue-on-collection-errors")
    done = pytester.runpytest_inprocess(*ALONE, *asked_for, *files)
    done.assert_outcomes(passed=1, failed=1, errors=1)
    said = done.stdout.str()
    assert "PASS  vocabulary: praise: 0.0 %" in said
    assert "FAIL  negation: not: 100.0 %" in said
    assert "Traceback" not in said
    done.stdout.fnmatch_lines(["*states suite = 2; this reads suite = 1.*"])


def test_cases_without_an_answer_leave_a_test_undecided_where_they_could_turn_it(both):
    finding = both[0].findings[-2]
    one = finding.estimate
    lacking = replace(one.counts, n=one.counts.n - 12, failed=12)
    for low, high, told in (
        (0.0, 0.036, "UNDECIDED"),
        (0.5, 0.6, "FAIL"),
        (0.05, 0.2, "UNDECIDED"),
    ):
        made = replace(finding, estimate=replace(one, counts=lacking, low=low, high=high))
        outcome, said = _judged(made, 0.1)
        assert outcome == told, said
        assert ("10.0 % of the rows are missing" in said) == (told == "UNDECIDED")
