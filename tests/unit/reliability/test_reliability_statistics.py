"""Every statistic against its closed form."""

import numpy as np
import pytest

from scrutiny.diagnostics.attention.regression import OfRegression
from scrutiny.reliability import statistics as s
from scrutiny.reliability.metrics import metric_of, usual_metrics
from scrutiny.reliability.row_statistics import Additive, divide, with_count
from scrutiny.testing import check_statistic
from scrutiny.testing.check_reporting import sample_measures

NAMES = usual_metrics()
BUILT_IN = [metric_of(name) for name in NAMES]


def value(statistic, rows):
    """Value of rows (row, need)."""
    components = statistic.components(np.asarray(rows, dtype=np.float64))
    return float(statistic.value(components.sum(axis=0)[None], np.ones(1)))


@pytest.mark.parametrize("statistic", BUILT_IN, ids=NAMES)
def test_it_keeps_the_promises_of_its_protocol(statistic):
    # sums of a regression: six of the predictors and four of a head
    is_regression = isinstance(statistic, OfRegression)
    check_statistic(statistic, sample_measures(10) if is_regression else None)


@pytest.mark.parametrize(("name", "statistic"), list(zip(NAMES, BUILT_IN, strict=True)))
def test_it_is_registered_under_its_own_name(name, statistic):
    assert statistic.id == name


def test_accuracy_is_the_share_of_hits():
    assert value(s.ACCURACY, [[1], [1], [0], [1]]) == 0.75


def test_a_drop_is_before_minus_after():
    assert value(metric_of("drop(accuracy)"), [[1, 0], [1, 1], [0, 1], [1, 0]]) == 0.25


def test_the_excess_is_the_drop_minus_the_drop_under_the_control():
    rows = np.array([[1, 0, 1], [1, 0, 0], [0, 0, 0], [1, 1, 1], [1, 0, 1]])
    before, after, control = rows.mean(axis=0)
    wanted = (before - after) - (before - control)
    assert value(metric_of("excess(accuracy)"), rows) == pytest.approx(wanted) == pytest.approx(0.4)


def test_f1_is_computed_from_sums_and_is_no_mean_of_items():
    rows = [[1, 0, 0], [0, 3, 1]]  # F1 1 and 0; mean .5
    assert value(s.ENTITY_F1, rows) == pytest.approx(2 * 1 / (2 * 1 + 3 + 1))


def test_f1_without_any_entity_does_not_exist():
    assert np.isnan(value(s.ENTITY_F1, [[0, 0, 0], [0, 0, 0]]))


def test_drop_and_excess_of_f1():
    rows = [[2, 0, 0, 1, 1, 1, 2, 1, 0]]  # before 1, after .5, control .8
    assert value(metric_of("drop(entity_f1)"), [r[:6] for r in rows]) == pytest.approx(0.5)
    assert value(metric_of("excess(entity_f1)"), rows) == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("statistic", "wanted"), [(s.FLIP_RATE, 0.5), (s.BROKEN_RATE, 0.25), (s.MENDED_RATE, 0.25)]
)
def test_flips_in_both_directions(statistic, wanted):
    assert value(statistic, [[1, 0], [0, 1], [1, 1], [0, 0]]) == wanted


def test_broken_minus_mended_is_the_drop():
    rows = np.random.default_rng(0).integers(0, 2, (50, 2))
    apart = value(s.BROKEN_RATE, rows) - value(s.MENDED_RATE, rows)
    assert apart == pytest.approx(value(metric_of("drop(accuracy)"), rows))


RANGED = [statistic for statistic in BUILT_IN if getattr(statistic, "row_range", None)]


#: Least and largest value of measures that are no share.
REACH = {"tau": (-1.0, 1.0), "js": (0.0, float(np.log(2)))}


@pytest.mark.parametrize("statistic", RANGED, ids=[statistic.id for statistic in RANGED])
def test_the_range_of_a_row_is_stated_only_for_means_over_rows(statistic):
    low, high = statistic.row_range
    in_bits = statistic.id == "jsd@1"  # between two models; between heads it is in nats
    reach = [
        (0.0, 1.0) if in_bits else REACH.get(need.rpartition(".")[2], (0.0, 1.0))
        for need in statistic.needs
    ]
    corners = np.array(np.meshgrid(*reach)).reshape(len(reach), -1).T
    single = [value(statistic, [row]) for row in corners]
    assert min(single) == low
    assert max(single) == high
    two = value(statistic, corners[:2])
    assert two == pytest.approx((single[0] + single[1]) / 2)


def test_cells_are_averaged_after_their_values_and_empty_ones_left_out():
    ratio = Additive(
        "r@1", "r", ("a", "b"), lambda m: m, lambda x: divide(x[..., 0], x[..., 1]), cells=("u_t",)
    )
    sums = np.array([[[1.0, 2.0], [9.0, 9.0], [0.0, 0.0]]])
    assert ratio.value(sums, np.ones((1, 3))).tolist() == [0.75]


def test_dividing_by_nothing_gives_no_value():
    assert np.isnan(divide(np.array([1.0]), np.array([0.0]))).all()
    assert with_count(np.array([3.0, 4.0])).tolist() == [[3, 1], [4, 1]]
