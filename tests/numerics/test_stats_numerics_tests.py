"""Exact tests, agreement, multiplicity and power against other implementations."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from scrutiny.stats.agreement.kappa import cohen_kappa, krippendorff_alpha
from scrutiny.stats.intervals.seed_error import variance_ratio_power
from scrutiny.stats.significance.combined_tests import benjamini_hochberg, holm, max_t
from scrutiny.stats.significance.exact_tests import mcnemar, rank_sum, signed_rank
from scrutiny.stats.significance.permutation_tests import sign_flip_test
from scrutiny.stats.significance.power import (
    CrossedDesign,
    crossed_power,
    minimum_detectable_effect,
    tost,
)

SIDES = ("two-sided", "greater", "less")


def rng(seed=0):
    return np.random.default_rng(seed)


def gap(sums, weight):
    return sums[..., 1, 0] / sums[..., 1, 1] - sums[..., 0, 0] / sums[..., 0, 1]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("seed", range(4))
def test_rank_sum_without_ties_agrees_with_scipy(side, seed):
    x, y = rng(seed).random(6), rng(seed + 50).random(8) + 0.2
    theirs = stats.mannwhitneyu(x, y, alternative=side, method="exact")
    ours = rank_sum(x, y, alternative=side)
    assert ours.statistic == theirs.statistic
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-10)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("seed", range(4))
def test_rank_sum_with_ties_agrees_with_full_permutation(side, seed):
    x, y = rng(seed).integers(0, 4, 5), rng(seed + 50).integers(1, 5, 6)
    ranks = stats.rankdata(np.concatenate([x, y]))
    theirs = stats.permutation_test(
        (ranks[:5], ranks[5:]),
        lambda a, b: a.sum(),
        n_resamples=np.inf,
        alternative=side,
        vectorized=False,
    )
    assert rank_sum(x, y, alternative=side).p_value == pytest.approx(theirs.pvalue, rel=1e-10)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("seed", range(4))
def test_signed_rank_agrees_with_scipy_and_with_all_signs(side, seed):
    d = rng(seed).standard_normal(9) + 0.4
    theirs = stats.wilcoxon(d, alternative=side, method="exact")
    assert signed_rank(d, alternative=side).p_value == pytest.approx(theirs.pvalue, rel=1e-10)
    tied = rng(seed).integers(-3, 5, 8).astype(float)
    kept = tied[tied != 0]
    ranks = stats.rankdata(np.abs(kept)) * np.sign(kept)
    full = stats.permutation_test(
        (ranks,),
        lambda a: a[a > 0].sum(),
        permutation_type="samples",
        n_resamples=np.inf,
        alternative=side,
        vectorized=False,
    )
    assert signed_rank(tied, alternative=side).p_value == pytest.approx(full.pvalue, rel=1e-10)


@pytest.mark.parametrize("case", [(3, 9), (0, 4), (7, 7), (20, 11), (0, 1)])
@pytest.mark.parametrize("side", SIDES)
def test_exact_mcnemar_agrees_with_binomtest(case, side):
    theirs = stats.binomtest(case[0], sum(case), 0.5, alternative=side).pvalue
    ours = mcnemar(*case, method="exact", alternative=side).p_value
    assert ours == pytest.approx(theirs, rel=1e-12)


def test_mid_p_keeps_its_level_where_exact_wastes_it():
    # exact enumeration over 40 discordant pairs: type-I error at .05
    pmf = stats.binom.pmf(np.arange(41), 40, 0.5)
    sizes = {
        m: sum(p for k, p in enumerate(pmf) if mcnemar(k, 40 - k, method=m).p_value <= 0.05)
        for m in ("exact", "mid-p")
    }
    assert sizes["exact"] < 0.05
    assert sizes["exact"] <= sizes["mid-p"] < 0.052


@pytest.mark.parametrize("side", SIDES)
def test_sign_flips_agree_with_scipy(side):
    d = rng(1).standard_normal(9) + 0.5
    theirs = stats.permutation_test(
        (d,), np.mean, permutation_type="samples", n_resamples=np.inf, alternative=side,
        vectorized=False,
    )  # fmt: skip
    ours = sign_flip_test(d, rng=rng(), alternative=side)
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-10)


# Krippendorff (2011), section D: four observers, twelve units; published .743, .815, .849
NA = float("nan")
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NA, NA, NA],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NA, 3],
    [NA, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NA],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NA],
]


@pytest.mark.reproduces
@pytest.mark.parametrize(
    ("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_of_the_published_example(level, published):
    found = krippendorff_alpha(OBSERVERS, level=level)
    assert found.value == pytest.approx(published, abs=0.0006)
    assert (found.n_items, found.n_ratings) == (11, 40)


@pytest.mark.parametrize("level", ["nominal", "interval"])
def test_alpha_equals_the_loop_over_pairs(level):
    ratings = rng(3).integers(0, 4, (3, 25)).astype(float)
    ratings[0, :6] = np.nan

    def apart(a, b):
        return float(a != b) if level == "nominal" else (a - b) ** 2

    items = [c[~np.isnan(c)] for c in ratings.T]
    pooled = np.concatenate(items)
    n = pooled.size
    observed = sum(
        apart(a, b) / (len(c) - 1)
        for c in items
        for i, a in enumerate(c)
        for j, b in enumerate(c)
        if i != j
    )
    expected = sum(apart(a, b) for a in pooled for b in pooled)
    alpha = 1 - (observed / n) / (expected / (n * (n - 1)))
    assert krippendorff_alpha(ratings, level=level).value == pytest.approx(alpha)


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_kappa_agrees_with_sklearn(weights):
    a, b = rng(1).integers(0, 5, 80), rng(2).integers(0, 5, 80)
    b[:50] = a[:50]
    theirs = cohen_kappa_score(a, b, weights=None if weights == "none" else weights)
    assert cohen_kappa(a, b, weights=weights).value == pytest.approx(theirs)


def test_benjamini_hochberg_agrees_with_its_definition():
    p = rng(0).random(30) ** 3
    order = np.sort(p)
    by_hand = [
        min(1.0, min(30 * order[k] / (k + 1) for k in range(30) if order[k] >= x)) for x in p
    ]
    assert benjamini_hochberg(p) == pytest.approx(by_hand)


def test_holm_holds_the_family_under_dependence():
    g = rng(5)
    false = 0
    for _ in range(2000):
        z = 0.7 * g.standard_normal() + 0.71 * g.standard_normal(8)
        false += (holm(stats.norm.sf(z)) <= 0.05).any()
    assert false / 2000 < 0.05 + 3 * (0.05 * 0.95 / 2000) ** 0.5


def test_max_t_holds_the_family_and_beats_holm_when_correlated():
    g = rng(5)
    chol = np.linalg.cholesky(0.9 * np.ones((10, 10)) + 0.1 * np.eye(10))
    noise = g.standard_normal((999, 10)) @ chol.T
    any_max, found = 0, {"max": 0, "holm": 0}
    for _ in range(600):
        at = chol @ g.standard_normal(10)
        any_max += (max_t(at, at + noise) <= 0.05).any()
        at[0] += 2.3
        found["max"] += max_t(at, at + noise)[0] <= 0.05
        found["holm"] += holm(2 * stats.norm.sf(np.abs(at)))[0] <= 0.05
    assert any_max / 600 < 0.05 + 3.5 * (0.05 * 0.95 / 600) ** 0.5
    assert found["max"] > found["holm"]


@pytest.mark.reproduces
@pytest.mark.parametrize(
    ("replicates", "family", "published"),
    [(3, 1, 3.3), (5, 1, 1.7), (10, 1, 1.0), (25, 1, 0.6), (5, 9, 3.1)],
)
def test_detectable_effects_of_the_reference(replicates, family, published):
    design = CrossedDesign(replicates, items=1000, seed_sd=1.0, item_sd=0.0)
    assert minimum_detectable_effect(design, family=family) == pytest.approx(published, abs=0.06)


def test_crossed_power_agrees_with_the_noncentral_t():
    design = CrossedDesign(5, items=10, seed_sd=1.0, item_sd=0.0)
    critical = stats.t.ppf(0.975, 4)
    for effect in (0.5, 1.0, 2.0):
        theirs = stats.nct.sf(critical, 4, effect * 5**0.5)
        assert crossed_power(effect, design) == pytest.approx(theirs, abs=0.003)


def test_crossed_power_agrees_with_simulated_draws():
    design = CrossedDesign(5, items=100, seed_sd=2.0, item_sd=10.0)
    g, hits, size = rng(3), 0, 1500
    for _ in range(size):
        point = 3.5 + 2.0 * g.standard_normal(5) + g.standard_normal()
        t = g.standard_t(4, 1000) * point.std(ddof=1) / 5**0.5
        hits += np.quantile(point.mean() + t + g.standard_normal(1000), 0.025) > 0
    # Monte Carlo error of the simulated power: 1.3 points
    assert hits / size == pytest.approx(crossed_power(3.5, design), abs=0.04)


def test_tost_is_the_larger_of_two_t_tests():
    d = rng(1).standard_normal(20) * 0.5
    se = d.std(ddof=1) / 20**0.5
    theirs = max(
        stats.ttest_1samp(d, -0.4, alternative="greater").pvalue,
        stats.ttest_1samp(d, 0.4, alternative="less").pvalue,
    )
    assert tost(d.mean(), se, margin=0.4, df=19) == pytest.approx(theirs)


def test_variance_ratio_power_by_simulation():
    g = rng(2)
    a, b = 3.0 * g.standard_normal((20000, 5)), g.standard_normal((20000, 5))
    f = a.var(axis=1, ddof=1) / b.var(axis=1, ddof=1)
    power = (f > stats.f.ppf(0.95, 4, 4)).mean()
    assert variance_ratio_power(3.0, replicates=(5, 5)) == pytest.approx(power, abs=0.012)
