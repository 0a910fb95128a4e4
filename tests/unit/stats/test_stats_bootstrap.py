import numpy as np
import pytest

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.intervals.one_factor import bootstrap
from scrutiny.stats.resampling.weights import Units


def mean(sums, weight):
    return sums[..., 0, 0] / sums[..., 0, 1]


def with_ones(x):
    return np.stack([x, np.ones_like(x)], axis=-1)


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
