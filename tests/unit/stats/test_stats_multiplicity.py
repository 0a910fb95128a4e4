import numpy as np
import pytest

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.significance.combined_tests import benjamini_hochberg, holm, max_t


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_order_does_not_matter(adjust):
    p = np.random.default_rng(0).random(20)
    order = np.random.default_rng(1).permutation(20)
    assert adjust(p[order]) == pytest.approx(adjust(p)[order])


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_adjusting_never_helps_and_one_test_stays(adjust):
    p = np.random.default_rng(0).random(20)
    assert (adjust(p) >= p).all()
    assert adjust([0.03]).tolist() == [0.03]
    with pytest.raises(StatisticsError, match=r"\[0, 1\]"):
        adjust([1.2])


def draws(k=4, size=2000, seed=0):
    return np.random.default_rng(seed).standard_normal((size, k))


def test_step_down_is_never_above_single_step():
    at = np.array([3.0, 2.0, 0.5, -2.6])
    drawn = draws()
    down = max_t(at, drawn + at)
    tops = np.abs((drawn - drawn.mean(axis=0)) / drawn.std(axis=0, ddof=1)).max(axis=1)
    far = tops[:, None] >= np.abs(at) / drawn.std(axis=0, ddof=1)
    single = (1 + far.sum(axis=0)) / (1 + len(drawn))
    assert (down <= single).all()
    assert down[0] == single[0]


def test_independent_maxima_by_closed_form():
    at = np.array([2.0, 0.0, 0.0, 0.0])
    p = max_t(at, draws(size=40000) + at)[0]
    assert p == pytest.approx(1 - 0.9545**4, abs=0.007)


def test_copies_of_one_test_cost_nothing():
    d = np.repeat(draws(k=1), 5, axis=1)
    one = max_t([2.0], d[:, :1] + 2.0)
    five = max_t([2.0] * 5, d + 2.0)
    assert five == pytest.approx(np.repeat(one, 5))


def test_directions_mirror():
    at = np.array([2.0, -1.0])
    up = max_t(at, draws(k=2) + at)
    down = max_t(-at, -(draws(k=2) + at))
    assert np.array_equal(up, down)


def test_limits_shift():
    at = np.array([52.0, 50.0])
    d = draws(k=2)
    assert max_t(at, d + at, limit=50.0) == pytest.approx(max_t(at - 50, d + at - 50))


def test_shapes_are_checked():
    with pytest.raises(StatisticsError, match="4 tests, point has 2"):
        max_t([1.0, 2.0], draws())
