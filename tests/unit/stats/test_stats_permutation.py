from math import comb

import numpy as np
import pytest

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.resampling.weights import Units
from scrutiny.stats.significance.permutation_tests import permutation_test, sign_flip_test


def gap(sums, weight):
    return sums[..., 1, 0] / sums[..., 1, 1] - sums[..., 0, 0] / sums[..., 0, 1]


def with_ones(x):
    x = np.asarray(x, dtype=float)
    return np.stack([x, np.ones_like(x)], axis=-1)


def rng(seed=0):
    return np.random.default_rng(seed)


def test_all_exchanges_are_counted():
    found = permutation_test(with_ones([1, 2, 3, 4, 9]), [0, 0, 0, 1, 1], gap, rng=rng())
    assert found.method == "exact"
    assert found.p_value == pytest.approx(2 / comb(5, 2))
    assert found.smallest_p == pytest.approx(2 / comb(5, 2))


def test_words_move_with_all_their_sentences():
    x = [1, 1.1, 2, 2.1, 8, 8.1, 9, 9.1]
    labels = [0, 0, 0, 0, 1, 1, 1, 1]
    by_word = Units.of(8, np.arange(8) // 2)
    found = permutation_test(with_ones(x), labels, gap, rng=rng(), units=by_word)
    assert found.n == 4
    assert found.p_value == pytest.approx(2 / comb(4, 2))
    loose = permutation_test(with_ones(x), labels, gap, rng=rng())
    assert loose.p_value == pytest.approx(2 / comb(8, 4))


def test_strata_keep_their_labels():
    x = [0, 1, 10, 11]
    units = Units.of(4, strata=[0, 0, 1, 1])
    found = permutation_test(with_ones(x), [0, 1, 0, 1], gap, rng=rng(), units=units)
    assert found.p_value == pytest.approx(2 / 4)  # two by two exchanges, not six


def test_sampled_adds_the_observed_one():
    x = np.concatenate([np.zeros(20), np.ones(20)])
    labels = np.repeat([0, 1], 20)
    found = permutation_test(
        with_ones(x), labels, gap, rng=rng(), permutations=999, alternative="greater"
    )
    assert found.method == "sampled"
    assert found.p_value == found.smallest_p == 1 / 1000


def test_sampled_comes_near_exact():
    x, labels = rng(3).random(12), np.repeat([0, 1], 6)
    exact = permutation_test(with_ones(x), labels, gap, rng=rng())
    sampled = permutation_test(with_ones(x), labels, gap, rng=rng(), permutations=900)
    assert (exact.method, sampled.method) == ("exact", "sampled")
    assert sampled.p_value == pytest.approx(exact.p_value, abs=0.07)


def test_replicates_share_each_exchange():
    x = rng(3).random((3, 10))
    labels = np.repeat([0, 1], 5)
    pooled = permutation_test(with_ones(x), labels, gap, rng=rng())
    mean = permutation_test(with_ones(x.mean(axis=0)), labels, gap, rng=rng())
    assert pooled.p_value == mean.p_value


def test_labels_may_be_swapped_and_rows_reordered():
    x, labels = rng(3).random(10), np.repeat([0, 1], 5)
    order = rng(4).permutation(10)
    a = permutation_test(with_ones(x), labels, gap, rng=rng())
    b = permutation_test(with_ones(x[order]), 1 - labels[order], gap, rng=rng())
    assert a.p_value == b.p_value


def test_three_labels_are_sampled():
    def spread(sums, weight):
        means = sums[..., 0] / sums[..., 1]
        return means.max(axis=-1) - means.min(axis=-1)

    x = np.array([0.0, 0.1, 5.0, 5.1, 9.0, 9.1])
    found = permutation_test(
        with_ones(x), [0, 0, 1, 1, 2, 2], spread, rng=rng(), permutations=2000,
        alternative="greater",
    )  # fmt: skip
    assert found.method == "sampled"
    assert found.p_value == pytest.approx(6 / 90, abs=0.03)


@pytest.mark.parametrize(
    ("labels", "unit", "strata", "what"),
    [
        ([0, 0, 0, 0], None, None, "one label only"),
        ([0, 1, 0, 1], [0, 0, 1, 1], None, "two labels"),
        ([0, 0, 1, 1], None, [0, 0, 1, 1], "cannot be told apart"),
        ([0, 1, 1, 1], None, None, "3.0-fold in units"),
        ([0, 1, 1, 1], [0, 1, 1, 1], None, "3.0-fold in rows per unit"),
    ],
)
def test_designs_that_cannot_be_exchanged_are_refused(labels, unit, strata, what):
    units = Units.of(4, unit, strata=strata)
    with pytest.raises(StatisticsError, match=what):
        permutation_test(with_ones([1, 2, 3, 4]), labels, gap, rng=rng(), units=units)


def test_values_must_exist_and_fit():
    with pytest.raises(StatisticsError, match="does not exist"):
        permutation_test(
            with_ones([1, 2, 3, 4]), [0, 0, 1, 1], lambda s, w: s[..., 0, 0] * np.nan, rng=rng()
        )
    with pytest.raises(StatisticsError, match="needed"):
        permutation_test(with_ones([1, 2, 3, 4]), [0, 0, 1, 1], lambda s, w: s, rng=rng())


def test_sign_flips_by_hand():
    found = sign_flip_test([1, 2, 3], rng=rng(), alternative="greater")
    assert (found.p_value, found.smallest_p, found.statistic) == (1 / 8, 1 / 8, 2.0)
    assert sign_flip_test([1, 2, -3], rng=rng(), alternative="greater").p_value == 5 / 8


def test_five_pairs_flip_to_no_less_than_a_sixteenth():
    assert sign_flip_test([1, 2, 3, 4, 5], rng=rng()).smallest_p == 0.0625


def test_units_flip_together():
    units = Units.of(4, [0, 0, 1, 1])
    found = sign_flip_test([1, 1, 1, 1], rng=rng(), units=units)
    assert (found.n, found.p_value) == (2, 0.5)
    with pytest.raises(StatisticsError, match="4 rows"):
        sign_flip_test([1, 1], rng=rng(), units=units)


def test_many_flips_are_sampled():
    found = sign_flip_test(np.ones(40), rng=rng(), permutations=999)
    assert found.method == "sampled"
    assert found.p_value == pytest.approx(2 / 1000)
