"""Error rates of small statistics over many studies: levels of tests, coverage of intervals."""

import numpy as np
from scipy import stats

from scrutiny.diagnostics.similarity.vector_likeness import LeavingOut, left_out_groups, likeness
from scrutiny.reliability.replicates import compare_spreads
from scrutiny.stats.association.correlation import seed_correlation
from scrutiny.stats.association.rank_correlation import pair_correlation
from scrutiny.stats.intervals.crossed import retained_scores
from scrutiny.stats.intervals.seed_error import Spread
from scrutiny.stats.representations.cka import debiased_cka


def rng(seed=0):
    return np.random.default_rng(seed)


def symmetric(count, g):
    found = g.standard_normal((count, count))
    return found + found.T


def off(matrix):
    return matrix[~np.eye(len(matrix), dtype=bool)]


def test_p_values_of_unrelated_measures_hold_their_level():
    g = np.random.default_rng(1)
    found = [pair_correlation(symmetric(5, g), symmetric(5, g), rng=g).p_value for _ in range(300)]
    assert 0.01 <= np.mean(np.array(found) <= 0.05) <= 0.09


def test_shared_models_make_pairs_dependent_and_the_interval_knows():
    """Measures that follow single models: pairs as observations would be far too sure."""
    g = np.random.default_rng(2)
    covered = naive = 0
    for _ in range(200):
        one, other = g.standard_normal((2, 8))
        a = one[:, None] + one[None, :] + 0.1 * symmetric(8, g)
        b = other[:, None] + other[None, :] + 0.1 * symmetric(8, g)
        found = pair_correlation(a, b, rng=g)
        covered += found.low <= 0 <= found.high
        naive += stats.spearmanr(off(a), off(b)).pvalue > 0.05
    assert covered / 200 >= 0.85
    assert naive / 200 < 0.6


def test_level_of_the_family_of_tests():
    g = rng(0)
    rejected = 0
    for _ in range(400):
        spreads = [Spread.of(g.normal(size=5), item_se=1.0) for _ in range(5)]
        rejected += any(r.p_holm < 0.05 for r in compare_spreads(spreads[1:], spreads[0]))
    assert rejected / 400 < 0.08


def test_interval_covers_the_score_of_the_population():
    g = rng(1)
    inside = 0
    for _ in range(150):
        sure = np.abs(g.normal(size=(1, 200))) + 0.0 * np.ones((5, 1))
        hits = (g.uniform(size=(5, 200)) < 0.7).astype(float)
        found = retained_scores(hits, sure, coverages=(0.5,), rng=g, draws=200)
        inside += found[0].interval.low <= 0.7 <= found[0].interval.high
    assert inside / 150 >= 0.93


def test_interval_of_the_correlation_covers_with_five_seeds():
    g = rng(6)
    inside = 0
    for _ in range(600):
        a, b = g.normal(size=(2, 5))
        found = seed_correlation(a, 0.6 * a + 0.8 * b)
        inside += found.low <= 0.6 <= found.high
    assert 0.92 <= inside / 600 <= 0.98


def test_intervals_of_a_likeness_cover_what_other_items_would_give():
    g = np.random.default_rng(3)
    shared = g.standard_normal((3, 4))

    def drawn_pair(count):
        X = g.standard_normal((count, 3))
        return X, X @ shared + 0.8 * g.standard_normal((count, 4))

    truth = debiased_cka(*drawn_pair(4000))
    units = np.arange(60)
    covered = 0
    for _ in range(120):
        found = likeness(
            *drawn_pair(60), debiased_cka, LeavingOut(left_out_groups(units, 20, g), units, ())
        )
        draws = found.value + found.influence[g.integers(0, 60, (400, 60))].mean(axis=1)
        low, high = np.quantile(draws, [0.025, 0.975])
        covered += low <= truth <= high
    assert covered / 120 >= 0.86
