"""Tests of a paired change, against closed forms, scipy and simulation."""

import numpy as np
import pytest
from scipy import stats
from two_sides import sides

from scrutiny.run.comparing.changed_slices import Gap, beside_rest, change_of, exact_p
from scrutiny.stats.resampling.weights import Units
from scrutiny.stats.significance.exact_tests import mcnemar
from scrutiny.stats.significance.permutation_tests import sign_flip_test


def rng(seed=0):
    return np.random.default_rng(seed)


def test_of_two_single_models_it_is_mcnemars():
    change = np.array([1.0] * 10 + [-1.0] * 26 + [0.0] * 184)
    found = exact_p(change, Units.of(220), rng=rng())
    assert found == mcnemar(10, 26).p_value
    assert found == pytest.approx(0.0077, abs=1e-4)


def test_no_change_at_all():
    assert exact_p(np.zeros(30), Units.of(30), rng=rng()) == 1.0


def test_signs_of_fractions_are_drawn():
    change = np.array([1 / 3] * 4 + [2 / 3] * 3 + [-1 / 3] + [0.0] * 20)
    exact = sign_flip_test(change[change != 0], rng=rng()).p_value
    assert exact_p(change, Units.of(change.size), rng=rng()) == pytest.approx(exact, abs=0.01)


def test_scores_of_many_sizes_are_near_normal():
    change = rng(3).normal(0.1, 1.0, size=400)
    drawn = sign_flip_test(change, rng=rng(), permutations=20_000).p_value
    assert exact_p(change, Units.of(400), rng=rng()) == pytest.approx(drawn, abs=0.01)


def test_items_of_a_unit_flip_together():
    change = np.array([1.0] * 12)
    alone = exact_p(change, Units.of(12), rng=rng())
    together = exact_p(change, Units.of(12, ["a"] * 6 + ["b"] * 6), rng=rng())
    assert alone < 0.01 < together


def test_single_models_have_a_normal_of_the_items():
    before, after = np.ones((1, 100)), np.ones((1, 100))
    after[0, :30] = 0.0
    gap = change_of(sides(before, after), np.ones(100, dtype=bool))
    assert gap.value == pytest.approx(-0.3)
    assert gap.error == pytest.approx(((30 * 0.49 + 70 * 0.09 + 1) / 100**2) ** 0.5)
    assert gap.df == float("inf")
    assert gap.p_value() == pytest.approx(2 * stats.norm.sf(0.3 / gap.error))
    low, high = gap.limits(0.9)
    assert (high - low) / 2 == pytest.approx(1.645 * gap.error, rel=1e-3)


def test_replicates_add_their_variance_with_welchs_degrees():
    values = sides(np.tile([[0.2], [0.4], [0.6]], 50), np.tile([[0.5], [0.7], [0.9]], 50))
    gap = change_of(values, np.ones(50, dtype=bool))
    seeds = 2 * 0.04 / 3
    items = 1 / 50**2
    assert gap.value == pytest.approx(0.3)
    assert gap.error == pytest.approx((seeds + items) ** 0.5)
    assert gap.df == pytest.approx((seeds + items) ** 2 / (2 * (0.04 / 3) ** 2 / 2), rel=1e-9)


def test_replicates_that_belong_together_are_subtracted_first():
    shift = np.array([[0.0], [0.3], [0.6]])
    first, second = np.tile(shift, 50), np.tile(shift + 0.1, 50)
    whole = np.ones(50, dtype=bool)
    apart = change_of(sides(first, second), whole)
    paired = change_of(sides(first, second, is_paired=True), whole)
    assert paired.value == pytest.approx(apart.value)
    assert paired.p_value() < 1e-5 < apart.p_value()


def test_a_slice_beside_the_rest():
    change = np.array([-1.0] * 6 + [0.0] * 6 + [-0.5] * 48)
    values = sides(np.zeros((1, 60)), change[None])
    inside = np.arange(60) < 12
    gap = beside_rest(values, inside)
    assert gap.value == pytest.approx(0.0)
    assert gap.p_value() == pytest.approx(1.0)


@pytest.mark.parametrize("value", [-0.2, 0.2])
def test_p_of_a_limit(value):
    gap = Gap(value, 0.1, 4.0)
    assert gap.p_below(0.0) == pytest.approx(stats.t.cdf(value / 0.1, 4))
    assert gap.p_value() == pytest.approx(2 * stats.t.sf(2, 4))
    assert gap.p_below(value) == pytest.approx(0.5)
