"""Least squares from moments against numpy's solver, closed forms, and matrices written out."""

import numpy as np
import pytest
from scipy import stats

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.association.regression import (
    Moments,
    cluster_robust,
    least_squares,
    moments_by_unit,
)
from scrutiny.stats.resampling.weights import Units

RNG = np.random.default_rng(8)
ROWS, HEADS = 240, (2, 3)
UNIT = RNG.integers(0, 30, ROWS)
X = np.column_stack([RNG.integers(1, 25, ROWS), RNG.random(ROWS) < 0.35, RNG.standard_normal(ROWS)])
Y = 0.3 * X[:, 1] - 0.01 * X[:, 0] + RNG.standard_normal((*HEADS, ROWS))
DESIGN = np.column_stack([np.ones(ROWS), X])
BY_UNIT = moments_by_unit(X, Y, units=Units.of(ROWS, UNIT))
FIT = least_squares(BY_UNIT.total())


def solved(columns, y):
    """Coefficients and residual sum of squares by numpy."""
    found, *_ = np.linalg.lstsq(DESIGN[:, columns], y, rcond=None)
    return found, ((y - DESIGN[:, columns] @ found) ** 2).sum()


@pytest.mark.parametrize("head", list(np.ndindex(HEADS)))
def test_each_head_is_fitted_as_by_itself(head):
    whole, rss = solved([0, 1, 2, 3], Y[head])
    np.testing.assert_allclose(FIT.coefficients[head], whole, rtol=1e-9)
    assert FIT.residual_ss[head] == pytest.approx(rss)
    tss = ((Y[head] - Y[head].mean()) ** 2).sum()
    assert FIT.r2[head] == pytest.approx(1 - rss / tss)
    np.testing.assert_allclose(
        FIT.standardized[head], whole[1:] * X.std(axis=0) / Y[head].std(), rtol=1e-9
    )


@pytest.mark.parametrize("head", list(np.ndindex(HEADS)))
@pytest.mark.parametrize("column", [0, 1, 2])
def test_partial_sums_of_squares_are_those_of_two_models(head, column):
    rss = solved([0, 1, 2, 3], Y[head])[1]
    without = solved([c for c in range(4) if c != column + 1], Y[head])[1]
    assert FIT.partial_ss[(*head, column)] == pytest.approx(without - rss)
    f = (without - rss) / (rss / (ROWS - 4))
    assert FIT.partial_f[(*head, column)] == pytest.approx(f)
    assert FIT.p_values[(*head, column)] == pytest.approx(stats.f.sf(f, 1, ROWS - 4))


def test_a_line_has_its_closed_form():
    x, y = np.array([0.0, 1, 2, 4]), np.array([1.0, 3, 2, 6])
    fit = least_squares(moments_by_unit(x[:, None], y, units=Units.of(4)).total())
    slope = np.cov(x, y)[0, 1] / x.var(ddof=1)
    assert fit.coefficients.tolist() == pytest.approx([y.mean() - slope * x.mean(), slope])
    r = np.corrcoef(x, y)[0, 1]
    assert fit.standardized.tolist() == pytest.approx([r])
    assert fit.r2 == pytest.approx(r**2)
    assert fit.p_values[0] == pytest.approx(stats.pearsonr(x, y).pvalue)


def test_a_perfect_line_leaves_nothing():
    x = np.arange(5.0)
    fit = least_squares(moments_by_unit(x[:, None], 2 + 3 * x, units=Units.of(5)).total())
    assert fit.coefficients.tolist() == pytest.approx([2, 3])
    assert fit.residual_ss == pytest.approx(0, abs=1e-9)


def test_an_offset_of_a_hundred_deviations_costs_few_digits():
    far = least_squares(moments_by_unit(X + 100, Y + 100, units=Units.of(ROWS)).total())
    np.testing.assert_allclose(far.coefficients[..., 1:], FIT.coefficients[..., 1:], rtol=1e-7)
    np.testing.assert_allclose(far.partial_f, FIT.partial_f, rtol=1e-6)


def test_cluster_errors_are_the_sandwich_written_out():
    found = cluster_robust(BY_UNIT)
    groups = np.unique(UNIT)
    for head in np.ndindex(HEADS):
        residual = Y[head] - DESIGN @ FIT.coefficients[head]
        scores = np.stack([DESIGN[UNIT == g].T @ residual[UNIT == g] for g in groups])
        bread = np.linalg.inv(DESIGN.T @ DESIGN)
        factor = groups.size / (groups.size - 1) * (ROWS - 1) / (ROWS - 4)
        wanted = factor * bread @ scores.T @ scores @ bread
        np.testing.assert_allclose(found.covariance[head], wanted, rtol=1e-8, atol=1e-14)
        t = FIT.coefficients[head] / np.sqrt(np.diagonal(wanted))
        np.testing.assert_allclose(found.t[head], t, rtol=1e-8)
        np.testing.assert_allclose(found.p_values[head], 2 * stats.t.sf(abs(t), groups.size - 1))
    assert found.n_clusters == groups.size


def test_rows_by_themselves_give_the_errors_of_white():
    """With every row a cluster, CR1 is HC1."""
    rows = moments_by_unit(X, Y[0, 0], units=Units.of(ROWS))
    residual = Y[0, 0] - DESIGN @ FIT.coefficients[0, 0]
    bread = np.linalg.inv(DESIGN.T @ DESIGN)
    wanted = ROWS / (ROWS - 4) * bread @ (DESIGN.T * residual**2) @ DESIGN @ bread
    np.testing.assert_allclose(cluster_robust(rows).covariance, wanted, rtol=1e-8, atol=1e-14)


def test_the_order_of_rows_and_the_names_of_clusters_do_not_matter():
    order = RNG.permutation(ROWS)
    other = moments_by_unit(X[order], Y[..., order], units=Units.of(ROWS, 29 - UNIT[order]))
    np.testing.assert_allclose(cluster_robust(other).t, cluster_robust(BY_UNIT).t, rtol=1e-9)
    np.testing.assert_allclose(least_squares(other.total()).partial_ss, FIT.partial_ss, rtol=1e-9)


def test_draws_of_clusters_are_fits_of_their_repeated_rows():
    weights = RNG.multinomial(30, np.full(30, 1 / 30), size=4)
    drawn = least_squares(BY_UNIT.total(weights))
    assert drawn.coefficients.shape == (*HEADS, 4, 4)
    assert drawn.partial_f.shape == (*HEADS, 4, 3)
    rows = np.repeat(np.arange(ROWS), weights[2][UNIT])
    alone = least_squares(moments_by_unit(X[rows], Y[..., rows], units=Units.of(rows.size)).total())
    np.testing.assert_allclose(drawn.coefficients[..., 2, :], alone.coefficients, rtol=1e-8)
    np.testing.assert_allclose(drawn.partial_ss[..., 2, :], alone.partial_ss, rtol=1e-8)


@pytest.mark.parametrize("bad", [np.ones(ROWS), 3 * X[:, 1] + 1])
def test_without_variation_of_its_own_a_predictor_leaves_no_fit(bad):
    x = np.column_stack([X[:, 1], bad])
    rows = moments_by_unit(x, Y, units=Units.of(ROWS, UNIT))
    fit = least_squares(rows.total())
    assert np.isnan(fit.coefficients).all()
    assert np.isnan(fit.partial_f).all()
    assert np.isnan(fit.r2).all()
    assert np.isnan(cluster_robust(rows).p_values).all()


def test_a_draw_without_rows_has_no_fit_and_the_others_have():
    fit = least_squares(BY_UNIT.total(np.stack([np.zeros(30), np.ones(30)])))
    assert np.isnan(fit.coefficients[..., 0, :]).all()
    np.testing.assert_allclose(fit.coefficients[..., 1, :], FIT.coefficients)


def test_shapes_that_do_not_fit_and_single_clusters_are_refused():
    with pytest.raises(StatisticsError, match="must have 5 rows"):
        moments_by_unit(X, Y, units=Units.of(5))
    with pytest.raises(StatisticsError, match="two are the least"):
        cluster_robust(moments_by_unit(X, Y, units=Units.of(ROWS, np.zeros(ROWS, int))))


def test_moments_add_up():
    halves = [
        moments_by_unit(X[part], Y[..., part], units=Units.of(120)).total()
        for part in (slice(0, 120), slice(120, None))
    ]
    total = Moments(*(getattr(halves[0], n) + getattr(halves[1], n) for n in ("xx", "xy", "yy")))
    np.testing.assert_allclose(least_squares(total).coefficients, FIT.coefficients, rtol=1e-9)
