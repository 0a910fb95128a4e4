import numpy as np
import pytest

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.intervals.interval import Scale


@pytest.mark.parametrize(
    ("scale", "values"),
    [
        ("identity", [-3.0, 0.0, 7.0]),
        ("logit", [0.01, 0.5, 0.99]),
        ("fisher_z", [-0.9, 0.0, 0.7]),
        (Scale("logit", 0.0, 100.0), [1.0, 50.0, 99.0]),
    ],
)
def test_there_and_back(scale, values):
    where, values = Scale.of(scale), np.array(values)
    back = where.inverse(where.forward(values, margin=1e-9))
    np.testing.assert_allclose(back, values, rtol=1e-12, atol=1e-12)


def test_closed_forms():
    assert Scale.of("logit").forward(np.array([0.8]), margin=0) == pytest.approx(np.log(4))
    assert Scale.of("fisher_z").forward(np.array([0.5]), margin=0) == pytest.approx(np.arctanh(0.5))


def test_bounds_are_moved_inward_by_the_margin():
    moved = Scale.of("logit").forward(np.array([0.0, 1.0]), margin=0.1)
    assert moved == pytest.approx([-np.log(9), np.log(9)])


@pytest.mark.parametrize(
    ("scale", "span", "whole"),
    [
        ("percent", 100, 100),
        ("points", 200, 100),
        ("logit", 1, 1),
        ("share", 1, 1),
        ("coefficient", 2, 1),
        ("kappa", np.inf, 1),
        ("amount", np.inf, 1),
        ("fisher_z", 2, 1),
        ("identity", np.inf, 1),
        ("effect_size", np.inf, 1),
    ],
)
def test_a_difference_has_a_range_of_its_own(scale, span, whole):
    found = Scale.of(scale).difference
    assert (found.low, found.high, found.whole) == (-span, span, whole)
    assert not found.is_bounded  # symmetric as it is


def test_values_beyond_the_range_and_unknown_scales_are_refused():
    with pytest.raises(StatisticsError, match=r"takes values in \[0, 1\]"):
        Scale.of("logit").forward(np.array([52.0]), margin=0.01)
    with pytest.raises(StatisticsError, match="'fisher_z'"):
        Scale.of("probit")
