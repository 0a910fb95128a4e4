import numpy as np
import pytest
from scipy import stats

from scrutiny.stats import StatisticsError, flips, poisson_binomial


def test_dissent_by_hand():
    found = flips([[1, 1, 0, 0], [1, 0, 0, 1], [1, 1, 1, 0], [1, 1, 0, 1], [1, 0, 0, 0]])
    assert found.dissent.tolist() == [0, 2, 1, 2]
    assert found.share.tolist() == [0.25, 0.25, 0.5]
    assert found.any_share == 0.75


def test_coins_of_five_replicates():
    found = flips(np.zeros((5, 3)))
    assert found.coin == pytest.approx([0.0625, 0.3125, 0.625])


@pytest.mark.parametrize("replicates", [1, 2, 3, 4, 5, 10])
def test_every_distribution_sums_to_one(replicates):
    answers = np.random.default_rng(0).integers(0, 2, (replicates, 40))
    found = flips(answers)
    for shares in (found.share, found.coin, found.expected):
        assert shares.sum() == pytest.approx(1.0)
        assert shares.size == replicates // 2 + 1


def test_answers_may_be_swapped_and_reordered():
    g = np.random.default_rng(0)
    answers = g.integers(0, 2, (5, 40))
    a, b = flips(answers), flips(1 - answers[g.permutation(5)][:, g.permutation(40)])
    assert np.array_equal(a.share, b.share)
    assert a.expected == pytest.approx(b.expected)
    assert (a.observed_sd, a.flip_sd) == pytest.approx((b.observed_sd, b.flip_sd))


def test_given_probabilities_of_a_half_are_coins():
    found = flips(np.zeros((5, 3)), probabilities=np.full(3, 0.5))
    assert found.expected == pytest.approx(found.coin)


def test_margins_by_replicate_are_poisson_binomial():
    p = np.array([[0.1], [0.5], [0.9]])
    found = flips([[0], [0], [1]], probabilities=p)
    none, every = 0.9 * 0.5 * 0.1, 0.1 * 0.5 * 0.9
    assert found.expected[0] == pytest.approx(none + every)


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


def test_many_answers_count_those_outside_the_majority():
    found = flips([[0, 1, 2], [0, 1, 0], [0, 2, 1]])
    assert found.dissent.tolist() == [0, 1, 2]
    assert found.coin is None
    assert found.sd_ratio is None


def test_one_replicate_never_disagrees_with_itself():
    found = flips([[1, 0, 1]])
    assert found.share.tolist() == [1.0]
    assert found.observed_sd is None


def test_wrong_inputs_are_named():
    with pytest.raises(StatisticsError, match="whole-number"):
        flips([[0.5, 1.0]])
    with pytest.raises(StatisticsError, match="need answers 0 and 1"):
        flips([[0, 2]], probabilities=[0.5, 0.5])
    with pytest.raises(StatisticsError, match=r"\(2,\) or \(1, 2\)"):
        flips([[0, 1]], probabilities=[0.5])
    with pytest.raises(StatisticsError, match=r"\[0, 1\]"):
        flips([[0, 1]], probabilities=[0.5, 1.5])
