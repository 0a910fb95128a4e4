"""Wordings on planted truth: the null of the worst of twelve, and the largest share by name."""

import numpy as np
import pytest

from scrutiny.stats.intervals.variance_budget import variance_budget
from scrutiny.stats.significance.worst_of_several import worst_of_several

pytestmark = pytest.mark.slow
WORDINGS = 12


def answers(rng, *, items=200, repeats=1, noise=0.1, shift=0.0, own=0.0):
    """Right answers ``(1, item, wording, repeat)``: items of unequal difficulty.

    ``shift`` is the sd of the wordings' own effects and ``own`` that of an item in a wording, in
    standard deviations of difficulty; ``noise`` the share of answers that are turned at random.
    """
    skill = rng.normal(1.0, 1.0, (items, 1)) + shift * rng.normal(size=(1, WORDINGS))
    skill = skill + own * rng.normal(size=(items, WORDINGS))
    right = np.repeat((skill > 0)[..., None], repeats, axis=2)
    return (right ^ (rng.random(right.shape) < noise)).astype(float)[None]


@pytest.mark.parametrize(
    ("items", "repeats", "noise", "own"),
    [(200, 1, 0.0, 0.3), (200, 3, 0.15, 0.0), (200, 1, 0.02, 0.0), (60, 2, 0.1, 0.3)],
)
def test_equal_wordings_are_within_chance_in_95_of_100(items, repeats, noise, own):
    rng = np.random.default_rng(34)
    inside = 0
    for _ in range(100):
        hits = answers(rng, items=items, repeats=repeats, noise=noise, own=own)
        found = worst_of_several(hits.mean(axis=(0, 3)), rng, draws=1000)
        assert found is not None
        inside += found.is_within_chance
    assert inside >= 95


def test_one_bad_wording_is_found():
    """One of twelve that loses 15 points of 200 items: found in at least 95 of 100 studies."""
    rng = np.random.default_rng(35)
    found = 0
    for _ in range(100):
        hits = answers(rng, noise=0.05)
        hits[0, :, 4, 0] *= rng.random(200) >= 0.18
        worst = worst_of_several(hits.mean(axis=(0, 3)), rng, draws=1000)
        assert worst is not None
        found += worst.place == 4 and not worst.is_within_chance
    assert found >= 95


@pytest.mark.parametrize(
    ("largest", "planted"),
    [("items", {"noise": 0.05}), ("wordings", {"shift": 0.8, "noise": 0.05})],
)
def test_the_largest_share_is_named(largest, planted):
    rng = np.random.default_rng(36)
    named = [variance_budget(answers(rng, repeats=2, **planted)).largest for _ in range(100)]
    assert named.count(largest) >= 95
