import numpy as np
import pytest

from published_multibootstrap import (
    Runs,
    Scheme,
    multibootstrap,
    multibootstrap_decomposition,
)
from scrutiny.stats.arrays import StatisticsError


def rng(seed=0):
    return np.random.default_rng(seed)


def hits(runs, items=40, p=0.6, seed=3):
    return (rng(seed).random((runs, items)) < p).astype(float)


def accuracy(picked, index):
    return picked.mean(axis=1)


def test_mean_and_score_forms_draw_the_same():
    base, expt = Runs.of(hits(4)), Runs.of(hits(4, p=0.7, seed=4))
    fast = multibootstrap(base, expt, rng=rng(), scheme=Scheme(nboot=50))
    slow = multibootstrap(base, expt, rng=rng(), scheme=Scheme(nboot=50), score=accuracy)
    np.testing.assert_allclose(fast.delta.draws, slow.delta.draws, atol=1e-12)
    assert fast.p_value == slow.p_value


def test_score_is_told_which_examples():
    labels = rng(8).integers(0, 2, 40)
    base = Runs.of(hits(3))

    def right(picked, index):
        return (picked == labels[index]).mean(axis=1)

    found = multibootstrap(base, rng=rng(), scheme=Scheme(nboot=30), score=right)
    assert found.base.point == pytest.approx((base.values == labels).mean())
    as_mean = Runs.of(base.values == labels)
    same = multibootstrap(as_mean, rng=rng(), scheme=Scheme(nboot=30))
    np.testing.assert_allclose(found.base.draws, same.base.draws, atol=1e-12)


def test_one_side_alone():
    found = multibootstrap(Runs.of(hits(5)), rng=rng())
    assert found.expt is None
    assert found.delta is None
    assert found.p_value is None
    assert found.n_seeds == (5,)
    assert found.base.notes == ("few_seeds",)


def test_runs_of_a_seed_are_averaged_first():
    values = np.array([[1.0] * 9, [1.0] * 9, [0.0] * 9])
    found = multibootstrap(Runs.of(values, seeds=[7, 7, 3]), rng=rng())
    assert found.base.point == 0.5  # not 2/3
    assert found.n_seeds == (2,)


def test_paired_uses_the_seeds_in_common():
    base = Runs.of(hits(4), seeds=[0, 1, 2, 3])
    expt = Runs.of(hits(3, seed=5), seeds=[9, 3, 1])
    found = multibootstrap(base, expt, rng=rng())
    assert found.n_seeds == (2, 2)
    assert found.base.point == pytest.approx(base.values[[1, 3]].mean())
    with pytest.raises(StatisticsError, match="no seed in common"):
        multibootstrap(base, Runs.of(hits(1), seeds=[8]), rng=rng())


def test_identical_paired_sides_differ_by_nothing():
    side = Runs.of(hits(4))
    found = multibootstrap(side, side, rng=rng())
    assert (found.delta.low, found.delta.high) == (0.0, 0.0)
    assert found.p_value == 1.0


def test_p_has_a_floor_and_a_direction():
    low, high = Runs.of(np.zeros((3, 20))), Runs.of(np.ones((3, 20)))
    up = multibootstrap(low, high, rng=rng(), scheme=Scheme(nboot=200))
    down = multibootstrap(low, high, rng=rng(), scheme=Scheme(nboot=200), direction="less")
    assert (up.p_value, down.p_value) == (1 / 200, 1.0)


def test_a_single_checkpoint_varies_by_examples_only():
    base, expt = Runs.of(hits(1)), Runs.of(hits(6, seed=5))
    scheme = Scheme(paired=False, nboot=4000)
    found = multibootstrap(base, expt, rng=rng(), scheme=scheme)
    p = base.values.mean()
    assert found.base.se == pytest.approx((p * (1 - p) / 40) ** 0.5, rel=0.05)


def test_fixed_factors_do_not_vary():
    side = Runs.of(hits(4))
    fixed = Scheme(sample_seeds=False, sample_examples=False, nboot=20)
    assert multibootstrap(side, rng=rng(), scheme=fixed).base.se == pytest.approx(0.0, abs=1e-12)


def test_decomposition_by_closed_form():
    values = hits(5, items=60)
    found = multibootstrap_decomposition(Runs.of(values), rng=rng(), nboot=8000)
    assert found.seeds == pytest.approx(values.mean(axis=1).var() / 5, rel=0.06)
    assert found.items == pytest.approx(values.mean(axis=0).var() / 60, rel=0.06)


def test_relabeled_seeds_give_the_same_draws():
    values = hits(4)
    a = multibootstrap(Runs.of(values), rng=rng())
    b = multibootstrap(Runs.of(values, seeds=[10, 20, 30, 40]), rng=rng())
    assert np.array_equal(a.base.draws, b.base.draws)


def test_wrong_inputs_are_named():
    with pytest.raises(StatisticsError, match="same examples"):
        multibootstrap(Runs.of(hits(2, items=5)), Runs.of(hits(2, items=6)), rng=rng())
    with pytest.raises(StatisticsError, match="one a run"):
        Runs.of(hits(2), seeds=[1])
    with pytest.raises(StatisticsError, match="one score a run"):
        multibootstrap(Runs.of(hits(2)), rng=rng(), score=lambda picked, index: picked.mean())
