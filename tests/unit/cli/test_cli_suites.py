"""Suites on the command line: frozen, audited, printed case by case, and refused."""

import json

import pytest
from click.testing import CliRunner

from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of
from scrutiny.report.formats.named import render
from scrutiny.report.reading.load import load_view

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


def test_failed_cases_are_printed(audited):
    folder, _ = audited
    said = CliRunner().invoke(group, ["report", str(folder), "--cases", "not"]).output
    assert "    Film 0 was not great. [positive]" in said
    assert "right is negative, answer wrong" in said
    assert "texts have a wrong answer" in said


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
