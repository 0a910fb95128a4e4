"""Seed spread against item error."""

import pytest

from scrutiny.reliability.replicates import compare_spreads
from scrutiny.stats.intervals.seed_error import Spread, variance_ratio

CALM = Spread(sd=1.0, item_se=1.0, replicates=5)


def test_ratios_are_those_of_the_f_test_with_holm():
    wide = Spread(sd=4.0, item_se=1.0, replicates=5)
    first, second = compare_spreads([wide, CALM], CALM)
    assert first.found == variance_ratio(wide, CALM)
    assert first.p_holm == pytest.approx(2 * first.found.p_value)
    assert second.p_holm == pytest.approx(0.5)


def test_a_score_that_never_moves_cannot_be_compared_with():
    still = Spread(sd=0.0, item_se=1.0, replicates=5)
    assert [r.found for r in compare_spreads([CALM, CALM], still)] == [None, None]
    assert compare_spreads([], CALM) == []
