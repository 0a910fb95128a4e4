"""Scores among sure answers."""

import numpy as np
import pytest

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.intervals.crossed import retained_scores


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
