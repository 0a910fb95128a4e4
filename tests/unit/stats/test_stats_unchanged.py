"""Pairs of runs of an unchanged system: what was planted is what is drawn."""

import numpy as np
import pytest
from scipy import stats

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.resampling.seed_spread import SeedSpread
from scrutiny.stats.resampling.unchanged import UnchangedSystem


def drawn(system, count, replicates=(1, 1), seed=0, **more):
    """All pairs at once: first and second ``(pair, replicate, item)``."""
    blocks = [*system.pairs(np.random.default_rng(seed), count, replicates, **more)]
    return tuple(np.concatenate(side) for side in zip(*blocks, strict=True))


@pytest.mark.parametrize(("level", "noise"), [(0.8, 0.15), (0.8, 0.02), (0.5, 0.5), (0.99, 0.01)])
def test_score_and_noise_are_those_that_were_stated(level, noise):
    first, second = drawn(UnchangedSystem.planned(level, noise=noise, items=2000), 200)
    assert first.mean() == pytest.approx(level, abs=0.003)
    assert (first != second).mean() == pytest.approx(noise, abs=0.003)


def test_without_noise_a_run_repeats_itself():
    hits = np.random.default_rng(1).random((1, 50)) < 0.7
    first, second = drawn(UnchangedSystem.of_hits(hits, noise=0.0), 5, (1, 2))
    assert (first == hits).all()
    assert (second == hits).all()


def test_what_an_item_did_is_remembered():
    rng = np.random.default_rng(2)
    hits = (rng.random(4000) < 0.8).astype(float)[None]
    first, second = drawn(UnchangedSystem.of_hits(hits, noise=0.1), 50)
    # the run that was seen and a new one flip as often as two new ones
    assert (first != hits).mean() == pytest.approx(0.1, abs=0.005)
    assert (first != second).mean() == pytest.approx(0.1, abs=0.005)
    # an item that was right in two of two runs is surer than one that was right in one
    both = UnchangedSystem.of_hits([[1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0]], noise=0.3)
    right = drawn(both, 4000)[0].mean(axis=(0, 1))
    assert right[0] > right[1] > right[3]
    weight = 0.3 / (2 * 0.25 - 0.3)  # balls of the urn, in closed form
    assert right[0] == pytest.approx((weight / 2 + 2) / (weight + 2), abs=0.02)


def test_more_noise_than_the_score_allows_says_that_the_score_is_another():
    hits = (np.arange(2000) >= 20).astype(float)[None]  # 99 % right can't flip on 15 %
    first, second = drawn(UnchangedSystem.of_hits(hits, noise=0.15), 100)
    assert (first != second).mean() == pytest.approx(0.15, abs=0.005)
    sure = UnchangedSystem.of_hits(np.ones((1, 10)), noise=0.0)
    assert drawn(sure, 3)[0].all()


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_a_planted_loss_is_lost(noise):
    system = UnchangedSystem.planned(0.8, noise=noise, items=2000)
    first, second = drawn(system, 100, (1, 3), loss=0.06)
    assert first.mean() - second.mean() == pytest.approx(0.06, abs=0.003)
    first, second = drawn(system, 100, loss=-0.06)
    assert second.mean() - first.mean() == pytest.approx(0.06, abs=0.003)


def test_a_loss_is_that_of_a_version_and_comes_again():
    system = UnchangedSystem.planned(0.8, noise=0.0, items=500)
    first, second = drawn(system, 20, (1, 3), loss=0.2)
    assert (second == second[:, :1]).all()
    assert (first - second).mean() == pytest.approx(0.2, abs=0.01)


@pytest.mark.parametrize(("noise", "flips"), [(0.0, 0.2), (0.1, 0.1), (0.1, 0.25)])
def test_versions_that_are_equally_good_differ_in_every_replicate(noise, flips):
    system = UnchangedSystem.planned(0.7, noise=noise, items=1000).changed_in(flips)
    first, second = drawn(system, 60, (1, 2))
    assert (first != second).mean() == pytest.approx(flips, abs=0.01)
    assert (second[:, 0] != second[:, 1]).mean() == pytest.approx(noise, abs=0.01)
    assert first.mean() - second.mean() == pytest.approx(0.0, abs=0.004)


def test_replicates_deviate_as_seeds_do():
    hits = np.ones((1, 4000)) * (np.arange(4000) % 5 > 0)
    seeds = UnchangedSystem.of_hits(hits, noise=0.1, spread=SeedSpread(0.02**2))
    first, second = drawn(seeds, 100, (4, 4))
    assert first.mean(axis=2).std(axis=1, ddof=1).mean() == pytest.approx(0.02, rel=0.15)
    found = [SeedSpread.of([a, b]) for a, b in zip(first, second, strict=True)]
    assert found[0].degrees == 6
    excess = [one.variance - one.own for one in found]
    assert np.mean(excess) ** 0.5 == pytest.approx(0.02, rel=0.1)
    # an interval of 80 % holds the spread in 80 of 100
    inside = [one.at(0.1) < 0.02 < one.at(0.9) for one in found]
    assert np.mean(inside) == pytest.approx(0.8, abs=0.1)


def test_spreads_that_fit_are_those_of_few_numbers():
    seen = SeedSpread(0.02**2, 0.01**2, 4)
    many = seen.drawn(np.random.default_rng(0), 40_000)
    for share in (0.1, 0.5, 0.9):
        assert (many <= seen.at(share)).mean() == pytest.approx(share, abs=0.01)
        assert seen.fixed(share).is_known
        assert seen.fixed(share).at(0.7) == pytest.approx(seen.at(share))
    # the score of one more replicate lies as far out as Student's t says
    other = SeedSpread(1.0, 0.0, 2).drawn(np.random.default_rng(1), 200_000)
    other *= np.random.default_rng(2).standard_normal(200_000)
    assert np.quantile(other, 0.9) == pytest.approx(stats.t.ppf(0.9, 2), rel=0.02)


def test_what_paired_replicates_share_is_no_spread_of_their_difference():
    rng = np.random.default_rng(3)
    shared = np.where(np.arange(3000) < rng.integers(2000, 2600, (4, 1)), 1.0, 0.0)
    apart, paired = SeedSpread.of([shared, shared]), SeedSpread.of([shared] * 2, is_paired=True)
    assert apart.at(0.1) > 0.02
    assert paired.at(0.9) == 0.0
    assert (apart.degrees, paired.degrees) == (6, 3)
    assert SeedSpread.of([shared[:1], shared[:1]]).is_known


def test_scores_repeat_their_own_values_and_their_spread():
    rng = np.random.default_rng(3)
    own = rng.normal(2.0, 1.0, 500) + 0.3 * rng.standard_normal((4, 500))
    first, second = drawn(UnchangedSystem.of_scores(own, noise=0.0), 50)
    assert (first - second).var() == pytest.approx(2 * 0.3**2, rel=0.1)
    single = UnchangedSystem.of_scores(own[:1], noise=0.2)
    first, second = drawn(single, 50)
    assert (first != second).mean() == pytest.approx(0.2, abs=0.01)
    assert drawn(single.of_items([3, 3]), 4)[0].shape == (4, 1, 2)


def test_noise_is_a_share():
    with pytest.raises(StatisticsError, match="a share of the items"):
        UnchangedSystem.planned(0.8, noise=1.2, items=10)
    with pytest.raises(StatisticsError, match="a share of the items"):
        UnchangedSystem.of_hits([[1.0]], noise=-0.1)
