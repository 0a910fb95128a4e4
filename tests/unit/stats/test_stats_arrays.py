import numpy as np
import pytest

from scrutiny.core.errors import UserError
from scrutiny.stats.arrays import StatisticsError, counts, finite, one_of, proper_level
from scrutiny.stats.intervals.components import has_enough


def test_finite_says_how_many_are_not():
    with pytest.raises(StatisticsError, match="X has 2 values that are NaN or infinite"):
        finite([1.0, float("nan"), float("inf")], "X")


@pytest.mark.parametrize(("bad", "what"), [([[1.0]], "2 axes"), ([], "empty")])
def test_finite_checks_shape(bad, what):
    with pytest.raises(StatisticsError, match=what):
        finite(bad, "X", ndim=1)


def test_counts_takes_whole_numbers_only():
    assert counts([0, 2.0], "n").tolist() == [0, 2]
    for bad in ([-1], [0.5]):
        with pytest.raises(StatisticsError, match="whole numbers"):
            counts(bad, "n")


@pytest.mark.parametrize("level", [0.0, 1.0, 95])
def test_level_is_a_share(level):
    with pytest.raises(StatisticsError, match="strictly between 0 and 1"):
        proper_level(level)


def test_one_of_lists_what_is_allowed():
    with pytest.raises(StatisticsError, match="'a', 'b'"):
        one_of("c", "letter", ("a", "b"))


def test_draws_without_a_value_are_masked():
    assert has_enough(np.array([[1.0, 2.0], [1.0, np.nan]])).tolist() == [True, False]


def test_the_error_is_a_user_error_and_a_value_error():
    assert issubclass(StatisticsError, UserError)
    assert issubclass(StatisticsError, ValueError)
