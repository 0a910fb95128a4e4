"""A/A certificates: of known and unknown noise, at the edges, and what would decide."""

from dataclasses import replace
from math import ceil

import numpy as np
import pytest
from two_sides import random_slices, sides

from scrutiny.core.randomness import generator
from scrutiny.diagnostics.similarity.side_by_side.sides import (
    UNKNOWN,
    Noise,
    noise_of_replicates,
)
from scrutiny.report.compare.certified import certificate_words
from scrutiny.run.comparing.certificate import certificates, rates, rule_of, together, upper_limit
from scrutiny.run.comparing.planned_power import needed, power_of
from scrutiny.stats.resampling.unchanged import UnchangedSystem


def pair(n=200, noise=0.15, *, level=0.8, replicates=(1, 1), loss=0.0, seed=0):
    system = UnchangedSystem.planned(level, noise=noise, items=n)
    ((first, second),) = system.pairs(np.random.default_rng(seed), 1, replicates, loss=loss)
    return sides(first[0], second[0])


def certified(both, noise, *, margin=0.02, slices=()):
    return certificates(both, rule_of(both, slices, margin=margin, family=0), noise)


def test_a_known_noise_floor_gives_one_certificate():
    both = pair()
    slices = random_slices(np.random.default_rng(0), 200, 10)
    (found,) = certified(both, Noise("another run", 0.15, 200, 1), slices=slices)
    assert (found.noise, found.is_known, found.pairs) == (0.15, True, 1000)
    assert found.at_most <= 0.015
    assert found.at_most > found.alarms / found.pairs
    assert 0.08 < found.finds < 0.2
    assert found.undecided > 0.7
    assert (found,) == certified(both, Noise("another run", 0.15, 200, 1), slices=slices)


def test_the_loss_that_is_found_is_found():
    both, noise = pair(), Noise("another run", 0.15, 200, 1)
    rule = rule_of(both, (), margin=0.02, family=0)
    (found,) = certificates(both, rule, noise)
    system = UnchangedSystem.of_hits(both.first, noise=0.15)
    rng = np.random.default_rng(5)
    worse, _ = rates(system, rule, (1, 1), rng=rng, pairs=1500, loss=found.finds)
    assert 0.74 < worse / 1500 < 0.88


@pytest.mark.parametrize("is_paired", [False, True])
def test_three_seeds_leave_open_which_loss_is_found(is_paired):
    rng = np.random.default_rng(7)
    right = np.arange(300)[None] < 240 + rng.integers(-9, 10, (6, 1))  # seeds, and no other chance
    both = sides(right[:3], right[:3] if is_paired else right[3:], is_paired=is_paired)
    (found,) = certified(both, noise_of_replicates(both))
    near, far = found.between
    assert near <= found.finds <= far
    if is_paired:  # what pairs share is no error of their difference
        assert found.between == (pytest.approx(found.finds, rel=0.2),) * 2
        return
    assert near < 0.8 * found.finds < found.finds < 0.9 * far
    words = certificate_words([found], is_share=True)
    ends = [f"{ceil(1000 * one) / 10:.1f}" for one in found.between]
    assert words.endswith(f" in 80 of 100 (the repeats leave open {ends[0]} to {ends[1]}).")
    unbounded = replace(found, between=(found.between[0], None))
    assert f"{ends[0]} or more" in certificate_words([unbounded], is_share=True)
    assert certificate_words([replace(found, between=None)], is_share=True).endswith("80 of 100.")


def test_where_noise_is_not_known_it_is_supposed():
    none, some = certified(pair(noise=0.0), UNKNOWN)
    assert [one.noise for one in (none, some)] == [0.0, 0.05]
    assert not none.is_known
    assert none.finds < some.finds
    # where more differs than that, all of it may be chance
    assert certified(pair(seed=3), UNKNOWN)[1].noise == pytest.approx(0.15, abs=0.05)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([[1.0]], [[1.0]]),
        ([[1.0, 0.0]], [[0.0, 1.0]]),
        ([[1.0] * 30], [[1.0] * 30]),
        ([[0.0] * 30], [[0.0] * 30]),
        ([[0.5, 1.0, 0.25] * 10], [[0.5, 1.0, 0.25] * 10]),
    ],
)
def test_edges_have_certificates(first, second):
    metric = "accuracy@1" if set(np.ravel(first)) <= {0.0, 1.0} else "mean@1"
    both = sides(first, second, metric=metric)
    for one in certified(both, UNKNOWN):
        assert 0.0 < one.at_most < 0.02
        assert one.finds is None or one.finds > 0.02


def test_scores_without_a_range_have_certificates_in_their_unit():
    rng = np.random.default_rng(1)
    values = rng.normal(-3.0, 1.0, 80)
    first, second = (values + 0.1 * rng.standard_normal((3, 80)) for _ in range(2))
    both = sides(first, second, metric="mean@1", sign=-1)
    (found,) = certified(both, UNKNOWN, margin=0.1)
    assert found.is_known
    assert 0.1 < found.finds < 0.3


def test_limits_of_alarms_are_exact():
    assert upper_limit(0, 1000) == pytest.approx(1 - 0.05 ** (1 / 1000))
    assert upper_limit(5, 5) == 1.0
    both = pair(noise=0.0)
    several = certified(both, Noise("exact", 0.0, 200))
    assert together([*several, *several]) == pytest.approx(2 * several[0].at_most)


def test_what_would_decide_decides():
    both, noise = pair(), Noise("another run", 0.15, 200, 1)
    rule = rule_of(both, (), margin=0.03, family=0)
    found = needed(both, rule, noise)
    assert 1000 < found.items < 2500
    assert found.repeats in range(4, 16)
    system = UnchangedSystem.of_hits(both.first, noise=found.flips)
    rng = generator(1, "compare", name="test", item="")
    designs = [(200, 1), (found.items, 1), (200, found.repeats)]
    few, *enough = power_of(system, rule, designs, rng=rng)
    assert few.same < 0.5
    assert all(one.same > 0.7 for one in enough)
    assert (few.texts, enough[1].texts) == (200, 200 * found.repeats)
    assert needed(both, rule_of(both, (), margin=0.0, family=0), noise) is None
    tiny = needed(both, rule_of(both, (), margin=1e-4, family=0), noise)
    assert (tiny.items, tiny.repeats) == (None, None)
    assert needed(both, rule, UNKNOWN).repeats is None  # nobody knows whether repeats help


def test_repeats_do_not_average_out_what_comes_again():
    rng = np.random.default_rng(4)
    before = (rng.random(150) < 0.7).astype(float)
    after = before[np.where(rng.random(150) < 0.5, rng.permutation(150), np.arange(150))]
    twice = sides(np.tile(before, (2, 1)), np.tile(after, (2, 1)))
    once = sides(before[None], after[None])
    still = Noise("replicates", 0.0, 150, 1)
    found = needed(twice, rule_of(twice, (), margin=0.05, family=0), still)
    alone = needed(once, rule_of(once, (), margin=0.05, family=0), UNKNOWN)
    assert found.repeats is None
    assert 0.7 < found.items / alone.items < 1.4
