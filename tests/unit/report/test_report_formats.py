"""Formats that are pasted and piped: Markdown, LaTeX, CSV, NDJSON."""

import csv
import io
import json
import re
from dataclasses import replace

import report_sample

from scrutiny.blocks.numbers import out_of
from scrutiny.blocks.terminal_and_markdown import escape as markdown
from scrutiny.report import text as module
from scrutiny.report.formats import (
    DETAILS,
    ESTIMATE_COLUMNS,
    render_csv,
    render_latex,
    render_ndjson,
)
from scrutiny.report.formats import escape as latex
from scrutiny.report.page import render_html
from scrutiny.report.text import plain_text, render_markdown

DESIGN = """diagnostic metric subject reference dataset replicate role condition group value low
high level method n n_units planned undefined failed skipped refused status""".split()


def test_golden_markdown(golden):
    golden("report.md", render_markdown(report_sample.sample()))


def test_markdown_is_a_comment_whose_verdict_and_table_are_open(monkeypatch):
    view = report_sample.sample()
    text = render_markdown(view)
    first_fold = text.index("<details>")
    assert text.startswith("**3 of 18 changes hurt")
    assert text.index("| diagnostic |") < first_fold < text.index("the interval lies above")
    assert text.count("<details>") == text.count("</details>") == text.count("\n\n</details>\n")
    assert "do not fit" not in text
    monkeypatch.setattr(module, "_LARGEST", first_fold + 1_500)
    short = render_markdown(view)
    assert len(short) < len(text)
    assert short.startswith(text[:first_fold])
    assert "sections do not fit into a comment; see the page." in short
    assert short.count("<details>") < text.count("<details>")
    assert short.rstrip().endswith("`")  # the footer stays


def test_golden_latex(golden):
    golden("report.tex", render_latex(report_sample.sample()))


def test_golden_ndjson(golden):
    golden("report.ndjson", render_ndjson(report_sample.sample()))


def test_golden_csv(golden):
    golden("report.csv", render_csv(report_sample.sample()))


def test_every_format_prints_what_was_divided_by():
    view = report_sample.sample()
    shown = next(f for f in view.findings if f.estimate and f.estimate.value is not None)
    estimate = replace(shown.estimate, denominator=53.0)
    finding = replace(shown, estimate=estimate)
    changed = replace(
        view,
        estimates=tuple(estimate if e == shown.estimate else e for e in view.estimates),
        findings=tuple(finding if f is shown else f for f in view.findings),
    )
    printed = f"53/{estimate.counts.planned}"
    for text in (render_markdown(changed), render_latex(changed), plain_text(changed)):
        assert printed in text
    of = printed.replace("/", '<span class="soft"> of ')
    assert f'data-label="n" class="num">{of}</span>' in render_html(changed)
    rows = list(csv.DictReader(io.StringIO(render_csv(changed))))
    assert [row["divided_by"] for row in rows if row["claim"] == finding.claim.says] == ["53.0"]
    lines = [json.loads(line) for line in render_ndjson(changed).splitlines()]
    of_claims = [line for line in lines if line.get("divided_by") == 53.0]
    assert [line["metric"] for line in of_claims] == [estimate.key.metric]


def test_several_pairs_of_an_item_are_counted_in_items():
    estimate = replace(report_sample.sample().estimates[0], denominator=1300.5)
    assert out_of(estimate) == f"1300.5 in {estimate.counts.planned}"


def test_ndjson_has_the_columns_of_the_design_then_findings():
    view = report_sample.sample()
    objects = [json.loads(line) for line in render_ndjson(view).splitlines()]
    estimates = [o for o in objects if "claim" not in o]
    findings = objects[len(estimates) :]
    assert list(ESTIMATE_COLUMNS) == DESIGN
    assert all(list(o) == [*DESIGN, *DETAILS] for o in estimates)
    assert all(list(o["estimate"]) == DESIGN for o in findings if o["estimate"])
    assert len(estimates) == len(view.estimates)
    assert len(findings) == len(view.findings)
    for o in findings:
        assert {"claim", "estimate", "verdict", "scope", "reason", "checks"} <= set(o)
    assert all(isinstance(o["condition"], dict) for o in estimates)


def test_ndjson_has_tests_of_replicates_and_where_the_variance_comes_from():
    view = report_sample.sample()
    numbers = {"smallest_p": 0.1, "holm": 0.2}
    test = replace(view.estimates[0], across=numbers, reason="few")
    first, *others = render_ndjson(replace(view, estimates=(test, *view.estimates))).splitlines()
    assert json.loads(first)["across"] == numbers
    assert json.loads(first)["reason"] == "few"
    plain = json.loads(others[0])
    assert plain["variance"] == dict(view.estimates[0].variance)
    assert list(plain["by_replicate"]) == list(report_sample.REPLICATES)
    assert (plain["n_replicates"], plain["reason"]) == (5, None)


def test_ndjson_keeps_planned_as_the_sum_of_all_fates():
    for line in render_ndjson(report_sample.sample()).splitlines():
        o = json.loads(line)
        if "claim" not in o:
            fates = sum(o[k] for k in ("n", "undefined", "failed", "skipped", "refused"))
            assert o["planned"] == fates


def test_csv_has_a_row_for_every_estimate_and_every_finding():
    view = report_sample.sample()
    rows = list(csv.DictReader(io.StringIO(render_csv(view))))
    claimed = [row for row in rows if row["claim"]]
    assert {row["claim"] for row in claimed} == {f.claim.says for f in view.findings}
    refused = next(row for row in rows if row["verdict"] == "refused")
    assert refused["value"] == ""
    assert sum(row["n"] != "" for row in rows) == len(view.estimates)


def test_csv_rows_of_estimates_that_the_run_does_not_list_are_kept():
    view = replace(report_sample.sample(), estimates=())
    rows = list(csv.DictReader(io.StringIO(render_csv(view))))
    assert len(rows) == len(view.findings)
    assert any(row["value"] == "0.081" for row in rows)


def test_markdown_table_survives_its_own_signs():
    text = render_markdown(report_sample.hostile())
    assert "<script" not in text.replace("\\<script", "")
    tables = re.findall(r"(?:^\| .*\n?)+", text, re.MULTILINE)
    counts = [{t.replace("\\|", "").count("|") for t in table.splitlines()} for table in tables]
    assert counts[0] == {10}
    assert len(counts) > 3
    assert all(len(count) == 1 for count in counts)
    assert markdown("a|b\nc") == "a\\|b c"


def test_latex_is_balanced_and_escaped():
    text = render_latex(report_sample.hostile())
    assert text.count(r"\begin{") == text.count(r"\end{")
    body = [line for line in text.splitlines() if line.endswith(r"\\") and " & " in line]
    counts = [line.replace(r"\&", "").count("&") for line in body]
    assert set(counts[: len(report_sample.hostile().findings)]) == {7}
    columns = [
        spec.count("r") + spec.count("l") for spec in re.findall(r"tabular}\{(l[lr]+)\}", text)
    ]
    assert set(counts) - {7} <= {n - 1 for n in columns}
    assert latex("50% of $x_1 & {y}") == r"50\% of \$x\_1 \& \{y\}"


def test_formats_of_an_empty_run():
    view = report_sample.empty()
    assert render_ndjson(view) == ""
    assert len(render_csv(view).splitlines()) == 1
    assert "No claim was made" in render_markdown(view)
    assert r"\end{tabular}" in render_latex(view)


def test_formats_of_a_run_without_claims():
    view = replace(report_sample.sample(), findings=())
    assert "0.861 [0.840, 0.882]" in render_markdown(view)
    assert "640/640" in render_latex(view)


def test_claims_after_the_fact_are_marked():
    view = report_sample.sample()
    finding = view.findings[1]
    late = replace(finding, claim=replace(finding.claim, post_hoc=True))
    view = replace(view, findings=(late,))
    assert "(post hoc)" in render_markdown(view)
    assert "(post hoc)" in render_latex(view)
