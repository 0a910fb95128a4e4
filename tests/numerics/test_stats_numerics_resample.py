"""Item resampling against closed forms, a loop, scipy, and itself in other chunks."""

import tracemalloc
from importlib import import_module

import numpy as np
import pytest
from scipy import stats

from scrutiny.stats.intervals.interval import wilson as wilson_interval
from scrutiny.stats.intervals.one_factor import bootstrap
from scrutiny.stats.resampling.resample import resample, resample_weighted
from scrutiny.stats.resampling.weights import Units, draw_weights


def rng(seed=0):
    return np.random.default_rng(seed)


def hold_little(monkeypatch):
    # import_module: the package's attribute `resample` is the function
    for name in ("scrutiny.stats.resampling.weights", "scrutiny.stats.resampling.resample"):
        monkeypatch.setattr(import_module(name), "CHUNK_BYTES", 1)


def mean(sums, weight):
    return sums[..., 0, 0] / sums[..., 0, 1]


def with_ones(x):
    return np.stack([x, np.ones_like(x)], axis=-1)


def f1(sums, weight):
    tp, fp, fn = (sums[..., 0, k] for k in range(3))
    return 2 * tp / (2 * tp + fp + fn)


def f1_components(gold, pred):
    return np.stack([gold & pred, ~gold & pred, gold & ~pred], axis=-1).astype(float)


def test_mean_has_the_closed_form_standard_error():
    x = rng(1).random((3, 500))
    found = resample(with_ones(x), mean, rng=rng(), draws=20000)
    # Monte Carlo error of a standard deviation from 20,000 draws: 0.5 %
    np.testing.assert_allclose(found.draws.std(axis=0), x.std(axis=1) / 500**0.5, rtol=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(3_000, 3_000), (6_000, 150)])
def test_intervals_from_random_groups_of_units_cover(sizes, monkeypatch):
    """A difference of two datasets, at least 100 groups in each: .93, as of single units."""
    module = import_module("scrutiny.stats.resampling.resample")
    monkeypatch.setattr(module, "_VERY_MANY", 5_000)
    monkeypatch.setattr(module, "_GROUPS", 400)
    is_first = np.arange(sum(sizes)) < sizes[0]
    units = Units.of(sum(sizes), strata=~is_first)

    def difference(sums, weight):
        return sums[..., 0, 0] / sums[..., 0, 1] - sums[..., 0, 2] / sums[..., 0, 3]

    covered = []
    for seed in range(300):
        x = rng(seed).lognormal(size=sum(sizes))  # skewed, and all different
        columns = [np.where(own, one, 0.0) for own in (is_first, ~is_first) for one in (x, 1.0)]
        found = resample(
            np.stack(columns, axis=-1)[None], difference, rng=rng(0), draws=500, units=units
        )
        low, high = np.quantile(found.draws, [0.025, 0.975])
        covered.append(low <= 0 <= high)
    assert 0.91 <= np.mean(covered) <= 0.985


def test_collapsed_draws_have_the_same_distribution():
    x = (rng(1).random((2, 400)) < 0.7).astype(float)
    together = resample(with_ones(x), mean, rng=rng(2), draws=4000)
    apart = resample(with_ones(x), mean, rng=rng(3), draws=4000, share=True)
    assert together.n_patterns == 4
    assert apart.n_patterns is None
    for r in range(2):
        assert stats.ks_2samp(together.draws[:, r], apart.draws[:, r]).pvalue > 0.001
    corr = [np.corrcoef(s.draws.T)[0, 1] for s in (together, apart)]
    assert corr[0] == pytest.approx(corr[1], abs=0.06)


def test_collapsed_binary_mean_is_binomial():
    x = np.zeros((1, 300))
    x[0, :90] = 1
    found = resample(with_ones(x), mean, rng=rng(2), draws=20000)
    counts = np.rint(found.draws[:, 0] * 300)
    at = np.arange(70, 111)
    seen = np.array([(counts <= k).mean() for k in at])
    np.testing.assert_allclose(seen, stats.binom.cdf(at, 300, 0.3), atol=0.015)


@pytest.mark.parametrize("clusters", [False, True])
def test_f1_equals_the_loop_over_weights(clusters):
    gold, pred = rng(1).random((2, 120)) < 0.4, rng(2).random((2, 120)) < 0.4
    units = Units.of(120, np.arange(120) // 4) if clusters else Units.of(120)
    found = resample(f1_components(gold, pred), f1, rng=rng(7), draws=60, units=units, share=True)
    weights = np.concatenate(list(draw_weights(units, draws=60, rng=rng(7))))
    for b, w in enumerate(weights):
        rows = np.repeat(np.arange(120), w[units.code].astype(int))
        for r in range(2):
            g, p = gold[r, rows], pred[r, rows]
            expected = 2 * (g & p).sum() / (g.sum() + p.sum())
            assert found.draws[b, r] == pytest.approx(expected, rel=1e-12)


def test_chunks_do_not_change_the_numbers(monkeypatch):
    x = rng(1).random((2, 3000))
    whole = resample(with_ones(x), mean, rng=rng(7), draws=300)
    hold_little(monkeypatch)
    small = resample(with_ones(x), mean, rng=rng(7), draws=300)
    np.testing.assert_allclose(small.draws, whole.draws, rtol=1e-13)
    assert small.resample_id == whole.resample_id


def test_whole_number_components_are_bitwise_equal_in_any_chunk(monkeypatch):
    x = rng(1).integers(0, 1000, (2, 3000)).astype(float)
    whole = resample(with_ones(x), mean, rng=rng(7), draws=100)
    hold_little(monkeypatch)
    assert np.array_equal(resample(with_ones(x), mean, rng=rng(7), draws=100).draws, whole.draws)


def test_centering_keeps_the_digits_of_large_numbers():
    x = rng(1).random((1, 400)) * 1e-3
    a = resample(with_ones(x), mean, rng=rng(7), draws=200)
    b = resample(with_ones(x + 1e9), mean, rng=rng(7), draws=200)
    # 1e9 leaves 1e-7 in a float; the sums must not lose more
    np.testing.assert_allclose(b.draws - 1e9, a.draws, atol=3e-7)


def test_memory_stays_bounded():
    x = rng(1).random((5, 20000, 1))
    tracemalloc.start()
    resample(x, lambda s, w: s[..., 0, 0] / 20000, rng=rng(), draws=2000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40e6  # 2,000 x 20,000 weights alone would be 320 MB


def test_items_only_agrees_with_scipy():
    x = rng(1).lognormal(size=80)
    ours = bootstrap(with_ones(x), mean, rng=rng(2), draws=20000)
    theirs = stats.bootstrap(
        (x,), np.mean, n_resamples=20000, method="percentile", rng=rng(3)
    ).confidence_interval
    # Monte Carlo error of a 2.5 % quantile from 20,000 draws: about .02 standard errors
    assert (ours.low, ours.high) == pytest.approx(theirs, abs=0.1 * ours.se)


def test_stratified_bootstrap_has_the_closed_form():
    x = np.concatenate([rng(1).random(100), 5 + rng(2).random(50)])
    strata = np.repeat(["a", "b"], [100, 50])
    found = resample(
        with_ones(x)[None], mean, rng=rng(3), draws=20000, units=Units.of(150, strata=strata)
    )
    variance = (100 * x[:100].var() + 50 * x[100:].var()) / 150**2
    assert found.draws.std() == pytest.approx(variance**0.5, rel=0.02)


def test_weighted_median_equals_the_resampled_median():
    x = rng(1).random((1, 41, 1))

    def median(m, w):
        order = np.argsort(m[:, 0])
        share = np.cumsum(w[:, order], axis=1) / w.sum(axis=1, keepdims=True)
        return m[order[(share >= 0.5).argmax(axis=1)], 0]

    found = resample_weighted(x, median, rng=rng(7), draws=50)
    weights = np.concatenate(list(draw_weights(Units.of(41), draws=50, rng=rng(7))))
    for b, w in enumerate(weights):
        assert found.draws[b, 0] == np.median(np.repeat(x[0, :, 0], w.astype(int)))


@pytest.mark.parametrize("case", [(0, 12), (3, 12), (450, 872), (12, 12)])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_wilson_agrees_with_scipy(case, level):
    theirs = stats.binomtest(*case).proportion_ci(level, method="wilson")
    ours = wilson_interval(*case, level=level)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
