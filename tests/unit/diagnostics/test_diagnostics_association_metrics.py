"""Statistics of associations and clusters against their closed forms."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from scrutiny.diagnostics.association import association_metrics as s
from scrutiny.reliability.metrics import metric_of
from scrutiny.stats.association.word_sets import effect_size
from scrutiny.testing import check_statistic

RNG = np.random.default_rng(2)
OWN = [
    s.ADJUSTED_RAND,
    s.ALIGNMENT,
    metric_of("effect_size(sample)"),
    metric_of("effect_size(population)"),
    s.INERTIA,
    s.SINGLE_START,
]


def value(statistic, rows):
    components = statistic.components(np.asarray(rows, dtype=np.float64))
    return float(statistic.value(components.sum(axis=0)[None], np.ones(1)))


@pytest.mark.parametrize("statistic", OWN, ids=lambda one: one.id)
def test_it_keeps_its_promises_and_is_registered(statistic):
    check_statistic(statistic)
    assert metric_of(statistic.id) is statistic


@pytest.mark.parametrize(("kind", "ddof"), [("sample", 1), ("population", 0)])
def test_the_effect_size_of_sums_is_that_of_the_rows(kind, ddof):
    statistic = s.EFFECT_SIZE.of(kind)
    x, y = RNG.standard_normal(9) + 1, RNG.standard_normal(7)
    rows = np.stack([np.concatenate([x, y]), np.repeat([1, 0], [9, 7])], axis=1)
    assert value(statistic, rows) == pytest.approx(effect_size(x, y, ddof=ddof), rel=1e-12)
    assert np.isnan(value(statistic, rows[:9]))
    assert np.isnan(value(statistic, [[0.3, 1], [0.3, 0], [0.3, 0]]))


def test_alignment_and_what_it_exceeds():
    rows = np.array([[1, 1, 0.6], [1, 1, 0.7], [1, 0, 0.5], [0, 0, 0.6]])
    starts = np.tile([0.5, 0.4, 0.9], (4, 1))
    assert value(s.ALIGNMENT, np.hstack([rows[:, :2], starts])) == 0.75
    with_chance = np.hstack([rows[:, :2], starts, rows[:, 2:]])
    assert value(metric_of("beyond(cluster_alignment)"), with_chance) == pytest.approx(0.75 - 0.6)
    assert value(s.SINGLE_START, starts[:, :1]) == 0.5
    assert value(s.INERTIA, [[1.0], [2.5]]) == 3.5
    wanted = adjusted_rand_score([1, 1, 1, 0], [1, 1, 0, 0])
    assert value(s.ADJUSTED_RAND, rows[:, :2]) == pytest.approx(wanted)


def test_a_replicate_has_both_permutations_and_without_words_one():
    rows = np.stack([RNG.standard_normal(12), np.repeat([1, 0], 6)], axis=1)
    words = np.repeat(np.arange(4), 3)
    both = s.association_tests(rows, words, np.random.default_rng(0))
    assert [(t.metric, t.n_units) for t in both] == [
        ("word_permutation@1", 4),
        ("sentence_permutation@1", 12),
    ]
    assert both[0].numbers["smallest_p"] == pytest.approx(1 / 6)
    alone = s.association_tests(rows, None, np.random.default_rng(0))
    assert [t.metric for t in alone] == ["sentence_permutation@1"]


def test_a_word_in_both_sets_has_no_test_by_word():
    rows = np.stack([RNG.standard_normal(6), np.repeat([1, 0], 3)], axis=1)
    found = s.association_tests(rows, np.array([0, 1, 2, 2, 3, 4]), np.random.default_rng(0))
    assert [t.metric for t in found] == ["sentence_permutation@1"]


def test_one_set_only_has_no_test_at_all():
    rows = np.stack([RNG.standard_normal(6), np.ones(6)], axis=1)
    assert s.association_tests(rows, None, np.random.default_rng(0)) == []
    assert s.alignment_tests(np.ones((4, 5)), None, np.random.default_rng(0)) == []


def test_alignment_is_tested_by_word():
    cluster = np.repeat([1.0, 0.0], 12)
    rows = np.stack([cluster, cluster, *[np.full(24, v) for v in (0.8, 0.6, 1.0)]], axis=1)
    words = np.repeat(np.arange(6), 4)
    (by_word,) = s.alignment_tests(rows, words, np.random.default_rng(0))
    (by_item,) = s.alignment_tests(rows, None, np.random.default_rng(0))
    assert by_word.p_value == pytest.approx(2 / 20, abs=0.04)  # 3 of 6 words, two matchings
    assert by_item.p_value < 0.01
    assert by_word.numbers["null_mean"] > by_item.numbers["null_mean"]
    assert by_word.numbers["starts_mean"] == pytest.approx(0.8)
    assert (by_word.numbers["starts_low"], by_word.numbers["starts_high"]) == (0.6, 1.0)
