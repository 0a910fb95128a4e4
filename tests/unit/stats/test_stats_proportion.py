import pytest

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.intervals.interval import wilson


def test_ends_are_exact_and_never_of_no_width():
    none, every = wilson(0, 50), wilson(50, 50)
    assert none.low == 0.0
    assert every.high == 1.0
    assert none.high == pytest.approx(1 - every.low)
    assert none.high == pytest.approx(3.8416 / (50 + 3.8416), abs=1e-4)  # z^2 / (n + z^2)


def test_limits_solve_the_score_equation():
    found = wilson(37, 80, level=0.9)
    for p in (found.low, found.high):
        assert abs(37 / 80 - p) / (p * (1 - p) / 80) ** 0.5 == pytest.approx(1.6449, abs=1e-3)


@pytest.mark.parametrize("case", [(1, 0), (-1, 5), (6, 5)])
def test_impossible_counts_are_refused(case):
    with pytest.raises(StatisticsError, match="not a share"):
        wilson(*case)
