"""Ratios of items in documents: influences of items, and the design effect of their family."""

from dataclasses import replace

import numpy as np
import pytest

from family_rows import family_rows
from scrutiny.stats.intervals.families import (
    checkpoint_limits,
    floored,
    recipe_limits,
    with_family_effects,
)
from scrutiny.stats.intervals.interval import AS_IT_IS, Scale
from scrutiny.stats.intervals.rows import row_of
from scrutiny.stats.intervals.share_limits import apart_of
from scrutiny.stats.intervals.simultaneous import simultaneous
from scrutiny.stats.resampling.resample import resample
from scrutiny.stats.resampling.sums import influences
from scrutiny.stats.resampling.weights import Units

DOCUMENTS = np.repeat(np.arange(40), 10)


def f1(sums, _):
    """F1 of sums of hits, false alarms and misses, one cell."""
    hits, alarms, missed = np.moveaxis(sums[..., 0, :], -1, 0)
    return 2 * hits / (2 * hits + alarms + missed)


def counts(*, seed=0, replicates=2, items=400):
    return np.random.default_rng(seed).integers(0, 4, (replicates, items, 3)).astype(float)


def test_an_influence_is_the_derivative_of_the_ratio():
    made = counts()
    hits, alarms, missed = np.moveaxis(made, -1, 0)
    each = 2 * hits + alarms + missed
    whole = each.sum(axis=1, keepdims=True)
    value = 2 * hits.sum(axis=1, keepdims=True) / whole
    found = influences(made, f1)
    assert found == pytest.approx((2 * hits - value * each) / whole, rel=0.02, abs=1e-12)
    assert found.sum(axis=1) == pytest.approx(0.0, abs=1e-3)


def test_what_does_not_exist_without_an_item_has_no_influence():
    only = np.zeros((1, 3, 3))
    only[0, 1] = (1, 0, 1)
    assert np.isnan(influences(only, f1)).tolist() == [[False, True, False]]


def test_items_that_move_a_value_alike_are_counted():
    flips = np.zeros((2, 1000))
    flips[0, :20], flips[1, :40] = 0.001, -0.001
    flips[1, :10] = 0.001
    variance, cases = apart_of(flips)
    assert cases == pytest.approx(30, rel=0.05)
    assert variance == pytest.approx(1e-6 * 30, rel=0.05)
    assert apart_of(np.zeros((2, 7))) == (0.0, 0.0)


def test_items_that_hardly_move_a_value_hardly_count():
    flips = np.full((1, 1000), 1e-5)
    flips[0, ::2] = -1e-5
    flips[0, :20:2], flips[0, 1:20:2] = 0.01, -0.01
    assert apart_of(flips)[1] == pytest.approx(20, rel=0.01)


def shares_and_ratios(*, replicates, seed=2):
    """Paired differences of ten rows: once with their flips, once as if they were ratios."""
    rng = np.random.default_rng(seed)
    hard = rng.random(40) < 0.2
    turns = rng.random((10, 1, 400)) < np.where(hard[DOCUMENTS], 0.3, 0.02)
    each = turns * np.where(rng.random((10, replicates, 400)) < 0.7, 1.0, -1.0)
    values = each.mean(axis=2)
    unit = np.add.reduceat((each - values[..., None]).mean(axis=1) / 400, 10 * np.arange(40), -1)
    flips = [np.maximum(sign * each, 0).sum(axis=2).mean(axis=1) for sign in (1, -1)]
    items = (unit**2).sum(axis=1)
    counted = family_rows(values, items, 0.0, 400, np.stack(flips, axis=1), crowding=10.0)
    apart = np.array([apart_of(row / 400) for row in each])
    more = floored(items, 1 / 400, crowding=10.0, is_counted=False)
    ratios = replace(counted, items=more, flips=np.full((10, 2), np.nan), apart=apart)
    return counted, ratios, more - items


@pytest.mark.parametrize("replicates", [1, 3])
def test_a_ratio_has_the_design_effect_that_its_flips_would_give_it(replicates):
    counted, ratios, more = shares_and_ratios(replicates=replicates)
    assert more == pytest.approx(3 / 400**2)
    of_flips, of_ratios = with_family_effects(counted), with_family_effects(ratios)
    assert of_ratios.items - more == pytest.approx(of_flips.items, rel=0.03)
    assert np.all(of_ratios.items >= ratios.items)
    assert np.any(of_ratios.items > 1.1 * ratios.items)


def test_single_items_and_families_of_neither_are_as_they_were():
    _, ratios, _ = shares_and_ratios(replicates=1)
    alone = replace(ratios, crowding=1.0)
    assert with_family_effects(alone) is alone
    neither = replace(ratios, apart=None)
    assert with_family_effects(neither) is neither


@pytest.mark.parametrize("limits", [checkpoint_limits, recipe_limits])
def test_limits_of_ratios_in_documents_have_the_familys_effect(limits):
    _, ratios, _ = shares_and_ratios(replicates=3)
    own, shared = (limits(replace(ratios, apart=one)) for one in (None, ratios.apart))
    assert np.all(shared.high >= own.high - 1e-12)
    assert np.all(shared.low <= own.low + 1e-12)
    lowest = np.argmin(ratios.items)
    assert shared.high[lowest] > own.high[lowest] + 0.001


def test_a_row_of_a_family_carries_it_where_its_scale_is_that_of_the_value():
    made = counts(replicates=1)

    def gap(sums, weight):
        return f1(sums[..., :3], weight) - f1(sums[..., 3:], weight)

    both = np.concatenate([made, counts(seed=1, replicates=1)], axis=-1)
    drawn = resample(
        both, gap, rng=np.random.default_rng(0), draws=400, units=Units.of(400, DOCUMENTS)
    )
    apart = apart_of(influences(both, gap))
    row = row_of(drawn, AS_IT_IS, apart=apart, step=1 / 800)
    assert row.apart == apart
    assert np.isnan(row_of(drawn, AS_IT_IS, step=1 / 800).apart).all()
    bounded = row_of(drawn, Scale.of("fisher_z"), apart=apart, step=1 / 800)
    assert np.isnan(bounded.apart).all()
    few = replace(row, items=row.items / 100, apart=(apart[0] / 100, 5.0))
    (alone, _), (told, _) = (
        simultaneous([replace(few, apart=one), row], n_rows=2)
        for one in ((np.nan, np.nan), few.apart)
    )
    assert np.ptp(told.checkpoints) > np.ptp(alone.checkpoints)
