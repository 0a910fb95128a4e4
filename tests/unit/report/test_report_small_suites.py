"""Suites of a few cases: outcomes, tests and decision say one thing, on page and terminal."""

import html
import json
import re

import pytest
from click.testing import CliRunner

from scrutiny.cli import group
from scrutiny.report.cases.changed_texts import suite_sizes
from scrutiny.report.first_screen.content import first_screen_of
from scrutiny.report.load import load_view
from scrutiny.report.notebook import render_snippet
from scrutiny.report.page import render_html
from scrutiny.report.text import render_markdown, screen_lines

CLEAN = {"id": "a", "text": "The room was clean.", "label": "positive"}
OF = {"of": "a", "capability": "negation"}
MOVES = "moves(label=positive,most=-0.1)"
NOT = {"id": "b", "text": "The room was not clean.", "test": "not", "expect": MOVES, **OF}
SAME = {"id": "c", "text": "On Monday the room was clean.", "test": "day", "expect": "same", **OF}
NOTHING = {
    "id": "d",
    "text": "Nothing works here.",
    "label": "negative",
    "test": "nothing",
    "capability": "negation",
    "expect": "gold",
}
PRAISE = {**NOTHING, "id": "e", "text": "A great film, superb.", "label": "positive", "test": "ok"}


def audited(folder, rows, *more, model="builtin:sentiment"):
    """View of a run of a suite, and what the command printed."""
    (folder / "own.jsonl").write_text("\n".join(map(json.dumps, rows)))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        asked = ["--suite", "own.jsonl", *more, "--display", "none", "--out", "run"]
        said = CliRunner().invoke(group, ["audit", "--model", model, *asked])
        assert said.exit_code == 0, said.output
    return load_view(folder / "run"), said.stdout


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return audited(tmp_path_factory.mktemp("small"), [CLEAN, NOT, SAME, NOTHING])


def shown(view):
    """The first screen of a page, as it is read."""
    head = render_html(view).partition("</style>")[2].partition("Every claim with its checks")[0]
    text = html.unescape(re.sub(r"<[^>]+>", " ", head)).replace("\N{NO-BREAK SPACE}", " ")
    return " ".join(text.split())


def test_a_suite_is_counted_in_cases_and_models(small):
    view, said = small
    front = first_screen_of(view)
    assert front.title == "sentiment \N{MIDDLE DOT} 5 models \N{MIDDLE DOT} own.jsonl (3 cases)"
    for text in (said, shown(view), render_snippet(view), render_markdown(view).partition("<d")[0]):
        assert "4 items" not in text
        assert "5 seeds" not in text
    assert suite_sizes(view.estimates) == {view.datasets[0].name: 3}


def test_it_is_said_when_a_case_failed(small):
    view, said = small
    rule = "A case failed if any of the 5 models fails it."
    assert f"2 of 3 cases failed. {rule}" in " ".join(said.split())
    assert rule in shown(view)


def test_the_decision_is_about_the_cases_that_failed(small):
    view, said = small
    decision = (
        "Read the 2 cases that failed; 3 cases are too few to say how often others like them fail."
    )
    text = shown(view)
    assert text.index("2 of 3 cases failed.") < text.index(decision) < text.index("● failed")
    assert "1 can't be told yet, 2 not tested." not in text
    assert decision in " ".join(said.split())
    comment = render_markdown(view)
    assert comment.splitlines()[0].endswith("\N{EM DASH} 2 of 3 cases failed")
    assert f"**{decision}**" in comment
    assert html.escape(decision) in render_snippet(view)


def test_a_test_that_is_not_told_says_how_many_of_its_cases_failed(small):
    view, said = small
    reason = "all originals in suite:"
    told = "not tested: 'negation: day' (1 of 1 cases failed), 'negation: not' (1 of 1 cases failed"
    for text in (said, render_markdown(view).partition("<d")[0]):
        text = " ".join(text.split())
        assert f"{told}): {reason}" in text
        assert text.count(reason) == 1
    text = shown(view)
    assert "negation: day 1 of 1 cases failed , negation: not 1 of 1 cases failed" in text
    assert text.count("all originals in suite:") == 1  # said once for both
    assert text.count("asked, but no conclusion can be drawn") == 1


def test_the_cases_come_before_what_is_said_of_other_texts(small):
    view, said = small
    for text in (" ".join(said.split()), shown(view)):
        cases, others, tests = (
            text.index(one) for one in ("Nothing works here.", "takes many more cases", "0 of 1")
        )
        if text.startswith("sentiment"):  # the terminal has outcomes test by test
            tests = text.index("\N{WHITE CIRCLE} negation: nothing 0 of 1 fail")
        assert cases < others < tests


def test_names_of_tests_stand_in_quotes_within_sentences(small):
    view, said = small
    front = first_screen_of(view)
    assert front.rest.startswith("'negation: nothing': one item, or group of items, ")
    for name in ("not", "day", "nothing"):
        assert f"'{name}': " in said
    (line,) = [t.plain for t in screen_lines(view) if "\N{WHITE CIRCLE} neg" in t.plain]
    assert line.split() == "\N{WHITE CIRCLE} negation: nothing 0 of 1 fail".split()


@pytest.mark.parametrize(
    ("rows", "decision"),
    [
        ([NOTHING, PRAISE], "No case failed; 2 cases are too few to say how often others like "),
        ([NOTHING], "No case failed; one case does not say how often others like them fail."),
        ([CLEAN, NOT], "Read the case that failed; one case does not say how often others "),
    ],
)
def test_of_one_model_no_rule_is_said(tmp_path, rows, decision):
    view, said = audited(tmp_path, rows, model="builtin:sentiment/seed-3")
    assert "any of the" not in said
    assert decision in " ".join(said.split())
    assert decision in shown(view)
    assert all(len(line) <= 80 for line in said.splitlines())


def test_where_data_are_audited_too_the_score_comes_first(tmp_path):
    rows = [{"text": f"A {w} film, {n}.", "label": y} for n in range(15) for w, y in WORDS]
    (tmp_path / "dev.jsonl").write_text("\n".join(map(json.dumps, rows)))
    beside = ("--data", "dev.jsonl", "--only", "performance", "--only", "suites")
    _, said = audited(tmp_path, [NOTHING, PRAISE, CLEAN, NOT], *beside)
    assert said.startswith("Accuracy ")
    assert said.index("Read the case that failed") < said.index("of 3 cases failed")
    assert said.index("\N{WHITE CIRCLE}") < said.index("Nothing works here.")


WORDS = (("great", "positive"), ("awful", "negative"))
