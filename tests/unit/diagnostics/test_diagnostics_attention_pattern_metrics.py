"""Means over rows, labeled heads, distances between layers: against sums by hand."""

import numpy as np
import pytest

from scrutiny.diagnostics.attention import pattern_metrics as p
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.statistics import measures_of
from scrutiny.stats.arrays import StatisticsError
from scrutiny.testing import check_statistic

MEANS = [
    metric_of("attention_to(self)"),
    metric_of("attention_to(previous)"),
    metric_of("attention_to(next)"),
    metric_of("attention_to(first)"),
    metric_of("attention_to(last)"),
    metric_of("attention_to(punctuation)"),
    *(
        metric_of(f"mean({name})", measures_of("attention.patterns@1"))
        for name in ("confidence", "entropy", "first_entropy", "rarest")
    ),
    metric_of("mean(mass)", measures_of("attention.classes@1")),
    p.CLASS_MASS_RATIO,
]
OTHERS = [
    p.POSITIONAL_SHARE,
    p.LABELED_HEADS.of("positional"),
    metric_of("labeled_heads(special)"),
    metric_of("labeled_heads(broad)"),
    metric_of("layer_distance(gap)"),
    metric_of("layer_distance(ratio)"),
]


def value(statistic, *rows):
    components = statistic.components(np.array(rows, dtype=float))
    return float(statistic.value(components.sum(axis=0)[None, None], np.ones((1, 1)))[0])


@pytest.mark.parametrize("statistic", [*MEANS, *OTHERS], ids=lambda s: s.id)
def test_they_keep_the_promises_of_statistics(statistic):
    check_statistic(statistic)


@pytest.mark.parametrize("statistic", MEANS, ids=lambda s: s.id)
def test_means_are_over_rows_and_not_over_texts(statistic):
    assert value(statistic, [1, 2], [2, 10]) == pytest.approx(3 / 12)
    with pytest.raises(StatisticsError, match="one head"):
        value(statistic, [1, 2, 3])


def test_the_share_of_the_most_frequent_offset():
    assert value(p.POSITIONAL_SHARE, [4, 1, 0, 5], [1, 3, 0, 5]) == 0.5


def test_labeled_heads_are_counted_by_their_means():
    # self, previous, next of two heads, 10 rows
    assert value(p.LABELED_HEADS.of("positional"), [1, 0, 6, 3, 1, 3, 10]) == 1
    assert value(p.LABELED_HEADS.of("positional"), [1, 0, 5, 3, 1, 3, 10]) == 0  # more than half
    assert value(p.LABELED_HEADS.of("positional"), [6, 0, 0, 3, 1, 7, 10]) == 2
    # first, last of three heads
    assert value(metric_of("labeled_heads(special)"), [4, 0, 3, 3, 7, 3, 10]) == 2
    assert value(metric_of("labeled_heads(broad)"), [39, 37, 10]) == 1


def test_labels_need_as_many_columns_as_heads():
    with pytest.raises(StatisticsError, match="3 a head"):
        value(p.LABELED_HEADS.of("positional"), [1, 2, 3, 4, 10])


def test_layers_are_averaged_alike():
    # within of two layers, between of two layers, rows
    assert value(metric_of("layer_distance(gap)"), [1, 3, 6, 8, 10]) == pytest.approx(0.7 - 0.2)
    assert value(metric_of("layer_distance(ratio)"), [1, 3, 6, 8, 10]) == pytest.approx(3.5)
