"""ARTS (Xing et al. 2020): its scores from the answers that its authors released."""

import csv
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest

from scrutiny.data.dataset import load_dataset
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.plan_file import read_plan
from scrutiny.run.planning.resolve import resolve

pytestmark = [pytest.mark.data("arts"), pytest.mark.slow]

PLAN = read_plan(Path(__file__).parents[2] / "examples" / "aspect_robustness_tables.toml")
#: Of the eighteen models of the plan, those that are run: the best, and the one that falls most.
ASKED = ("bert-pt-laptop", "bert-sent-rest")
FIGURES = [one for one in PLAN.published if one.where["subject"] in ASKED]


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    return {"out": tmp_path_factory.mktemp("arts") / "run"}


@pytest.fixture
def folder(shared_data, kept):
    """The example's four models, run once, on the data wherever it is."""
    path = str(shared_data("arts"))
    if "folder" not in kept:
        kept["folder"] = run_plan(resolve(_asked(path)), kept["out"])
    return kept["folder"]


def _asked(path):
    models = tuple(
        replace(one, source=one.source.replace("../shared/data/arts", path))
        for one in PLAN.models
        if one.name in ASKED
    )
    data = tuple(
        replace(one, source=one.source.replace("../shared/data/arts", path)) for one in PLAN.data
    )
    measure = tuple(
        replace(one, models=tuple(name for name in one.models if name in ASKED))
        for one in PLAN.measure
    )
    estimate = tuple(one for one in PLAN.estimate if one.where["subject"] in ASKED)
    return replace(
        PLAN,
        models=models,
        data=data,
        measure=measure,
        estimate=estimate,
        published=tuple(FIGURES),
        resampling=replace(PLAN.resampling, draws=200),
    )


@pytest.mark.reproduces
@pytest.mark.parametrize("name", [one.id for one in FIGURES])
def test_every_figure_comes_out(folder, name):
    (found,) = [one for one in folder.published() if one.figure.id == name]
    assert (found.outcome, found.ours) == ("agrees", found.figure.text), found.reason


def test_nine_models_on_two_domains_have_a_figure_of_each_kind():
    subjects = {one.where["subject"] for one in PLAN.published}
    assert len(subjects) == 18
    assert len(PLAN.published) == 18 * 8
    assert sum(bool(one.printed) for one in PLAN.published) == 2 * 18 + 4


@pytest.mark.reproduces
@pytest.mark.parametrize("domain", ["laptop", "rest"])
def test_accuracy_and_score_of_all_nine_models(shared_data, domain):
    """Counted from the file of answers by groups of the reader, without a run."""
    folder = shared_data("arts")
    source = f"aspects:{folder}/arts_testset/{domain}_test_enriched.json#id=answered"
    examples = load_dataset(source).examples
    text = (folder / f"output/{domain}_results.csv").read_text(encoding="utf-8")
    answers = {row["id"]: row for row in csv.DictReader(text.splitlines(keepends=True))}
    printed = [one for one in PLAN.published if one.printed and not one.where.get("group")]
    shown = {}
    for model in (one for one in PLAN.models if one.name.endswith(domain)):
        column = model.source.partition("#label=")[2]
        right = {e.id: answers[e.id][column] == e.gold for e in examples}
        wholes, originals = defaultdict(list), []
        for e in examples:
            wholes[e.attributes["u_group"]].append(right[e.id])
            originals += [right[e.id]] * (e.case is None)
        shown[model.name, "accuracy"] = fmean(originals)
        shown[model.name, "share(whole)"] = fmean(map(all, wholes.values()))
    own = [one for one in printed if (one.where["subject"], one.metric) in shown]
    assert len(own) == 18
    for one in own:
        assert one.at_digits(100 * shown[one.where["subject"], one.metric]) == one.printed


def test_the_score_is_never_above_accuracy(folder):
    level, score = (
        {e.key.subject: e.value for e in folder.estimates() if e.key.metric == metric
         and e.key.group == "all" and e.key.role == role}
        for metric, role in (("accuracy@1", "baseline"), ("share(whole)@1", "measured"))
    )  # fmt: skip
    assert set(level) == set(score) == set(ASKED)
    assert all(score[name] <= level[name] for name in ASKED)
