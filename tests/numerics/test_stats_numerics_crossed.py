"""The crossed interval's variances against closed forms of the two-way random model."""

import numpy as np
import pytest
from scipy import stats

from scrutiny.stats.intervals.crossed import crossed
from scrutiny.stats.resampling.resample import resample


def mean(sums, weight):
    return sums[..., 0, 0] / sums[..., 0, 1]


def two_way(rng, *, replicates, items, seed, item, both):
    """Scores with planted variances of replicates, items and their interaction."""
    return (
        seed**0.5 * rng.standard_normal((replicates, 1))
        + item**0.5 * rng.standard_normal(items)
        + both**0.5 * rng.standard_normal((replicates, items))
    )


def analysis_of_variance(x):
    """Expected mean squares: the classical estimates of the three components."""
    R, N = x.shape
    row, column = x.mean(axis=1, keepdims=True), x.mean(axis=0, keepdims=True)
    rest = ((x - row - column + x.mean()) ** 2).sum() / ((R - 1) * (N - 1))
    seed = row.var(ddof=1) - rest / N
    item = column.var(ddof=1) - rest / R
    return seed, item, rest


def test_decomposition_agrees_with_the_analysis_of_variance():
    rng = np.random.default_rng(1)
    R, N = 6, 400
    x = two_way(rng, replicates=R, items=N, seed=0.02, item=1.0, both=0.5)
    found = resample(np.stack([x, np.ones_like(x)], -1), mean, rng=rng, draws=20000)
    parts = crossed(found.point, found.draws, rng=rng).decomposition
    seed, item, rest = analysis_of_variance(x)
    # Monte Carlo error of a variance from 20,000 draws: 1 %; the bootstrap's own bias: 1 / N
    assert parts.seeds == pytest.approx((seed + rest / N) / R, rel=1e-9)
    assert parts.interaction == pytest.approx(rest / (N * R), rel=0.06)
    assert parts.items == pytest.approx(item / N, rel=0.04)
    assert parts.both == pytest.approx(seed / R + item / N + rest / (R * N), rel=0.03)


def test_interval_agrees_with_the_t_when_items_do_not_matter():
    rng = np.random.default_rng(2)
    point = rng.standard_normal(5)
    noise = 1e-9 * rng.standard_normal((100000, 1))
    found = crossed(point, point + noise, rng=rng)
    half = stats.t.ppf(0.975, 4) * point.std(ddof=1) / 5**0.5
    # Monte Carlo error of the quantile: about 1 %
    assert found.high - found.point == pytest.approx(half, rel=0.03)
    assert found.point - found.low == pytest.approx(half, rel=0.03)


def test_one_sided_p_agrees_with_the_t_test_far_out():
    rng = np.random.default_rng(3)
    point = np.array([0.54, 0.57, 0.55, 0.58, 0.56])
    found = crossed(point, point + 1e-9 * rng.standard_normal((200000, 1)), rng=rng)
    for limit in (0.55, 0.54, 0.53):
        theirs = stats.ttest_1samp(point, limit, alternative="greater").pvalue
        p = found.p_value(limit, direction="greater")
        assert p == pytest.approx(theirs, abs=4 * (theirs / 200000) ** 0.5 + 1e-5)


def test_without_seed_variance_it_is_the_normal_interval():
    rng = np.random.default_rng(4)
    x = np.tile(rng.random(500), (5, 1))
    found = resample(np.stack([x, np.ones_like(x)], -1), mean, rng=rng, draws=40000)
    interval = crossed(found.point, found.draws, rng=rng, n_units=500)
    half = 1.96 * x[0].std() / 500**0.5
    assert interval.width / 2 == pytest.approx(half, rel=0.02)
    assert interval.decomposition.interaction == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("level", [0.05, 0.0056, 0.001])
def test_t_draw_p_values_hold_their_level_in_the_tail(level):
    """Seeds dominate; R = 5. The form without the Vx step is the one that feeds Holm."""
    rng, studies = np.random.default_rng(5), 20000
    draws = 4000
    t = rng.standard_t(4, size=draws)
    item = 0.3 * rng.standard_normal(draws)
    wrong = 0
    for _ in range(studies):
        point = rng.standard_normal(5) + 0.3 * rng.standard_normal()
        test = point.mean() + item + point.std(ddof=1) / 5**0.5 * t
        wrong += (1 + np.count_nonzero(test <= 0)) / (1 + draws) <= level
    # Monte Carlo error of the rate; the reference reports at most 1.12 times nominal
    assert wrong / studies <= 1.12 * level + 3 * (level / studies) ** 0.5
