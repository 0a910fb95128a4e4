"""Coverage of intervals: base items and not pairs, groups left out, resampled error consistency."""

import numpy as np
import pytest

from scrutiny.diagnostics.invariance.scope_metrics import HARD_SCOPE, SCOPE_LIFT
from scrutiny.stats.agreement.error_consistency import error_consistency_interval
from scrutiny.stats.intervals.one_factor import bootstrap
from scrutiny.stats.representations.cka import debiased_cka
from scrutiny.stats.representations.two_representations import (
    grouped_jackknife,
    permuted_similarity,
)

pytestmark = pytest.mark.slow
RUNS = 400


def interval(statistic, rows, g):
    return bootstrap(statistic.components(rows), statistic.value, rng=g, draws=400)


def holds(found, truth):
    return found.low <= truth <= found.high


def test_pairs_of_one_item_belong_together():
    """Three trials an item, whose invariance is the item's: pairs 89 %, items 94 %."""
    g = np.random.default_rng(0)
    items, trials, mean = 200, 3, 0.85
    of_items, of_pairs = 0, 0
    for _ in range(RUNS):
        ease = g.beta(3.17 * mean, 3.17 * (1 - mean), (items, 1))  # correlation .24 within items
        inv2 = (g.random((items, trials)) < ease).astype(float)
        inv1 = (g.random((items, trials)) < 0.9).astype(float)
        made = np.ones((items, trials))
        by_item = np.hstack([made, inv1, inv2])
        by_pair = np.stack([made.ravel(), inv1.ravel(), inv2.ravel()], axis=-1)
        of_items += holds(interval(HARD_SCOPE, by_item, g), mean)
        of_pairs += holds(interval(HARD_SCOPE, by_pair, g), mean)
    assert 0.92 <= of_items / RUNS <= 0.97
    assert of_pairs / RUNS <= 0.915
    assert of_items - of_pairs > 0.025 * RUNS


def test_the_lift_covers_with_both_sides_from_the_same_items():
    g = np.random.default_rng(1)
    items, hits = 250, 0
    for _ in range(RUNS):
        ease = g.beta(4, 1, (items, 1))
        inv2 = g.random((items, 3)) < 0.5 + 0.5 * ease  # mean .9
        random = g.random((items, 3)) < ease  # mean .8
        rows = np.hstack([np.ones((items, 6)), inv2, np.ones((items, 3)), random]).astype(float)
        hits += holds(interval(SCOPE_LIFT, rows, g), 0.1)
    assert 0.925 <= hits / RUNS <= 0.97


def test_error_consistency_covers():
    g = np.random.default_rng(2)
    copied, a, own, n, hits = 0.4, 0.8, 0.7, 300, 0
    b = copied * a + (1 - copied) * own
    observed = copied + (1 - copied) * (a * own + (1 - a) * (1 - own))
    expected = a * b + (1 - a) * (1 - b)
    truth = (observed - expected) / (1 - expected)
    for _ in range(RUNS):
        first = g.random(n) < a
        second = np.where(g.random(n) < copied, first, g.random(n) < own)
        hits += holds(error_consistency_interval(first, second, rng=g, draws=400), truth)
    assert 0.92 <= hits / RUNS <= 0.97


def shared(g, n):
    """Representations with a part in common, four of whose directions are large."""
    z = g.standard_normal((n, 4)) * [2.0, 1.5, 1.0, 1.0]
    return (
        np.hstack([z, g.standard_normal((n, 12))]),
        np.hstack([z @ np.linalg.qr(np.ones((4, 4)) - np.eye(4))[0], g.standard_normal((n, 20))]),
    )


def test_groups_left_out_cover():
    g = np.random.default_rng(3)
    same = 2.0**4 + 1.5**4 + 1 + 1  # squared variances of what is shared
    truth = same / np.sqrt((same + 12) * (same + 20))
    assert truth == pytest.approx(debiased_cka(*shared(g, 4000)), abs=0.02)
    runs, hits = 200, 0
    for _ in range(runs):
        X, Y = shared(g, 160)
        hits += holds(grouped_jackknife(X, Y, debiased_cka, rng=g), truth)
    assert 0.91 <= hits / runs <= 0.98


def test_exchanged_items_reject_as_often_as_they_say():
    g = np.random.default_rng(4)
    runs, rejected = 200, 0
    for _ in range(runs):
        X, Y = g.standard_normal((40, 6)), g.standard_normal((40, 9))
        # two of forty orders: p <= .05 has a chance of .05
        rejected += permuted_similarity(X, Y, debiased_cka, rng=g, permutations=39).p_value <= 0.05
    assert 2 <= rejected <= 20
