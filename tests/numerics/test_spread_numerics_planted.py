"""Planted truth for what is said of replicates: spreads, correlations, scores of sure answers."""

import numpy as np
import pytest
from planted_families import coverage, error

from scrutiny.reliability.replicates import compare_spreads
from scrutiny.stats.association.correlation import seed_correlation
from scrutiny.stats.intervals.crossed import retained_scores
from scrutiny.stats.intervals.seed_error import Spread

SEEDS = 5


def shares(rng, share, items, *, seed_sd):
    """Share of each seed, whose own expectation is off by ``seed_sd`` item errors; its spread."""
    item_error = (share * (1 - share) / items) ** 0.5
    own = np.clip(share + seed_sd * item_error * rng.standard_normal(SEEDS), 0, 1)
    found = rng.binomial(items, own) / items
    return Spread.of(found, item_se=float((found * (1 - found) / items).mean() ** 0.5))


@pytest.mark.parametrize("seed_sd", [0.0, 1.0])
def test_equal_ratios_are_called_different_at_the_level(seed_sd):
    """A diagnostic of 516 items beside a downstream score of 872; five seeds a side."""
    rng, studies, rejected = np.random.default_rng(5), 800, 0
    for _ in range(studies):
        score = shares(rng, 0.85, 872, seed_sd=seed_sd)
        rejected += (
            compare_spreads([shares(rng, 0.56, 516, seed_sd=seed_sd)], score)[0].p_holm < 0.05
        )
    assert abs(rejected / studies - 0.05) < 3 * error(0.05, studies)


def test_a_family_of_ratios_holds_its_level_and_finds_a_large_one():
    rng, studies, wrong, found = np.random.default_rng(6), 300, 0, 0
    for _ in range(studies):
        score = shares(rng, 0.85, 872, seed_sd=0.5)
        calm = [shares(rng, 0.56, 516, seed_sd=0.5) for _ in range(4)]
        wide = shares(rng, 0.56, 516, seed_sd=8.0)  # a ratio of 7.2
        ratios = compare_spreads([*calm, wide], score)
        wrong += any(ratio.p_holm < 0.05 for ratio in ratios[:4])
        found += ratios[4].p_holm < 0.05
    assert wrong / studies <= 0.05 + 2 * error(0.05, studies)
    assert found / studies > 0.75


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_a_correlation_of_five_seeds_is_covered(rho):
    rng, studies, inside = np.random.default_rng(3), 1500, 0
    for _ in range(studies):
        a = rng.standard_normal(SEEDS)
        b = rho * a + (1 - rho**2) ** 0.5 * rng.standard_normal(SEEDS)
        found = seed_correlation(a, b)
        inside += found.low <= rho <= found.high
    # Fisher's z is an approximation; Monte Carlo error .6 points
    assert 0.94 - 2 * error(0.95, studies) <= inside / studies <= 0.97 + 2 * error(0.95, studies)


def margins(rng, items, *, replicates=SEEDS):
    shift = 0.1 * rng.standard_normal((replicates, 1))
    return (
        0.3 + shift + 0.7 * (rng.standard_normal(items) + rng.standard_normal((replicates, items)))
    )


def share_of_sure(kept):
    """Of infinitely many items and seeds, for thresholds that keep this share."""
    many = margins(np.random.default_rng(0), 50_000, replicates=40)
    sure = np.abs(many) >= np.quantile(np.abs(many), 1 - kept)
    return float(((many > 0) & sure).sum(axis=1).mean() / sure.sum(axis=1).mean())


@pytest.mark.slow
@pytest.mark.parametrize("items", [60, 300])
@pytest.mark.parametrize("kept", [1.0, 0.5, 0.2])
def test_the_score_of_sure_answers_is_covered(items, kept):
    studies = 160

    def make(rng, study):
        sure = margins(rng, items)
        (found,) = retained_scores(sure > 0, sure, coverages=[kept], rng=rng, draws=400)
        return found.interval

    found = coverage(make, share_of_sure(kept), studies=studies)
    assert 0.93 - 2 * error(0.95, studies) <= found <= 1.0
