import numpy as np
import pytest

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.resampling.weights import Units
from scrutiny.stats.significance.permutation_tests import sign_flip_test


def rng(seed=0):
    return np.random.default_rng(seed)


def test_sign_flips_by_hand():
    found = sign_flip_test([1, 2, 3], rng=rng(), alternative="greater")
    assert (found.p_value, found.smallest_p, found.statistic) == (1 / 8, 1 / 8, 2.0)
    assert sign_flip_test([1, 2, -3], rng=rng(), alternative="greater").p_value == 5 / 8


def test_five_pairs_flip_to_no_less_than_a_sixteenth():
    assert sign_flip_test([1, 2, 3, 4, 5], rng=rng()).smallest_p == 0.0625


def test_units_flip_together():
    units = Units.of(4, [0, 0, 1, 1])
    found = sign_flip_test([1, 1, 1, 1], rng=rng(), units=units)
    assert (found.n, found.p_value) == (2, 0.5)
    with pytest.raises(StatisticsError, match="4 rows"):
        sign_flip_test([1, 1], rng=rng(), units=units)


def test_many_flips_are_sampled():
    found = sign_flip_test(np.ones(40), rng=rng(), permutations=999)
    assert found.method == "sampled"
    assert found.p_value == pytest.approx(2 / 1000)
