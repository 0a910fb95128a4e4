import math

import pytest

from scrutiny.stats import (
    CrossedDesign,
    StatisticsError,
    crossed_power,
    minimum_detectable_effect,
    paired_binary_mde,
    tost,
    workable_margin,
)


def seeds_only(replicates, sd=1.0):
    return CrossedDesign(replicates=replicates, items=1000, seed_sd=sd, item_sd=0.0)


def test_effect_and_power_are_inverse():
    design = CrossedDesign(replicates=5, items=300, seed_sd=2.0, item_sd=40.0)
    mde = minimum_detectable_effect(design, power=0.9)
    assert crossed_power(mde, design) == pytest.approx(0.9, abs=1e-6)


def test_more_of_anything_detects_less():
    def mde(replicates, items, family=1):
        design = CrossedDesign(replicates, items, seed_sd=2.0, item_sd=40.0)
        return minimum_detectable_effect(design, family=family)

    assert mde(5, 300) > mde(10, 300) > mde(10, 1000)
    assert mde(5, 300, family=9) > mde(5, 300)


def test_without_seeds_it_is_the_normal_form():
    one = CrossedDesign(replicates=1, items=400, seed_sd=0.0, item_sd=0.5)
    assert minimum_detectable_effect(one) == pytest.approx((1.95996 + 0.84162) * 0.025, rel=1e-4)
    many = CrossedDesign(replicates=5, items=400, seed_sd=1e-6, item_sd=0.5)
    assert minimum_detectable_effect(many) == pytest.approx(
        minimum_detectable_effect(one), rel=1e-3
    )


def test_units_carry_through():
    a, b = seeds_only(5), seeds_only(5, sd=2.8)
    assert minimum_detectable_effect(b) == pytest.approx(2.8 * minimum_detectable_effect(a))


def test_no_variance_detects_everything():
    assert minimum_detectable_effect(seeds_only(5, sd=0.0)) == 0.0
    assert crossed_power(0.1, seeds_only(5, sd=0.0)) == 1.0


def test_paired_binary_has_a_limit():
    assert paired_binary_mde(20, discordant=0.05) is None
    few, many = (paired_binary_mde(n, discordant=0.1) for n in (200, 2000))
    assert 0 < many < few <= 0.1


def test_tost_fails_at_and_beyond_the_margin():
    assert tost(2.0, 1.0, margin=2.0) == 0.5
    assert tost(3.0, 1.0, margin=2.0) > 0.5
    assert tost(-1.0, 0.2, margin=2.0) == tost(1.0, 0.2, margin=2.0) < 1e-5
    assert tost(0.0, 1.0, margin=2.0, df=4) > tost(0.0, 1.0, margin=2.0)


def test_workable_margins_of_the_reference():
    # 3.1 points on 872 items: a standard error of 1.06 points
    assert workable_margin(1.06) == pytest.approx(3.1, abs=0.01)
    assert workable_margin(1.0, df=4) > workable_margin(1.0)


@pytest.mark.parametrize(
    "call",
    [
        lambda: CrossedDesign(0, 10, 1.0, 1.0),
        lambda: CrossedDesign(5, 10, -1.0, 1.0),
        lambda: paired_binary_mde(0, discordant=0.1),
        lambda: paired_binary_mde(10, discordant=0.0),
        lambda: tost(0.0, 0.0, margin=1.0),
        lambda: minimum_detectable_effect(seeds_only(5), power=math.inf),
    ],
)
def test_impossible_designs_are_refused(call):
    with pytest.raises(StatisticsError):
        call()
