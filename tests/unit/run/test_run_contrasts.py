"""Differences of two sides: paired on items, one t term a side, against direct computation."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.stats

from scrutiny.core.errors import PlanError
from scrutiny.core.estimate import EstimateKey
from scrutiny.core.plan import Resampling
from scrutiny.core.record import Measure
from scrutiny.diagnostics.attention.head_metrics import MEAN_HEAD
from scrutiny.diagnostics.stereotypes.stereotype_scores import STEREOTYPE_SCORE
from scrutiny.reliability.contrasts import contrast
from scrutiny.reliability.joining import join, joined_slices, shared_items, two_datasets
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.panel import CODES, NOT_PLANNED, Panel, Side
from scrutiny.reliability.statistics import ACCURACY, measures_of

KEY = EstimateKey("d@1#0", "accuracy@1", "a", "x", reference="b", role="contrast")
RNG = np.random.default_rng(1)
FAILED = CODES["failed"]


def side(hits, *, items=None, seeds=None, status=None, units=None):
    hits = np.asarray(hits, dtype=float)
    count, n = hits.shape
    names = tuple(f'{{"seed":"{s}"}}' for s in (seeds or range(1, count + 1)))
    codes = np.zeros(hits.shape, np.int8) if status is None else np.asarray(status, np.int8)
    panel = Panel((Measure("hit"),), names, tuple(items or (f"i{i}" for i in range(n))), units)
    values = np.where(codes == 0, hits, np.nan)[..., None]
    return panel, join(panel, {"": Side(values, codes)}, needs=("hit",))


def differ(one, other, *, paired=False, **resampling):
    return contrast(
        shared_items(one, other),
        ACCURACY,
        key=KEY,
        paired=paired,
        resampling=Resampling(draws=4000, **resampling),
        seed=0,
    )


def hits(count, n, p):
    return (RNG.random((count, n)) < p).astype(float)


def test_the_value_is_the_difference_of_the_means():
    a, b = hits(5, 200, 0.9), hits(3, 200, 0.7)
    found = differ(side(a), side(b)).estimate
    assert found.value == pytest.approx(a.mean() - b.mean())
    assert found.low < found.value < found.high
    assert (found.n_replicates, found.method) == (3, "crossed_unpaired@1")
    assert (found.key, found.counts.n) == (KEY, 200)
    assert found.by_replicate == {}


@pytest.mark.parametrize("replicates", [1, 3, 5])
@pytest.mark.parametrize("paired", [False, True])
def test_five_points_of_a_hundred_are_a_twentieth(replicates, paired):
    """Numerators are subtracted before they are divided: .95 - .9 is a little less than .05."""
    right = (np.arange(100) < np.array([95, 90])[:, None]).astype(float)
    sides = [side(np.tile(one, (replicates, 1))) for one in right]
    found = differ(*sides, paired=paired).estimate
    assert found.value == 0.05
    assert set(found.by_replicate.values()) <= {0.05}


def test_each_unpaired_side_has_a_t_term_of_its_own():
    a, b = hits(5, 400, 0.9), hits(4, 400, 0.7)
    found = differ(side(a), side(b)).estimate
    seeds = a.mean(axis=1).var(ddof=1) / 5 + b.mean(axis=1).var(ddof=1) / 4
    assert found.variance["seeds"] == pytest.approx(seeds)


def test_pairing_takes_out_what_the_sides_share():
    level = np.linspace(0.3, 0.9, 5)[:, None]
    a = (RNG.random((5, 400)) < level).astype(float)
    b = a.copy()
    b[:, :40] = 0
    loose, tight = differ(side(a), side(b)), differ(side(a), side(b), paired=True)
    assert tight.estimate.value == pytest.approx(loose.estimate.value)
    assert tight.interval.width < loose.interval.width / 3
    each = a.mean(axis=1) - b.mean(axis=1)
    assert list(tight.estimate.by_replicate.values()) == pytest.approx(each.tolist())
    assert tight.estimate.across["sd"] == pytest.approx(each.std(ddof=1))
    assert tight.estimate.across["sign_agreement"] == 1.0


def test_pairs_go_by_name_whatever_their_order():
    a = hits(3, 100, 0.8)
    found = differ(side(a, seeds=[1, 2, 3]), side(a[::-1], seeds=[3, 2, 1]), paired=True)
    assert list(found.estimate.by_replicate.values()) == [0, 0, 0]
    other = differ(side(a, seeds=[1, 2, 3]), side(a[::-1], seeds=[6, 5, 4]), paired=True)
    assert list(other.estimate.by_replicate.values()) == pytest.approx(
        (a.mean(axis=1) - a[::-1].mean(axis=1)).tolist()
    )


def test_replicates_that_are_not_as_many_cannot_be_paired():
    with pytest.raises(PlanError, match="a has 3 replicates and b has 2"):
        differ(side(hits(3, 50, 0.5)), side(hits(2, 50, 0.5)), paired=True)


@pytest.mark.parametrize("paired", [False, True])
def test_percentages_of_two_seeds_differ_by_a_hundred_points_at_most(paired):
    a = np.stack([np.ones(60), np.zeros(60)])
    found = contrast(
        shared_items(side(a), side(hits(2, 60, 0.1))),
        STEREOTYPE_SCORE,
        key=KEY,
        paired=paired,
        resampling=Resampling(draws=1000),
        seed=0,
    )
    assert (found.estimate.low, found.estimate.high) == (-100, 100)
    assert np.abs(found.interval.draws).max() <= 100


def test_a_side_against_itself_differs_by_nothing():
    one = side(hits(5, 200, 0.8))
    found = differ(one, one, paired=True)
    assert found.estimate.value == 0
    assert found.estimate.low <= 0 <= found.estimate.high
    assert np.abs(found.resampled.draws).max() == 0


def test_items_meet_by_name_in_any_order():
    a = hits(2, 4, 0.5)
    one = side(a, items=("a", "b", "c", "d"))
    other = side(a[:, [3, 1, 0]], items=("d", "b", "a"))
    found = differ(one, other, paired=True).estimate
    assert (found.counts.n, found.counts.planned) == (3, 3)
    assert found.value == 0


def test_an_item_counts_under_the_worse_of_its_sides():
    status = np.zeros((2, 10))
    status[0, :3] = FAILED
    other = np.zeros((2, 10))
    other[:, 9] = NOT_PLANNED
    found = differ(side(hits(2, 10, 1), status=status), side(hits(2, 10, 1), status=other)).estimate
    assert (found.counts.n, found.counts.failed, found.counts.planned) == (6, 3, 9)
    assert found.counts.missing_share == pytest.approx(1 / 3)


def test_nothing_shared_is_undefined():
    found = differ(side(hits(2, 2, 1), items=("a", "b")), side(hits(2, 2, 1), items=("c", "d")))
    assert (found.estimate.status, found.estimate.reason) == ("undefined", "no_items")
    assert found.estimate.counts.planned == 0


def test_clusters_of_the_first_side_are_resampled():
    codes = np.repeat(np.arange(25), 8)
    a = np.repeat(hits(1, 25, 0.6), 8, axis=1)
    b = np.repeat(hits(1, 25, 0.6), 8, axis=1)
    wide = differ(side(a, units=codes), side(b))
    narrow = differ(side(a), side(b))
    assert wide.estimate.n_units == 25
    assert wide.interval.width > 2 * narrow.interval.width


def test_fixed_replicates_leave_seeds_out():
    a, b = hits(5, 200, 0.9), hits(5, 200, 0.9)
    a[0] = 0
    drawn, fixed = differ(side(a), side(b)), differ(side(a), side(b), replicates="fixed")
    assert fixed.estimate.method == "items@1"
    assert fixed.interval.width < drawn.interval.width
    assert fixed.estimate.value == pytest.approx(drawn.estimate.value)


def test_missing_rows_could_move_a_difference_by_two():
    assert differ(side(hits(2, 9, 1)), side(hits(2, 9, 1))).row_range == (-1.0, 1.0)
    found = contrast(
        shared_items(side(hits(2, 9, 1)), side(hits(2, 9, 1))),
        replace(ACCURACY, row_range=(-1.0, 1.0)),
        key=KEY,
        paired=False,
        resampling=Resampling(draws=100),
        seed=0,
    )
    assert found.row_range == (-2.0, 2.0)


@pytest.mark.parametrize("paired", [True, False])
def test_on_one_item_a_difference_has_an_interval_over_replicates_alone(paired):
    a, b = np.array([[0.9], [0.8], [1.0], [0.7]]), np.array([[0.1], [0.3], [0.2], [0.4]])
    whole = differ(side(a), side(b), paired=paired)
    found = whole.estimate
    test = scipy.stats.ttest_rel if paired else scipy.stats.ttest_ind
    more = {} if paired else {"equal_var": False}
    expected = test(a[:, 0], b[:, 0], **more).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert found.value == pytest.approx(0.6)
    assert (found.status, found.reason, found.n_units) == ("ok", "one_unit", 1)
    assert ("rank_sum_p" in found.across) is not paired


def test_against_one_checkpoint_the_others_vary_alone():
    a = np.array([[0.9], [0.8], [1.0], [0.7]])
    found = differ(side(a), side(np.array([[0.5]]))).estimate
    expected = scipy.stats.ttest_1samp(a[:, 0], 0.5).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((expected.low - 0.5, expected.high - 0.5))
    assert found.across["signed_rank_p"] == pytest.approx(0.125)


def test_two_replicates_on_one_item_have_a_difference_without_limits():
    found = differ(side([[0.9], [0.7]]), side([[0.1], [0.3]])).estimate
    assert (found.value, found.low, found.status) == (pytest.approx(0.6), None, "ok")
    fixed = differ(side(hits(4, 1, 0.5)), side(hits(4, 1, 0.5)), replicates="fixed").estimate
    assert (fixed.low, fixed.method) == (None, "no_interval@1")


def heads(count, n, width):
    """Counts of a family of heads on items that all families share; a head hits one word in two."""
    gold = np.arange(n) % 5 + 1.0
    tp = RNG.binomial(gold[:, None].astype(int), 0.5, (count, n, width))
    values = np.concatenate([tp, tp + 1.0, np.broadcast_to(gold[:, None], (count, n, 1))], axis=-1)
    measures = Measure("tp", (("head", width),)), Measure("predicted", (("head", width),))
    names = tuple(f"seed {s}" for s in range(count))
    panel = Panel((*measures, Measure("gold")), names, tuple(f"i{i}" for i in range(n)))
    sides = {"": Side(values, np.zeros((count, n), np.int8))}
    return panel, join(panel, sides, needs=("tp", "predicted", "gold"))


MEAN_F1 = MEAN_HEAD.of("f1")


def differ_in_size(one, other):
    return contrast(
        shared_items(one, other),
        MEAN_F1.of_widths([4, 4, 1]),
        key=KEY,
        paired=False,
        resampling=Resampling(draws=2000),
        seed=0,
        subtracted=MEAN_F1.of_widths([2, 2, 1]),
    )


def test_families_of_networks_of_different_size_are_compared_on_the_same_draws():
    large, small = heads(3, 100, 4), heads(4, 100, 2)
    found = differ_in_size(large, small)
    points = [
        np.mean([MEAN_F1.value(one.sum(axis=0)[None], np.ones(1)) for one in side[1].values])
        for side in (large, small)
    ]
    assert found.estimate.value == pytest.approx(points[0] - points[1])
    assert found.estimate.across["rank_sum_p"] > 0
    # the small family's heads twice over are a large one's that has the same average head
    panel, joined = small
    tp, predicted, gold = joined.values[..., :2], joined.values[..., 2:4], joined.values[..., 4:]
    twice = replace(joined, values=np.concatenate([tp, tp, predicted, predicted, gold], axis=-1))
    same = differ_in_size((panel, twice), small)
    assert np.abs(same.resampled.draws).max() < 1e-12


def gap(one, other, *, statistic=ACCURACY, paired=True, **resampling):
    return contrast(
        joined_slices(one, other),
        statistic,
        key=KEY,
        paired=paired,
        resampling=Resampling(draws=4000, **resampling),
        seed=0,
    )


def names(low, high):
    return [f"i{i}" for i in range(low, high)]


def test_a_gap_of_slices_is_the_difference_of_their_means():
    a, b = hits(3, 120, 0.9), hits(3, 80, 0.6)
    found = gap(side(a, items=names(0, 120)), side(b, items=names(120, 200))).estimate
    assert found.value == pytest.approx(a.mean() - b.mean())
    assert (found.counts.n, found.counts.planned, found.n_units) == (200, 200, 200)
    assert found.denominator == 80  # the smaller slice
    assert list(found.by_replicate.values()) == pytest.approx(
        (a.mean(axis=1) - b.mean(axis=1)).tolist()
    )


def test_the_interval_of_a_gap_is_that_of_two_samples():
    a, b = hits(1, 900, 0.8), hits(1, 700, 0.5)
    found = gap(side(a, items=names(0, 900)), side(b, items=names(900, 1600)))
    wanted = np.sqrt(a.var() / 900 + b.var() / 700)
    assert found.interval.se == pytest.approx(wanted, rel=0.06)
    assert found.estimate.low == pytest.approx(found.estimate.value - 1.96 * wanted, abs=0.008)


def test_units_that_span_the_slices_are_drawn_with_both_parts():
    """Every text stands in both slices; what makes a text easy helps both, and leaves the gap."""
    easy = RNG.random(400) < 0.5
    a, b = easy[None].astype(float), easy[None].astype(float)
    b[:, :40] = 0.0
    units = np.arange(400)
    one = side(a, items=names(0, 400), units=units)
    tied = gap(one, side(b, items=names(400, 800), units=units))
    apart = gap(one, side(b, items=names(400, 800), units=units + 400))
    assert tied.estimate.value == pytest.approx(apart.estimate.value)
    assert (tied.estimate.n_units, apart.estimate.n_units) == (400, 800)
    assert tied.interval.se < apart.interval.se / 2


def test_an_item_of_both_slices_counts_in_both_and_under_its_worse_status():
    a, b = np.ones((1, 6)), np.zeros((1, 6))
    status = np.zeros((1, 6), np.int8)
    status[0, 0] = FAILED  # i4, which the first slice has too
    found = gap(side(a, items=names(0, 6)), side(b, items=names(4, 10), status=status)).estimate
    assert (found.value, found.counts.n, found.counts.failed) == (1.0, 9, 1)
    assert found.denominator == 5


def test_slices_that_are_one_give_the_paired_difference():
    a = hits(3, 150, 0.7)
    found = gap(side(a), side(a))
    direct = differ(side(a), side(a), paired=True)
    assert found.estimate.value == direct.estimate.value
    np.testing.assert_allclose(found.resampled.draws, direct.resampled.draws, atol=1e-12)


def test_an_empty_slice_is_undefined():
    a = hits(2, 30, 0.5)
    empty = side(np.zeros((2, 0)), items=[])
    found = gap(side(a), empty).estimate
    assert (found.value, found.status) == (None, "undefined")


def test_what_keeps_cells_apart_has_no_gap():
    a = side(hits(2, 30, 0.5), items=names(0, 30))
    with pytest.raises(PlanError, match="cannot be compared between slices"):
        gap(a, side(hits(2, 30, 0.5), items=names(30, 60)), statistic=metric_of("icat"))


def test_a_gap_of_medians_divides_by_the_items_that_the_median_counts():
    """Weighted rows: each median on its own slice, divided by its attacked items."""
    asked = np.array([[1, 3.0], [1, 5.0], [0, 0.0], [1, 10.0], [1, 20.0], [1, 30.0]])

    def attacked(low, high):
        rows = asked[None, low:high]
        panel = Panel(
            (Measure("attacked"), Measure("asked")), ('{"seed":"1"}',), tuple(names(low, high))
        )
        side = Side(rows, np.zeros(rows.shape[:2], np.int8))
        return panel, join(panel, {"": side}, needs=("asked", "attacked"))

    median = metric_of("median(asked)", measures_of("attack@1"))
    found = gap(attacked(3, 6), attacked(0, 3), statistic=median).estimate
    assert found.value == 20.0 - 4.0
    assert found.denominator == 2  # the third item of the first slice was not attacked


def apart(one, other, *, paired=True, statistic=ACCURACY):
    return contrast(
        two_datasets(one, other),
        statistic,
        key=KEY,
        paired=paired,
        resampling=Resampling(draws=4000),
        seed=0,
    )


def test_two_datasets_are_drawn_apart_though_their_items_have_the_same_names():
    a, b = hits(1, 300, 0.9), hits(1, 100, 0.6)
    found = apart(side(a), side(b)).estimate
    assert found.value == pytest.approx(a.mean() - b.mean())
    assert (found.counts.n, found.n_units, found.divided_by) == (400, 400, 100)
    se = np.sqrt(a.var() / 300 + b.var() / 100)
    assert found.variance["items"] == pytest.approx(se**2, rel=0.1)
    assert found.high - found.low == pytest.approx(2 * 1.96 * se, rel=0.1)


def test_units_of_two_datasets_are_drawn_whole():
    a, b = np.repeat(hits(1, 40, 0.8), 5, axis=1), hits(1, 150, 0.7)
    found = apart(side(a, units=np.repeat(np.arange(40), 5)), side(b)).estimate
    assert (found.counts.n, found.n_units) == (350, 190)
    se = np.sqrt(a[:, ::5].var() / 40 + b.var() / 150)
    assert found.variance["items"] == pytest.approx(se**2, rel=0.15)


def test_a_dataset_without_an_answer_has_no_difference():
    a, b = hits(1, 20, 0.8), hits(1, 20, 0.7)
    silent = side(b, status=np.full((1, 20), FAILED))
    assert apart(side(a), silent).estimate.reason == "no_items"
    assert apart(silent, side(a)).estimate.status == "undefined"


@pytest.mark.slow
@pytest.mark.parametrize(("items", "shares"), [((200, 120), (0.9, 0.7)), ((400, 80), (0.6, 0.6))])
def test_the_interval_of_two_datasets_covers_their_difference(items, shares):
    rng = np.random.default_rng(7)
    covered = []
    for _ in range(200):
        sides = [
            side((rng.random((1, n)) < p).astype(float)) for n, p in zip(items, shares, strict=True)
        ]
        found = contrast(
            two_datasets(*sides),
            ACCURACY,
            key=KEY,
            paired=True,
            resampling=Resampling(draws=400),
            seed=0,
        ).estimate
        covered.append(found.low <= shares[0] - shares[1] <= found.high)
    assert 0.91 <= np.mean(covered) <= 0.99
