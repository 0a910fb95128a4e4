"""Sequential test of two sources: its bets in closed form, its level by enumeration."""

import math
from itertools import product

import pytest

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.significance.combined_tests import ExchangeTest

SLOPES = (4.0, 16.0, 64.0)
APART, ALIKE = ((0.0, 0.0), (1.0,) * 4), ((0.0, 0.0), (0.0,) * 4)


def test_answers_that_are_apart_multiply_the_evidence():
    test = ExchangeTest()
    test.add(*APART)
    test.add(*APART)
    bets = [3 / (1 + 2 * math.exp(-slope / 2)) for slope in SLOPES]
    assert test.evidence == pytest.approx(sum(bet**2 for bet in bets) / 3)
    assert test.p_value == pytest.approx(1 / test.evidence)
    assert (test.questions, test.differs) == (2, False)


def test_equal_answers_say_nothing():
    test = ExchangeTest()
    test.add(*ALIKE)
    assert (test.evidence, test.p_value, test.questions) == (1.0, 1.0, 1)


def test_each_question_is_a_fair_bet():
    """Over the three ways to pair four answers a bet is one on average, whatever the distances."""
    within, between = (0.3, 1.2), (0.7, 2.0, 0.1, 0.9)
    d = {(0, 1): within[0], (2, 3): within[1]}
    d |= dict(zip([(0, 2), (0, 3), (1, 2), (1, 3)], between, strict=True))
    gains = []
    for a, b, c, e in [(0, 1, 2, 3), (0, 2, 1, 3), (0, 3, 1, 2)]:
        at = {
            tuple(sorted(pair)): d[tuple(sorted(pair))]
            for pair in product(range(4), repeat=2)
            if pair[0] != pair[1]
        }
        test = ExchangeTest()
        test._capital[:] = 1.0
        test.add(
            [at[tuple(sorted((a, b)))], at[tuple(sorted((c, e)))]],
            [at[tuple(sorted(pair))] for pair in product((a, b), (c, e))],
        )
        gains.append(test._capital)
    assert sum(gains) / 3 == pytest.approx([1.0] * 3)


def test_the_scale_of_distances_does_not_matter():
    one, other = ExchangeTest(), ExchangeTest()
    one.add((0.1, 0.2), (0.3, 0.4, 0.5, 0.6))
    other.add((1e-9, 2e-9), (3e-9, 4e-9, 5e-9, 6e-9))
    assert one._capital == pytest.approx(other._capital)


@pytest.mark.parametrize(("level", "fewest"), [(0.9, 3), (0.95, 3), (0.99, 5), (0.999, 7)])
def test_fewest_questions(level, fewest):
    assert ExchangeTest.fewest_questions(level) == fewest
    assert 3**fewest >= 1 / (1 - level)


def test_limits_of_what_was_never_seen():
    assert ExchangeTest(0.95, 11).most_that_differ == pytest.approx(1 - 0.05 ** (1 / 11))


@pytest.mark.parametrize("given", [((0.0,), (1.0,) * 4), ((0.0, -1.0), (1.0,) * 4)])
def test_odd_distances_are_refused(given):
    with pytest.raises(StatisticsError, match="two distances within and four between"):
        ExchangeTest().add(*given)
