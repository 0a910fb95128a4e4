import numpy as np
import pytest

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.resampling import weights
from scrutiny.stats.resampling.weights import Units, draw_indices, draw_weights


def test_units_follow_ids_not_row_order():
    a = Units.of(4, ["x", "y", "x", "z"])
    assert a.code.tolist() == [0, 1, 0, 2]
    assert (a.n_rows, a.n_units, a.n_strata) == (4, 3, 1)
    assert [r.tolist() for r in a.rows()] == [[0, 2], [1], [3]]


def test_rows_are_units_by_default():
    assert Units.of(3).code.tolist() == [0, 1, 2]


def test_a_unit_lies_in_one_stratum():
    with pytest.raises(StatisticsError, match="two strata"):
        Units.of(3, [0, 0, 1], strata=["a", "b", "b"])


@pytest.mark.parametrize("ids", [[1, None, 2], [1.0, float("nan"), 2.0]])
def test_missing_ids_are_refused(ids):
    with pytest.raises(StatisticsError, match="without an id"):
        Units.of(3, ids)


def test_wrong_number_of_ids_is_refused():
    with pytest.raises(StatisticsError, match=r"\(3,\), one id a row"):
        Units.of(3, [1, 2])
    with pytest.raises(StatisticsError, match="no rows"):
        Units.of(0)


def test_groups_have_equal_sizes_within_their_strata_and_keep_units_whole():
    units = Units.of(90, np.arange(90) // 2, strata=np.arange(90) >= 60)
    groups = units.gathered(9)
    assert np.bincount(groups.stratum).tolist() == [6, 3]
    assert np.bincount(groups.code).tolist() == [10] * 9
    assert (groups.code[::2] == groups.code[1::2]).all()
    assert (groups.stratum[groups.code] == (np.arange(90) >= 60)).all()
    assert np.array_equal(groups.code, units.gathered(9).code)


def test_small_strata_have_groups_enough_to_vary_or_keep_their_units():
    sizes = [9_000, 300, 2]
    units = Units.of(sum(sizes), strata=np.repeat([0, 1, 2], sizes))
    groups = units.gathered(400)
    assert np.bincount(groups.stratum).tolist() == [387, 100, 2]
    assert [np.unique(groups.stratum[own]).tolist() for own in groups.members] == [[0], [1], [2]]
    assert np.bincount(groups.code).min() > 0
    pairs = Units.of(600, strata=np.arange(600) // 2)  # a stratum each: none is put together
    assert pairs.gathered(100).n_units == 600


def test_strata_keep_their_sizes_on_every_draw():
    units = Units.of(7, strata=list("aabbbcc"))
    drawn = np.concatenate(list(draw_weights(units, draws=50, rng=np.random.default_rng(0))))
    assert drawn.shape == (50, 7)
    assert (drawn[:, :2].sum(axis=1) == 2).all()
    assert (drawn[:, 2:5].sum(axis=1) == 3).all()
    assert (drawn[:, 5:].sum(axis=1) == 2).all()


def test_draws_do_not_depend_on_the_memory_held(monkeypatch):
    units = Units.of(400, strata=np.arange(400) % 3)
    whole = np.concatenate(list(draw_weights(units, draws=700, rng=np.random.default_rng(3))))
    monkeypatch.setattr(weights, "CHUNK_BYTES", 1)
    chunks = list(draw_weights(units, draws=700, rng=np.random.default_rng(3)))
    assert len(chunks) > 1
    assert np.array_equal(np.concatenate(chunks), whole)


def test_indices_bring_whole_units():
    units = Units.of(5, ["a", "a", "b", "b", "b"])
    for index in draw_indices(units, draws=20, rng=np.random.default_rng(1)):
        n_a, n_b = np.isin(index, [0, 1]).sum(), np.isin(index, [2, 3, 4]).sum()
        assert n_a % 2 == 0
        assert n_b % 3 == 0
        assert n_a // 2 + n_b // 3 == 2
