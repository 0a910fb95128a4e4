"""Changes side by side: planted losses come out as their cells, in order, with their states."""

import json
from dataclasses import replace

import pytest

from scrutiny.blocks.run_view import RunFacts, RunView
from scrutiny.core.claim import Claim, Component, Finding, Risk, Touched
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.expressions import expression_in_words
from scrutiny.core.model import Model
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.core.record import Counts
from scrutiny.core.task import Prediction
from scrutiny.report.load import load_view
from scrutiny.report.page import DETAILS, page, render_html
from scrutiny.report.sections.change_matrix import change_matrix
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.resolve import resolve

KIND = "robustness@1#0"


def number(metric, subject, dataset, value, *, role="measured", group="all", **condition):
    key = EstimateKey(
        KIND, f"{metric}@1", subject, dataset, role=role, group=group, condition=condition
    )
    ends = (None, None) if value is None else (value - 0.01, value + 0.01)
    status = "undefined" if value is None else "ok"
    return Estimate(key, value, *ends, 0.95, "items@1", Counts(100), 100, status=status)


def finding(change, state, lost, *, of, score="accuracy", reason="", touched=(50, 100), beyond=0.0):
    """A risk of one change of a model and its data set, ``of`` a measurement of that name."""
    place = {"transformation": f"{change}@1", "draw": 0}
    what = change if score == "accuracy" else f"{change}: {expression_in_words(score)}"
    claim = Claim(
        f"{of}/m-{of}/d-{of}/{change}@1/{score}",
        f"{change} lowers {score}",
        KIND,
        (Component(f"{of}/drop", 0.0), Component(f"{of}/excess", 0.0, "control: random change")),
        risk=Risk(what, 0.02, "costs {} points"),
    )
    return Finding(
        claim,
        number(f"drop({score})", f"m-{of}", f"d-{of}", lost, **place),
        state,
        "this checkpoint",
        reason,
        control=number(f"excess({score})", f"m-{of}", f"d-{of}", beyond, **place),
        touched=Touched(*touched),
    )


def view(*findings, levels=()):
    known = {(f.estimate.key.subject, f.estimate.key.dataset): 0.8 for f in findings} | dict(levels)
    scores = [number("accuracy", *place, level, role="baseline") for place, level in known.items()]
    alone = [
        number("drop(accuracy)", *place, 0.4, group="changed", transformation="typos@1", draw=0)
        for place in known
    ]
    return RunView(RunFacts("run"), estimates=(*scores, *alone), findings=findings)


MADE = view(
    finding("punctuation", "holds", 0.001, of="names"),
    finding("typos", "hurts", 0.1, of="names", beyond=0.03),
    finding("own", "hurts", 0.5, of="names"),
    finding("punctuation", "can't tell", 0.02, of="trees"),
    finding("typos", "hurts", 0.3, of="trees"),
    finding("tense", "not tested", 0.0, of="trees", reason="it changed no text", touched=(0, 100)),
    finding("tense", "holds", -0.004, of="names"),
    finding("typos", "not tested", 0.2, of="pairs", reason="no skill: it is .5 at most"),
    finding("tense", "not tested", 0.0, of="pairs", reason="no skill: it is .5 at most"),
    levels={("m-pairs", "d-pairs"): 0.5},
)


def test_cells_stand_in_order_with_their_signs_and_limits():
    (chart,) = change_matrix(MADE).charts
    header = ("trees, accuracy, 80 %", "names, accuracy, 80 %", "pairs, accuracy, 50 %, no skill")
    assert chart.table.header == ("change", *header)
    assert chart.table.rows == (
        ("typos", "● 30.0 [29.0, 31.0]", "● 10.0 [9.0, 11.0]", "◌ no skill"),
        ("punctuation", "○ 2.0 [1.0, 3.0]", "✓ 0.1 [−0.9, 1.1]", "–"),
        ("tense", "◌ not tested", "✓ −0.4 [−1.4, 0.6]", "◌ no skill"),
        ("own", "–", "● 50.0 [49.0, 51.0]", "–"),
    )


def test_the_picture_says_the_same_as_its_table():
    (chart,) = change_matrix(MADE).charts
    cells = {
        (row["row"], row["column"].split("\n")[0]): row for row in chart.spec["data"]["values"]
    }
    assert len(cells) == 9
    typos = cells["typos", "names"]
    assert (typos["s0"], typos["s0_words"], typos["s0_few"]) == (10.0, "● 10.0", "●10")
    assert typos["s0_strong"] is True
    assert (typos["s1_words"], typos["s2_words"]) == ("40.0", "3.0")
    assert (typos["texts changed"], typos["of the score lost"]) == ("50 %", "12.5 %")
    assert cells["tense", "names"]["s0_few"] == "✓0"
    assert cells["typos", "pairs"]["s0_words"] == "no skill"
    assert "s0" not in cells["typos", "pairs"]
    assert cells["tense", "trees"]["s0_words"] == "◌"
    assert cells["tense", "trees"]["state"] == "not tested"
    axis = chart.spec["layer"][0]["encoding"]
    assert axis["y"]["scale"]["domain"] == ["typos", "punctuation", "tense", "own"]
    assert [name.split("\n")[0] for name in axis["x"]["scale"]["domain"]] == [
        "trees",
        "names",
        "pairs",
    ]
    assert "#" not in json.dumps(chart.spec, allow_nan=False).replace(f"#{chart.anchor}-choice", "")


def test_every_cell_has_its_numbers_in_a_table_of_its_own():
    (chart,) = change_matrix(MADE).charts
    rows = {(row[0], row[1].split(",")[0]): row[2:] for row in chart.more.rows}
    assert rows["typos", "names"] == (
        "hurts",
        "10.0 [9.0, 11.0]",
        "40.0 [39.0, 41.0]",
        "3.0 [2.0, 4.0]",
        "50 %",
        "12.5 %",
    )
    assert rows["tense", "trees"] == ("not tested", "–", "–", "–", "0 %", "–")
    assert rows["typos", "pairs"][0] == "no skill"


def test_the_lead_counts_changes_that_differ():
    part = change_matrix(MADE)
    assert part.lead.startswith(
        "3 changes in several columns. Hurts in one and holds in another: 0. Hurts in every column "
        "that could be tested: 1. "
    ), part.lead
    apart = view(finding("typos", "hurts", 0.1, of="a"), finding("typos", "holds", 0.0, of="b"))
    assert (
        "1 change in several columns. Hurts in one and holds in another: 1."
        in change_matrix(apart).lead
    )


def test_two_scores_of_a_model_are_two_columns_but_not_two_models():
    las = finding("typos", "hurts", 0.1, of="trees", score="las")
    upos = finding("typos", "holds", 0.0, of="trees", score="upos")
    assert change_matrix(view(las, upos)) is None
    (chart,) = change_matrix(view(las, upos, finding("typos", "holds", 0.0, of="names"))).charts
    assert [name.split(", ")[0] for name in chart.table.header[1:]] == [
        "trees LAS",
        "trees UPOS",
        "names",
    ]
    assert [row[0] for row in chart.table.rows] == ["typos"]


def test_two_measurements_of_one_model_are_two_columns():
    one = finding("typos", "hurts", 0.1, of="a")
    again = replace(one, claim=replace(one.claim, id=f"again/{one.claim.id}"), verdict="holds")
    other = finding("typos", "holds", 0.0, of="b")
    (chart,) = change_matrix(view(one, again, other)).charts
    assert [name.partition(",")[0] for name in chart.table.header] == ["change", "a", "again", "b"]
    assert [said[0] for said in chart.table.rows[0][1:]] == ["●", "✓", "✓"]
    assert chart.caption.endswith("Empty: not asked of it.")
    both = replace(other, claim=replace(other.claim, id=f"a/{other.claim.id}"))
    (chart,) = change_matrix(view(one, again, both)).charts
    names = [name.partition(",")[0] for name in chart.table.header[1:]]
    assert names == ["a: m-a on d-a", "again: m-a on d-a", "m-b on d-b"]


@pytest.mark.parametrize(
    "findings",
    [
        [],
        [finding("typos", "hurts", 0.1, of="a")],
        [finding("typos", "hurts", 0.1, of="a"), finding("tense", "hurts", 0.1, of="b")],
    ],
)
def test_what_nothing_was_asked_of_twice_has_no_picture(findings):
    assert change_matrix(view(*findings)) is None


# -- through a run ---------------------------------------------------------------------------------


class Reads(Model):
    """Says "good" where its word stands in the text; ``word=""`` is always there."""

    task = "text-classification"
    labels = ("bad", "good")
    capabilities = frozenset({"predict"})
    is_batch_invariant = True

    def __init__(self, name, word, *, lower=False):
        self.source = f"testing:{name}"
        self.word, self.lower = word, lower

    def predict(self, examples):
        texts = [e.text.lower() if self.lower else e.text for e in examples]
        return [Prediction("good" if self.word in text else "bad") for text in texts]


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """Run of models that read capitals, that do not, and that read nothing."""
    models = {
        "cased": Reads("cased", "good"),
        "lower": Reads("lower", "good", lower=True),
        "blind": Reads("blind", ""),
    }
    rows = [
        {"text": f"it was {label} of them to come {a} {b}{c}", "label": label}
        for label in ("good", "bad")
        for a in ("soon", "late", "again", "home")
        for b in "abcdefghij"
        for c in "abcde"
    ]
    plan = Plan(
        data=(DataPlan("x", "object:x"),),
        models=tuple(ModelPlan(name, "python:object:Reads") for name in models),
        measure=(
            MeasurePlan(
                "all",
                "robustness",
                tuple(models),
                ("x",),
                {"transformations": ["word_case", "number_swap"]},
            ),
        ),
        resampling=Resampling(draws=200),
    )
    out = tmp_path_factory.mktemp("planted") / "run"
    run_plan(resolve(plan, data={"x": rows}, models=models), out, models=models)
    return load_view(out)


def test_capitals_cost_half_of_one_model_nothing_of_another_and_are_not_tested_on_a_third(planted):
    (chart,) = change_matrix(planted).charts
    assert chart.table.header[1:] == (
        "cased, accuracy, 100 %",
        "lower, accuracy, 100 %",
        "blind, accuracy, 50 %, no skill",
    )
    capitals, numbers = chart.table.rows
    assert capitals[0] == "upper and lower case"
    assert capitals[1].startswith("● 50.0 [")
    assert capitals[2].startswith("✓ 0.0 [")
    assert capitals[3] == "◌ no skill"
    assert numbers[1:] == ("◌ not tested", "◌ not tested", "◌ no skill")


def test_the_picture_stands_open_above_the_sections(planted):
    made = page(planted, DETAILS[0])
    assert next(iter(made.chapters)).is_first
    assert "changes-picture" in made.specs()
    html = render_html(planted)
    assert html.index('id="changes-matrix"') < html.index('id="diagnostic-robustness"')
    fold = html[: html.index('id="side-by-side-title"')].rpartition("<details")[2]
    assert " open" in fold
    assert "changes-picture" in page(planted, DETAILS[-2]).specs()  # where little else is shown
