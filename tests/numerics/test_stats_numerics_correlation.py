"""Correlation over replicates: closed form, another implementation, invariances, planted truth."""

import numpy as np
import pytest
from scipy import stats

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.association.correlation import correlation_over_replicates


def correlate(a, b, **more):
    return correlation_over_replicates(a, b, rng=np.random.default_rng(0), **more)


def draws(seed, n, rho=0.0):
    a, b = np.random.default_rng(seed).normal(size=(2, n))
    return a, rho * a + np.sqrt(1 - rho**2) * b


def test_of_one_step_it_is_scipys():
    a, b = draws(1, 7, 0.4)
    found, other = correlate(a, b), stats.pearsonr(a, b)
    assert found.value == pytest.approx(other.statistic)
    limits = other.confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((limits.low, limits.high))
    assert found.rank == pytest.approx(stats.spearmanr(a, b).statistic)


def test_the_permutation_p_is_scipys_over_all_orders():
    a, b = draws(2, 6, 0.6)
    every = stats.permutation_test(
        (b,),
        lambda x: stats.pearsonr(a, x).statistic,
        permutation_type="pairings",
        n_resamples=10_000,
    )
    two_sided = np.mean(np.abs(every.null_distribution) >= abs(correlate(a, b).value) - 1e-9)
    assert correlate(a, b).p_value == pytest.approx(two_sided)


def test_a_perfect_line_has_the_smallest_p():
    found = correlate([1, 2, 3, 4, 5], [10, 8, 6, 4, 2])
    assert found.value == pytest.approx(-1)
    assert found.p_value == found.smallest_p == pytest.approx(2 / 120)  # both directions tie
    assert found.high < -0.99


def test_what_training_does_to_both_is_no_relation():
    # both rise over the steps, and the replicates are unrelated
    rise = np.linspace(0, 100, 6)
    a, b = np.random.default_rng(3).normal(size=(2, 8, 6)) + rise
    assert stats.pearsonr(a.ravel(), b.ravel()).statistic > 0.95
    assert abs(correlate(a, b).value) < 0.5


def test_repeating_a_step_narrows_nothing():
    a, b = draws(4, 6, 0.5)
    once, often = correlate(a, b), correlate(np.tile(a[:, None], 9), np.tile(b[:, None], 9))
    assert (once.value, once.low, once.p_value) == pytest.approx(
        (often.value, often.low, often.p_value)
    )
    assert (often.steps, often.replicates) == (9, 6)


@pytest.mark.parametrize("change", ["order", "units", "sides"])
def test_order_units_and_sides_do_not_matter(change):
    a, b = draws(5, 6, 0.7)
    first = correlate(a, b)
    if change == "order":
        order = np.random.default_rng(0).permutation(6)
        second = correlate(a[order], b[order])
    elif change == "units":
        second = correlate(1000 * a - 3, 0.01 * b + 7)
    else:
        second = correlate(b, a)
    assert (first.value, first.p_value, first.low) == pytest.approx(
        (second.value, second.p_value, second.low)
    )


def test_the_detectable_correlation_is_detected_with_80_percent_power():
    n = 12
    rho = correlate(*draws(0, n)).detectable
    hits = [correlation_is_shown(*draws(seed, n, rho)) for seed in range(1500)]
    # Fisher's z leans outward by r / (2 (n - 1)), which the formula leaves out
    assert 0.78 <= np.mean(hits) <= 0.88


def correlation_is_shown(a, b):
    """By Fisher's interval, without the permutations."""
    z = np.arctanh(stats.pearsonr(a, b).statistic)
    return abs(z) > 1.959964 / np.sqrt(a.size - 3)


@pytest.mark.parametrize("n", [5, 8])
def test_coverage_and_level_are_nominal(n):
    covered, rejected = [], []
    for seed in range(800 if n == 5 else 60):
        found = correlate(*draws(seed, n, 0.5))
        covered.append(found.low <= 0.5 <= found.high)
        rejected.append(correlate(*draws(seed + 10**6, n)).p_value <= 0.05)
    assert np.mean(covered) == pytest.approx(0.95, abs=0.025 if n == 5 else 0.06)
    assert np.mean(rejected) <= 0.05 + (0.02 if n == 5 else 0.07)


def test_many_replicates_are_permuted_by_sampling():
    a, b = draws(6, 20, 0.9)
    found = correlate(a, b)
    assert found.p_value < 0.001
    assert found.p_value >= 1 / 20_001  # the observed order is one of them


@pytest.mark.parametrize(
    ("a", "b", "says"),
    [
        ([1, 2, 3], [1, 2, 4], "3 replicates carry no correlation"),
        ([1, 2, 3, 4], [5, 5, 5, 5], "b does not vary"),
        ([1, 2, 3, 4], [1, 2, 3, 4, 5], "must be equal"),
        ([1, 2, 3, np.nan], [1, 2, 3, 4], "NaN"),
    ],
)
def test_what_it_refuses(a, b, says):
    with pytest.raises(StatisticsError, match=says):
        correlate(a, b)
