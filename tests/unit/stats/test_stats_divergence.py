"""Entropy and Jensen-Shannon divergence against closed forms and scipy."""

import numpy as np
import pytest
from scipy import stats
from scipy.spatial.distance import jensenshannon

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.distributions import divergence
from scrutiny.stats.distributions.divergence import jensen_shannon_matrix, row_entropy

RNG = np.random.default_rng(4)
MAPS = RNG.dirichlet(np.full(7, 0.2), (5, 6))  # (head, token, piece)


def test_entropy_is_that_of_the_smoothed_row():
    mixed = 0.9999 * MAPS + 0.0001 / 7
    np.testing.assert_allclose(row_entropy(MAPS), stats.entropy(mixed, axis=-1), rtol=1e-12)
    assert row_entropy(np.full(8, 1 / 8)) == pytest.approx(np.log(8))
    assert row_entropy([1.0, 0, 0]) == pytest.approx(
        stats.entropy([0.9999 + 1e-4 / 3, 1e-4 / 3, 1e-4 / 3])
    )


def test_divergence_is_summed_over_tokens():
    mixed = 0.999 * MAPS + 0.001 / 7
    wanted = [[(jensenshannon(a, b, axis=-1) ** 2).sum() for b in mixed] for a in mixed]
    np.testing.assert_allclose(jensen_shannon_matrix(MAPS), wanted, atol=1e-12)
    parts = jensen_shannon_matrix(MAPS[:, :2]) + jensen_shannon_matrix(MAPS[:, 2:])
    np.testing.assert_allclose(jensen_shannon_matrix(MAPS), parts, rtol=1e-12)


def test_divergence_is_symmetric_and_bounded_and_heads_may_be_renamed():
    found = jensen_shannon_matrix(MAPS)
    assert np.array_equal(found, found.T)
    assert not np.diagonal(found).any()
    assert found.max() < 6 * np.log(2)
    order = RNG.permutation(5)
    np.testing.assert_allclose(jensen_shannon_matrix(MAPS[order]), found[np.ix_(order, order)])


def test_rows_that_share_nothing_are_log_two_apart():
    apart = jensen_shannon_matrix(np.eye(3)[:, None, :], smoothing=0.0)
    np.testing.assert_allclose(apart, np.log(2) * (1 - np.eye(3)))
    assert jensen_shannon_matrix(np.eye(3)[:, None, :])[0, 1] < np.log(2)


def test_chunks_leave_every_pair_as_it_is(monkeypatch):
    whole = jensen_shannon_matrix(MAPS)
    monkeypatch.setattr(divergence, "_CHUNK_BYTES", 1)
    np.testing.assert_allclose(jensen_shannon_matrix(MAPS), whole, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("rows", [[0.5, 0.4], [1.5, -0.5], [np.nan, 1.0]])
def test_what_is_no_distribution_is_refused(rows):
    with pytest.raises(StatisticsError):
        row_entropy(rows)


def test_wrong_shapes_and_smoothing_are_refused():
    with pytest.raises(StatisticsError, match="head, row, outcome"):
        jensen_shannon_matrix(MAPS[0])
    with pytest.raises(StatisticsError, match="smoothing"):
        row_entropy([0.5, 0.5], smoothing=1.0)
