"""Statistics of faithfulness against numpy, and heads chosen on the other half."""

import numpy as np
import pytest
from scipy.stats import linregress, pearsonr

from scrutiny.core.errors import PlanError
from scrutiny.core.randomness import stream_of
from scrutiny.core.registry import registry
from scrutiny.diagnostics.faithfulness import faithfulness_metrics as s
from scrutiny.reliability.metrics import metric_of, usual_metrics
from scrutiny.reliability.statistics import measures_of
from scrutiny.stats.arrays import StatisticsError
from scrutiny.testing import check_statistic

RNG = np.random.default_rng(5)
ONE = metric_of("changed_head(drop(accuracy))")
MEAN = metric_of("mean_changed_head(drop(accuracy))")
CHOSEN = metric_of("selected_changed_head(drop(accuracy))")
GAIN = metric_of("selected_changed_head(gain(accuracy))")
ROWS = 50
NAMES = [
    name
    for name in usual_metrics()
    if not name.startswith(("drop(", "excess(", "beyond("))
    if registry()
    .entry("statistic", name.partition("(")[0])
    .registration.target.startswith(s.__name__)
]


def value(statistic, *columns):
    """Value of rows (row, column)."""
    table = np.column_stack(columns).astype(float)
    components = statistic.components(table)
    return float(statistic.value(components.sum(axis=0)[None], np.ones(1)))


def erased(text):
    """Metric of the records of erasure."""
    return metric_of(text, measures_of("faithfulness.erasure@1"))


@pytest.mark.parametrize("name", NAMES)
def test_they_keep_the_promises_of_their_protocol(name):
    check_statistic(metric_of(name))
    assert len(NAMES) == 16


FLIPS = RNG.random((ROWS, 2)) < [0.6, 0.3]
JS = RNG.random((ROWS, 2)) * 0.6
WEIGHTS = RNG.random((ROWS, 2))


def test_rates_gaps_and_the_table():
    first, other = FLIPS.T
    gap = erased("gap(share(flip))")
    assert value(erased("share(flip)"), first) == pytest.approx(first.mean())
    assert value(gap, *FLIPS.T) == pytest.approx(first.mean() - other.mean())
    assert gap.tests(FLIPS.astype(float), None, RNG)[0].metric == "mcnemar@1"
    found = [value(s.FLIPS.of(one), *FLIPS.T) for one in s.FLIPS.usual]
    expected = [(first & ~other), (~first & other), (first & other), ~(first | other)]
    assert found == pytest.approx([cell.mean() for cell in expected])
    assert sum(found) == pytest.approx(1.0)
    assert value(erased("gap(mean(js))"), *JS.T) == pytest.approx((JS[:, 0] - JS[:, 1]).mean())
    assert value(s.ERASURE_JS_REVERSED, *JS.T) == pytest.approx((JS[:, 0] < JS[:, 1]).mean())
    assert value(erased("mean(kl)"), JS[:, 0]) == value(erased("mean(js)"), JS[:, 0])


def test_the_slope_is_that_of_least_squares():
    line = linregress(WEIGHTS[:, 0] - WEIGHTS[:, 1], JS[:, 0] - JS[:, 1])
    assert value(s.ERASURE_JS_SLOPE, *JS.T, *WEIGHTS.T) == pytest.approx(line.slope)
    flat = np.tile([0.4, 0.1], (ROWS, 1))
    assert np.isnan(value(s.ERASURE_JS_SLOPE, *JS.T, *flat.T))


def test_the_correlation_is_pearsons():
    found = value(s.PERMUTATION_CORRELATION, JS[:, 0], WEIGHTS[:, 0])
    assert found == pytest.approx(pearsonr(WEIGHTS[:, 0], JS[:, 0]).statistic)
    assert np.isnan(value(s.PERMUTATION_CORRELATION, np.full(ROWS, 0.1), WEIGHTS[:, 0]))


def test_shares_are_over_texts_that_flip():
    flipped = np.array([1, 0, 1, 1])
    share = np.array([0.5, -1, 0.25, 1.0])
    assert value(erased("mean(share)"), share, flipped) == pytest.approx(1.75 / 3)
    assert value(erased("mean(mass)"), share, flipped) == pytest.approx(1.75 / 3)
    assert value(s.NEVER_FLIPS, flipped) == 0.25
    other = np.array([0.25, 0.5, -1, 0.5]), np.array([1, 1, 0, 1])
    assert value(s.ERASURE_SHARE_GAP, share, flipped, *other) == pytest.approx((0.25 + 0.5) / 2)
    assert np.isnan(value(erased("mean(share)"), np.full(4, -1), np.zeros(4)))


def test_peaked_attention_and_far_adversaries_are_counted_from_their_limits_on():
    change, highest = np.array([0.1, 0.3, 0.5]), np.array([0.49, 0.5, 0.9])
    assert value(s.PERMUTATION_CHANGE_PEAKED, change, highest) == pytest.approx(0.4)
    apart = np.array([0.0, np.log(2) / 2, 0.6, 0.3])
    assert value(s.ADVERSARIAL_FOUND, apart) == 0.5


# -- heads -----------------------------------------------------------------------------------------

HEADS = 6
HIT = RNG.random(ROWS) < 0.8
HALF = np.arange(ROWS) % 2
CHANGED = HIT[:, None] & (RNG.random((ROWS, HEADS)) < [1, 0.9, 0.5, 0.95, 1, 0.8])
OTHERS = HIT[:, None] & (RNG.random((ROWS, HEADS)) < 0.9)


def by_half(changed=CHANGED):
    """Drop ``(half, head)``."""
    return np.stack([(HIT[:, None] & ~changed)[HALF == h].mean(axis=0) for h in (0, 1)])


def test_what_is_measured_of_a_head_stands_in_the_parentheses():
    with pytest.raises(PlanError, match=r"is one of drop\(accuracy\), for"):
        metric_of("mean_changed_head(accuracy)")
    with pytest.raises(PlanError, match="is no sum over rows of one text"):
        metric_of("drop(changed_head(drop(accuracy)))")
    assert [stream_of(one) for one in (ONE, MEAN, CHOSEN, GAIN)] == [
        "head_accuracy_drop@1",
        "mean_head_accuracy_drop@1",
        "selected_head_drop@1",
        "selected_head_gain@1",
    ]


def test_the_drop_of_a_head_and_of_the_average_head():
    drop = HIT.mean() - CHANGED.mean(axis=0)
    found = [value(ONE, HIT, HALF, CHANGED[:, k]) for k in range(HEADS)]
    assert found == pytest.approx(drop)
    mean = value(MEAN, HIT, HALF, CHANGED)
    assert mean == pytest.approx(drop.mean())
    with pytest.raises(StatisticsError, match="is of one head and got 6"):
        value(ONE, HIT, HALF, CHANGED)


def test_the_chosen_head_is_tested_on_the_half_it_was_not_chosen_on():
    a, b = by_half()
    assert a.argmax() == b.argmax() == 2
    expected = (b[a.argmax()] + a[b.argmax()]) / 2
    assert value(CHOSEN, HIT, HALF, CHANGED) == pytest.approx(expected)
    best = np.where(a == a.min())[0], np.where(b == b.min())[0]
    gain = -(b[best[0]].mean() + a[best[1]].mean()) / 2
    assert value(GAIN, HIT, HALF, CHANGED) == pytest.approx(gain)
    control = by_half(OTHERS)[:, 2].mean()
    over = value(s.SELECTED_HEAD_OVER_LAYER, HIT, HALF, CHANGED, OTHERS)
    assert over == pytest.approx(expected - control)


def test_heads_by_other_names_give_the_same_values():
    order = RNG.permutation(HEADS)
    for one in (MEAN, CHOSEN, GAIN):
        assert value(one, HIT, HALF, CHANGED[:, order]) == pytest.approx(
            value(one, HIT, HALF, CHANGED)
        )


def test_one_half_alone_chooses_nothing():
    assert np.isnan(value(CHOSEN, HIT, np.zeros(ROWS), CHANGED))
    assert not np.isnan(value(MEAN, HIT, np.zeros(ROWS), CHANGED))


def test_sides_with_unequal_heads_are_refused():
    with pytest.raises(StatisticsError, match="equally many heads"):
        value(s.SELECTED_HEAD_OVER_LAYER, HIT, HALF, CHANGED[:, :5])


def test_noise_alone_gives_the_chosen_head_no_drop():
    """Of 40 heads that lose 5 % at random, the largest looks bad; on the other half it does not."""
    found, best = [], []
    for _ in range(60):
        hit = np.ones(100)
        changed = RNG.random((100, 40)) < 0.95
        half = np.arange(100) % 2
        found.append(value(CHOSEN, hit, half, changed))
        best.append((1 - changed.mean(axis=0)).max())
    assert np.mean(best) > 0.09
    assert abs(np.mean(found) - 0.05) < 0.01
