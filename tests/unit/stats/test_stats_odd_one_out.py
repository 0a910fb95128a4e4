"""Bets on the odd one of three answers: closed forms, and what they promise."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.significance import odd_one_out
from scrutiny.stats.significance.odd_one_out import odd_evidence, odd_needed, share_found


def test_the_first_bet_is_the_mean_of_its_parts():
    bets, prior = odd_one_out._BETS, odd_one_out._PRIOR
    assert prior.sum() == pytest.approx(1)
    assert odd_evidence([1])[0] == pytest.approx(2 * (prior * bets).sum())
    assert odd_evidence([0])[0] == pytest.approx(2 * (prior * (1 - bets)).sum())


def test_all_sequences_together_have_a_mean_of_one():
    """A martingale under fair outcomes, after each outcome."""
    every = np.array([*product((0, 1), repeat=10)])
    np.testing.assert_allclose(odd_evidence(every).mean(axis=0), 1.0)


def test_kept_outcomes_are_never_paid_more_than_odd_ones():
    """So that fewer odd outcomes than half give less: what it promises holds for any noise."""
    for before in product((0, 1), repeat=6):
        odd, kept = odd_evidence([*before, 1])[-1], odd_evidence([*before, 0])[-1]
        assert odd >= kept


@pytest.mark.parametrize("confirmed", range(4))
def test_an_unchanged_reference_is_the_odd_one_no_more_often_than_the_first_answer(confirmed):
    """Over all noise: also of references that new answers have confirmed so often before."""
    rng = np.random.default_rng(confirmed)
    for chances in rng.dirichlet((1.0, 0.5, 0.5, 0.2), size=200):
        reference, other = np.meshgrid(chances, chances, indexing="ij")
        differs = ~np.eye(chances.size, dtype=bool)
        weight = reference ** (1 + confirmed)  # the reference, and the answers that confirmed it
        odd = (weight * other**2)[differs].sum()  # both new answers are the other one
        kept = (weight * other * reference)[differs].sum()  # the second confirms the reference
        assert odd <= kept * (1 + 1e-9)
        assert confirmed or odd == pytest.approx(kept)


def test_an_outcome_that_is_none_changes_nothing():
    assert odd_evidence([1, -1, 0, -1]).tolist()[::2] == odd_evidence([1, 0]).tolist()
    assert odd_evidence([-1, -1]).tolist() == [1, 1]
    assert odd_evidence([]).size == 0
    np.testing.assert_array_equal(
        odd_evidence([[1, 0, -1], [1, 1, 1]])[0, :2], odd_evidence([1, 0])
    )


@pytest.mark.parametrize("outcomes", [[2], [0.5], 1])
def test_other_outcomes_are_refused(outcomes):
    with pytest.raises(StatisticsError, match="must be 0, 1, or -1"):
        odd_evidence(outcomes)


def test_what_is_needed_is_what_shows_it():
    for before in ([], [0], [1, 1], [0, 1, 0]):
        needed = odd_needed(before, 0.01)
        found = odd_evidence([*before, *[1] * needed])
        assert found[-1] >= 100 > found[-2]
    assert odd_needed([], 0.01, most=6) is None


def found(share, items, *, noise=0.0, before=(), seed=0):
    """Share of 2,000 looks that show so many changed items: two answers, and noise in each of them.

    Answers are drawn here, and not outcomes as `share_found` draws them.
    """
    rng = np.random.default_rng(seed)
    error = (1 - np.sqrt(1 - 2 * noise)) / 2  # so that two answers differ with a chance of `noise`
    usual = rng.random((2000, items)) < share
    first, second, kept = (rng.random((3, 2000, items)) < error) ^ [usual, usual, 0 * usual]
    outcomes = np.where(first == kept, -1, first == second)
    past = np.broadcast_to(np.array(before, dtype=int), (2000, len(before)))
    path = odd_evidence(np.concatenate([past, outcomes], axis=1))[:, len(before) :]
    return (path >= 100).any(axis=1).mean()


@pytest.mark.parametrize(
    ("items", "noise", "before"),
    [(190, 0.0, ()), (190, 0.03, ()), (120, 0.1, (0, 1, 0)), (60, 0.0, (0, 0))],
)
def test_the_share_found_is_found_in_8_of_10_looks(items, noise, before):
    rng = np.random.default_rng(1)
    share = share_found(before, 0.01, items=items, noise=noise, rng=rng)
    assert found(share, items, noise=noise, before=before) == pytest.approx(0.8, abs=0.05)


def test_the_share_found_without_noise_is_that_of_seven_in_a_row():
    share = share_found([], 0.01, items=100, noise=0.0, rng=np.random.default_rng(0))
    assert binom.sf(6, 100, share) == pytest.approx(0.8, abs=0.04)


def test_what_no_look_would_find_has_no_share():
    rng = np.random.default_rng(0)
    assert share_found([], 0.01, items=6, noise=0.0, rng=rng) is None
    assert share_found([], 0.01, items=190, noise=0.9, rng=rng) is None
    assert share_found([], 0.01, items=0, noise=0.0, rng=rng) is None
