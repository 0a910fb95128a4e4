"""Which numbers stand in one family, and what it lends to each."""

from dataclasses import replace

import numpy as np
import pytest
from made_panels import KEY, claim, drops, made, nothing, panel, side
from scipy import stats

from scrutiny.core.claim import Component
from scrutiny.core.plan import Resampling
from scrutiny.reliability.estimate import estimate
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.statistics import ACCURACY
from scrutiny.reliability.verdicts.limits import RowFamily, counted, families_among, limits_of
from scrutiny.stats.agreement.flips import counted_flips
from scrutiny.stats.intervals.interval import Scale

DROP = metric_of("drop(accuracy)")


def sizes(names, claims=()):
    return {name: family.n_rows for name, family in counted(names, claims).items()}


def test_numbers_are_counted_by_what_tells_families_apart():
    assert sizes({"a": "x", "b": "x", "c": "y"}) == {"a": 2, "b": 2, "c": 1}


def test_claimed_numbers_are_a_family_and_others_were_chosen_among_all():
    names = dict.fromkeys("abcde", "x")
    found = sizes(names, [claim(("a", 0.0)), claim(("b", 0.0))])
    assert found == {"a": 2, "b": 2, "c": 5, "d": 5, "e": 5}


def test_another_choice_is_a_family_beside():
    names = dict.fromkeys(["a0", "b0", "a1", "b1"], "x")
    claims = [claim((f"{row}0", 0.0), Component(f"{row}1", 0.0, "choice: draw 2")) for row in "ab"]
    assert set(sizes(names, claims).values()) == {2}
    assert len(set(counted(names, claims).values())) == 2


def test_without_a_plan_families_go_by_metric_and_dataset():
    found = families_among({"a": made([0.1]), "b": made([0.2]), "c": made([0.1], dataset="d")})
    assert [found[n].n_rows for n in "abc"] == [2, 2, 1]


def limits(estimated, n_rows=1):
    families = dict.fromkeys(estimated, RowFamily("f", n_rows))
    return limits_of(estimated, families, wanted=estimated)


def test_what_has_no_value_has_no_limits():
    assert limits({"a": nothing()}) == {}


def test_numbers_that_nobody_asks_for_are_not_computed():
    estimated = {"a": made([0.1]), "b": made([0.1], dataset="d")}
    assert set(limits_of(estimated, families_among(estimated), wanted=["b"])) == {"b"}


@pytest.mark.parametrize("count", [1, 2])
def test_fewer_than_three_replicates_say_nothing_of_others(count):
    found = limits({"a": made([0.1] * count)})["a"]
    assert (found.recipe, found.widest) == (None, found.checkpoints)


def test_the_recipe_is_at_least_as_wide_as_these_checkpoints():
    found = limits({"a": made([0.1, 0.11, 0.09])})["a"]
    assert found.recipe[0] <= found.checkpoints[0] < found.checkpoints[1] <= found.recipe[1]


def test_a_shared_sign_mirrors_the_limits():
    one, other = (made([s * 0.05, s * 0.07, s * 0.06], sd=0.02) for s in (1, -1))
    a, b = limits({"a": one})["a"], limits({"b": other})["b"]
    assert a.recipe == pytest.approx([-end for end in b.recipe[::-1]], rel=0.02)


def test_an_exact_interval_keeps_its_way_to_other_levels():
    def ends(level):
        low, high = stats.binomtest(3, 200).proportion_ci(level, method="exact")
        return -high, -low

    exact = made([-0.015])
    exact = replace(exact, interval=replace(exact.interval, ends=ends))
    found = limits({"a": exact}, n_rows=15)["a"]
    assert found.checkpoints == ends(0.95 ** (1 / 15))


def test_an_interval_of_its_own_kind_has_percentiles_further_out():
    whole = made(0.1 + 0.001 * np.arange(12), sd=0.01)
    published = replace(whole, interval=replace(whole.interval, method="multi-bootstrap"))
    found = limits({"a": published}, n_rows=8)["a"]
    tail = (1 - 0.95 ** (1 / 8)) / 2
    assert found.recipe == pytest.approx(np.quantile(whole.interval.draws, [tail, 1 - tail]))
    assert found.checkpoints[0] > found.recipe[0]


def test_two_sides_with_one_replicate_speak_of_these_checkpoints_by_their_own_interval():
    one = made([0.1], sd=0.01)
    apart = replace(one, interval=replace(one.interval, method="crossed_unpaired"))
    found = limits({"a": apart}, n_rows=4)["a"]
    tail = (1 - 0.95 ** (1 / 4)) / 2
    assert found.recipe is None
    assert found.checkpoints == pytest.approx(np.quantile(one.interval.draws, [tail, 1 - tail]))


def test_two_sides_with_two_replicates_could_show_what_their_limits_would():
    one = made([0.1, 0.1], sd=0.01)
    apart = replace(one, interval=replace(one.interval, method="crossed_unpaired"))
    found = limits({"a": apart})["a"]
    half = (found.checkpoints[1] - found.checkpoints[0]) / 2.0
    assert found.recipe is None
    assert found.detectable == pytest.approx(half * (1.0 + 0.84 / 1.96), rel=0.1)


def test_a_level_stays_within_its_range():
    level = replace(made([0.99, 0.995, 0.985], sd=0.004), scale=Scale.of("share"))
    found = limits({"a": level}, n_rows=40)["a"]
    assert found.recipe[1] == 1.0


def test_flips_are_counted_a_replicate():
    each = np.array([[1, 0, -1, 1], [0, 0, 0, 1.0]])
    assert counted_flips(each) == (1.5, 0.5)
    assert counted_flips(each / 2) == (0.75, 0.25)  # one of two draws
    assert counted_flips(each * np.array([0.31, 1, 0.77, 1])) is None


def test_a_drop_of_right_and_wrong_knows_its_flips():
    before, after = np.ones((2, 50)), np.ones((2, 50))
    after[0, :3] = 0
    before[1, :1], after[1, 4] = 0, 0
    found = drops(before, after, DROP)
    assert found.flips == (2.0, 0.5)


def test_a_level_has_no_flips():
    level = estimate(
        panel(2, 50),
        {"": side(np.ones((2, 50)))},
        statistic=ACCURACY,
        key=KEY,
        resampling=Resampling(draws=50),
        seed=0,
    )
    assert level.flips is None


def test_no_flips_of_few_items_do_not_hold_within_a_point():
    same = np.ones((1, 300))
    found = limits({"a": drops(same, same, DROP)}, n_rows=15)["a"]
    assert found.checkpoints[1] > 0.02
