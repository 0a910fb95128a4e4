"""Numbers as texts: the interval decides the digits, no value is never a zero."""

import doctest
import importlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_sample import sample

from scrutiny.blocks.numbers import decimals_for, interval, number, out_of, p_value
from scrutiny.core.boundary.printable import whole_percent


@pytest.mark.parametrize(
    "name",
    [
        "scrutiny.blocks.numbers",
        "scrutiny.blocks.labels",
        "scrutiny.blocks.cases",
        "scrutiny.stats.agreement.flips",
    ],
)
def test_examples_in_docstrings_run(name):
    module = importlib.import_module(name)
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize(
    ("low", "high", "decimals"),
    [(0.0, 2.0, 1), (0.1, 0.3, 2), (0.021, 0.047, 3), (0.0, 0.01, 3), (0.0, 2e-4, 4), (0, 5e3, 0)],
)
def test_half_width_decides_decimals(low, high, decimals):
    assert decimals_for(low, high) == decimals


@given(st.floats(-1e9, 1e9), st.floats(0, 1e9))
def test_decimals_are_always_few(low, width):
    assert 0 <= decimals_for(low, low + width, low) <= 6


def test_no_value_is_a_dash_and_zero_has_no_sign():
    assert number(None) == "–"
    assert number(-0.0004, 2, signed=True) == "0.00"
    assert interval(None) == "–"
    assert out_of(None) == "–"


def test_interval_carries_its_denominator_apart():
    estimate = sample().findings[1].estimate
    assert interval(estimate) == "0.081 [0.060, 0.102]"
    assert interval(estimate, signed=True) == "+0.081 [+0.060, +0.102]"
    assert out_of(estimate) == "640/640"


def test_small_shares_and_p_values_are_never_nothing():
    assert whole_percent(1e-9) == "<1 %"
    assert p_value(1e-12) == "< .0001"
    assert p_value(1.0) == "1"
    assert p_value(0.04567) == ".046"
