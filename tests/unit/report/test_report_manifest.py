"""What the manifest says beyond numbers: what replicates share, what data chose a model."""

import json
from dataclasses import replace

import pytest
import reliability_sample
import report_sample

from scrutiny.core.plan import DataPlan, EstimatePlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.reliability.assignment import assignments_in, differences_in
from scrutiny.report.findings.audit_rows import sections
from scrutiny.report.findings.diagnostic_section import how_far
from scrutiny.report.load import load_view
from scrutiny.report.page import render_html
from scrutiny.report.text import plain_text, render_markdown
from scrutiny.report.wording import replicates
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.resolve import resolve
from scrutiny.store.sealed_manifests import signed

MODEL = """
class Model:
    is_batch_invariant = True
    labels = ("negative", "positive")

    def __init__(self, seed="0"):
        self.seed = int(seed)

    def fingerprint(self):
        return f"toy-{self.seed}"

    def predict(self, texts):
        return [self.labels[(len(text) + self.seed) % 3 > 0] for text in texts]
"""


@pytest.fixture(scope="module")
def view(tmp_path_factory):
    return load_view(reliability_sample.write(tmp_path_factory.mktemp("run")).path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A run of the driver: two families, and the difference between them."""
    path = tmp_path_factory.mktemp("toy")
    (path / "toy.py").write_text(MODEL)
    source = f"python:{path / 'toy.py'}:Model#seed={{seed}}"
    rows = [
        {"id": f"i{n}", "text": "a" * n, "label": "positive" if n % 2 else "negative"}
        for n in range(1, 31)
    ]
    plan = Plan(
        models=(ModelPlan("a", source, seeds=(1, 2)), ModelPlan("b", source, seeds=(4, 6))),
        data=(DataPlan("x", "object:x"),),
        measure=(MeasurePlan("d", "performance", ("a", "b"), ("x",)),),
        estimate=(
            EstimatePlan(
                "gap",
                "d",
                "accuracy@1",
                contrast={"a": {"subject": "a"}, "b": {"subject": "b"}},
                paired=True,
            ),
        ),
        resampling=Resampling(draws=200),
    )
    return run_plan(resolve(plan, data={"x": rows}), path / "out")


def test_the_driver_keeps_what_the_report_reads(folder):
    manifest = folder.manifest
    assert manifest["models"]["a"]["replicates_of"] is None  # no record says it
    assert manifest["warnings"] == []
    (pair,) = differences_in(manifest)
    assert pair.is_paired is True
    known = {assigned.key == pair.a.key for assigned in assignments_in(manifest)}
    assert known == {True, False}


def test_contrasts_of_the_manifest_are_those_of_the_estimates(folder):
    (pair,) = differences_in(folder.manifest)
    found = next(e for e in folder.estimates() if e.key.role == "contrast")
    assert pair.key == found.key
    own = load_view(folder.path).records.own_intervals(found)
    assert {name: one.value for name, one in own.items()} == pytest.approx(dict(found.by_replicate))
    assert len(own) == 2


def test_conditions_that_differ_are_written_as_a_difference(view):
    found = next(e for e in view.estimates if e.key.role == "contrast" and e.key.reference)
    (pair,) = differences_in(view.manifest)
    assert pair.key == found.key
    assert found.key.condition["variant"] == "official - summed"


def test_what_replicates_share_is_said_everywhere(view):
    said = "5 fine-tuning replicates (seed 1 … seed 5): they share one pre-trained model"
    assert replicates(view) == said
    assert said in " ".join(plain_text(view).split())
    assert said in render_markdown(view)
    assert said in render_html(view)
    trust = how_far(sections(view)[0], view)[0]
    assert "another pre-training was not tried" in trust


@pytest.mark.parametrize(
    ("kinds", "said"),
    [
        ({}, "5 replicates (seed 1 … seed 5)"),
        ({"a": "pre-training"}, "5 pre-training replicates (seed 1 … seed 5)"),
        (
            {"a": "initialization"},
            "5 initialization replicates (seed 1 … seed 5): nothing was trained",
        ),
    ],
)
def test_replicates_in_words(kinds, said):
    view = report_sample.sample()
    facts = replace(view.facts, subjects=("a",), replicates_of=kinds)
    assert replicates(replace(view, facts=facts)) == said


def test_replicates_of_controls_are_not_counted(view):
    section = sections(view)[0]
    first = section.estimates[0]
    null = replace(first, key=replace(first.key, subject="untrained"), n_replicates=20)
    found = how_far(replace(section, estimates=(*section.estimates, null)), view)[0]
    assert found.startswith("5 fine-tuning replicates")


def test_families_of_several_kinds_are_named():
    view = report_sample.sample()
    kinds = {"a": "pre-training", "b": "fine-tuning"}
    facts = replace(view.facts, subjects=("a", "b"), replicates_of=kinds)
    said = replicates(replace(view, facts=facts))
    assert said.endswith("; a: pre-training; b: fine-tuning: they share one pre-trained model")
    one = replace(facts, replicates_of={"b": "fine-tuning"})
    assert replicates(replace(view, facts=one)).startswith("5 replicates (")


def test_data_that_chose_a_model_is_a_warning_everywhere(view):
    (warning,) = view.facts.warnings
    assert f"Warning: {warning}" in plain_text(view)
    assert f"> **Warning:** {warning}" in render_markdown(view)
    assert f"<b>Warning:</b> {warning}</p>" in render_html(view)


def test_what_a_budget_left_out_stands_above_the_table_of_every_format():
    view = report_sample.sample()
    said = "For a budget of 1 min, robustness has 90 of 872 items."
    told = replace(view, facts=replace(view.facts, left_out=(said, report_sample.HOSTILE)))
    assert said in " ".join(plain_text(told).split())
    markdown, page = render_markdown(told), render_html(told)
    assert said in markdown
    assert markdown.index(said) < markdown.index("|")
    assert f"<b>Left out:</b> {said}" in page
    assert "<img src=x" not in page


def test_warnings_are_escaped():
    view = report_sample.sample()
    facts = replace(view.facts, warnings=(report_sample.HOSTILE,))
    page = render_html(replace(view, facts=facts))
    assert "<img src=x" not in page
    assert "<img" not in render_markdown(replace(view, facts=facts)).replace("\\<img", "")


def test_older_manifests_still_open(tmp_path):
    folder = reliability_sample.write(tmp_path)
    path = tmp_path / "manifest.json"
    manifest = json.loads(path.read_text())
    for name in ("warnings", "contrasts"):
        del manifest[name]
    path.write_text(json.dumps(signed({**manifest, "models": {"family": {}}})))
    view = load_view(folder.path)
    assert (view.facts.replicates_of, view.facts.warnings) == ({}, ())
    found = next(e for e in view.estimates if e.key.role == "contrast" and e.key.reference)
    assert view.records.own_intervals(found) == {}
