"""Seed spread against item error, and scores among sure answers."""

import numpy as np
import pytest

from scrutiny.reliability.replicates.spread import compare_spreads, retained_scores
from scrutiny.stats.errors import StatisticsError
from scrutiny.stats.significance.variance_ratio import Spread, variance_ratio

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


def test_near_ties_are_left_out_first():
    hits = [[1, 1, 1, 0, 0, 0]] * 3
    margins = [[3.0, -2.5, 2.0, 0.3, 0.2, -0.1]] * 3
    rng = np.random.default_rng(0)
    found = retained_scores(hits, margins, coverages=(1.0, 0.5), rng=rng)
    assert [r.threshold for r in found] == [0.0, 2.0]
    assert [r.coverage for r in found] == [1.0, 0.5]
    assert [r.interval.point for r in found] == [0.5, 1.0]


def test_one_threshold_holds_for_all_replicates():
    hits = [[1.0, 0.0], [1.0, 0.0]]
    margins = [[4.0, 3.0], [2.0, 1.0]]  # the first replicate is surer of everything
    rng = np.random.default_rng(0)
    found = retained_scores(hits, margins, coverages=(0.5,), rng=rng)
    assert found[0].threshold == 3.0
    assert found[0].interval is None  # the second replicate has nothing left


def test_items_without_a_value_are_left_out():
    hits = [[1.0, np.nan, 0.0]] * 2
    rng = np.random.default_rng(0)
    found = retained_scores(hits, np.ones((2, 3)), coverages=(1.0,), rng=rng)
    assert found[0].interval.point == 0.5
    assert retained_scores([[np.nan]], [[1.0]], coverages=(1.0,), rng=rng) == []
    with pytest.raises(StatisticsError, match="alike"):
        retained_scores(hits, np.ones((2, 2)), coverages=(1.0,), rng=rng)
