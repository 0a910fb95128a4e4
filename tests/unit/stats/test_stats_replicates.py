"""Intervals over replicates alone, against scipy."""

import numpy as np
import pytest
from scipy import stats

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.intervals.one_factor import difference_over_replicates, t_over_replicates

A, B = np.array([3.0, 4.5, 2.0, 3.5, 4.0]), np.array([1.0, 1.2, 0.8])


def limits(found):
    return found.low, found.high


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_one_side_is_students_interval(level):
    expected = stats.ttest_1samp(A, 0).confidence_interval(level)
    assert limits(t_over_replicates(A, level=level)) == pytest.approx(tuple(expected))


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_two_sides_are_welchs_interval(level):
    expected = stats.ttest_ind(A, B, equal_var=False).confidence_interval(level)
    found = difference_over_replicates(A, B, level=level)
    assert limits(found) == pytest.approx(tuple(expected))
    assert found.point == pytest.approx(A.mean() - B.mean())


def test_a_single_value_is_a_constant():
    found = difference_over_replicates(A, [1.0])
    assert limits(found) == pytest.approx([x - 1.0 for x in limits(t_over_replicates(A))])
    turned = difference_over_replicates([1.0], A)
    assert limits(turned) == pytest.approx([-x for x in limits(found)[::-1]])


def test_replicates_that_agree_exactly_leave_no_width():
    assert limits(difference_over_replicates([2.0, 2.0], [1.0, 1.0])) == (1.0, 1.0)


def test_without_two_replicates_there_is_no_interval():
    with pytest.raises(StatisticsError, match="neither side"):
        difference_over_replicates([1.0], [2.0])
    with pytest.raises(StatisticsError):
        t_over_replicates([1.0])
