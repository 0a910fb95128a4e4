"""Divergences of distributions against closed forms, scipy, and their own bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy

from scrutiny.stats.distributions.divergence import LARGEST_JS, js, js_slope, kl, tvd

POSITIVE = hnp.arrays(np.float64, (2, 5), elements=st.floats(0.01, 1.0))


def pair(values):
    return values / values.sum(axis=1, keepdims=True)


@given(POSITIVE)
def test_they_are_those_of_scipy(values):
    p, q = pair(values)
    assert kl(p, q) == pytest.approx(entropy(p, q), abs=1e-12)
    assert js(p, q) == pytest.approx(jensenshannon(p, q) ** 2, abs=1e-12)
    assert tvd(p, q) == pytest.approx(np.maximum(p - q, 0).sum(), abs=1e-12)


@given(POSITIVE)
def test_bounds_and_symmetry(values):
    p, q = pair(values)
    assert 0 <= js(p, q) <= LARGEST_JS
    assert js(p, q) == pytest.approx(float(js(q, p)))
    assert 0 <= tvd(p, q) <= 1
    assert tvd(p, q) ** 2 / 2 <= js(p, q) + 1e-12 <= LARGEST_JS * tvd(p, q) + 1e-9  # Lin; Pinsker


def test_closed_forms_of_two_outcomes():
    """With p = (a, 1 - a) and q = (1 - a, a) the middle is (1/2, 1/2)."""
    a = 0.8
    p, q = np.array([a, 1 - a]), np.array([1 - a, a])
    assert kl(p, q) == pytest.approx((2 * a - 1) * np.log(a / (1 - a)))
    binary = -a * np.log(a) - (1 - a) * np.log(1 - a)
    assert js(p, q) == pytest.approx(np.log(2) - binary)
    assert tvd(p, q) == pytest.approx(2 * a - 1)


def test_the_largest_divergence_is_that_of_distributions_without_an_outcome_in_common():
    one, other = np.eye(4)[0], np.eye(4)[2]
    assert js(one, other) == LARGEST_JS == pytest.approx(np.log(2))
    assert tvd(one, other) == 1
    assert np.isfinite(kl(one, other))


@given(POSITIVE)
def test_outcomes_by_other_names_are_as_far_apart(values):
    p, q = pair(values)
    order = np.array([3, 0, 4, 1, 2])
    for distance in (kl, js, tvd):
        assert distance(p[order], q[order]) == pytest.approx(float(distance(p, q)), abs=1e-12)


def test_equal_distributions_are_not_apart():
    p = np.array([0.2, 0.0, 0.8])
    assert (kl(p, p), js(p, p), tvd(p, p)) == (0.0, 0.0, 0.0)


def test_the_slope_is_that_of_small_steps():
    rng = np.random.default_rng(0)
    p, q = pair(rng.random((2, 5)))
    step = 1e-6 * np.eye(5)
    rough = [(js(p + s, q) - js(p - s, q)) / 2e-6 for s in step]
    # the closed form holds where p sums to 1: off it all outcomes are off by the same
    assert js_slope(p, q) - js_slope(p, q).mean() == pytest.approx(
        np.array(rough) - np.mean(rough), abs=1e-6
    )


def test_leading_axes_pass_through():
    rng = np.random.default_rng(1)
    p, q = rng.dirichlet(np.ones(4), (3, 2)), rng.dirichlet(np.ones(4), (3, 1))
    for distance in (kl, js, tvd):
        found = distance(p, q)
        assert found.shape == (3, 2)
        assert found[2, 1] == pytest.approx(float(distance(p[2, 1], q[2, 0])))
