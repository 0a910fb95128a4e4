"""The exact test of a single model's misses: against the binomial, and where it does not apply."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from scrutiny.core.estimate import EstimateKey
from scrutiny.core.plan import Resampling
from scrutiny.core.registry import registry
from scrutiny.reliability.contrasts import EXACT, contrast, with_exact_misses
from scrutiny.reliability.joining import Meeting
from scrutiny.stats.resampling.weights import Units

HARD = registry().load("statistic", "hard_scope@1")


def misses(count, n=100, *, replicates=1, units=None, draws=2000, others=0):
    """Difference of a target with so many misses from a ceiling of 1, and what it is made of."""
    kept = np.ones((2, replicates, n, 3))
    kept[0, :, :count, 2] = 0.0
    kept[1, :, :others, 2] = 0.0
    names = tuple(f"r{k}" for k in range(replicates))
    own = Units.of(n, units)
    found = contrast(
        Meeting(tuple(kept), (names, names), np.zeros(n, np.int8), own, None),
        HARD,
        key=EstimateKey("d", "hard_scope@1", "b", "x", role="contrast", reference="a"),
        paired=True,
        resampling=Resampling(draws=draws),
        seed=0,
    )
    return found, tuple(map(HARD.components, kept)), own.n_units == n


def exact(count, n=100, margin=0.05, **more):
    found, sides, is_apart = misses(count, n, **more)
    return with_exact_misses(found, sides, share=margin, is_apart=is_apart)


@pytest.mark.parametrize("count", [0, 1, 3, 5])
def test_so_few_misses_have_the_probability_of_the_binomial(count):
    p = exact(count).interval.p_value(-0.05, direction="greater")
    assert p == pytest.approx(stats.binom.cdf(count, 100, 0.05), abs=0.002)


@pytest.mark.parametrize("count", [6, 9, 14, 100])
def test_so_many_misses_have_the_probability_of_the_binomial(count):
    p = exact(count).interval.p_value(-0.05, direction="less")
    assert p == pytest.approx(stats.binom.sf(count - 1, 100, 0.05), abs=0.002)


@pytest.mark.parametrize("count", [0, 4, 100])
def test_limits_are_those_of_clopper_and_pearson(count):
    found = exact(count).estimate
    limits = stats.binomtest(count, 100).proportion_ci(0.95, method="exact")
    assert (found.low, found.high) == pytest.approx((-limits.high, -limits.low), abs=1e-9)
    assert found.method == EXACT
    assert found.value == pytest.approx(-count / 100)
    assert not np.signbit(found.high) or found.high < 0  # never printed as -0.000


@pytest.mark.parametrize(
    "more", [{"replicates": 3}, {"units": list(range(50)) * 2}, {"others": 1}], ids=str
)
def test_other_designs_are_left_as_they_came(more):
    found, sides, is_apart = misses(4, **more)
    assert with_exact_misses(found, sides, share=0.05, is_apart=is_apart) is found


def test_no_interval_is_left_without_one():
    found, sides, is_apart = misses(3)
    bare = replace(found, interval=None)
    assert with_exact_misses(bare, sides, share=0.05, is_apart=is_apart) is bare


def test_a_loss_at_the_margin_is_seldom_called_harmless():
    rng = np.random.default_rng(0)
    called = [
        exact(k, 150, draws=400).interval.p_value(-0.05, direction="greater") < 0.025
        for k in rng.binomial(150, 0.05, 300)
    ]
    assert np.mean(called) < 0.05
