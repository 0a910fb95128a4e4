import numpy as np
import pytest

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.significance.exact_tests import mcnemar, mcnemar_by_replicate


def test_mid_p_by_hand():
    # 1 of 6: 2 * (P(X = 0) + P(X = 1) / 2) = 2 * (1 + 3) / 64
    assert mcnemar(1, 5).p_value == pytest.approx(8 / 64)
    assert mcnemar(1, 5, method="exact").p_value == pytest.approx(2 * 7 / 64)


@pytest.mark.parametrize(("n", "can"), [(5, False), (6, True)])
def test_smallest_p_tells_what_cannot_be_found(n, can):
    found = mcnemar(0, n, method="exact")
    assert found.smallest_p == found.p_value == pytest.approx(2 * 0.5**n)
    assert (found.smallest_p <= 0.05) is can


def test_mid_p_has_its_own_smallest_p():
    assert mcnemar(2, 3).smallest_p == pytest.approx(0.5**5)


def test_sides_swap():
    assert mcnemar(3, 9).p_value == mcnemar(9, 3).p_value
    assert mcnemar(3, 9, alternative="less").p_value == pytest.approx(
        mcnemar(9, 3, alternative="greater").p_value
    )


def test_one_sided_mid_p_values_add_to_one():
    p = [mcnemar(4, 7, alternative=side).p_value for side in ("greater", "less")]
    assert sum(p) == pytest.approx(1.0)


def test_no_change_is_no_evidence():
    found = mcnemar(0, 0)
    assert (found.p_value, found.smallest_p, found.n) == (1.0, 1.0, 0)


def test_each_replicate_has_its_own_test():
    before = np.array([[1, 1, 1, 0], [0, 0, 1, 1]])
    after = np.array([[1, 0, 0, 1], [0, 0, 1, 1]])
    first, second = mcnemar_by_replicate(before, after)
    assert (first.statistic, first.n) == (1.0, 3)
    assert (second.p_value, second.n) == (1.0, 0)


def test_wrong_inputs_are_named():
    with pytest.raises(StatisticsError, match="at least 0"):
        mcnemar(-1, 2)
    with pytest.raises(StatisticsError, match="0 and 1"):
        mcnemar_by_replicate([[2, 0]], [[1, 0]])
    with pytest.raises(StatisticsError, match="must agree"):
        mcnemar_by_replicate([[1, 0]], [[1, 0], [0, 1]])
    with pytest.raises(StatisticsError, match="mid-p"):
        mcnemar(1, 2, method="chi2")
