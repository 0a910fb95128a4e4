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
    for study in range(5):
        judge = PlantedJudge(right=0.72, noise=0.03, seed=study)
        found.update(shown(judged(judge, pairs(200, seed=study), tmp_path / str(study))))
    assert found == {}


@pytest.mark.slow
def test_position_and_length_bias_are_found_together_with_their_sizes(tmp_path):
    """The first answer 10 points too often, the longer one on a fifth of the items; kappa .4."""
    found, covered = Counter(), Counter()
    noise = 0.02
    sizes = {  # an item yields to its longer answer, if there is one, or else to the first
        "mean(first)": (1 - 2 * noise) * 0.25 * (1 - 0.2 * 12 / 13) / 2,
        "length_lean": (1 - 2 * noise) * 0.2,
    }
    assert sizes["mean(first)"] == pytest.approx(0.1, abs=0.003)
    for study in range(3):
        judge = PlantedJudge(right=0.845, first=0.25, longer=0.2, noise=noise, seed=study)
        folder = judged(judge, pairs(1000, seed=study), tmp_path / str(study))
        found.update(shown(folder))
        for finding in folder.findings():
            name = finding.estimate.key.metric.partition("@")[0]
            if name in sizes:
                low, high = finding.limits[0].checkpoints
                covered[name] += low <= sizes[name] <= high
        (kappa,) = [
            one.value
            for one in folder.estimates()
            if one.key.metric == "kappa@1" and dict(one.key.condition) == {"policy": "named"}
        ]
        assert kappa == pytest.approx(0.4, abs=0.07)
    assert found == dict.fromkeys(["bias/order", "bias/first", "bias/longer", "bias/length"], 3)
    assert covered == dict.fromkeys(sizes, 3)


@pytest.mark.slow
def test_corrected_means_cover_for_a_judge_with_both_biases():
    """The same judge, kappa .4; 80 of 400 items have human labels, and .5 of all first is right."""
    rng = np.random.default_rng(3)
    items, labels, studies = 400, 80, 500
    covers, same = Counter(), 0.0
    for _ in range(studies):
        draw = rng.random((5, items))
        human = draw[0] < 0.5
        judge = human == (draw[1] < 0.845)
        judge |= draw[2] < 0.25
        judge = np.where(draw[3] < 0.2, draw[4] < 0.5, judge)  # the longer answer, on either side
        same += (judge == human).mean() / studies
        half = 1.96 * judge.std() / np.sqrt(items)
        covers["raw"] += abs(judge.mean() - 0.5) <= half
        known, asked = human[:labels].astype(float), judge.astype(float)
        found = prediction_powered_mean(known, asked[:labels], asked[labels:])
        covers["corrected"] += found.low <= 0.5 <= found.high
    assert 2 * same - 1 == pytest.approx(0.4, abs=0.03)
    assert covers["raw"] / studies < 0.1
    assert covers["corrected"] / studies == pytest.approx(0.95, abs=0.025)


@pytest.mark.slow
def test_corrected_means_cover_where_raw_ones_do_not():
    """A judge of kappa .4 that calls 15 points too many good; 80 of 400 items have human labels."""
    rng = np.random.default_rng(1)
    items, labels, truth, studies = 400, 80, 0.5, 600
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
