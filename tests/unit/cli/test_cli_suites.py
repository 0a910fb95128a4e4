"""Suites on the command line: frozen, audited, printed case by case, and refused."""

import json

import pytest
from click.testing import CliRunner

from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of
from scrutiny.report.formats import render
from scrutiny.report.load import load_view

ADJECTIVES = [("great", "positive"), ("awful", "negative"), ("superb", "positive")] * 40


def suite_rows():
    for n, (word, label) in enumerate(ADJECTIVES):
        other = {"positive": "negative", "negative": "positive"}[label]
        yield {
            "id": f"v{n}",
            "text": f"Film {n} was {word}.",
            "label": label,
            "capability": "vocabulary",
            "test": "adjective",
            "expect": "gold",
        }
        yield {
            "id": f"n{n}",
            "text": f"Film {n} was not {word}.",
            "label": other,
            "capability": "negation",
            "test": "not",
            "expect": "gold",
        }
        yield {
            "id": f"s{n}",
            "text": f"Well, film {n} was {word}.",
            "of": f"v{n}",
            "capability": "vocabulary",
            "test": "well",
            "expect": "same",
        }


@pytest.fixture(scope="module")
def audited(tmp_path_factory):
    folder = tmp_path_factory.mktemp("suites")
    path = folder / "tests.jsonl"
    path.write_text("\n".join(map(json.dumps, suite_rows())))
    said = CliRunner().invoke(
        group,
        [
            "audit",
            "--model",
            "builtin:sentiment",
            "--suite",
            str(path),
            "--out",
            str(folder / "run"),
            "--display",
            "none",
        ],
    )
    assert said.exit_code == 0, said.output
    return folder / "run", said.output


def test_an_audit_asks_a_suite_its_tests_and_nothing_else(audited):
    folder, said = audited
    view = load_view(folder)
    assert {f.claim.diagnostic for f in view.findings} == {"suites"}
    verdicts = {f.claim.id.rpartition("/")[2]: f.verdict for f in view.findings}
    assert verdicts == {
        "vocabulary: adjective": "holds",
        "negation: not": "hurts",
        "vocabulary: well": "holds",
    }
    assert "negation: not" in said
    assert "100.0 % fail" in said


def test_each_case_of_a_test_has_a_line(audited):
    folder, _ = audited
    said = CliRunner().invoke(group, ["report", str(folder), "--cases", "not", "--json"])
    lines = [json.loads(line) for line in said.stdout.splitlines()]
    assert {line["change"] for line in lines} == {"not"}
    assert len({line["case"] for line in lines}) == len(ADJECTIVES)
    assert {line["outcome"] for line in lines} <= {"failed", "passed"}


def test_the_page_has_the_matrix_and_the_cases_that_failed(audited):
    folder, _ = audited
    page = render(load_view(folder), "html")
    assert "share of cases failed, by capability and kind of test" in page
    assert "minimum functionality" in page
    assert "Film 0 was not great." in page
    assert '120 failed</b> <span class="soft">not as expected</span>' in page
    assert "right before, wrong after" not in page
    hidden = render(load_view(folder).without_texts(), "html")
    assert "Film 0 was not great." not in hidden


def test_cases_of_a_test_are_printed_by_its_names(audited):
    folder, _ = audited
    said = CliRunner().invoke(group, ["report", str(folder), "--cases", "not"]).output
    assert "'not': 120 of 120 cases failed." in said
    assert "failed     n0 Film 0 was not great." in said
    assert "answered positive; expected negative; in 5 of 5 models" in said
    named = CliRunner().invoke(group, ["report", str(folder), "--cases", "negation: not"]).output
    assert named.splitlines()[1:] == [*said.splitlines()[1:-1], named.splitlines()[-1]]
    kept = CliRunner().invoke(group, ["report", str(folder), "--cases", "well"]).output
    assert "passed     s0 Well, film 0 was great." in kept
    assert "changed: Film \u2192 Well, film; before: positive" in " ".join(kept.split())


SMALL = [
    {"id": "a", "text": "The room was clean.", "label": "1"},
    {"id": "z", "text": "The room was a mess.", "label": "0"},
    {
        "id": "b",
        "text": "The room was not clean.",
        "of": "a",
        "test": "not",
        "capability": "negation",
        "expect": "moves(label=1,most=-0.1)",
    },
    {
        "id": "c",
        "text": "On Monday the room was clean.",
        "of": "a",
        "test": "weekday",
        "capability": "negation",
        "expect": "same",
    },
    {"id": "e", "text": "A great film by Aisha.", "test": "people", "expect": "is(label=1)"},
    {"id": "f", "text": "A dull film by Bob.", "test": "people", "expect": "is_not(label='1')"},
]
OWN = """
class Model:
    classes_ = ["0", "1"]

    def predict_proba(self, texts):
        return [[0.8, 0.2] if "not" in t or "mess" in t else [0.2, 0.8] for t in texts]


model = Model()
"""


def test_a_small_suite_is_told_case_by_case(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "small.jsonl").write_text("\n".join(map(json.dumps, SMALL)))
    asked = ["--model", "python:own.py:model", "--suite", "small.jsonl", "--display", "none"]
    kept = ["--out", "run", "--html", "page.html"]
    assert exit_code_of(group, ["audit", *asked, *kept]) == 0
    said = capsys.readouterr().out
    assert "'not': 0 of 1 cases failed." in said
    assert "passed     b The room was not clean." in said
    assert "'people': 1 of 2 cases failed." in said
    assert "failed     f A dull film by Bob." in said
    assert "answered 1; expected not 1" in said
    assert all(len(line) <= 80 for line in said.splitlines())
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    head = page.partition("Every claim with its checks")[0]
    assert "1 of 4 cases failed." in head  # above all else
    assert head.index("A dull film by Bob.") < head.index('class="risks')  # what failed first
    assert "between 0.0 and 0.0" not in page
    assert "small.jsonl: every case" in page
    assert "A dull film by Bob." in page
    hidden = render(load_view(tmp_path / "run").without_texts(), "html")
    assert "A dull film by Bob." not in hidden
    again = CliRunner().invoke(group, ["report", "run", "--cases", "people"]).output
    assert again.splitlines()[0] == "'people': 1 of 2 cases failed."


def test_a_file_of_cases_is_shown_as_the_suite_that_it_is(tmp_path):
    path = tmp_path / "small.jsonl"
    path.write_text("\n".join(map(json.dumps, SMALL)))
    said = CliRunner().invoke(group, ["data", "show", str(path)]).output
    assert said.startswith("6 items of text-classification in suite:")
    assert "bad rows      0" in said
    assert "test: 3" in said


def test_an_expectation_that_cannot_be_read_names_its_test(tmp_path, capsys):
    path = tmp_path / "odd.jsonl"
    rows = [
        *SMALL,
        {"id": "o", "text": "x y", "test": "odd", "capability": "c", "expect": "iss(label=1)"},
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    code = exit_code_of(group, ["audit", "--model", "builtin:sentiment", "--suite", str(path)])
    assert code == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "The test 'c: odd' of the suite expects 'iss(label=1)', which cannot be read." in said


def test_what_a_run_changed_is_frozen_and_measured_again(tmp_path):
    run, suite = tmp_path / "run", tmp_path / "frozen.jsonl"
    asked = ["--model", "builtin:sentiment/seed-1", "--display", "none"]
    for arguments in (
        [
            "run",
            "robustness",
            "--data",
            "builtin:reviews",
            "--with",
            "typos",
            "--with",
            "punctuation",
            "--limit",
            "80",
            "--out",
            str(run),
            *asked,
        ],
        ["freeze", str(run), "-o", str(suite)],
        ["run", "suites", "--suite", str(suite), "--out", str(tmp_path / "again"), *asked],
    ):
        said = CliRunner().invoke(group, arguments)
        assert said.exit_code == 0, said.output
    assert json.loads(suite.read_text().splitlines()[0]) == {
        "suite": 1,
        "task": "text-classification",
    }
    before, after = (
        [e.value for e in load_view(folder).estimates if e.key.metric == "drop(accuracy)@1"]
        for folder in (run, tmp_path / "again")
    )
    assert after[0] == pytest.approx(before[0], abs=1e-12)
    rows = map(json.loads, suite.read_text().splitlines())
    assert {row["test"] for row in rows if "test" in row} == {"typos", "punctuation"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["audit", "--model", "builtin:sentiment", "--suite", "none.jsonl"], "no file"),
        (
            ["run", "suites", "--model", "builtin:sentiment", "--data", "builtin:reviews"],
            "has none: name a suite",
        ),
        (["freeze", "nowhere", "-o", "s.jsonl"], "nowhere"),
    ],
)
def test_what_is_no_suite_is_refused(arguments, words, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert exit_code_of(group, arguments) == 2
    assert words in " ".join(capsys.readouterr().err.split())
    assert not list(tmp_path.glob("*.jsonl"))
