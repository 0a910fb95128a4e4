import pytest

from scrutiny.stats import ClaimTest, StatisticsError, intersection_union, judge


def claim(p):
    return intersection_union([p], [1 - p])


def test_the_weakest_component_decides():
    found = intersection_union([0.001, 0.2, 0.01], [0.999, 0.8, 0.99])
    assert (found.p_plus, found.weakest, found.n_components) == (0.2, 1, 3)


def test_against_is_bonferroni_over_components():
    found = intersection_union([0.5, 0.999], [0.5, 0.004])
    assert found.p_minus == pytest.approx(0.008)
    assert intersection_union([0.5] * 3, [0.5] * 3).p_minus == 1.0


def test_components_may_come_in_any_order():
    a = intersection_union([0.1, 0.2, 0.3], [0.9, 0.8, 0.7])
    b = intersection_union([0.3, 0.1, 0.2], [0.7, 0.9, 0.8])
    assert (a.p_plus, a.p_minus) == (b.p_plus, b.p_minus)


@pytest.mark.parametrize(
    ("p", "outcome"),
    [
        (0.001, "supported"),
        (0.025, "supported"),
        (0.026, "undecided"),
        (0.5, "undecided"),
        (0.974, "undecided"),
        (0.976, "not supported"),
    ],
)
def test_each_direction_has_half_of_alpha(p, outcome):
    assert judge([claim(p)])[0].outcome == outcome


def test_a_family_is_paid_for():
    alone = judge([claim(0.01)])[0]
    among = judge([claim(0.01), claim(0.5), claim(0.5)])[0]
    assert (alone.outcome, among.outcome) == ("supported", "undecided")
    assert among.p_plus == pytest.approx(0.03)


def test_holm_steps_down_over_the_family():
    family = judge([claim(0.005), claim(0.012), claim(0.02)])
    assert [j.outcome for j in family] == ["supported"] * 3


def test_directions_have_separate_families():
    family = judge([claim(0.001), claim(0.999), claim(0.4)])
    assert [j.outcome for j in family] == ["supported", "not supported", "undecided"]


def test_contradicting_p_values_decide_nothing():
    assert judge([ClaimTest(0.001, 0.001, 0, 1)])[0].outcome == "undecided"


def test_nothing_to_judge():
    assert judge([]) == ()


def test_wrong_inputs_are_named():
    with pytest.raises(StatisticsError, match="2 p-values for and 1 against"):
        intersection_union([0.1, 0.2], [0.9])
    with pytest.raises(StatisticsError, match=r"\[0, 1\]"):
        intersection_union([1.1], [0.1])
    with pytest.raises(StatisticsError, match="empty"):
        intersection_union([], [])
