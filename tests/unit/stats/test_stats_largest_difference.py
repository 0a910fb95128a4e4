"""Largest difference between two replicates: equivalence and difference of all pairs."""

import numpy as np
import pytest

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.intervals.contrast import largest_difference
from scrutiny.stats.resampling.resample import Resampled
from scrutiny.stats.significance.power import tost

UNITS = 400


def resampled(point, draws):
    return Resampled(np.asarray(point, dtype=float), draws, UNITS, UNITS, None, "")


@pytest.fixture
def draws():
    """Draws of three replicates with errors of their own and one in common."""
    rng = np.random.default_rng(3)
    return rng.normal(size=(2000, 1)) + rng.normal(0, [0.01, 0.02, 0.03], (2000, 3))


def test_the_p_below_a_margin_is_the_largest_of_the_pairs_tost(draws):
    point = np.array([0.80, 0.82, 0.79])
    found = largest_difference(resampled(point, draws))
    assert found.point == pytest.approx(0.03)
    for margin in (0.05, 0.1, 0.15):
        each = [
            tost(
                point[i] - point[j],
                float(np.std(draws[:, i] - draws[:, j], ddof=1)),
                margin=margin,
                df=UNITS - 1,
            )
            for i, j in [(0, 1), (0, 2), (1, 2)]
        ]
        assert found.p_value(margin, direction="less") == pytest.approx(max(each), abs=5e-3)
    assert found.at(0.9)[1] < found.high < found.at(0.99)[1]


def test_what_all_replicates_share_is_no_difference(draws):
    shifted = draws + np.random.default_rng(0).normal(size=(len(draws), 1))
    point = [0.80, 0.82, 0.79]
    one, other = (largest_difference(resampled(point, d)) for d in (draws, shifted))
    assert (one.low, one.high) == pytest.approx((other.low, other.high))


def test_equal_replicates_are_seldom_said_to_differ_and_never_negative():
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 0.02, (600, 5))
    lows = [largest_difference(resampled(p, noise)).low for p in rng.normal(0, 0.02, (100, 5))]
    assert min(lows) == 0.0
    assert np.mean(np.array(lows) > 0) < 0.05


def test_a_pair_at_the_margin_passes_for_equivalent_as_seldom_as_it_should():
    rng = np.random.default_rng(2)
    noise = rng.normal(0, 0.02, (600, 2))
    points = rng.normal([0.0, 0.1], 0.02, (200, 2))
    passed = [largest_difference(resampled(p, noise), level=0.9).high < 0.1 for p in points]
    assert 0.0 < np.mean(passed) < 0.1


def test_replicates_without_differences_are_equal():
    found = largest_difference(resampled([0.5, 0.5], np.full((50, 2), 0.5)))
    assert (found.low, found.point, found.high) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("draws", [np.zeros((9, 1)), np.full((9, 2), np.nan)])
def test_one_replicate_or_no_draws_are_refused(draws):
    with pytest.raises(StatisticsError, match="two replicates"):
        largest_difference(resampled(np.zeros(draws.shape[1]), draws))
