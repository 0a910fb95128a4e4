"""Sides join into pairs: the worst status counts, nothing missing becomes a zero."""

import numpy as np
import pytest
from made_panels import FAILED, OK, REFUSED, SKIPPED, UNDEFINED, panel, side

from scrutiny.core.errors import PlanError
from scrutiny.reliability.joining import join, worst, worst_over_replicates
from scrutiny.reliability.panel import NOT_PLANNED

STATUSES = [OK, UNDEFINED, SKIPPED, REFUSED, FAILED]
PAIR = ("before.hit", "after.hit")


def test_a_pair_is_ok_only_if_both_sides_are():
    before = side([[1, 1, 1, 1]], [[OK, OK, FAILED, OK]])
    after = side([[0, 1, 1, 0]], [[OK, SKIPPED, OK, OK]])
    joined = join(panel(1, 4), {"before": before, "after": after}, needs=PAIR)
    assert joined.rows.tolist() == [0, 3]
    assert joined.values.tolist() == [[[1, 0], [1, 0]]]
    counts = joined.counts
    assert (counts.n, counts.skipped, counts.failed, counts.planned) == (2, 1, 1, 4)


@pytest.mark.parametrize("one", STATUSES)
@pytest.mark.parametrize("other", STATUSES)
def test_the_worst_status_counts_and_the_order_of_sides_does_not(one, other):
    a, b = np.array([[one]], np.int8), np.array([[other]], np.int8)
    assert worst(a, b) == worst(b, a) == max(one, other)


def test_what_one_side_never_planned_is_not_planned():
    a, b = np.array([[FAILED, OK]], np.int8), np.array([[NOT_PLANNED, OK]], np.int8)
    assert worst(a, b).tolist() == [[NOT_PLANNED, OK]]
    assert worst_over_replicates(np.array([[OK, FAILED], [NOT_PLANNED, OK]], np.int8)).tolist() == [
        NOT_PLANNED,
        FAILED,
    ]


def test_an_item_that_fails_in_one_replicate_leaves_the_comparison_of_all():
    hits = side([[1, 1], [0, 1]], [[OK, OK], [FAILED, OK]])
    joined = join(panel(2, 2), {"": hits}, needs=("hit",))
    assert joined.rows.tolist() == [1]
    assert joined.values[:, :, 0].tolist() == [[1], [1]]
    assert joined.counts.failed == 1


@pytest.mark.parametrize("status", [SKIPPED, REFUSED])
def test_unchanged_items_stay_as_they_were(status):
    before, after = side([[1, 0]]), side([[0, 0]], [[OK, status]])
    joined = join(
        panel(1, 2), {"before": before, "after": after}, needs=PAIR, fallback={"after": "before"}
    )
    assert joined.values.tolist() == [[[1, 0], [0, 0]]]
    assert joined.counts.n == joined.counts.planned == 2


@pytest.mark.parametrize("status", [FAILED, UNDEFINED])
def test_a_fallback_mends_nothing_that_is_missing(status):
    before, after = side([[1, 0]]), side([[0, 0]], [[OK, status]])
    joined = join(
        panel(1, 2), {"before": before, "after": after}, needs=PAIR, fallback={"after": "before"}
    )
    assert joined.counts.n == 1
    assert joined.counts.missing_share == 0.5


def test_unchanged_items_whose_original_failed_are_failed():
    before, after = side([[1, 0]], [[OK, FAILED]]), side([[0, 0]], [[OK, SKIPPED]])
    joined = join(
        panel(1, 2), {"before": before, "after": after}, needs=PAIR, fallback={"after": "before"}
    )
    assert joined.counts.failed == 1


def test_ok_is_one_or_zero_and_never_stands_for_what_is_missing():
    after = side([[0] * 5], [STATUSES])
    joined = join(panel(1, 5), {"after": after}, needs=("after.ok",))
    kept = dict(zip(joined.rows.tolist(), joined.values[0, :, 0].tolist(), strict=True))
    assert kept == {0: 1.0, 2: 0.0, 3: 0.0}
    assert (joined.counts.undefined, joined.counts.failed) == (1, 1)


def test_a_measures_own_name_may_hold_dots():
    heads = panel(1, 2, measures=("f1.1", "f1.2"))
    values = side([[[0.1, 0.2], [0.3, 0.4]]])
    assert join(heads, {"": values}, needs=("f1.2",)).values.ravel().tolist() == [0.2, 0.4]
    joined = join(heads, {"a": values}, needs=("a.f1.1",))
    assert joined.values.ravel().tolist() == [0.1, 0.3]


def test_a_replicate_that_a_side_was_never_planned_for_is_left_out():
    hits = side([[1, 1], [0, 0], [1, 0]], [[OK, OK], [NOT_PLANNED] * 2, [OK, OK]])
    whole = panel(3, 2)
    joined = join(whole, {"": hits}, needs=("hit",))
    assert joined.names == (whole.replicates[0], whole.replicates[2])
    assert joined.values[:, :, 0].tolist() == [[1, 1], [1, 0]]
    assert joined.counts.planned == 2


def test_nothing_planned_gives_no_rows():
    hits = side([[1, 1]], [[NOT_PLANNED] * 2])
    joined = join(panel(1, 2), {"": hits}, needs=("hit",))
    assert joined.values.shape == (0, 0, 1)
    assert joined.counts.planned == 0


def test_a_side_or_measure_that_is_not_there_is_named():
    sides = {"before": side([[1]])}
    with pytest.raises(PlanError, match="needs a side 'after'; there are \\['before'\\]"):
        join(panel(1, 1), sides, needs=PAIR)
    with pytest.raises(PlanError, match="no measure 'loss'; there are \\['hit'\\]"):
        join(panel(1, 1), sides, needs=("before.loss",))
