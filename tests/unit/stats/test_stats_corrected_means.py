"""Corrected means: against ppi-python, closed forms, and at the edges."""

import numpy as np
import pytest

from scrutiny.stats.agreement.corrected_means import (
    labels_needed,
    powered_mean,
    prediction_powered_mean,
    rogan_gladen,
    sums_of,
    weight_of,
)
from scrutiny.stats.arrays import StatisticsError

_I = np.arange(50)
HUMAN = ((_I * 7) % 10 < 6).astype(float)
JUDGE = np.where(_I % 5 == 0, 1 - HUMAN, HUMAN)
ALONE = ((np.arange(1000) * 3) % 10 < 7).astype(float)


@pytest.mark.parametrize(
    ("weight", "value", "low", "high"),
    [
        (None, 0.8119191919191919, 0.7085966834050427, 0.9152417004333412),
        (1.0, 0.9, 0.7855475007762304, 1.0144524992237693),
        (0.0, 0.6, 0.46420971191085936, 0.7357902880891406),
    ],
)
def test_equal_to_ppi_python(weight, value, low, high):
    """Values of `ppi_mean_pointestimate` and `ppi_mean_ci` of ppi-python 0.2.3, alpha .05."""
    found = prediction_powered_mean(HUMAN, JUDGE, ALONE, weight=weight)
    assert (found.value, found.low, found.high) == pytest.approx((value, low, high), abs=1e-12)
    assert (found.n_human, found.n_judged) == (50, 1000)


def test_a_useless_judge_leaves_the_human_labels_alone():
    opposite = prediction_powered_mean(HUMAN, 1 - HUMAN, ALONE)
    constant = prediction_powered_mean(HUMAN, np.ones(50), np.ones(1000))
    alone = prediction_powered_mean(HUMAN, JUDGE, [])
    for found in (opposite, constant, alone):
        assert found.weight == 0.0
        assert found.value == pytest.approx(HUMAN.mean())


def test_a_perfect_judge_is_worth_as_many_human_labels():
    found = prediction_powered_mean(HUMAN, HUMAN, np.tile(HUMAN, 20))
    assert found.value == pytest.approx(HUMAN.mean())
    assert found.high - found.low < 0.06


@pytest.mark.parametrize(("human", "judge"), [([1.0], [1.0]), ([1.0, 0.0], [1.0]), ([], [])])
def test_too_few_labels_are_refused(human, judge):
    with pytest.raises(StatisticsError):
        prediction_powered_mean(human, judge, ALONE)


def test_without_human_labels_there_is_no_mean():
    sums = sums_of(JUDGE, HUMAN, np.zeros(50)).sum(axis=0)
    assert np.isnan(powered_mean(sums))
    assert np.isnan(rogan_gladen(sums))
    assert np.isnan(labels_needed(sums, 0.05))
    assert weight_of(sums) == 0.0


def test_what_stands_where_people_did_not_judge_does_not_matter():
    has = (_I % 2).astype(float)
    filled = np.where(has > 0, HUMAN, 17.0)
    first, second = (sums_of(JUDGE, one, has).sum(axis=0) for one in (HUMAN, filled))
    assert np.array_equal(first, second)


def test_rogan_gladen_by_hand_and_cut():
    """Sensitivity .9, specificity .6, raw .55: (.55 + .6 - 1) / (.9 + .6 - 1) = .3."""
    human = np.repeat([1.0, 1.0, 0.0, 0.0], [9, 1, 4, 6])
    judge = np.repeat([1.0, 0.0, 1.0, 0.0], [9, 1, 4, 6])
    further = np.repeat([1.0, 0.0], [42, 38])
    judges = np.concatenate([judge, further])
    people = np.concatenate([human, np.zeros(80)])
    has = np.repeat([1.0, 0.0], [20, 80])
    assert rogan_gladen(sums_of(judges, people, has).sum(axis=0)) == pytest.approx(0.3)
    none_right = sums_of(1 - human, human, np.ones(20)).sum(axis=0)
    assert np.isnan(rogan_gladen(none_right))
    few = sums_of(np.concatenate([judge, np.zeros(80)]), people, has).sum(axis=0)
    assert rogan_gladen(few) == 0.0


def test_labels_that_are_needed_give_the_width():
    """A simulated study with so many labels has an interval of about that width."""
    rng = np.random.default_rng(0)
    human = (rng.random(4000) < 0.5).astype(float)
    judge = np.where(rng.random(4000) < 0.85, human, 1 - human)
    needed = int(labels_needed(sums_of(judge, human, np.ones(4000)).sum(axis=0), 0.05))
    found = prediction_powered_mean(human[:needed], judge[:needed], judge[needed:])
    assert (found.high - found.low) / 2 == pytest.approx(0.05, rel=0.1)
    plain = int(labels_needed(sums_of(np.ones(4000), human, np.ones(4000)).sum(axis=0), 0.05))
    assert plain == pytest.approx(385, abs=1)
    assert needed < plain


def test_a_width_that_is_none_is_refused():
    with pytest.raises(StatisticsError, match="above 0"):
        labels_needed(np.ones(9), 0.0)
