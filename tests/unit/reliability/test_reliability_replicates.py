"""How replicates agree: by hand, and against Wilson's interval."""

import numpy as np
import pytest

from scrutiny.reliability.replicates import across, compared_runs
from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.intervals.crossed import crossed
from scrutiny.stats.intervals.interval import wilson


def interval(low, high):
    middle, half = (low + high) / 2, (high - low) / 4
    draws = middle + half * np.random.default_rng(0).standard_normal((2000, 1))
    return crossed([middle], draws, rng=np.random.default_rng(1))


def test_mean_and_spread():
    found = across([1.0, 2.0, 3.0])
    assert found == {"replicates": 3, "mean": 2.0, "sd": 1.0, "least": 1.0, "most": 3.0}
    assert all(isinstance(value, float) for value in found.values())


def test_one_replicate_has_no_spread():
    found = across([0.5], no_effect=0.0)
    assert "sd" not in found
    assert found["sign_agreement"] == 1.0


@pytest.mark.parametrize(
    ("values", "share"),
    [([1, 2, 3], 1.0), ([1, 2, -1], 2 / 3), ([-1, -2, 1], 2 / 3), ([2, 0, 0], 1 / 3)],
)
def test_sign_agreement_is_with_the_mean_and_zero_agrees_with_nothing(values, share):
    assert across(values, no_effect=0)["sign_agreement"] == pytest.approx(share)


def test_no_side_to_agree_with():
    found = across([1.0, -1.0], no_effect=0.0, intervals=(interval(0.5, 1.5), interval(-2, 0)))
    assert not {"sign_agreement", "significant"} & found.keys()


def test_no_effect_need_not_be_zero():
    assert across([0.6, 0.7, 0.4], no_effect=0.5)["sign_agreement"] == pytest.approx(2 / 3)


def test_the_share_that_is_significant_has_wilsons_interval():
    own = (interval(0.01, 0.05), interval(0.02, 0.06), interval(-0.03, 0.04))
    found = across([0.03, 0.04, 0.005], no_effect=0.0, intervals=own)
    wanted = wilson(2, 3)
    assert found["significant"] == pytest.approx(2 / 3)
    assert found["significant_low"] == pytest.approx(wanted.low)
    assert found["significant_high"] == pytest.approx(wanted.high)


def test_significant_on_the_other_side_does_not_count():
    own = (interval(0.01, 0.05), interval(0.02, 0.06), interval(-0.06, -0.02))
    found = across([0.03, 0.04, -0.04], no_effect=0.0, intervals=own)
    assert found["significant"] == pytest.approx(2 / 3)


def test_replicates_without_a_value_are_refused():
    with pytest.raises(StatisticsError):
        across([1.0, float("nan")])


def test_ten_runs_against_ten_that_lie_apart_have_the_smallest_p_there_is():
    found = compared_runs(range(10, 20), range(10))
    assert found["rank_sum_p"] == pytest.approx(2 / 184756)
    assert found["rank_sum_p"] == found["rank_sum_smallest_p"]
    assert found["superiority"] == 1.0


def test_ties_count_half_and_equal_groups_are_even():
    found = compared_runs([1.0, 2.0], [1.0, 2.0])
    assert found["superiority"] == 0.5
    assert found["rank_sum_p"] == pytest.approx(1.0)


def test_runs_against_a_constant_are_a_signed_rank_test():
    found = compared_runs([2.0, 3.0, 4.0, 5.0, 6.0], [1.0])
    assert found["signed_rank_p"] == pytest.approx(2 / 2**5)
    assert "rank_sum_p" not in found
    assert compared_runs([1.0], [2.0]) == {}
