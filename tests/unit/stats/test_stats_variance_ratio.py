import pytest
from scipy import stats

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.intervals.seed_error import Spread, variance_ratio, variance_ratio_power


def test_five_seeds_need_two_and_a_half():
    found = variance_ratio(Spread(2.6, 1.0, 5), Spread(1.0, 1.0, 5))
    assert found.smallest_significant == pytest.approx(2.528, abs=0.001)
    assert found.p_value < 0.05
    assert variance_ratio(Spread(2.5, 1.0, 5), Spread(1.0, 1.0, 5)).p_value > 0.05


@pytest.mark.reproduces
@pytest.mark.parametrize(("ratio", "power"), [(1.0, 0.05), (3.0, 0.62), (5.0, 0.89)])
def test_power_of_the_reference(ratio, power):
    assert variance_ratio_power(ratio, replicates=(5, 5)) == pytest.approx(power, abs=0.01)


def test_each_side_in_units_of_its_own_item_error():
    a = variance_ratio(Spread(3.0, 1.0, 5), Spread(1.0, 1.0, 5))
    b = variance_ratio(Spread(0.03, 0.01, 5), Spread(1.0, 1.0, 5))
    assert a.ratio == pytest.approx(b.ratio)
    fewer_items = variance_ratio(Spread(3.0, 3.0, 5), Spread(1.0, 1.0, 5))
    assert fewer_items.ratio == pytest.approx(1.0)


def test_swapping_sides_inverts():
    one, two = Spread(3.0, 1.0, 5), Spread(1.0, 1.0, 7)
    a, b = variance_ratio(one, two), variance_ratio(two, one)
    assert a.ratio == pytest.approx(1 / b.ratio)
    assert (a.low, a.high) == pytest.approx((1 / b.high, 1 / b.low))
    assert a.p_value == pytest.approx(1 - b.p_value)


def test_spread_of_values():
    assert Spread.of([1.0, 3.0], item_se=0.5).ratio == pytest.approx(2**0.5 / 0.5)


def test_what_does_not_vary_has_no_ratio():
    with pytest.raises(StatisticsError, match="no ratio exists"):
        variance_ratio(Spread(1.0, 1.0, 5), Spread(0.0, 1.0, 5))
    with pytest.raises(StatisticsError, match="two are the least"):
        Spread.of([1.0], item_se=1.0)
    with pytest.raises(StatisticsError, match="must be positive"):
        Spread.of([1.0, 2.0], item_se=0.0)


@pytest.mark.parametrize("replicates", [(2, 2), (5, 3), (25, 5)])
def test_the_distributions_are_those_of_scipy_to_the_digit(replicates):
    df = (replicates[0] - 1, replicates[1] - 1)
    found = variance_ratio(Spread(3.0, 1.0, replicates[0]), Spread(1.3, 1.0, replicates[1]))
    assert found.p_value == stats.f.sf(found.ratio**2, *df)
    assert found.low == found.ratio / stats.f.ppf(0.975, *df) ** 0.5
    assert found.smallest_significant == stats.f.ppf(0.95, *df) ** 0.5
