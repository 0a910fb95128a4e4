import math
from itertools import product

import numpy as np
import pytest
from scipy import optimize, special

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.significance import power as module
from scrutiny.stats.significance.power import (
    CrossedDesign,
    crossed_power,
    minimum_detectable_effect,
    tost,
    workable_margin,
)


def seeds_only(replicates, sd=1.0):
    return CrossedDesign(replicates=replicates, items=1000, seed_sd=sd, item_sd=0.0)


def test_effect_and_power_are_inverse():
    design = CrossedDesign(replicates=5, items=300, seed_sd=2.0, item_sd=40.0)
    mde = minimum_detectable_effect(design, power=0.9)
    assert crossed_power(mde, design) == pytest.approx(0.9, abs=1e-6)


def bisected(design, alpha):
    """Critical distances by many bisections, as the definition reads."""
    df, tail = design.replicates - 1, 1 - alpha / 2
    at = (np.arange(200) + 0.5) / 200
    v = np.sqrt(design.seeds * 2 * special.gammaincinv(df / 2, at) / df)[:, None]
    z, weight = np.polynomial.hermite_e.hermegauss(41)
    noise, weight = z * design.drawn_items**0.5, weight / weight.sum()
    low = np.zeros(200)
    high = 2 * special.stdtrit(df, tail) * v[:, 0]
    high += 2 * special.ndtri(tail) * design.drawn_items**0.5
    for _ in range(45):
        middle = (low + high) / 2
        inside = special.stdtr(df, (middle[:, None] - noise) / v) @ weight
        low, high = np.where(inside < tail, middle, low), np.where(inside < tail, high, middle)
    return high


@pytest.mark.parametrize(
    ("replicates", "seed_sd", "item_sd"),
    [*product((2, 3, 5, 25), (1e-6, 0.02, 5.0), (1e-3, 0.5, 40.0))],
)
@pytest.mark.parametrize(("alpha", "items"), [(0.05, 20), (0.05 / 40, 5000)])
def test_guarded_newton_steps_find_what_bisection_finds(alpha, items, replicates, seed_sd, item_sd):
    design = CrossedDesign(replicates, items, seed_sd, item_sd)
    found, wanted = module._critical(design, alpha), bisected(design, alpha)
    assert found == pytest.approx(wanted, rel=1e-10)
    top = wanted.max() + 10 * (design.seeds + design.drawn_items) ** 0.5
    reached = optimize.brentq(
        lambda d: module._power(d, design, wanted) - 0.8, 0.0, top, xtol=1e-14 * top
    )
    assert minimum_detectable_effect(design, alpha=alpha) == pytest.approx(reached, rel=1e-9)


def test_a_usual_design_takes_a_third_of_the_evaluations_of_bisection(monkeypatch):
    evaluated, density = [], module._t_density

    def counted(t, df):
        evaluated.append(t.size)
        return density(t, df)

    monkeypatch.setattr(module, "_t_density", counted)
    for seed_sd in (0.005, 0.01, 0.05):
        evaluated.clear()
        minimum_detectable_effect(CrossedDesign(5, 640, seed_sd, 0.5), family=20)
        assert sum(evaluated) <= 20 * 200 * 41


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


def test_tost_fails_at_and_beyond_the_margin():
    assert tost(2.0, 1.0, margin=2.0) == 0.5
    assert tost(3.0, 1.0, margin=2.0) > 0.5
    assert tost(-1.0, 0.2, margin=2.0) == tost(1.0, 0.2, margin=2.0) < 1e-5
    assert tost(0.0, 1.0, margin=2.0, df=4) > tost(0.0, 1.0, margin=2.0)


@pytest.mark.reproduces
def test_workable_margins_of_the_reference():
    # 3.1 points on 872 items: a standard error of 1.06 points
    assert workable_margin(1.06) == pytest.approx(3.1, abs=0.01)
    assert workable_margin(1.0, df=4) > workable_margin(1.0)


@pytest.mark.parametrize(
    "call",
    [
        lambda: CrossedDesign(0, 10, 1.0, 1.0),
        lambda: CrossedDesign(5, 10, -1.0, 1.0),
        lambda: tost(0.0, 0.0, margin=1.0),
        lambda: minimum_detectable_effect(seeds_only(5), power=math.inf),
    ],
)
def test_impossible_designs_are_refused(call):
    with pytest.raises(StatisticsError):
        call()
