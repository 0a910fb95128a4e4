import numpy as np
import pytest

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.intervals.one_factor import bca_limits, bootstrap
from scrutiny.stats.resampling.sums import jackknife
from scrutiny.stats.resampling.weights import Units


def mean(sums, weight):
    return sums[..., 0, 0] / sums[..., 0, 1]


def with_ones(x):
    return np.stack([x, np.ones_like(x)], axis=-1)


def test_left_out_means_by_hand_and_by_unit():
    x = np.array([1.0, 2.0, 3.0, 6.0])
    units = Units.of(4, ["a", "a", "b", "b"])
    found = jackknife(with_ones(x)[None], mean, units=units)
    assert found.ravel().tolist() == [4.5, 1.5]
    with pytest.raises(StatisticsError, match="two are the least"):
        jackknife(with_ones(x)[None], mean, units=Units.of(4, [0, 0, 0, 0]))


def test_bca_without_bias_or_skew_is_the_percentile():
    draws = np.sort(np.random.default_rng(0).standard_normal(2000))
    draws = np.concatenate([draws, -draws])
    low, high = bca_limits(0.0, draws, left_out=np.array([-1.0, 0.0, 1.0]))
    assert (low, high) == pytest.approx(np.quantile(draws, [0.025, 0.975]))


def test_bca_follows_the_bias():
    draws = np.random.default_rng(0).standard_normal(4000)
    low, high = bca_limits(0.3, draws, left_out=np.array([-1.0, 0.0, 1.0]))
    assert low > np.quantile(draws, 0.025)
    assert high > np.quantile(draws, 0.975)


def test_bca_falls_back_without_variation():
    draws = np.random.default_rng(0).standard_normal(400)
    assert bca_limits(0.0, draws, left_out=np.ones(5)) == pytest.approx(
        np.quantile(draws, [0.025, 0.975])
    )


def test_clusters_widen_the_interval():
    x = np.repeat(np.random.default_rng(1).standard_normal(30), 10)
    g = np.random.default_rng
    rows = bootstrap(with_ones(x), mean, rng=g(0), draws=2000)
    clusters = bootstrap(
        with_ones(x), mean, rng=g(0), draws=2000, units=Units.of(300, np.arange(300) // 10)
    )
    assert clusters.se / rows.se == pytest.approx(10**0.5, rel=0.1)


def test_undefined_statistics_are_refused():
    x = np.zeros((6, 2))
    x[0] = 1.0
    found = bootstrap(x, mean, rng=np.random.default_rng(0), draws=500)
    assert found.notes == ("undefined_draws",)
    with pytest.raises(StatisticsError, match="on all items"):
        bootstrap(x * 0, mean, rng=np.random.default_rng(0), draws=50)
    with pytest.raises(StatisticsError, match="'bca'"):
        bootstrap(x, mean, rng=np.random.default_rng(0), method="studentized")
