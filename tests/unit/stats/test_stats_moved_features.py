"""The cell that follows a feature: planted, of noise, and at the edges."""

import numpy as np
import pytest

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.association.moved_features import correlations, followed_feature


def feature_of(n, rng, length=8):
    """Blocks of 0 and 1 of random lengths."""
    lengths = rng.integers(1, 2 * length, size=n)
    return np.repeat(np.arange(n) % 2, lengths)[:n].astype(float)


def test_a_planted_cell_is_found_first_and_alone():
    rng = np.random.default_rng(1)
    feature = feature_of(600, rng)
    states = rng.normal(size=(600, 64))
    states[:, 17] = -feature + rng.normal(scale=0.01, size=600)
    found = followed_feature(states, feature, rng=rng)
    assert found.cell == 17
    assert found.r < -0.99
    assert found.auc == 1.0
    assert found.p_value == 1 / 200
    assert found.passing.tolist() == [17]


def test_of_cells_that_have_nothing_to_do_with_it_one_in_twenty_passes():
    rng = np.random.default_rng(2)
    passed = 0
    for _ in range(100):
        feature = feature_of(150, rng)
        walks = np.tanh(np.cumsum(rng.normal(size=(150, 8)), axis=0) / 5)  # as slow as real cells
        passed += followed_feature(walks, feature, rng=rng, moves=39).p_value <= 0.05
    assert passed <= 12


def test_a_cell_or_feature_that_never_changes_follows_nothing():
    states = np.c_[np.ones(40), np.arange(40.0)]
    assert correlations(states, np.ones(40)).tolist() == [0.0, 0.0]
    found = followed_feature(states, np.ones(40), rng=np.random.default_rng(3))
    assert (found.r, found.p_value) == (0.0, 1.0)
    assert np.isnan(found.auc)


@pytest.mark.parametrize(("positions", "features"), [(10, 10), (30, 31)])
def test_too_few_positions_are_refused(positions, features):
    with pytest.raises(StatisticsError, match="20 at least"):
        followed_feature(np.ones((positions, 2)), np.ones(features), rng=np.random.default_rng(4))
