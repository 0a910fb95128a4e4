"""The head that the data chose: which it is, and what becomes of it."""

import numpy as np
import pytest

from scrutiny.diagnostics.attention import head_metrics as s
from scrutiny.diagnostics.attention.head_counts import KINDS
from scrutiny.testing import check_statistic

GOLD = 10.0
#: Right and predicted by three heads: F1 .5, .8, .8 (the third is as good as the second).
TP, PREDICTED = [4.0, 8.0, 6.0], [6.0, 10.0, 5.0]
BASE_TP, BASE_PREDICTED = [5.0, 1.0, 2.0], [5.0, 9.0, 2.0]


def value(statistic, *columns):
    sums = np.concatenate([np.ravel(c) for c in columns])[None]
    return float(statistic.value(sums, np.ones(1)))


def test_precision_and_recall_are_those_of_the_head_with_the_best_f1():
    own = [4.0, 8.0, 2.0], [4.0, 10.0, 2.0], GOLD
    assert value(s.BEST_HEAD.of("f1"), *own) == pytest.approx(0.8)
    assert value(s.BEST_HEAD.of("precision"), *own) == pytest.approx(0.8)  # not the 1.0 of others
    assert value(s.BEST_HEAD.of("recall"), *own) == pytest.approx(0.8)


def test_of_equal_heads_the_first_is_taken():
    own = [6.0, 5.0], [10.0, 20 / 3], GOLD
    assert value(s.BEST_HEAD.of("f1"), *own) == pytest.approx(0.6)
    assert value(s.BEST_HEAD.of("precision"), *own) == pytest.approx(0.6)


def test_the_best_head_of_the_base_is_followed_into_the_tuned_model():
    counts = BASE_TP, BASE_PREDICTED, TP, PREDICTED, GOLD
    assert value(s.BASE_BEST_HEAD.of("f1"), *counts) == pytest.approx(2 * 4 / 16)
    assert value(s.BASE_BEST_HEAD.of("precision"), *counts) == pytest.approx(4 / 6)
    assert value(s.BASE_BEST_HEAD.of("recall"), *counts) == pytest.approx(0.4)


@pytest.mark.parametrize(
    "statistic",
    [family.of(kind) for family in (s.BEST_HEAD, s.BASE_BEST_HEAD) for kind in KINDS],
    ids=lambda s: s.id,
)
def test_they_keep_the_promises_of_statistics(statistic):
    check_statistic(statistic)


def test_a_corpus_without_targets_has_no_value():
    assert np.isnan(value(s.BEST_HEAD.of("recall"), [0.0, 0.0], [3.0, 1.0], 0.0))
