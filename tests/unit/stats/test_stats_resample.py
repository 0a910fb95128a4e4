import numpy as np
import pytest

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.resampling import resample as module
from scrutiny.stats.resampling.resample import resample, resample_refit, resample_weighted
from scrutiny.stats.resampling.sums import _ranks
from scrutiny.stats.resampling.weights import Units


def mean(sums, weight):
    return sums[..., 0, 0] / sums[..., 0, 1]


def with_ones(x):
    x = np.asarray(x, dtype=float)
    return np.stack([x, np.ones_like(x)], axis=-1)


def rng(seed=0):
    return np.random.default_rng(seed)


def test_point_and_shape():
    found = resample(with_ones([[1, 2, 3], [4, 5, 9]]), mean, rng=rng(), draws=7)
    assert found.point.tolist() == [2.0, 6.0]
    assert found.draws.shape == (7, 2)
    assert (found.n_rows, found.n_units) == (3, 3)


def test_replicates_see_the_same_items():
    x = rng(1).random(40)
    found = resample(with_ones([x, x + 1.0]), mean, rng=rng(), draws=50)
    np.testing.assert_allclose(found.draws[:, 1] - found.draws[:, 0], 1.0, atol=1e-12)


def test_very_many_items_are_drawn_in_groups_with_the_error_of_single_ones(monkeypatch):
    monkeypatch.setattr(module, "_VERY_MANY", 2_000)
    monkeypatch.setattr(module, "_GROUPS", 1_000)
    x = with_ones(rng(1).exponential(size=(1, 4_000)))
    found = resample(x, mean, rng=rng(2), draws=4_000)
    error = x[0, :, 0].std() / np.sqrt(4_000)
    # 1,000 groups and 4,000 draws: 1 / sqrt(2,000) and 1 / sqrt(8,000) of the error
    assert found.draws.std() == pytest.approx(error, rel=0.08)
    assert found.point[0] == pytest.approx(x[0, :, 0].mean(), abs=1e-12)
    assert (found.n_units, found.degrees) == (4_000, 3_999)
    alike = resample(x, mean, rng=rng(2), draws=4_000, share=True)
    assert alike.resample_id == found.resample_id


def test_equal_seeds_share_draws_whatever_is_computed():
    x = (rng(1).random((2, 300)) < 0.5).astype(float)
    a = resample(with_ones(x), mean, rng=rng(5), draws=20, share=True)
    b = resample(with_ones(1 - x), mean, rng=rng(5), draws=20, share=True)
    assert a.resample_id == b.resample_id
    np.testing.assert_allclose(a.draws + b.draws, 1.0)


def test_other_seeds_units_draws_or_patterns_are_other_draws():
    x = (rng(1).random((1, 300)) < 0.5).astype(float)
    ids = {
        resample(with_ones(x), mean, rng=rng(s), draws=d, units=u, share=share).resample_id
        for s, d, u, share in [
            (5, 20, None, True),
            (6, 20, None, True),
            (5, 21, None, True),
            (5, 20, Units.of(300, np.arange(300) // 2), True),
            (5, 20, Units.of(300, strata=np.arange(300) // 150), True),
            (5, 20, None, False),
        ]
    }
    assert len(ids) == 6


def test_collapsed_draws_do_not_depend_on_row_order():
    x = (rng(1).random((3, 500)) < 0.6).astype(float)
    order = rng(2).permutation(500)
    a = resample(with_ones(x), mean, rng=rng(5), draws=30)
    b = resample(with_ones(x[:, order]), mean, rng=rng(5), draws=30)
    assert a.n_patterns == 8
    assert np.array_equal(a.draws, b.draws)


def test_unit_ids_may_be_renamed_in_order():
    x = rng(1).random((1, 6))
    names = Units.of(6, ["a", "a", "b", "b", "c", "c"])
    numbers = Units.of(6, [10, 10, 20, 20, 30, 30])
    a = resample(with_ones(x), mean, rng=rng(5), draws=30, units=names)
    b = resample(with_ones(x), mean, rng=rng(5), draws=30, units=numbers)
    assert np.array_equal(a.draws, b.draws)


def test_nested_cells_come_with_their_multiplicity():
    # macro mean over terms; each term is a resampled unit
    x = rng(3).random((2, 12))
    term = np.repeat(np.arange(4), 3)

    def macro(sums, weight):
        each = np.where(weight > 0, sums[..., 0] / np.maximum(sums[..., 1], 1.0), 0.0)
        return (each * weight).sum(axis=-1) / weight.sum(axis=-1)

    units = Units.of(12, term)
    a = resample(with_ones(x), macro, rng=rng(5), draws=40, units=units, cells=term)
    by_term = x.reshape(2, 4, 3).mean(axis=2)
    b = resample(with_ones(by_term), mean, rng=rng(5), draws=40, share=True)
    np.testing.assert_allclose(a.draws, b.draws)


def test_undefined_draws_stay_nan_and_are_counted():
    hits = np.zeros((1, 5, 2))
    hits[0, 0] = 1.0  # only this row makes the denominator
    found = resample(hits, mean, rng=rng(), draws=200, share=True)
    assert 40 < np.isnan(found.draws).sum() < 100  # (4/5)^5 = .33


def test_select_takes_sides_apart():
    both = resample(with_ones([[1, 2], [3, 4], [5, 6]]), mean, rng=rng(), draws=4)
    side = both.select([2, 0])
    assert side.point.tolist() == [5.5, 1.5]
    assert side.resample_id == both.resample_id
    assert np.array_equal(side.draws, both.draws[:, [2, 0]])


def test_wrong_inputs_are_named():
    x = with_ones([[1, 2, 3]])
    with pytest.raises(StatisticsError, match="it must reduce the last two axes"):
        resample(x, lambda s, w: s[..., 0], rng=rng(), draws=3)
    with pytest.raises(StatisticsError, match="units describe 2 rows"):
        resample(x, mean, rng=rng(), draws=3, units=Units.of(2))
    with pytest.raises(StatisticsError, match="X has 2 axes"):
        resample([[1.0]], mean, rng=rng(), draws=3)


def weighted_mean(m, w):
    return w @ m[:, 0] / w.sum(axis=1)


def test_weighted_and_sums_agree_on_a_mean():
    x = rng(1).random((2, 30))
    units = Units.of(30, np.arange(30) // 3)
    a = resample(with_ones(x), mean, rng=rng(4), draws=25, units=units, share=True)
    b = resample_weighted(x[..., None], weighted_mean, rng=rng(4), draws=25, units=units)
    np.testing.assert_allclose(a.draws, b.draws)
    assert a.resample_id == b.resample_id


def test_very_many_rows_are_weighed_in_the_groups_that_sums_are_drawn_in(monkeypatch):
    monkeypatch.setattr(module, "_VERY_MANY", 2_000)
    monkeypatch.setattr(module, "_GROUPS", 1_000)
    x = rng(1).exponential(size=(1, 4_000))
    a = resample(with_ones(x), mean, rng=rng(4), draws=40, share=True)
    b = resample_weighted(x[..., None], weighted_mean, rng=rng(4), draws=40)
    np.testing.assert_allclose(a.draws, b.draws)
    assert a.resample_id == b.resample_id
    assert (b.n_units, b.degrees) == (4_000, 3_999)


def test_refit_sees_the_drawn_rows_and_is_no_shared_draw():
    x = rng(1).random((2, 30))
    found = resample_refit(x[..., None], lambda m: float(m[:, 0].mean()), rng=rng(4), draws=400)
    assert found.point == pytest.approx(x.mean(axis=1))
    assert found.draws.std(axis=0) == pytest.approx(x.std(axis=1) / 30**0.5, rel=0.15)
    other = resample_weighted(x[..., None], weighted_mean, rng=rng(4), draws=400)
    assert found.resample_id != other.resample_id


@pytest.mark.parametrize("kind", ["whole", "large", "real", "negative"])
def test_ranks_of_values_are_those_of_a_sort(kind: str) -> None:
    rng = np.random.default_rng(3)
    values = {
        "whole": rng.integers(0, 9, 400).astype(np.float64) * 3,
        "large": rng.integers(0, 2**40, 400).astype(np.float64),
        "real": rng.integers(0, 9, 400) / 7,
        "negative": rng.integers(-5, 5, 400),
    }[kind]
    distinct, index = np.unique(values, return_inverse=True)
    n, ranks = _ranks(values)
    assert n == distinct.size
    assert np.array_equal(ranks, index)
