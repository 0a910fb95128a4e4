import numpy as np
import pytest

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.intervals.crossed import crossed
from scrutiny.stats.intervals.interval import Scale
from scrutiny.stats.intervals.one_factor import t_over_replicates
from scrutiny.stats.resampling.resample import resample
from scrutiny.stats.resampling.weights import Units


def rng(seed=0):
    return np.random.default_rng(seed)


def draws_of(point, items, own, size=4000, seed=1):
    g = rng(seed)
    return (
        np.asarray(point)
        + items * g.standard_normal((size, 1))
        + own * g.standard_normal((size, len(point)))
    )


POINT = np.array([0.60, 0.62, 0.61, 0.65, 0.57])


def test_the_formula_term_by_term():
    M = draws_of(POINT, 0.01, 0.02)
    found = crossed(POINT, M, rng=rng(7))
    R = 5
    mean = M.mean(axis=1)
    Vs, Vi = POINT.var(ddof=1) / R, mean.var(ddof=1)
    Vx = max(0.0, (M.var(axis=0, ddof=1).mean() - Vi) / (R - 1))
    t = rng(7).standard_t(R - 1, size=len(M))
    by_hand = POINT.mean() + (mean - mean.mean()) * np.sqrt(max(0, Vi - Vx) / Vi) + Vs**0.5 * t
    np.testing.assert_allclose(found.draws, by_hand, rtol=1e-12)
    np.testing.assert_allclose(
        found.test_draws, POINT.mean() + (mean - mean.mean()) + Vs**0.5 * t, rtol=1e-12
    )
    assert (found.low, found.high) == pytest.approx(np.quantile(by_hand, [0.025, 0.975]))
    d = found.decomposition
    assert (d.seeds, d.items, d.interaction) == pytest.approx((Vs, Vi - Vx, Vx))
    assert d.both == pytest.approx(Vs + Vi - Vx)
    assert found.method == "crossed"
    assert found.notes == ()


def test_interaction_alone_leaves_nothing_to_the_items():
    found = crossed(POINT, draws_of(POINT, 0.0, 0.05), rng=rng())
    assert found.decomposition.items == pytest.approx(0.0, abs=2e-5)
    assert found.decomposition.interaction == pytest.approx(0.05**2 / 5, rel=0.1)


def test_one_replicate_speaks_of_items_only():
    M = draws_of([0.6], 0.02, 0.0)
    found = crossed([0.6], M, rng=rng())
    assert found.method == "items"
    assert found.notes == ("one_replicate",)
    assert found.decomposition.seeds == 0.0
    assert found.se == pytest.approx(0.02, rel=0.05)


def test_two_replicates_are_computed_and_flagged():
    found = crossed([0.5, 0.6], draws_of([0.5, 0.6], 0.001, 0.0), rng=rng())
    assert found.notes == ("two_replicates",)
    assert found.width > 1.0  # t with one degree of freedom: 12.7 standard errors


def test_few_clusters_get_a_t_and_the_bootstrap_bias_back():
    M = draws_of([0.5], 0.02, 0.0, size=20000)
    found = crossed([0.5], M, rng=rng(), n_units=8)
    assert "few_clusters" in found.notes
    half = 2.3646 * M.std(ddof=1) * (8 / 7) ** 0.5
    assert found.high - 0.5 == pytest.approx(half, rel=0.02)
    many = crossed([0.5], M, rng=rng(), n_units=20)
    assert many.width < found.width


def test_rank_coupling_keeps_the_order_of_item_draws():
    M = draws_of([0.5], 0.02, 0.0, size=500)
    found = crossed([0.5], M, rng=rng(), n_units=8)
    assert np.array_equal(np.argsort(found.draws), np.argsort(M[:, 0]))


def test_zero_flips_get_a_floor():
    found = crossed([0.0, 0.0, 0.0], np.zeros((4000, 3)), rng=rng(), n_units=100)
    assert "zero_item_variance" in found.notes
    assert found.se == pytest.approx(0.01, rel=0.05)
    scale = Scale("identity", whole=100.0)
    percent = crossed([0.0] * 3, np.zeros((4000, 3)), rng=rng(), n_units=100, scale=scale)
    assert percent.se == pytest.approx(1.0, rel=0.05)


def test_one_flip_is_smoothed_and_a_small_continuous_measure_is_not():
    flips = rng(1).binomial(100, 0.01, size=(4000, 1)) / 100
    found = crossed([0.01], flips, rng=rng(), n_units=100)
    assert found.notes == ("few_flips", "one_replicate")
    assert found.low < 0.0
    assert found.p_value(0.0, direction="greater") > 0.1
    measure = 0.01 + 1e-4 * rng(1).standard_normal((4000, 1))
    assert crossed([0.01], measure, rng=rng(), n_units=100).notes == ("one_replicate",)


def test_all_right_stays_within_bounds_on_the_logit_scale():
    found = crossed([1.0] * 5, np.ones((4000, 5)), rng=rng(), n_units=100, scale="logit")
    assert found.high == 1.0
    assert 0.97 < found.low < 1.0


def test_bounded_scale_is_skewed_and_inside():
    point = np.array([0.97, 0.99, 0.98, 0.96, 0.985])
    M = np.clip(draws_of(point, 0.012, 0.0), 0, 1)
    found = crossed(point, M, rng=rng(), n_units=200, scale="logit")
    assert found.point == pytest.approx(point.mean())
    assert found.high < 1.0
    assert found.point - found.low > found.high - found.point


def test_percentages_name_their_range():
    share = crossed(POINT, draws_of(POINT, 0.02, 0.0), rng=rng(3), scale="logit", n_units=500)
    percent = crossed(
        100 * POINT,
        100 * draws_of(POINT, 0.02, 0.0),
        rng=rng(3),
        scale=Scale("logit", 0, 100),
        n_units=500,
    )
    assert (percent.low, percent.high) == pytest.approx((100 * share.low, 100 * share.high))


def test_order_of_replicates_does_not_matter():
    M = draws_of(POINT, 0.01, 0.02)
    order = [3, 1, 4, 0, 2]
    a, b = crossed(POINT, M, rng=rng(7)), crossed(POINT[order], M[:, order], rng=rng(7))
    np.testing.assert_allclose(a.draws, b.draws, atol=1e-12)


def test_shift_and_unit_carry_through():
    M = draws_of(POINT, 0.01, 0.02)
    a = crossed(POINT, M, rng=rng(7))
    b = crossed(100 * POINT + 5, 100 * M + 5, rng=rng(7))
    np.testing.assert_allclose(b.draws, 100 * a.draws + 5, atol=1e-9)


def test_undefined_draws_are_left_out_up_to_half():
    M = draws_of(POINT, 0.01, 0.0)
    M[:100, 2] = np.nan
    found = crossed(POINT, M, rng=rng())
    assert found.notes == ("undefined_draws",)
    assert found.draws.size == len(M) - 100
    M[:2100, 2] = np.nan
    with pytest.raises(StatisticsError, match="does not exist on 2100 of 4000"):
        crossed(POINT, M, rng=rng())


def test_shapes_and_single_clusters_are_refused():
    with pytest.raises(StatisticsError, match=r"\(draw, 5\)"):
        crossed(POINT, np.zeros((10, 4)), rng=rng())
    with pytest.raises(StatisticsError, match="point has 1 values"):
        crossed([np.nan], np.zeros((10, 1)), rng=rng())
    with pytest.raises(StatisticsError, match="one cluster"):
        crossed(POINT, draws_of(POINT, 0.1, 0.0), rng=rng(), n_units=1)


def test_t_over_replicates_needs_two():
    assert t_over_replicates([1.0, 2.0, 3.0]).method == "t_over_replicates"
    with pytest.raises(StatisticsError, match="two are the least"):
        t_over_replicates([1.0])


def test_units_within_strata_cost_a_degree_of_freedom_a_stratum():
    M = draws_of([0.5], 0.02, 0.0, size=20000)
    found = crossed([0.5], M, rng=rng(), n_units=8, n_strata=2)
    half = 2.4469 * M.std(ddof=1) * (8 / 6) ** 0.5
    assert found.high - 0.5 == pytest.approx(half, rel=0.02)
    with pytest.raises(StatisticsError, match="one cluster in every stratum"):
        crossed([0.5], M, rng=rng(), n_units=2, n_strata=2)


def test_the_t_fades_with_the_number_of_clusters_and_only_few_are_noted():
    M = draws_of([0.5], 0.02, 0.0, size=20000)
    some = crossed([0.5], M, rng=rng(), n_units=24)
    assert some.notes == ("one_replicate",)
    half = 2.0687 * M.std(ddof=1) * (24 / 23) ** 0.5
    assert some.high - 0.5 == pytest.approx(half, rel=0.02)
    many = crossed([0.5], M, rng=rng(), n_units=51)
    assert many.high - 0.5 == pytest.approx(1.96 * M.std(ddof=1), rel=0.02)


def test_resampled_sides_know_their_strata():
    x = np.stack([np.arange(8.0)[None], np.ones((1, 8))], axis=-1)
    units = Units.of(8, strata=[0] * 4 + [1] * 4)
    found = resample(x, lambda s, w: s[..., 0, 0] / s[..., 0, 1], rng=rng(), draws=50, units=units)
    assert (found.n_units, found.n_strata, found.select([0]).n_strata) == (8, 2, 2)


@pytest.mark.parametrize(("scale", "whole"), [("share", 1.0), ("points", 100.0)])
def test_straight_scales_with_a_range_are_cut_at_it(scale, whole):
    found = crossed([whole] * 3, np.full((4000, 3), whole), rng=rng(), n_units=50, scale=scale)
    assert found.high == whole
    assert found.low == pytest.approx(whole - 2 * whole / 50, rel=0.02)


def test_a_mean_nearer_to_its_bound_than_half_a_unit_lies_in_its_interval():
    rng = np.random.default_rng(0)
    point = np.array([0.996, 0.998, 0.997])  # three rows a unit, 120 units
    draws = point + 0.0008 * rng.standard_normal((4000, 3))
    found = crossed(point, np.minimum(draws, 1.0), rng=rng, n_units=120, scale="logit")
    assert found.low < found.point < found.high <= 1.0


def test_a_mean_at_its_bound_keeps_the_margin_of_half_a_unit():
    rng = np.random.default_rng(0)
    found = crossed(np.ones(3), np.ones((4000, 3)), rng=rng, n_units=120, scale="logit")
    assert found.point == 1.0
    assert 0.95 < found.low < 1.0
