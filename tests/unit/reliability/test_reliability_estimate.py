"""Estimates against direct computation; their denominators, methods and identities."""

from dataclasses import replace

import numpy as np
import pytest
from made_panels import FAILED, KEY, SKIPPED, drops, panel, side
from scipy import stats

from published_multibootstrap import Runs, Scheme, multibootstrap
from scrutiny.core.estimate import EstimateKey
from scrutiny.core.plan import Resampling
from scrutiny.core.record import Measure
from scrutiny.core.statistic import RefitStatistic, WeightedStatistic
from scrutiny.reliability.estimate import by_replicate, estimate
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.panel import Panel
from scrutiny.reliability.row_statistics import Additive, divide, with_count
from scrutiny.reliability.statistics import ACCURACY, ENTITY_F1

DROP = metric_of("drop(accuracy)")

RNG = np.random.default_rng(5)
BEFORE = (RNG.random((5, 300)) < 0.9).astype(float)
AFTER = (RNG.random((5, 300)) < 0.8).astype(float)


def accuracy(hits, statistic=ACCURACY, *, over=None, draws=2000, seed=0, **resampling):
    hits = np.asarray(hits, dtype=float)
    return estimate(
        over or panel(*hits.shape),
        {"": side(hits)},
        statistic=statistic,
        key=KEY,
        resampling=Resampling(draws=draws, **resampling),
        seed=seed,
    )


def test_the_value_is_the_mean_over_replicates_of_each_ones_value():
    found = drops(BEFORE, AFTER, DROP)
    each = BEFORE.mean(axis=1) - AFTER.mean(axis=1)
    assert found.estimate.value == pytest.approx(each.mean())
    assert list(found.estimate.by_replicate.values()) == pytest.approx(each.tolist())
    assert list(found.estimate.by_replicate) == [f'{{"seed":"{i}"}}' for i in range(1, 6)]
    assert found.estimate.n_replicates == 5
    assert found.estimate.counts.n == found.estimate.n_units == 300


def test_f1_is_taken_per_replicate_before_the_mean():
    counts = RNG.integers(0, 4, (3, 40, 3)).astype(float)
    over = panel(3, 40, measures=("tp", "fp", "fn"))
    found = estimate(
        over,
        {"": side(counts)},
        statistic=ENTITY_F1,
        key=KEY,
        resampling=Resampling(draws=500),
        seed=0,
    )
    tp, fp, fn = counts.sum(axis=1).T
    each = 2 * tp / (2 * tp + fp + fn)
    assert found.estimate.value == pytest.approx(each.mean())
    pooled = 2 * tp.sum() / (2 * tp.sum() + fp.sum() + fn.sum())
    assert found.estimate.value != pytest.approx(pooled, abs=1e-9)


def test_the_interval_holds_the_variance_of_items_and_seeds():
    hard = (RNG.random(300) < 0.2)[None]  # the same items are hard for all replicates
    after = np.where(hard, 0.0, BEFORE)
    found = drops(BEFORE, after, DROP, draws=8000)
    each = BEFORE - after
    seeds = each.mean(axis=1).var(ddof=1) / 5
    items = each.mean(axis=0).var() / 300
    assert found.estimate.variance["seeds"] == pytest.approx(seeds)
    interaction = (each.var(axis=1).mean() / 300 - items) / 4
    assert 0 < interaction < items
    assert found.estimate.variance["items"] == pytest.approx(items - interaction, rel=0.1)


def test_the_same_seed_gives_the_same_estimate_and_another_one_does_not():
    one, again = (drops(BEFORE, AFTER, DROP) for _ in range(2))
    assert one.estimate == again.estimate
    other = drops(BEFORE, AFTER, DROP, seed=1)
    assert other.estimate.value == one.estimate.value
    assert other.estimate.low != one.estimate.low
    assert other.estimate.resample_id != one.estimate.resample_id


def test_draws_depend_on_the_dataset():
    there = drops(BEFORE, AFTER, DROP, key=replace(KEY, dataset="elsewhere"))
    assert there.estimate.resample_id != drops(BEFORE, AFTER, DROP).estimate.resample_id


def test_without_items_there_is_no_value_and_the_counts_say_why():
    status = np.full((5, 300), SKIPPED)
    found = drops(BEFORE, AFTER, DROP, status=status)
    assert (found.estimate.value, found.estimate.status) == (None, "undefined")
    assert found.estimate.reason == "no_items"
    assert found.estimate.counts.skipped == found.estimate.counts.planned == 300
    assert found.interval is None


def test_a_statistic_that_does_not_exist_gives_no_value():
    over = panel(1, 5, measures=("tp", "fp", "fn"))
    found = estimate(
        over,
        {"": side(np.zeros((1, 5, 3)))},
        statistic=ENTITY_F1,
        key=KEY,
        resampling=Resampling(draws=100),
        seed=0,
    )
    assert (found.estimate.value, found.estimate.reason) == (None, "no_value")
    assert found.estimate.counts.n == 5


def test_failed_rows_are_counted_and_left_out():
    status = np.zeros((5, 300))
    status[2, :30] = FAILED
    found = drops(BEFORE, AFTER, DROP, status=status).estimate
    assert (found.counts.n, found.counts.failed) == (270, 30)
    kept = (BEFORE - AFTER)[:, 30:].mean()
    assert found.value == pytest.approx(kept)


def test_clusters_are_resampled_as_a_whole():
    hits = np.repeat((RNG.random((1, 30)) < 0.7).astype(float), 10, axis=1)
    alone = accuracy(hits)
    codes = np.repeat(np.arange(30), 10)
    together = accuracy(hits, over=panel(1, 300, units=codes))
    assert together.estimate.n_units == 30
    assert together.estimate.value == alone.estimate.value
    wider = together.estimate.high - together.estimate.low
    assert wider > 2 * (alone.estimate.high - alone.estimate.low)


def test_strata_keep_their_sizes():
    hits = np.array([[1.0] * 50 + [0.0] * 50])
    strata = np.array([0] * 50 + [1] * 50)
    found = accuracy(hits, over=panel(1, 100, strata=strata))
    assert np.ptp(found.resampled.draws) == 0


CELLS = Additive(
    "cell_mean@1",
    "mean over cells",
    ("hit",),
    lambda m: with_count(m[..., 0]),
    lambda x: divide(x[..., 0], x[..., 1]),
    cells=("u_term",),
)


def test_cells_count_alike_whatever_their_size():
    hits = np.array([[1.0] * 90 + [0.0] * 10])
    cells = np.array([7] * 90 + [3] * 10)  # codes need not be dense
    found = accuracy(hits, CELLS, over=panel(1, 100, cells=cells))
    assert found.estimate.value == pytest.approx(0.5)
    assert accuracy(hits).estimate.value == pytest.approx(0.9)


class Median(WeightedStatistic):
    def weighted(self, measures, weights):
        order = np.argsort(measures[:, 0], kind="stable")
        total = np.cumsum(weights[:, order], axis=1)
        place = (total >= total[:, -1:] / 2).argmax(axis=1)
        return measures[order, 0][place]


class Spread(RefitStatistic):
    def refit(self, measures):
        return float(np.ptp(measures[:, 0]))


@pytest.mark.parametrize(("statistic", "direct"), [(Median, np.median), (Spread, np.ptp)])
def test_weighted_and_refitted_statistics_go_the_same_way(statistic, direct):
    values = RNG.random((2, 41))
    found = accuracy(values, statistic("x@1", "x", ("hit",)), draws=200)
    assert found.estimate.value == pytest.approx(np.mean([direct(v) for v in values]))
    assert found.estimate.low <= found.estimate.value <= found.estimate.high + 1e-12


def test_fixed_replicates_leave_the_items_alone():
    shifted = np.clip(BEFORE - np.linspace(0, 1, 5)[:, None], 0, 1)
    drawn = drops(shifted, AFTER, DROP)
    fixed = drops(shifted, AFTER, DROP, replicates="fixed")
    assert fixed.estimate.value == pytest.approx(drawn.estimate.value)
    assert fixed.estimate.method == "items@1"
    assert fixed.estimate.variance["seeds"] == 0
    assert "fixed_replicates" in fixed.estimate.reason
    assert fixed.interval.width < drawn.interval.width / 3
    items = drops(shifted, AFTER, DROP, method="items")
    assert (items.estimate.low, items.estimate.high) == (fixed.estimate.low, fixed.estimate.high)


def test_the_multi_bootstrap_agrees_with_the_published_procedure():
    found = drops(BEFORE, AFTER, DROP, method="multi-bootstrap", draws=10_000)
    published = multibootstrap(
        Runs.of(BEFORE - AFTER), rng=np.random.default_rng(3), scheme=Scheme(nboot=10_000)
    ).base
    assert found.estimate.method == "multi-bootstrap@1"
    assert found.estimate.reason == "few_seeds"
    assert found.estimate.value == pytest.approx(published.point)
    spread = published.high - published.low
    assert found.estimate.low == pytest.approx(published.low, abs=0.03 * spread)
    assert found.estimate.high == pytest.approx(published.high, abs=0.03 * spread)
    assert found.interval.se == pytest.approx(published.se, rel=0.04)


def test_the_multi_bootstrap_of_f1_draws_replicates_after_their_values():
    counts = np.zeros((2, 60, 3))
    counts[0, :, 0] = 1  # F1 1
    counts[1, :, 1] = 1  # F1 0
    found = estimate(
        panel(2, 60, measures=("tp", "fp", "fn")),
        {"": side(counts)},
        statistic=ENTITY_F1,
        key=KEY,
        resampling=Resampling(draws=4000, method="multi-bootstrap"),
        seed=0,
    )
    values, times = np.unique(found.interval.draws, return_counts=True)
    assert values.tolist() == [0.0, 0.5, 1.0]
    assert times / 4000 == pytest.approx([0.25, 0.5, 0.25], abs=0.03)


def test_the_multi_bootstrap_of_one_replicate_draws_items_alone():
    found = drops(BEFORE[:1], AFTER[:1], DROP, method="multi-bootstrap")
    assert found.estimate.reason == "one_replicate"
    assert found.interval.se == pytest.approx(found.resampled.draws.std(ddof=1))


def test_each_replicate_has_a_row_of_its_own():
    found = drops(BEFORE, AFTER, DROP, replicates="each")
    rows = by_replicate(found)
    assert [r.key.replicate for r in rows] == [f'{{"seed":"{i}"}}' for i in range(1, 6)]
    for r, row in enumerate(rows):
        assert row.value == pytest.approx((BEFORE[r] - AFTER[r]).mean())
        assert row.method == "items@1"
        assert row.n_replicates == 1
        assert row.low < row.value < row.high
    assert found.estimate.key.replicate is None
    assert found.estimate.method == "crossed@1"


def test_each_gives_levels_rows_too_and_single_models_none():
    levels = by_replicate(accuracy(BEFORE, replicates="each"))
    assert [r.value for r in levels] == pytest.approx(BEFORE.mean(axis=1).tolist())
    assert by_replicate(accuracy(BEFORE[:1], replicates="each")) == []


def test_drops_say_how_their_replicates_agree_and_levels_do_not():
    found = drops(BEFORE, AFTER, DROP).estimate.across
    each = (BEFORE - AFTER).mean(axis=1)
    assert found["sd"] == pytest.approx(each.std(ddof=1))
    assert found["sign_agreement"] == (each > 0).mean()
    assert 0 <= found["significant_low"] <= found["significant"] <= found["significant_high"] <= 1
    assert "sign_agreement" not in accuracy(BEFORE).estimate.across


def test_a_replicate_never_planned_is_neither_counted_nor_named():
    status = np.zeros((5, 300))
    status[1] = -1
    found = drops(BEFORE, AFTER, DROP, status=status).estimate
    assert found.n_replicates == 4
    assert '{"seed":"2"}' not in found.by_replicate


def test_the_order_of_items_does_not_move_the_value():
    order = RNG.permutation(300)
    one = drops(BEFORE, AFTER, DROP)
    other = drops(BEFORE[:, order], AFTER[:, order], DROP)
    assert other.estimate.value == pytest.approx(one.estimate.value)
    assert other.estimate.low == pytest.approx(one.estimate.low, abs=0.005)


def test_keys_are_kept():
    key = EstimateKey("d@1#0", "accuracy@1", "m", "x", condition={"step": "3"}, group="changed")
    found = drops(BEFORE, AFTER, DROP, key=key).estimate
    assert found.key == key


def test_names_and_panels_are_values():
    assert Panel((Measure("hit"),), (None,), ("a",)).cells is None


@pytest.mark.parametrize(
    ("metric", "measure", "whole"),
    [
        ("accuracy", "hit", 1),
        ("noise_floor", "changed", 1),
        ("flip_rate", None, 1),
        ("stereotype_score", "hit", 100),
    ],
)
@pytest.mark.parametrize("count", [0, 1, 5])
def test_every_share_of_a_single_model_has_exact_limits(metric, measure, whole, count):
    told = (np.arange(60) < count).astype(float)[None]
    sides = {"": side(told)} if measure else {"before": side(0 * told), "after": side(told)}
    statistic = metric_of(metric)
    names = (measure,) if measure else tuple({n.partition(".")[2] for n in statistic.needs})
    found = estimate(
        panel(1, 60, measures=names),
        sides,
        statistic=statistic,
        key=KEY,
        resampling=Resampling(draws=1000),
        seed=0,
    ).estimate
    exact = stats.binomtest(count, 60).proportion_ci()
    assert (found.low, found.high) == pytest.approx([whole * end for end in exact], abs=1e-4)


#: Measures of a row that is a case, of one that is none, and of one that does not count.
OF_SOME = {
    "recall": {"tp": (1, 0, 0), "fn": (0, 1, 0)},
    "precision": {"tp": (1, 0, 0), "fp": (0, 1, 0)},
    "attack_success": {"attacked": (1, 1, 0), "success": (1, 0, 0)},
    "transfer_rate": {"attacked": (1, 1, 0), "success": (1, 0, 1)},
    "tried": {"attacked": (1, 1, 0), "tried": (5, 0, 0)},
    "similar_success(80)": {
        "attacked": (1, 1, 0),
        "success": (1, 0, 0),
        "compared": (1, 1, 0),
        "similarity": (1, 1, 0),
    },
    "valid_share": {"success": (1, 1, 0), "rated": (1, 1, 0), "valid": (1, 0, 0)},
    "valid_attack_success": {
        "attacked": (1, 1, 0),
        "success": (1, 0, 0),
        "rated": (1, 0, 0),
        "valid": (1, 0, 0),
    },
    "changed_share": {"changed": (1, 0, 0), "compared": (1, 1, 0)},
    "decided_score": {"hit": (1, 0, 0), "neutral": (0, 0, 1)},
}


@pytest.mark.parametrize("metric", OF_SOME)
@pytest.mark.parametrize("count", [0, 1, 5])
def test_every_share_of_some_items_has_the_exact_limits_of_so_many(metric, count):
    """0 of 40 spam messages found is at most 8.8 %, however many ham are beside them."""
    statistic = metric_of(metric)
    rows = np.select([np.arange(60) < count, np.arange(60) < 40], [0, 1], 2)
    values = np.stack(
        [np.array(OF_SOME[metric][need], dtype=float)[rows] for need in statistic.needs], axis=-1
    )
    found = estimate(
        panel(1, 60, measures=statistic.needs),
        {"": side(values[None])},
        statistic=statistic,
        key=KEY,
        resampling=Resampling(draws=1000),
        seed=0,
    )
    whole = 100 if statistic.scale == "percent" else 1
    exact = [whole * end for end in stats.binomtest(count, 40).proportion_ci()]
    assert (found.estimate.low, found.estimate.high) == pytest.approx(exact, abs=1e-4 * whole)
    assert found.step == pytest.approx(1 / 40)


def test_words_of_one_sentence_are_no_more_than_the_sentence():
    """0 of 160 words of 40 sentences is at most what none of 40 is."""
    statistic = metric_of("changed_share")
    values = np.tile([0.0, 4.0], (1, 40, 1))
    found = estimate(
        panel(1, 40, measures=statistic.needs),
        {"": side(values)},
        statistic=statistic,
        key=KEY,
        resampling=Resampling(draws=400),
        seed=0,
    )
    assert found.estimate.high == pytest.approx(stats.binomtest(0, 40).proportion_ci().high)
    assert found.estimate.denominator == 160


@pytest.mark.parametrize("part", [0.01, 0.33, 0.5, 0.9])
def test_answers_that_are_wrong_in_part_never_make_surer_than_none(part):
    """Token F1: one answer of .67 among 100 right ones gave [.990, .998], and none [.964, 1]."""
    right = accuracy(np.ones((1, 100)), metric_of("answer_f1"), over=panel(1, 100, ["overlap"]))
    low = right.estimate.low
    for count in (1, 2, 3):
        told = np.where(np.arange(100) < count, 1 - part, 1.0)[None]
        found = accuracy(told, metric_of("answer_f1"), over=panel(1, 100, ["overlap"])).estimate
        assert found.low <= low + 1e-9
        assert found.high > 1 - count * part / 100
        low = found.low


def test_a_mean_of_what_is_not_counted_is_no_share():
    """A divergence is near 0 everywhere, and sure: none of 200 would be at most .018."""
    far = RNG.random((1, 200)) / 1000
    close = accuracy(far, Additive("divergence@1", "divergence", ("hit",), row_range=(0.0, 1.0)))
    assert close.step is None
    assert 0 < close.estimate.low < far.mean() < close.estimate.high < 0.001
    counted = Additive("share@1", "share", ("hit",), row_range=(0.0, 1.0), is_mean=True)
    for hits, is_share in ((far > 0.0005, True), (np.round(far * 3000) / 3, True), (far, False)):
        assert (accuracy(hits, counted).step is not None) == is_share
