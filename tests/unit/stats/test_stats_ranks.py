"""Ranks of systems: limits, ties and reorderings, and boards with next to nothing on them."""

import numpy as np
import pytest

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.intervals.ranks import Ranks, ranks, reordered
from scrutiny.stats.resampling.resample import resample
from scrutiny.stats.resampling.weights import Units
from scrutiny.stats.significance.exact_tests import mcnemar_mid_p


def rng():
    return np.random.default_rng(0)


def mean(sums, weight):
    return sums[..., 0, 0] / sums[..., 0, 1]


def board(hits, seeds=1, units=None, **stated):
    """Ranks of systems with hits ``(system x seed, item)``."""
    values = np.stack([hits, np.ones_like(hits)], axis=-1).astype(float)
    drawn = resample(values, mean, rng=rng(), draws=2000, units=units)
    sides = [drawn.select(list(range(i, i + seeds))) for i in range(0, len(hits), seeds)]
    return ranks(sides, rng=rng(), **stated)


def right(*counts, of=100):
    """Systems that have the first items right."""
    return np.array([np.arange(of) < count for count in counts], dtype=float)


def of_tests(p_values, scores=(3.0, 2.0, 1.0, 0.0)):
    """Ranks from p-values of the pairs 12, 13, 14, 23, 24, 34."""
    scores = np.array(scores)
    whole = np.ones((4, 4))
    whole[np.triu_indices(4, 1)] = p_values
    return Ranks(scores[:, None] - scores, np.minimum(whole, whole.T), 0.95)


def test_a_rank_lies_between_those_that_are_better_and_those_that_are_worse():
    found = of_tests([0.5, 0.01, 0.001, 0.2, 0.05, 0.9])
    assert found.low.tolist() == [1, 1, 2, 3]  # the second is ahead of the fourth: p = .05
    assert found.high.tolist() == [2, 3, 4, 4]
    assert list(found.ties()) == [(0, 1), (1, 2), (2, 3)]
    assert list(of_tests([0.5, 0.5, 0.5, 0.5, 0.5, 0.5]).ties()) == [(0, 1, 2, 3)]
    assert list(of_tests([0.0] * 6).ties()) == []
    turned = of_tests([0.0] * 6, scores=(0.0, 1.0, 2.0, 3.0))
    assert turned.order == [3, 2, 1, 0]
    assert turned.low.tolist() == turned.high.tolist() == [4, 3, 2, 1]


def test_reorderings_are_shown_on_both_boards_with_a_correction_for_boards():
    one = of_tests([0.02, 1, 1, 1, 1, 0.03])
    other = of_tests([0.02, 1, 1, 1, 1, 0.01], scores=(0, 1, 2, 3))
    assert reordered([one, other]) == [(0, 1)]  # 2 x .03 is too much for the last pair
    assert reordered([one, one]) == []
    assert reordered([one, other, one]) == []


def test_two_systems_are_told_apart_where_mcnemars_mid_p_does():
    for gained in range(3, 12):
        hits = right(50, 50 + gained)
        found = board(hits)
        p = found.p_values[0, 1]
        assert (p <= 0.05) == (mcnemar_mid_p([0], [gained])[0] <= 0.05)
        assert found.low.tolist() == ([2, 1] if p <= 0.05 else [1, 1])
        lower = board(hits, is_higher_better=False)  # an error rate
        assert lower.low.tolist() == found.low.tolist()[::-1]


def test_equal_and_constant_systems():
    same = board(right(70, 70, 70))
    assert (same.low.tolist(), same.high.tolist()) == ([1, 1, 1], [3, 3, 3])
    assert list(same.ties()) == [(0, 1, 2)]
    constant = board(right(100, 60, 0))  # all right, and none
    assert constant.low.tolist() == constant.high.tolist() == [1, 2, 3]
    shifted = board(np.array([np.full(50, 0.3), np.full(50, 0.9)]))  # no item says otherwise
    assert shifted.low.tolist() == [2, 1]


def test_what_cannot_be_told():
    one_item = board(np.array([[1.0], [0.0], [0.0]]))
    assert (one_item.low.tolist(), one_item.high.tolist()) == ([1, 1, 1], [3, 3, 3])
    cluster = board(right(90, 10), units=Units.of(100, np.zeros(100, dtype=int)))
    assert cluster.high.tolist() == [2, 2]
    two_items = board(np.array([[1.0, 1.0], [0.0, 0.0]]))
    assert two_items.low.tolist() == [1, 1]
    with pytest.raises(StatisticsError, match="two systems"):
        board(right(3))
    drawn = resample(np.zeros((2, 9, 1)), lambda s, w: s[..., 0, 0] * np.nan, rng=rng(), draws=9)
    with pytest.raises(StatisticsError, match="no score"):
        ranks([drawn.select([0]), drawn.select([1])], rng=rng())


def test_seeds_that_scatter_widen_ranges_and_the_order_of_systems_does_not_matter():
    few = right(600, 700, 650, 950, of=1000)
    single = board(few[[1, 3]])
    assert single.low.tolist() == [2, 1]
    scattered = board(few, seeds=2)  # systems of the seeds 600, 700 and 650, 950
    assert scattered.low.tolist() == [1, 1]
    order = [2, 0, 3, 1]
    hits = right(50, 60, 75, 95)
    one, other = board(hits), board(hits[order])
    assert one.low[order].tolist() == other.low.tolist()
    assert one.high[order].tolist() == other.high.tolist()
