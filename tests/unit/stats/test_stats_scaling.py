"""Multidimensional scaling: distances found again, stress, and what is refused."""

import sys

import numpy as np
import pytest

from scrutiny.core.errors import MissingExtraError
from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.representations.item_distances import scaled_to_points

RNG = np.random.default_rng(4)


def test_points_of_a_plane_are_found_again():
    plane = RNG.random((9, 2))
    distances = np.sqrt(((plane[:, None] - plane) ** 2).sum(axis=-1))
    found = scaled_to_points(distances, rng=np.random.default_rng(0))
    again = np.sqrt(((found.points[:, None] - found.points) ** 2).sum(axis=-1))
    np.testing.assert_allclose(again, distances, atol=0.02)
    assert found.stress < 0.01


def test_equal_seeds_give_equal_points_and_what_does_not_fit_has_stress():
    simplex = 1 - np.eye(12)
    first, second = (scaled_to_points(simplex, rng=np.random.default_rng(1)) for _ in range(2))
    assert np.array_equal(first.points, second.points)
    assert first.stress == second.stress > 0.1
    assert (
        first.stress
        <= scaled_to_points(simplex, rng=np.random.default_rng(1), restarts=1).stress + 1e-3
    )


@pytest.mark.parametrize(
    "distances", [[[0, 1], [2, 0]], [[1, 1], [1, 0]], [[0, -1], [-1, 0]], [[0, 1, 1], [1, 0, 1]]]
)
def test_what_are_no_distances_is_refused(distances):
    with pytest.raises(StatisticsError, match="symmetric"):
        scaled_to_points(distances, rng=np.random.default_rng(0))


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.manifold", None)
    with pytest.raises(MissingExtraError, match=r"scrutiny\[clusters\]"):
        scaled_to_points(np.zeros((2, 2)), rng=np.random.default_rng(0))
