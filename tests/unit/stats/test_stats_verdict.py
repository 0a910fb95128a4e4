import pytest

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.significance.combined_tests import intersection_union


def test_the_weakest_component_decides():
    found = intersection_union([0.001, 0.2, 0.01], [0.999, 0.8, 0.99])
    assert found.p_plus == 0.2


def test_against_is_bonferroni_over_components():
    found = intersection_union([0.5, 0.999], [0.5, 0.004])
    assert found.p_minus == pytest.approx(0.008)
    assert intersection_union([0.5] * 3, [0.5] * 3).p_minus == 1.0


def test_components_may_come_in_any_order():
    a = intersection_union([0.1, 0.2, 0.3], [0.9, 0.8, 0.7])
    b = intersection_union([0.3, 0.1, 0.2], [0.7, 0.9, 0.8])
    assert (a.p_plus, a.p_minus) == (b.p_plus, b.p_minus)


def test_wrong_inputs_are_named():
    with pytest.raises(StatisticsError, match="2 p-values for and 1 against"):
        intersection_union([0.1, 0.2], [0.9])
    with pytest.raises(StatisticsError, match=r"\[0, 1\]"):
        intersection_union([1.1], [0.1])
    with pytest.raises(StatisticsError, match="empty"):
        intersection_union([], [])
