"""Heads tested together: the level over families of heads, power, and what is left alone."""

from dataclasses import replace

import numpy as np
import pytest

from scrutiny.core.estimate import EstimateKey
from scrutiny.core.plan import Resampling
from scrutiny.core.record import Counts
from scrutiny.reliability.along_axes import with_max_t
from scrutiny.reliability.estimate import Estimated, valued
from scrutiny.reliability.intervals import interval_of
from scrutiny.stats.resampling.resample import Resampled

HEADS, DRAWS, ITEMS = 24, 400, 100
KEY = EstimateKey("d@1#0", "gain@1", "m", "x")


def heads(rng, *, replicates, effect=0.0, seed_sd=0.02, shared=0.5):
    """Estimates of heads whose items are partly shared; the first has the effect."""
    common = rng.standard_normal(ITEMS)
    truth = np.zeros(HEADS)
    truth[0] = effect
    values = truth[:, None, None] + 0.1 * (  # (head, replicate, item)
        shared**0.5 * common + (1 - shared) ** 0.5 * rng.standard_normal((HEADS, 1, ITEMS))
    )
    values = values + seed_sd * rng.standard_normal((HEADS, replicates, 1))
    weights = rng.multinomial(ITEMS, np.full(ITEMS, 1 / ITEMS), size=DRAWS) / ITEMS
    return [estimated(one.mean(axis=-1), weights @ one.T) for one in values]


def estimated(point, draws):
    drawn = Resampled(point, draws, ITEMS, ITEMS, None, "draws")
    resampling = Resampling(draws=DRAWS)
    interval = interval_of(drawn, name="gain@1", scale="identity", resampling=resampling, seed=0)
    names = tuple(f"seed {i}" for i in range(point.size))
    found = valued(
        KEY, Counts(ITEMS), interval, resampled=drawn, names=names, level=resampling.level
    )
    return Estimated(found, interval, drawn)


def adjusted(found, **options):
    rng = np.random.default_rng(5)
    tested = with_max_t(found, no_effect=0.0, rng=rng, **options)
    return np.array([one.estimate.across.get("max_t_p", np.nan) for one in tested])


@pytest.mark.parametrize("replicates", [1, 5])
def test_any_of_many_heads_without_effect_is_named_at_most_at_the_level(replicates):
    seed_sd = 0.0 if replicates == 1 else 0.02  # one network: said of this checkpoint
    false = sum(
        adjusted(heads(np.random.default_rng(k), replicates=replicates, seed_sd=seed_sd)).min()
        <= 0.05
        for k in range(120)
    )
    # 96 % of tests that name one in .15 of families are told
    assert false / 120 <= 0.05 + 2 * (0.05 * 0.95 / 120) ** 0.5


@pytest.mark.parametrize(
    ("replicates", "effect", "seed_sd"), [(1, 0.06, 0.0), (5, 0.06, 0.001), (5, 0.15, 0.01)]
)
def test_a_head_with_an_effect_is_named(replicates, effect, seed_sd):
    options = {"replicates": replicates, "effect": effect, "seed_sd": seed_sd}
    found = [adjusted(heads(np.random.default_rng(100 + k), **options)) for k in range(60)]
    assert np.mean([p[0] <= 0.05 for p in found]) >= 0.9
    assert np.mean([p[1:].min() <= 0.05 for p in found]) <= 0.05 + 2 * (0.05 * 0.95 / 60) ** 0.5


def test_numbers_say_how_many_were_tested_and_what_there_could_be():
    found = with_max_t(
        heads(np.random.default_rng(0), replicates=3), no_effect=0.0, rng=np.random.default_rng(1)
    )
    for one in found:
        assert one.estimate.across["max_t_tests"] == HEADS
        assert one.estimate.across["max_t_smallest_p"] == pytest.approx(1 / (1 + DRAWS))
        assert one.estimate.across["max_t_p"] >= one.estimate.across["max_t_smallest_p"]


def test_what_carries_no_test_is_left_alone():
    rng = np.random.default_rng(0)
    two = heads(rng, replicates=2)
    assert np.isnan(adjusted(two)).all()
    assert not np.isnan(adjusted(two, is_fixed=True)).any()  # these very checkpoints
    one = heads(rng, replicates=1)
    blank = Estimated(replace(one[3].estimate, value=None, status="undefined"))
    p = adjusted([*one[:3], blank, *one[4:]])
    assert np.flatnonzero(np.isnan(p)).tolist() == [3]
    assert np.isnan(adjusted(one[:1])).all()


def test_these_checkpoints_are_tested_on_items_alone():
    found = heads(np.random.default_rng(3), replicates=5, effect=0.06, seed_sd=0.05)
    assert adjusted(found, is_fixed=True)[0] < adjusted(found)[0]
