"""Printed figures beside the run's own: terminal, page, Markdown, NDJSON."""

import json
from dataclasses import replace

import pytest
import report_sample

from scrutiny.core.published import PublishedPlan, Reproduction
from scrutiny.report.formats import render_ndjson
from scrutiny.report.page import render_html
from scrutiny.report.sections.published import part, sentence
from scrutiny.report.text import plain_text, render_markdown


def figure(name, outcome="agrees", *, source="Table 1", note="", **more):
    row = PublishedPlan(name, "92.9", "heads", "f1", {"layer": 9}, source=source, note=note)
    ours = {"agrees": ("92.9", 92.93), "differs": ("82.9", 82.948), "missing": ("", None)}[outcome]
    return Reproduction(row, outcome, *ours, **more)


FIGURES = (
    figure("average P"),
    figure("best P", "differs", source="Table A1", note="A misprint."),
    figure("average R"),
    figure("lost R", "missing", reason="no estimate of f1 fits"),
)


@pytest.fixture
def view():
    return replace(report_sample.sample(), published=FIGURES)


def test_a_run_without_figures_says_nothing_of_them():
    bare = report_sample.sample()
    assert part(bare) is None
    assert "published" not in plain_text(bare).lower()
    assert '"published"' not in render_ndjson(bare)


def test_the_terminal_names_what_differs_and_counts_the_rest(view):
    text = plain_text(view)
    assert max(map(len, text.splitlines())) <= 80
    flat = " ".join(text.split())
    said = "2 of 4 published figures agree to the last printed digit. 1 differs, with a note."
    assert said in flat
    assert "✗ best P (Table A1): ours 82.9, printed 92.9. A misprint." in flat
    assert "? lost R (Table 1): not in the run. no estimate of f1 fits" in flat
    assert "Agreeing: Table 1: 2/3, Table A1: 0/1" in flat
    assert "average P" not in text


def test_many_differences_are_cut_short(view):
    many = tuple(figure(f"f{i}", "differs") for i in range(50))
    text = plain_text(replace(view, published=many))
    assert "… and 30 more; `--format json` has them." in text


def test_the_page_has_a_table_a_source_and_what_differs_first(view):
    found = part(view)
    assert found.title == "Comparison with published figures"
    assert [chart.title for chart in found.charts] == ["Figures that differ", "Table 1", "Table A1"]
    assert found.cut(charts=1, rows=10).charts == found.charts[:1]
    assert "--format json" in found.cut(charts=1, rows=10).note
    odd = found.charts[0].table
    assert [row[0] for row in odd.rows] == ["best P", "lost R"]
    assert odd.rows[0] == ("best P", "Table A1", "92.9", "82.9", "differs", "A misprint.")
    assert odd.rows[1][3:] == ("–", "missing", "no estimate of f1 fits")
    assert odd.marks == {(0, 4), (1, 4)}
    first = found.charts[1].table
    assert [row[0] for row in first.rows] == ["lost R", "average P", "average R"]
    page = render_html(view)
    assert "Comparison with published figures" in page
    assert "A misprint." in page
    assert "| best P | Table A1 | 92.9 | 82.9 | differs | A misprint. |" in render_markdown(view)


def test_many_sources_share_the_last_table(view):
    rows = tuple(figure(f"f{i}", source=f"Table {i}") for i in range(9))
    charts = part(replace(view, published=rows)).charts
    assert [c.title for c in charts] == [*(f"Table {i}" for i in range(5)), "Other sources"]
    assert [row[1] for row in charts[-1].table.rows] == [f"Table {i}" for i in range(5, 9)]


def test_ndjson_has_a_line_of_its_own_kind_for_each(view):
    lines = [json.loads(line) for line in render_ndjson(view).splitlines()]
    own = [line for line in lines if "published" in line]
    assert lines[-4:] == own
    assert own[1] == {
        "published": "best P",
        "outcome": "differs",
        "printed": "92.9",
        "ours": "82.9",
        "value": 82.948,
        "low": None,
        "high": None,
        "reason": "",
        "measure": "heads",
        "metric": "f1",
        "where": {"layer": 9},
        "of": "value",
        "percent": False,
        "sign": "",
        "level": 0.05,
        "given": {},
        "released": "",
        "claim": "",
        "beside": False,
        "unavailable": "",
        "source": "Table A1",
        "note": "A misprint.",
    }
    assert (own[3]["ours"], own[3]["value"]) == (None, None)


@pytest.mark.parametrize(
    ("outcomes", "said"),
    [
        (["agrees"] * 3, "3 of 3 published figures agree to the last printed digit."),
        (["agrees", "differs", "differs"], "2 differ, 1 of them with a note."),
        (["differs", "differs", "differs"], "3 differ, 2 of them with a note."),
        (["differs", "agrees", "differs"], "2 differ, each with a note."),
        (["agrees", "differs"], "digit. 1 differs."),
        (["missing"], "The run has no number for 1."),
    ],
)
def test_the_sentence(outcomes, said):
    notes = ["so", "", "so"]
    rows = [figure(str(i), o, note=notes[i]) for i, o in enumerate(outcomes)]
    assert said in sentence(rows)


def said_of(outcome, *, released="", **more):
    named = {"released": released} if released else {"printed": "larger over seeds"}
    return Reproduction(PublishedPlan(outcome, claim="c", source="3.1", **named), outcome, **more)


FOUND = (
    said_of("seen", value=2.81, low=1.2, high=4.4, reason="the limits lie above"),
    said_of("not seen", value=-0.5, low=-0.9, high=-0.1),
    said_of("can't tell"),
    said_of("refused", reason="no skill"),
    Reproduction(PublishedPlan("r", released=".4"), "agrees", ".4", 0.41),
    Reproduction(PublishedPlan("b", "57.1", beside=True), "beside", "50.3", 50.31, "", 47.2, 53.4),
    Reproduction(PublishedPlan("u", "95.1", unavailable="needs the model"), "unavailable"),
)


def test_findings_are_told_apart_from_figures(view):
    assert sentence(FOUND) == (
        "1 of 1 published figures agree to the last printed digit (0 of 0 printed, 1 of 1 that "
        "follow from released data). Of 4 published findings: 1 seen, 1 not seen (the run supports "
        "the opposite), 1 can't be told, 1 refused. 1 of other models or data stand beside ours. "
        "1 can't be had, each with its reason."
    )
    assert sentence(FOUND[:1]) == "Of 1 published finding: 1 seen."
    flat = " ".join(plain_text(replace(view, published=FOUND)).split())
    line = "✓ seen (3.1): seen, 2.8 [1.2, 4.4]; the paper: larger over seeds. the limits lie above"
    assert line in flat
    assert "✗ not seen (3.1): not seen, −0.50 [−0.90, " in flat
    assert "? can't tell (3.1): can't tell; the paper: larger over seeds" in flat
    assert "– refused (3.1): refused; the paper: larger over seeds. no skill" in flat


def test_what_is_not_compared_shows_its_interval_on_the_page(view):
    charts = part(replace(view, published=FOUND)).charts
    rows = {row[0]: row for chart in charts for row in chart.table.rows}
    assert rows["b"][2:5] == ("57.1", "50.3 [47.2, 53.4]", "beside")
    assert rows["u"][3:] == ("–", "unavailable", "")
    assert rows["r"][2:5] == (".4", ".4", "agrees")
    assert not any(chart.table.marks for chart in charts)
