import numpy as np
import pytest
from scipy import stats

from scrutiny.stats.agreement.flips import flips
from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.significance.binomial import poisson_binomial


def test_dissent_by_hand():
    found = flips([[1, 1, 0, 0], [1, 0, 0, 1], [1, 1, 1, 0], [1, 1, 0, 1], [1, 0, 0, 0]])
    assert found.share.tolist() == [0.25, 0.25, 0.5]
    assert found.any_share == 0.75


@pytest.mark.parametrize("replicates", [1, 2, 3, 4, 5, 10])
def test_shares_sum_to_one(replicates):
    answers = np.random.default_rng(0).integers(0, 2, (replicates, 40))
    shares = flips(answers).share
    assert shares.sum() == pytest.approx(1.0)
    assert shares.size == replicates // 2 + 1


def test_answers_may_be_swapped_and_reordered():
    g = np.random.default_rng(0)
    answers = g.integers(0, 2, (5, 40))
    a, b = flips(answers), flips(1 - answers[g.permutation(5)][:, g.permutation(40)])
    assert np.array_equal(a.share, b.share)
    assert (a.observed_sd, a.flip_sd) == pytest.approx((b.observed_sd, b.flip_sd))


def test_poisson_binomial_of_equal_trials_is_binomial():
    found = poisson_binomial(np.full((6, 1), 0.3))[0]
    assert found == pytest.approx(stats.binom.pmf(np.arange(7), 6, 0.3))


def test_independent_flips_have_ratio_one_common_shifts_more():
    g = np.random.default_rng(0)
    p = g.random(4000)
    alone = flips((g.random((40, 4000)) < p).astype(int))
    shift = 0.1 * g.standard_normal((40, 1))
    together = flips((g.random((40, 4000)) < p + shift).astype(int))
    assert alone.sd_ratio == pytest.approx(1.0, abs=0.35)
    assert together.sd_ratio > 5


def test_one_replicate_never_disagrees_with_itself():
    found = flips([[1, 0, 1]])
    assert found.share.tolist() == [1.0]
    assert found.observed_sd is None


def test_wrong_inputs_are_named():
    for answers in ([[0.5, 1.0]], [[0, 2]]):
        with pytest.raises(StatisticsError, match="must be 0 or 1"):
            flips(answers)
    with pytest.raises(StatisticsError, match=r"\[0, 1\]"):
        poisson_binomial([[0.5, 1.5]])
