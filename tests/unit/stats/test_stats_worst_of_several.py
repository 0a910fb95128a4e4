"""The worst of several conditions beside its null."""

import numpy as np
import pytest

from scrutiny.stats.significance.worst_of_several import worst_of_several


def _asked(rng: np.random.Generator, right: np.ndarray, flips: float) -> np.ndarray:
    """Answers ``(item, condition)`` to items that are right with these chances, with flips."""
    return np.where(rng.random(right.shape) < flips, ~right, right).astype(float)


def test_equal_conditions_stay_within_chance() -> None:
    """In at least 95 of 100 studies of twelve equal conditions."""
    rng = np.random.default_rng(11)
    inside = 0
    for _ in range(100):
        right = np.repeat(rng.random((120, 1)) < 0.8, 12, axis=1)
        found = worst_of_several(_asked(rng, right, 0.1), rng, draws=800)
        assert found is not None
        inside += found.is_within_chance
    assert inside >= 95


def test_a_planted_worst_is_found() -> None:
    rng = np.random.default_rng(12)
    right = np.repeat(rng.random((200, 1)) < 0.9, 12, axis=1)
    right[:60, 7] = False
    found = worst_of_several(_asked(rng, right, 0.02), rng)
    assert found is not None
    assert found.place == 7
    assert not found.is_within_chance
    assert found.p < 0.001
    assert found.below > found.most > found.usual > 0


def test_its_null_is_the_minimum_of_normal_means() -> None:
    """Two conditions: the distance from their mean is half a folded normal difference."""
    rng = np.random.default_rng(13)
    values = rng.normal(size=(400, 2))
    found = worst_of_several(values, np.random.default_rng(1), draws=20_000)
    assert found is not None
    apart = (values[:, 0] - values[:, 1]).std(ddof=1) / np.sqrt(400) / 2
    assert found.usual == pytest.approx(0.6745 * apart, rel=0.04)
    assert found.most == pytest.approx(2.5758 * apart, rel=0.05)
    assert found.below == pytest.approx(abs(np.diff(values.mean(axis=0))[0]) / 2)


def test_edges() -> None:
    rng = np.random.default_rng(0)
    assert worst_of_several(np.ones((0, 3)), rng) is None
    assert worst_of_several(np.ones((1, 3)), rng) is None
    assert worst_of_several(np.ones((9, 1)), rng) is None
    same = worst_of_several(np.ones((9, 3)), rng)
    assert same is not None
    assert (same.below, same.most, same.is_within_chance, same.p) == (0.0, 0.0, True, 1.0)
