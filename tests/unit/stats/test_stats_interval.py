import numpy as np
import pytest

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.intervals.interval import Interval


def interval(draws=None, test_draws=None):
    return Interval(1.0, 0.5, 1.5, 0.95, "m", 0.25, draws=draws, test_draws=test_draws)


def test_excludes_is_strict():
    assert [interval().excludes(x) for x in (0.4, 0.5, 1.5, 1.6)] == [True, False, False, True]
    assert interval().width == 1.0


def test_p_counts_the_wrong_side_and_ties_and_never_reaches_zero():
    found = interval(draws=np.array([0.0, 1.0, 2.0, 3.0]))
    assert found.p_value(1.0, direction="greater") == 3 / 5
    assert found.p_value(1.0, direction="less") == 4 / 5
    assert found.p_value(-1.0, direction="greater") == found.smallest_p == 1 / 5


def test_p_comes_from_the_test_draws_where_there_are_any():
    found = interval(draws=np.zeros(4), test_draws=np.ones(4))
    assert found.p_value(0.5, direction="greater") == 1 / 5


def test_no_draws_no_p():
    assert interval().smallest_p is None
    with pytest.raises(StatisticsError, match="keeps no draws"):
        interval().p_value(0.0, direction="greater")


def test_draws_do_not_enter_equality():
    assert interval(draws=np.zeros(3)) == interval()
