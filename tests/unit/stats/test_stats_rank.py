import numpy as np
import pytest

from scrutiny.stats.significance.exact_tests import rank_sum, signed_rank


@pytest.mark.parametrize(("n", "smallest"), [(3, 0.10), (4, 0.029), (5, 0.0079)])
def test_smallest_rank_sum_p_of_equal_sides(n, smallest):
    found = rank_sum(np.arange(n), 100 + np.arange(n))
    assert found.p_value == found.smallest_p == pytest.approx(smallest, rel=0.02)


def test_five_pairs_never_reach_five_percent():
    found = signed_rank([1, 2, 3, 4, 5])
    assert found.p_value == found.smallest_p == 0.0625
    assert found.smallest_p > 0.05
    assert signed_rank([1, 2, 3, 4, 5], alternative="greater").p_value == 0.03125


def test_ties_by_hand():
    # ranks of 1 2 | 2 3: 1, 2.5 | 2.5, 4; the six pair sums: 3.5 3.5 5 5 6.5 6.5
    found = rank_sum([1, 2], [2, 3], alternative="less")
    assert found.p_value == pytest.approx(2 / 6)
    assert found.smallest_p == pytest.approx(2 / 6)
    assert found.statistic == 0.5


def test_all_equal_is_no_evidence():
    assert rank_sum([1, 1, 1], [1, 1]).p_value == 1.0
    assert signed_rank([0.0, 0.0]).p_value == 1.0


def test_nearly_equal_values_are_ties():
    a = rank_sum([0.1 + 0.2, 1.0], [0.3, 2.0])
    b = rank_sum([0.3, 1.0], [0.3, 2.0])
    assert a == b


def test_sides_and_signs_swap():
    g = np.random.default_rng(0)
    x, y = g.standard_normal(6), g.standard_normal(5) + 0.5
    assert rank_sum(x, y).p_value == pytest.approx(rank_sum(y, x).p_value)
    assert rank_sum(x, y, alternative="greater").p_value == pytest.approx(
        rank_sum(y, x, alternative="less").p_value
    )
    assert signed_rank(x).p_value == pytest.approx(signed_rank(-x).p_value)


def test_only_ranks_matter():
    g = np.random.default_rng(1)
    x, y = g.standard_normal(6), g.standard_normal(5)
    assert rank_sum(x, y) == rank_sum(np.exp(x), np.exp(y))
    assert rank_sum(x, y) == rank_sum(x[::-1], y[::-1])


def test_many_observations_use_the_normal_form():
    g = np.random.default_rng(2)
    x, y = g.standard_normal(80), g.standard_normal(80)
    assert rank_sum(x, y).method == "normal"
    assert signed_rank(x).method == "normal"
