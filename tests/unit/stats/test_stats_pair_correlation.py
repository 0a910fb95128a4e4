"""Correlation of measures over pairs of models: closed forms, other code, planted truth."""

import numpy as np
import pytest
from scipy import stats

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.association.rank_correlation import FEWEST_MODELS, pair_correlation

G = np.random.default_rng(5)


def rng():
    return np.random.default_rng(0)


def symmetric(count, g=G):
    found = g.standard_normal((count, count))
    return found + found.T


def off(matrix):
    return matrix[~np.eye(len(matrix), dtype=bool)]


def test_the_value_is_spearmans_over_all_ordered_pairs():
    a, b = G.standard_normal((2, 6, 6)).round(1)  # with ties
    found = pair_correlation(a, b, rng=rng())
    assert found.value == pytest.approx(stats.spearmanr(off(a), off(b)).statistic)
    assert (found.n_pairs, found.n_models) == (30, 6)


def test_the_diagonal_is_not_read():
    a, b = G.standard_normal((2, 5, 5))
    noisy = a + np.diag(np.full(5, 100.0))
    missing = b.copy()
    np.fill_diagonal(missing, np.nan)
    assert pair_correlation(noisy, missing, rng=rng()) == pair_correlation(a, b, rng=rng())


def test_monotone_changes_and_the_order_of_models_change_nothing():
    a, b = symmetric(5), symmetric(5)
    found = pair_correlation(a, b, rng=rng())
    order = G.permutation(5)
    turned = pair_correlation(
        np.exp(a)[np.ix_(order, order)], (3 * b)[np.ix_(order, order)], rng=rng()
    )
    assert (turned.value, turned.p_value) == (found.value, found.p_value)
    assert turned.low == pytest.approx(found.low)


def test_a_measure_with_itself_and_with_its_opposite():
    a = symmetric(5)
    same, opposite = pair_correlation(a, a, rng=rng()), pair_correlation(a, -a, rng=rng())
    assert (same.value, opposite.value) == (1.0, -1.0)
    assert same.p_value == same.smallest_p == pytest.approx(1 / 120)
    assert same.low == pytest.approx(1.0, abs=1e-6)


def test_four_models_carry_an_interval_and_three_do_not():
    assert FEWEST_MODELS == 4
    three = pair_correlation(symmetric(3), symmetric(3), rng=rng())
    assert (three.low, three.high, three.smallest_p) == (None, None, pytest.approx(1 / 6))
    four = pair_correlation(symmetric(4), symmetric(4), rng=rng())
    assert -1 <= four.low <= four.value <= four.high <= 1


def test_more_than_seven_models_are_reordered_at_random_and_the_same_each_time():
    a, b = symmetric(9), symmetric(9)
    found = pair_correlation(a, b, rng=rng())
    assert found.smallest_p == 0.001
    assert found == pair_correlation(a, b, rng=rng())


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        (np.zeros((3, 4)), np.zeros((3, 4)), "shape"),
        (np.zeros((2, 2)), np.zeros((2, 2)), "3 are the fewest"),
        (symmetric(4), symmetric(5), "same models"),
        (symmetric(4), np.ones((4, 4)), "same for all pairs"),
        (symmetric(4), np.full((4, 4), np.nan), "NaN"),
    ],
)
def test_what_cannot_be_ranked_is_refused(a, b, said):
    with pytest.raises(StatisticsError, match=said):
        pair_correlation(a, b, rng=rng())
