"""Intervals over replicates alone, where there is one unit: never beyond what can be."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrutiny.core.plan import Resampling
from scrutiny.reliability.intervals import difference_on_one_unit, on_one_unit
from scrutiny.stats.intervals.one_factor import difference_over_replicates, t_over_replicates
from scrutiny.stats.resampling.resample import Resampled

PERCENT = st.lists(st.floats(0, 100), min_size=3, max_size=6)


def side(values):
    """One unit: every draw is the data themselves."""
    point = np.array(values, dtype=float)
    return Resampled(point, np.stack([point, point]), 1, 1, None, "one")


@settings(max_examples=80)
@given(PERCENT, PERCENT, st.booleans())
def test_percentages_differ_by_a_hundred_at_most(values, others, paired):
    if paired:
        values, others = zip(*zip(values, others, strict=False), strict=True)
    found = difference_on_one_unit(
        side(values), side(others), scale="percent", paired=paired, resampling=Resampling()
    )
    free = (
        t_over_replicates(np.array(values) - np.array(others))
        if paired
        else difference_over_replicates(values, others)
    )
    assert -100 <= found.low <= found.point <= found.high <= 100
    assert (found.low, found.high) == (max(free.low, -100), min(free.high, 100))
    assert found.notes == ("one_unit",)


@settings(max_examples=40)
@given(PERCENT)
def test_a_percentage_lies_between_nothing_and_all(values):
    found = on_one_unit(side(values), scale="percent", resampling=Resampling())
    assert 0 <= found.low <= found.point + 1e-9
    assert found.point - 1e-9 <= found.high <= 100


@pytest.mark.parametrize(
    ("counts", "resampling"),
    [((2, 5), Resampling()), ((1, 1), Resampling()), ((3, 3), Resampling(replicates="fixed"))],
)
def test_too_few_replicates_carry_no_interval(counts, resampling):
    sides = [side(range(count)) for count in counts]
    assert (
        difference_on_one_unit(*sides, scale="percent", paired=False, resampling=resampling) is None
    )
