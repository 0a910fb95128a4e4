"""Simultaneous intervals of a family of rows."""

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from family_rows import family_rows
from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.intervals.families import (
    FamilyRows,
    checkpoint_limits,
    floored,
    recipe_limits,
)
from scrutiny.stats.intervals.rows import (
    items_needed,
    items_planned,
    least_detectable,
    seeds_needed,
)
from scrutiny.stats.intervals.seed_error import critical_distance, effective_rows, moderated
from scrutiny.stats.intervals.share_limits import tango_variance
from scrutiny.stats.resampling.weights import Units


def family(*, rows=15, replicates=3, units=872, seed_sd=0.005, seed=0, interaction=1e-6):
    rng = np.random.default_rng(seed)
    sd = np.sqrt(seed_sd**2 + replicates * interaction)
    values = 0.02 + sd * rng.standard_normal((rows, replicates))
    return family_rows(values, np.full(rows, 5e-5), np.full(rows, interaction), units)


def paired(*, rows=6, replicates=3, units=400, crowding=1.0, seed=1):
    """A family of counted flips."""
    rng = np.random.default_rng(seed)
    flips = rng.integers(3, 30, (rows, 2)).astype(float)
    mean = (flips[:, 0] - flips[:, 1]) / units
    values = mean[:, None] + 0.004 * rng.standard_normal((rows, replicates))
    items = (flips.sum(axis=1) / units - mean**2) / units
    return family_rows(values, 0.8 * items, 0.1 * items, units, flips, crowding=crowding)


def vars_of(rows):
    """What a family has beside its values."""
    return rows.items, rows.interaction, rows.step, rows.flips


def of_rows(rows, places):
    """The family with its rows at these places."""
    parts = (part[places] for part in (rows.values, *vars_of(rows)))
    return FamilyRows(*parts, rows.item_freedom, rows.crowding)


def seeds_of(rows):
    return moderated(rows.values, rows.interaction, rows.step)


class TestCriticalDistance:
    @pytest.mark.parametrize("tail", [0.025, 0.0017, 0.0003])
    def test_one_part_alone_is_its_own_quantile(self, tail):
        assert critical_distance(4.0, 0.0, tail=tail)[0] == pytest.approx(
            2 * stats.norm.isf(tail), rel=1e-9
        )
        for df in (2.0, 3.7, 40.0):
            found = critical_distance(0.0, 9.0, df, tail=tail)[0]
            assert found == pytest.approx(3 * stats.t.isf(tail, df), rel=1e-6)

    @pytest.mark.parametrize(
        ("items", "seeds", "df", "item_df"),
        [
            (1.0, 0.5, 2.0, np.inf),
            (1.0, 1.0, 8.3, np.inf),
            (0.01, 1.0, 2.0, np.inf),
            (1.0, 0.01, 2.0, np.inf),
            (1.0, 0.5, 4.0, 12.0),
        ],
    )
    def test_both_parts_leave_the_tail_beyond(self, items, seeds, df, item_df):
        tail = 0.0017
        (found,) = critical_distance(items, seeds, df, tail=tail, item_freedom=item_df)
        of_items = stats.norm if np.isinf(item_df) else stats.t(item_df)

        def beyond(t):
            return stats.t.pdf(t, df) * of_items.sf((found - seeds**0.5 * t) / items**0.5)

        assert integrate.quad(beyond, -np.inf, np.inf, limit=400)[0] == pytest.approx(
            tail, rel=1e-5
        )

    def test_a_row_without_any_variance_has_no_distance(self):
        assert critical_distance([0.0, 1.0], [0.0, 1.0], 2.0, tail=0.01)[0] < 1e-15


class TestTango:
    @pytest.mark.parametrize(("against", "favor", "units"), [(12, 2, 50), (0, 3, 40), (5, 5, 300)])
    @pytest.mark.parametrize("difference", [-0.3, -0.05, 0.0, 0.1, 0.4])
    def test_variance_is_that_of_the_likeliest_rates(self, against, favor, units, difference):
        def cost(rarer):
            p, q = rarer + difference, rarer
            rest = 1 - p - q
            counted = ((against, p), (favor, q), (units - against - favor, rest))
            return -sum(n * np.log(max(rate, 1e-300)) for n, rate in counted if n)

        low, high = max(0.0, -difference), (1 - difference) / 2
        best = optimize.minimize_scalar(
            cost, bounds=(low, high), method="bounded", options={"xatol": 1e-12}
        ).x
        wanted = (2 * best + difference - difference**2) / units
        found = tango_variance(difference, against, favor, units)
        assert found == pytest.approx(wanted, rel=1e-4, abs=1e-9)

    def test_no_flips_in_300_do_not_hold_within_a_point(self):
        rows = family_rows(np.zeros((15, 1)), 1 / 300**2, 0.0, 300, np.zeros((15, 2)))
        found = checkpoint_limits(rows)
        # an exact one-sided limit without any event at level .0017 is 1 - .0017 ** (1 / 300): .021
        assert np.all(found.high > 0.018)
        assert found.low == pytest.approx(-found.high)


class TestFloor:
    def test_counted_flips_get_one_more_below_ten(self):
        found = floored([9.0, 10.0, 50.0], 1.0)
        assert found == pytest.approx([10.0, 10.0, 50.0])

    def test_flips_that_are_not_counted_get_three_more(self):
        assert floored([0.0, 9.0, 50.0], 1.0, is_counted=False) == pytest.approx([3.0, 12.0, 53.0])

    def test_without_flips_a_whole_unit_may_be_the_first(self):
        assert floored(0.0, 1 / 300, crowding=5.0) == pytest.approx(1 / 60**2)
        assert floored(0.0, 1 / 300) == pytest.approx(1 / 300**2)

    def test_the_unit_of_the_value_does_not_matter(self):
        items, step = np.array([0.0, 3e-5, 2e-3]), np.array([0.01, 0.004, 0.002])
        percent = floored(1e4 * items, 100 * step, crowding=3.0)
        assert percent == pytest.approx(1e4 * floored(items, step, crowding=3.0))


class TestCrowding:
    def test_units_of_one_size_count_each(self):
        assert Units.crowding_of(np.full(40, 7)) == 7.0

    def test_a_large_unit_hides_the_small_ones(self):
        sizes = [1000] + 10 * [1]
        assert sum(sizes) / Units.crowding_of(sizes) == pytest.approx(1.0, abs=0.03)

    def test_rows_in_larger_units_have_wider_limits(self):
        found = [checkpoint_limits(paired(crowding=c)) for c in (1.0, 4.0)]
        tight = paired()
        assert np.all(found[1].high >= found[0].high)
        wide = family_rows(
            tight.values, 4 * tight.items, 0.0, 1 / tight.step, tight.flips, crowding=4.0
        )
        mean = wide.values.mean(axis=1)
        assert np.all(checkpoint_limits(wide).high - mean > 1.8 * (found[0].high - mean))

    def test_no_flips_in_sixty_units_of_five_are_none_in_sixty_items(self):
        def high(units, crowding):
            rows = family_rows(
                np.zeros((15, 1)),
                floored(0.0, 1 / units, crowding=crowding),
                0.0,
                units,
                np.zeros((15, 2)),
                crowding=crowding,
            )
            return checkpoint_limits(rows).high[0]

        assert high(300, 5.0) == pytest.approx(high(60, 1.0), rel=1e-6)


class TestModeration:
    def test_a_row_alone_keeps_its_own_variance(self):
        rows = family(rows=1)
        found = seeds_of(rows)
        assert found.each == pytest.approx(rows.values.var(axis=1, ddof=1))
        assert found.freedom == 2.0

    def test_equal_seed_variances_are_shared(self):
        rows = family(rows=40, replicates=3)
        own = rows.values.var(axis=1, ddof=1)
        found = seeds_of(rows)
        assert np.ptp(np.log(found.each)) < 0.35 * np.ptp(np.log(own))
        assert found.freedom > 10

    def test_variances_far_apart_are_left_nearer_to_themselves(self):
        rng = np.random.default_rng(5)
        deviations = rng.standard_normal((30, 5))
        alike = family_rows(0.01 * deviations, 1e-5, 0.0, 1000)
        apart = family_rows(np.geomspace(0.001, 0.1, 30)[:, None] * deviations, 1e-5, 0.0, 1000)
        assert seeds_of(apart).freedom < seeds_of(alike).freedom / 2

    def test_order_and_unit_do_not_matter(self):
        rows = family(seed=3)
        found = seeds_of(rows)
        turned = family_rows(
            rows.values[::-1], rows.items[::-1], rows.interaction[::-1], 1 / rows.step[::-1]
        )
        assert seeds_of(turned).each == pytest.approx(found.each[::-1])
        percent = FamilyRows(
            100 * rows.values, 1e4 * rows.items, 1e4 * rows.interaction, 100 * rows.step, rows.flips
        )
        assert seeds_of(percent).each == pytest.approx(1e4 * found.each)
        assert seeds_of(percent).freedom == pytest.approx(found.freedom)

    def test_no_variance_anywhere_is_one_flip(self):
        rows = family_rows(np.full((4, 3), 0.5), 1e-6, 0.0, 1000)
        assert np.all(seeds_of(rows).each > 0)


class TestEffectiveRows:
    def test_rows_that_move_together_count_once(self):
        shared = np.array([0.01, -0.02, 0.01, 0.03])
        assert effective_rows(np.outer(np.arange(1, 9), shared)) == pytest.approx(1.0)

    def test_rows_that_move_apart_count_each(self):
        rng = np.random.default_rng(0)
        assert effective_rows(rng.standard_normal((200, 5))) > 100

    def test_rows_that_do_not_move_tell_nothing(self):
        assert effective_rows(np.ones((6, 3))) == 6.0


class TestLimits:
    def test_the_recipe_contains_the_checkpoints(self):
        rows = family()
        narrow, wide = checkpoint_limits(rows), recipe_limits(rows)
        assert np.all(wide.low <= narrow.low)
        assert np.all(wide.high >= narrow.high)

    def test_a_family_alone_is_the_usual_interval(self):
        rows = family(rows=1, replicates=1)
        found = checkpoint_limits(rows)
        half = stats.norm.isf(0.025) * np.sqrt(rows.items)
        assert found.high - rows.values[:, 0] == pytest.approx(half)

    def test_more_rows_planned_are_wider_limits(self):
        rows = family()
        few, many = recipe_limits(rows), recipe_limits(rows, n_rows=60)
        assert np.all(many.high > few.high)

    def test_more_items_decide_more(self):
        found = [
            recipe_limits(family_rows(family().values, 0.04 / n, 1e-9, n)).distance.mean()
            for n in (300, 2000, 20000)
        ]
        assert found[0] > found[1] > found[2]

    @pytest.mark.parametrize(
        ("half", "rows", "low", "high"), [(2.7, 1, 1.3, 6.7), (2.7, 15, 0.0, 8.0)]
    )
    def test_a_single_interval_becomes_a_familys(self, half, rows, low, high):
        variance = (half / 100 / stats.norm.isf(0.025)) ** 2
        one = family_rows(np.array([[0.04]]), variance, 0.0, 872)
        found = checkpoint_limits(one, n_rows=rows)
        assert 100 * found.low[0] == pytest.approx(low, abs=0.07)
        assert 100 * found.high[0] == pytest.approx(high, abs=0.07)

    def test_two_replicates_say_nothing_of_the_recipe(self):
        with pytest.raises(StatisticsError, match="2 replicates"):
            recipe_limits(family(replicates=2))


class TestInvariance:
    """What says nothing of the truth moves no limit."""

    @pytest.mark.parametrize("scope", [checkpoint_limits, recipe_limits])
    @pytest.mark.parametrize("crowding", [1.0, 3.0])
    def test_order_of_rows(self, scope, crowding):
        rows, order = paired(crowding=crowding), [4, 2, 0, 5, 1, 3]
        found, turned = scope(rows), scope(of_rows(rows, order))
        assert turned.low == pytest.approx(found.low[order], abs=1e-12)
        assert turned.high == pytest.approx(found.high[order], abs=1e-12)

    @pytest.mark.parametrize("scope", [checkpoint_limits, recipe_limits])
    @pytest.mark.parametrize("crowding", [1.0, 3.0])
    def test_a_gain_is_a_loss_with_its_sign_turned(self, scope, crowding):
        rows = paired(crowding=crowding)
        *same, flips = vars_of(rows)
        gain = FamilyRows(-rows.values, *same, flips[:, ::-1], crowding=crowding)
        found, turned = scope(rows), scope(gain)
        assert turned.low == pytest.approx(-found.high, abs=1e-9)
        assert turned.high == pytest.approx(-found.low, abs=1e-9)

    def test_order_of_replicates(self):
        rows = paired(replicates=5)
        found = recipe_limits(FamilyRows(rows.values[:, ::-1], *vars_of(rows)))
        assert found.high == pytest.approx(recipe_limits(rows).high)

    @pytest.mark.parametrize("scope", [checkpoint_limits, recipe_limits])
    def test_percent(self, scope):
        rows = family()
        percent = FamilyRows(
            100 * rows.values, 1e4 * rows.items, 1e4 * rows.interaction, 100 * rows.step, rows.flips
        )
        assert scope(percent).high == pytest.approx(100 * scope(rows).high)

    def test_a_row_that_stands_twice_tells_nothing_new_of_its_seeds(self):
        rows = paired(rows=4)
        twice = of_rows(rows, [0, 1, 2, 3, 0, 1, 2, 3])
        once, again = recipe_limits(rows, n_rows=8), recipe_limits(twice)
        assert again.low[:4] == pytest.approx(again.low[4:])
        assert effective_rows(twice.values) < 8
        assert np.all(again.high - again.low > 0.9 * np.tile(once.high - once.low, 2))


class TestPlanner:
    def test_one_row_and_one_seed_is_the_closed_form(self):
        units = 500
        rows = family_rows(np.array([[0.01]]), 0.05 / units, 0.0, units)
        wanted = 0.05 * ((stats.norm.isf(0.025) + 0.84) / 0.02) ** 2
        assert items_needed(rows, 0.02)[0] == pytest.approx(wanted, abs=1.5)

    def test_what_is_enough_already_needs_no_more(self):
        assert np.all(items_needed(family(), 0.2) == 872)
        assert np.all(seeds_needed(family(), 0.2) == 3)

    def test_a_smaller_loss_takes_more_and_is_out_of_reach_at_last(self):
        rows = family()
        large, small = items_needed(rows, 0.03), items_needed(rows, 0.025)
        assert np.all(small >= large)
        assert np.all(np.isnan(items_needed(rows, 0.001)))
        assert np.all(np.isnan(seeds_needed(rows, 0.001)))

    def test_items_planned_are_those_needed_once_the_flips_are_seen(self):
        churn, loss, units = 0.1, 0.05, 100
        share = (churn - loss**2) / units
        seen = family_rows(np.full((4, 1), loss), np.full(4, share), np.zeros(4), units)
        (wanted,) = set(items_needed(seen, loss))
        assert items_planned(loss, churn=churn, n_rows=4) == pytest.approx(wanted, rel=0.01)
        assert items_planned(loss, churn=churn, n_rows=40) > wanted

    def test_where_nothing_flipped_a_loss_takes_as_many_items_as_its_own_flips(self):
        """200 items without a flip give limits of 4 points: they do not decide on 2."""
        n, none = 200, np.zeros(13)
        still = family_rows(none[:, None], none + 1 / n**2, none, n, np.zeros((13, 2)))
        assert checkpoint_limits(still).high == pytest.approx(0.04, abs=0.002)
        wanted = items_planned(0.02, churn=0.02, n_rows=13)
        assert items_needed(still, 0.02) == pytest.approx(wanted, abs=2)
        assert wanted > 3 * n

    @pytest.mark.parametrize("n", [50, 200, 2000])
    def test_what_flips_too_seldom_to_be_seen_is_not_said_to_have_been_detectable(self, n):
        """3 of 200 is 1.5 points, and mid-p .13: it "could have been shown"."""
        none = np.zeros(1)
        still = family_rows(none[:, None], none + 1 / n**2, none, n, np.zeros((1, 2)))
        (least,) = least_detectable(still, tail=0.025)
        assert least > checkpoint_limits(still).high[0]
        power = stats.binom.sf(4, n, least)  # five flips of one side have a mid-p of .03
        assert 0.75 < power < 0.95
        uncounted = family_rows(none[:, None], none + 1 / n**2, none, n)
        assert least_detectable(uncounted, tail=0.025) == 0

    def test_of_many_flips_their_own_variance_is_planned_with(self):
        rows = paired(replicates=1, units=400)
        uncounted = family_rows(rows.values, rows.items, rows.interaction, 400)
        wanted = items_needed(rows, 0.03)
        is_many = rows.flips.sum(axis=1) > 0.04 * 400
        assert np.isfinite(wanted[is_many]).sum() >= 2
        assert wanted[is_many] == pytest.approx(items_needed(uncounted, 0.03)[is_many])

    def test_seeds_help_where_seeds_are_what_differs(self):
        rows = family(seed_sd=0.02)
        assert np.all(np.isnan(items_needed(rows, 0.04)))
        assert np.all(seeds_needed(rows, 0.04) <= 20)

    def test_one_seed_says_nothing_of_how_many_it_takes(self):
        assert np.isnan(seeds_needed(family(rows=2, replicates=1), 0.2)).all()
