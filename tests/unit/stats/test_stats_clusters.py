"""Alignment of two clusters with two sets."""

from itertools import permutations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.association.partitions import (
    adjusted_rand_of_counts,
    aligned,
    permuted_alignments,
    permuted_sides,
)

RNG = np.random.default_rng(3)


def test_the_better_matching_is_taken_and_names_of_clusters_mean_nothing():
    clusters, side = RNG.integers(0, 2, 15), RNG.integers(0, 2, 15) == 1
    share = (clusters == side).mean()
    assert aligned(clusters, side).mean() == max(share, 1 - share)
    assert aligned(1 - clusters, side).tolist() == aligned(clusters, side).tolist()
    both = aligned(np.stack([clusters, 1 - clusters]), side)
    assert both.shape == (2, 15)
    assert (both[0] == both[1]).all()


def test_permuted_sides_keep_words_together_and_the_number_of_words_a_side():
    words = np.array(["a", "a", "b", "c", "c", "c"])
    side = np.array([True, True, True, False, False, False])
    drawn = permuted_sides(side, units=words, permutations=300, rng=np.random.default_rng(0))
    assert (drawn[:, 0] == drawn[:, 1]).all()
    assert (drawn[:, 3:] == drawn[:, 3:4]).all()
    assert (drawn[:, [0, 2, 3]].sum(axis=1) == 2).all()
    assert {tuple(row) for row in drawn[:, [0, 2, 3]].tolist()} == set(
        permutations([True, True, False])
    )


def test_a_word_on_both_sides_counts_as_two():
    side = np.array([True, False, True, False])
    drawn = permuted_sides(
        side, units=["a", "a", "b", "c"], permutations=50, rng=np.random.default_rng(0)
    )
    assert (drawn.sum(axis=1) == 2).all()


def test_chance_is_above_one_half():
    found = permuted_alignments(
        np.arange(36) % 2, np.arange(36) < 18, permutations=999, rng=np.random.default_rng(0)
    )
    assert 0.53 < found.mean() < 0.58
    assert np.quantile(found, 0.95) > 0.6


def test_one_side_only_is_refused():
    with pytest.raises(StatisticsError, match="nothing to exchange"):
        permuted_sides([True, True], permutations=3, rng=np.random.default_rng(0))


@pytest.mark.parametrize("seed", range(5))
def test_the_adjusted_rand_index_is_that_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    one, other = rng.integers(0, 2, 30), rng.integers(0, 2, 30)
    cells = [((one == c) & (other == s)).sum() for c in (1, 0) for s in (1, 0)]
    found = adjusted_rand_of_counts(np.array(cells, dtype=float))
    assert float(found) == pytest.approx(adjusted_rand_score(one, other))


def test_it_does_not_exist_without_two_items_or_two_groups():
    counts = np.array([[1.0, 0, 0, 0], [5, 0, 0, 0], [0, 0, 0, 0]])
    assert np.isnan(adjusted_rand_of_counts(counts)).all()
