"""Error rates of slices: nothing where nothing changed, the planted slice where one did."""

import sys
from pathlib import Path

import numpy as np
import pytest

from scrutiny.run.comparing.changed_slices import change_of, changes, shown

sys.path.insert(0, str(Path(__file__).parents[1] / "unit" / "run"))
from two_sides import drawn, random_slices, sides, slice_of


def test_a_against_a_shows_nothing_in_95_of_100_seeds():
    false = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        right = rng.uniform(0.6, 0.98, size=400)
        same = sides(drawn(rng, right), drawn(rng, right), seed=seed)
        found = changes(same, random_slices(rng, 400), margin=0.0)
        false += any(one.is_shown or one.p_beyond < 0.025 for one in found)
    assert false <= 5


@pytest.mark.parametrize(("ours", "theirs"), [(3, 3), (5, 1)])
def test_families_against_themselves_show_nothing(ours, theirs):
    false = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        right = rng.uniform(0.6, 0.98, size=300)
        first = drawn(rng, right, replicates=ours, spread=0.02)
        second = drawn(rng, right, replicates=theirs, spread=0.02 * (theirs > 1))
        found = changes(sides(first, second, seed=seed), random_slices(rng, 300, 10))
        false += any(one.is_shown for one in found)
    assert false <= 3


@pytest.mark.parametrize("replicates", [1, 3])
def test_the_planted_slice_leads(replicates):
    hits = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        planted = np.arange(800) < 40
        before = rng.uniform(0.85, 0.99, size=800)
        after = np.where(planted, before * 0.4, before)
        both = [drawn(rng, right, replicates=replicates) for right in (before, after)]
        slices = [*random_slices(rng, 800), slice_of("planted", planted)]
        found = shown(changes(sides(*both, seed=seed), slices))
        hits += bool(found) and found[0].name == "planted"
    assert hits >= 18


def test_a_loss_of_all_items_is_no_slices_loss():
    named = whole = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        right = rng.uniform(0.9, 0.99, size=800)
        found = changes(
            sides(drawn(rng, right), drawn(rng, right - 0.1), seed=seed),
            random_slices(rng, 800, 10),
        )
        whole += found[0].is_shown
        named += bool(shown(found))
    assert whole >= 36
    assert named <= 4


def test_intervals_of_a_paired_change_cover_as_they_say():
    right = np.linspace(0.5, 0.95, 80)
    whole = np.ones(80, dtype=bool)
    covered = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        first, second = (drawn(rng, right, replicates=3) for _ in range(2))
        low, high = change_of(sides(first, second), whole).limits(0.95)
        covered += low <= 0.0 <= high
    assert covered >= 0.93 * 300
