"""Judges with planted biases: what is found, what is not invented, what corrected means cover."""

from collections import Counter

import numpy as np
import pytest

from planted_judges import PlantedJudge, pairs
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.resolve import resolve
from scrutiny.stats.agreement.corrected_means import (
    powered_mean,
    prediction_powered_mean,
    rogan_gladen,
    sums_of,
)

PARAMS = {"keeping": [], "changing": [], "formats": ["bullets"]}


def judged(judge, rows, out):
    """Finished run of a judge that is asked in orders and lengths alone."""
    plan = Plan(
        data=(DataPlan("x", "object:x", "judged-pairs"),),
        models=(ModelPlan("m", "python:object:PlantedJudge"),),
        measure=(MeasurePlan("d", "judge", ("m",), ("x",), PARAMS),),
        resampling=Resampling(draws=200),
    )
    made = resolve(plan, data={"x": rows}, models={"m": judge})
    return run_plan(made, out, models={"m": judge})


def shown(folder):
    """Biases that a run shows."""
    return [
        finding.claim.id.split("/", 3)[-1]
        for finding in folder.findings()
        if "/bias/" in finding.claim.id and finding.verdict == "hurts"
    ]


@pytest.mark.slow
def test_no_bias_is_invented_for_a_judge_that_errs_and_varies(tmp_path):
    """Kappa about .4, 3 in 100 answers another when asked again."""
    found = Counter()
    for study in range(12):
        judge = PlantedJudge(right=0.72, noise=0.03, seed=study)
        found.update(shown(judged(judge, pairs(200, seed=study), tmp_path / str(study))))
    assert found == {}


@pytest.mark.slow
def test_planted_biases_are_found(tmp_path):
    """The first answer 8 points too often, the longer one on a fifth of the items; kappa .4."""
    found = Counter()
    for study in range(3):
        judge = PlantedJudge(right=0.85, first=0.2, longer=0.2, noise=0.02, seed=study)
        found.update(shown(judged(judge, pairs(1000, seed=study), tmp_path / str(study))))
    assert found == dict.fromkeys(["bias/order", "bias/first", "bias/longer", "bias/length"], 3)


@pytest.mark.slow
def test_corrected_means_cover_where_raw_ones_do_not():
    """A judge of kappa .4 that calls 15 points too many good; 80 of 400 items have human labels."""
    rng = np.random.default_rng(1)
    items, labels, truth, studies = 400, 80, 0.5, 1000
    covers, widths = Counter(), Counter()
    for _ in range(studies):
        human = (rng.random(items) < truth).astype(float)
        judge = (rng.random(items) < np.where(human == 1, 0.85, 0.45)).astype(float)
        half = 1.96 * np.sqrt(judge.mean() * (1 - judge.mean()) / items)
        covers["raw"] += abs(judge.mean() - truth) <= half
        for name, alone in (("powered", judge[labels:]), ("human", np.empty(0))):
            found = prediction_powered_mean(human[:labels], judge[:labels], alone)
            covers[name] += found.low <= truth <= found.high
            widths[name] += found.high - found.low
    assert covers["raw"] / studies < 0.01
    assert covers["powered"] / studies == pytest.approx(0.95, abs=0.02)
    assert widths["powered"] < 0.95 * widths["human"]


@pytest.mark.slow
def test_both_corrections_are_right_on_average():
    rng = np.random.default_rng(2)
    human = (rng.random((2000, 400)) < 0.3).astype(float)
    judge = (rng.random((2000, 400)) < np.where(human == 1, 0.9, 0.3)).astype(float)
    has = np.broadcast_to(np.arange(400) < 100, human.shape).astype(float)
    sums = sums_of(judge, human, has).sum(axis=1)
    for corrected in (powered_mean, rogan_gladen):
        assert np.nanmean(corrected(sums)) == pytest.approx(0.3, abs=0.005)
