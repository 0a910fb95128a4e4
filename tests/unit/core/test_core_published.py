"""Printed numbers: digits, rounding, and what is no number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.core.errors import PlanError
from scrutiny.core.published import PublishedPlan, printed_value, rounds_to


@pytest.mark.parametrize(
    ("value", "printed", "expected"),
    [
        (82.948, "82.9", True),
        (82.948, "92.9", False),
        (0.41511, ".4151", True),
        (0.41516, ".4151", False),
        (-0.20648, "\N{MINUS SIGN}.206", True),
        (-0.20648, "-0.21", True),
        (9.02, "9", True),
        (9.5, "9", True),  # the border rounds either way
        (9.5, "10", True),
        (9.51, "9", False),
        (7.5776e-5, "7.578e-5", True),
        (7.5776e-5, "7.577e-05", False),
        (0.0004, "< .001", True),
        (0.001, "<.001", False),
        (10, "10", True),
        (-0.0004, "0.000", True),
    ],
)
def test_a_value_agrees_if_it_rounds_to_what_is_printed(value, printed, expected):
    assert rounds_to(value, printed) is expected


@pytest.mark.parametrize(
    ("value", "printed", "expected"),
    [
        (82.948, "92.9", "82.9"),
        (0.41511, ".415", ".415"),
        (0.41511, "0.4", "0.4"),
        (-0.20648, "\N{MINUS SIGN}.206", "-.206"),
        (1.02, ".98", "1.02"),
        (7.5776e-5, "7.578e-5", "7.578e-5"),
        (1.0825e-5, "1e-5", "1e-5"),
        (0.00042, "< .001", "0.00042"),
        (-0.0004, "0.000", "0.000"),
        (8.0, "8", "8"),
    ],
)
def test_ours_is_written_like_theirs(value, printed, expected):
    assert PublishedPlan("ours", printed).at_digits(value) == expected


@given(st.floats(-1e6, 1e6), st.integers(0, 6))
def test_what_python_prints_is_always_agreed_with(value, digits):
    printed = f"{value:.{digits}f}"
    assert rounds_to(value, printed)
    assert float(PublishedPlan("ours", printed).at_digits(value)) == float(printed)


@pytest.mark.parametrize("printed", ["", "8-4", "about 5", "nan", "inf", "5 %"])
def test_other_texts_are_no_numbers(printed):
    with pytest.raises(PlanError, match="no printed number"):
        printed_value(printed)
