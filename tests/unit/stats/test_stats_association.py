"""WEAT by hand, by brute force and by its invariances."""

import json
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.association.word_sets import (
    _unit_vectors,
    associations,
    effect_size,
    split_test,
)

RNG = np.random.default_rng(5)
X, Y = RNG.standard_normal((4, 6)), RNG.standard_normal((4, 6))
A, B = RNG.standard_normal((3, 6)), RNG.standard_normal((5, 6))


def by_hand(w, first, second):
    def cosine(u, v):
        return sum(u * v) / sum(u * u) ** 0.5 / sum(v * v) ** 0.5

    return sum(cosine(w, a) for a in first) / len(first) - sum(cosine(w, b) for b in second) / len(
        second
    )


def brute_force(values, n_first):
    """p of the larger sum over all splits, observed included."""
    total = [sum(values[list(c)]) for c in combinations(range(len(values)), n_first)]
    return sum(t >= total[0] - 1e-12 for t in total) / len(total)


def test_the_association_is_a_difference_of_mean_cosines():
    wanted = [by_hand(w, A, B) for w in X]
    assert associations(X, A, B) == pytest.approx(wanted, abs=1e-14)


def test_the_effect_size_by_hand():
    # means 1.5 and -1.5, four values with squares 1, 4, 1, 4 around 0: sd = sqrt(10 / 3)
    assert effect_size([1.0, 2.0], [-1.0, -2.0]) == pytest.approx(3 / (10 / 3) ** 0.5)
    assert effect_size([1.0, 2.0], [-1.0, -2.0], ddof=0) == pytest.approx(3 / (10 / 4) ** 0.5)


@given(st.integers(0, 10_000))
@settings(max_examples=25)
def test_lengths_and_order_change_nothing_and_exchanged_sets_change_the_sign(seed):
    rng = np.random.default_rng(seed)
    x, y = associations(X, A, B), associations(Y, A, B)
    d = effect_size(x, y)
    scaled = associations(X * rng.uniform(0.1, 9, (4, 1)), A * rng.uniform(0.1, 9, (3, 1)), B)
    assert scaled == pytest.approx(x)
    assert effect_size(rng.permutation(x), rng.permutation(y)) == pytest.approx(d)
    assert effect_size(y, x) == pytest.approx(-d)
    assert associations(X, B, A) == pytest.approx(-x)
    order = rng.permutation(8)
    both, side = np.concatenate([x, y])[order], np.repeat([1, 0], 4)[order]
    assert split_test(both, side).p_value == brute_force(np.concatenate([x, y]), 4)


@pytest.mark.parametrize("n", [2, 3, 5])
def test_the_exact_test_is_brute_force(n):
    values = RNG.standard_normal(2 * n)
    found = split_test(values, np.repeat([1, 0], n))
    assert found.p_value == pytest.approx(brute_force(values, n), abs=1e-15)
    mirrored = split_test(-values, np.repeat([1, 0], n))
    assert found.p_two_sided == min(1.0, 2 * min(found.p_value, mirrored.p_value))
    assert found.method == "exact"


def test_sets_of_unequal_size_are_brute_force_too():
    values = RNG.standard_normal(9)
    mean_gap = [
        values[list(c)].mean() - np.delete(values, list(c)).mean()
        for c in combinations(range(9), 3)
    ]
    wanted = np.mean([gap >= mean_gap[0] - 1e-12 for gap in mean_gap])
    assert split_test(values, [1] * 3 + [0] * 6).p_value == pytest.approx(wanted)


def test_words_with_unequal_sentences_move_whole_and_keep_the_statistic_of_the_estimate():
    sentences = {"a": [3.0, 2.0, 4.0], "b": [1.0], "c": [0.5, 0.0], "d": [2.5, -1.0]}
    values = np.array([v for word in sentences.values() for v in word])
    words = [word for word, own in sentences.items() for _ in own]
    side = [word in "ab" for word in words]
    gaps = []
    for chosen in combinations(sentences, 2):
        mine = [v for w in chosen for v in sentences[w]]
        rest = [v for w in sentences if w not in chosen for v in sentences[w]]
        gaps.append(np.mean(mine) - np.mean(rest))
    found = split_test(values, side, units=words)
    assert found.statistic == pytest.approx(gaps[0])
    assert found.p_value == pytest.approx(np.mean([g >= gaps[0] - 1e-12 for g in gaps]))
    assert (found.n_units, found.n_splits) == (4, 6)
    assert found.smallest_p == pytest.approx(1 / 6)
    assert found.smallest_two_sided == pytest.approx(2 / 6)


def test_equal_sentences_make_it_the_test_on_the_means_of_words():
    means = RNG.standard_normal(6)
    values = (means[:, None] + np.array([-1.0, 0.0, 1.0])).ravel()
    by_sentences = split_test(values, np.repeat([1, 0], 9), units=np.repeat(np.arange(6), 3))
    assert by_sentences.p_value == split_test(means, [1, 1, 1, 0, 0, 0]).p_value


def test_ties_count_and_rounding_makes_no_difference():
    exact = split_test([0.25, 0.25, 0.25, 0.25], [1, 1, 0, 0])
    assert exact.p_value == exact.smallest_p == 1.0
    third = 1 / 3
    values = np.array([0.1 + 0.2, 0.3, 0.3, 0.3 + 1e-16, third, third])
    assert (
        split_test(values, [1, 1, 1, 0, 0, 0]).p_value
        == split_test(np.round(values, 12), [1, 1, 1, 0, 0, 0]).p_value
    )


def test_a_sample_agrees_with_all_splits_and_counts_the_observed_one():
    values = RNG.standard_normal(18)
    side = np.repeat([1, 0], 9)
    exact = split_test(values, side)
    sampled = split_test(values, side, most=20_000)
    assert (exact.method, sampled.method) == ("exact", "sampled")
    assert sampled.p_value == pytest.approx(exact.p_value, abs=5 * (0.25 / 20_000) ** 0.5)
    apart = split_test(
        np.repeat([9.0, 0.0], 30) + 1e-3 * RNG.standard_normal(60), [1] * 30 + [0] * 30
    )
    assert apart.p_value == apart.smallest_p == pytest.approx(1e-5)
    assert apart.n_splits == 100_000


def test_the_normal_variant_comes_near_for_many_units():
    values = RNG.standard_normal(60)
    found = split_test(values, np.repeat([1, 0], 30))
    assert found.p_normal == pytest.approx(found.p_value, abs=0.01)


def test_a_word_in_both_sets_a_zero_vector_and_no_spread_are_refused():
    with pytest.raises(StatisticsError, match="both sets"):
        split_test([1.0, 2.0, 3.0], [1, 0, 0], units=["a", "a", "b"])
    with pytest.raises(StatisticsError, match="1 vectors are zero"):
        _unit_vectors([[0.0, 0.0], [1.0, 0.0]])
    with pytest.raises(StatisticsError, match="do not vary"):
        effect_size([0.3, 0.3], [0.3])
    with pytest.raises(StatisticsError, match="is_first has shape"):
        split_test([1.0, 2.0], [1])
    with pytest.raises(StatisticsError, match="one id a row"):
        split_test([1.0, 2.0], [1, 0], units=["a"])
    with pytest.raises(StatisticsError, match="leaves a group empty"):
        split_test([1.0, 2.0], [1, 1])


@pytest.mark.reproduces
@pytest.mark.data("seat_golden")
def test_the_published_code_gives_the_same(shared_data):
    path = shared_data("seat_golden") / "weat_small.json"
    for case in json.loads(path.read_text())["cases"]:
        n = len(case["X"])
        s = associations(case["X"] + case["Y"], case["A"], case["B"])
        test = split_test(s, np.repeat([1, 0], n))
        assert s == pytest.approx(case["s"], abs=1e-12), case["id"]
        assert effect_size(s[:n], s[n:]) == pytest.approx(case["effect_size_ddof1"], abs=1e-12)
        assert effect_size(s[:n], s[n:], ddof=0) == pytest.approx(
            case["effect_size_ddof0"], abs=1e-12
        )
        assert test.p_value == pytest.approx(case["p_official_exact"], abs=1e-12), case["id"]
        assert test.p_value == pytest.approx(case["p_ge_with_tolerance_1e-9"], abs=1e-12)
        assert test.n_splits == case["partitions"]
        assert test.statistic * n == pytest.approx(case["statistic_sum_difference"], abs=1e-12)
