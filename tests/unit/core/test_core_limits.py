"""Parameters are held to their bounds by name; the first that does not fit is named."""

from dataclasses import dataclass
from math import inf, nan

import pytest

from scrutiny.core.boundary.parameters import above_zero, at_least, between, known, one_of, shares
from scrutiny.core.errors import PlanError, UnknownNameError


@dataclass
class Given:
    n: float | None = None
    word: str | None = None


@pytest.mark.parametrize("value", [1, 1.0, 7, inf, None])
def test_a_number_from_the_least_on_passes(value):
    assert at_least(Given(value), n=1) is None


@pytest.mark.parametrize(
    ("value", "said"), [(0, "0"), (0.99, "0.99"), (nan, "nan"), (-inf, "-inf")]
)
def test_a_number_below_the_least_is_refused_by_name(value, said):
    with pytest.raises(PlanError, match=rf"^n must be at least 1, not {said}\.$"):
        at_least(Given(value), n=1)


@pytest.mark.parametrize("value", [19, 9999, None])
def test_both_ends_are_between(value):
    assert between(Given(value), n=(19, 9999)) is None


@pytest.mark.parametrize("value", [18.9, 10000, nan])
def test_what_lies_outside_is_not_between(value):
    with pytest.raises(PlanError, match=r"^n must lie between 19 and 9999, not "):
        between(Given(value), n=(19, 9999))


@pytest.mark.parametrize("value", [0, -1, inf, nan])
def test_zero_and_infinity_are_not_above_zero(value):
    with pytest.raises(PlanError, match=r"^n must be above 0, not "):
        above_zero(Given(value), "n")


@pytest.mark.parametrize("value", [1e-9, 3, None])
def test_any_other_number_above_zero_passes(value):
    assert above_zero(Given(value), "n") is None


@pytest.mark.parametrize(
    ("ends", "fine", "refused"),
    [
        ({}, [0, 0.5], [1, -0.1, 1.1, nan]),
        ({"zero": False}, [0.5], [0, 1]),
        ({"zero": False, "one": True}, [0.5, 1], [0, 1.1]),
        ({"one": True}, [0, 1], [-0.1, 1.1]),
    ],
)
def test_a_share_has_the_ends_that_it_may_have(ends, fine, refused):
    for value in [*fine, None]:
        assert shares(Given(value), "n", **ends) is None
    for value in refused:
        with pytest.raises(PlanError, match=r"^n must lie between 0 and 1, not "):
            shares(Given(value), "n", **ends)


def test_a_word_is_one_of_the_choices_or_left_open():
    assert one_of(Given(word="sum"), word=("sum", "mean")) is None
    assert one_of(Given(), word=("sum", "mean")) is None
    with pytest.raises(PlanError, match=r"^word is one of sum, mean, not 'max'\.$"):
        one_of(Given(word="max"), word=("sum", "mean"))


def test_the_first_name_that_nothing_has_is_named_with_near_ones():
    assert known("pooling", ["mean", "cls"], {"mean", "cls"}) is None
    with pytest.raises(UnknownNameError, match=r"no pooling named 'meen'.*'mean'"):
        known("pooling", ["cls", "meen", "other"], {"mean", "cls"})
