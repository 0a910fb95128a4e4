"""Statistics of shared invariances on records, against the same on arrays."""

import sys
from pathlib import Path

import numpy as np
import pytest

from scrutiny.core.plan import Resampling
from scrutiny.core.record import Measure
from scrutiny.diagnostics.invariance import scope_metrics as s
from scrutiny.reliability.estimate import estimate
from scrutiny.reliability.metrics import metric_of, usual_metrics
from scrutiny.reliability.statistics import COMMONEST_LABEL, LABEL_ENTROPY
from scrutiny.stats.agreement.scope import (
    hard_scope,
    mean_scope_distance,
    ood_agreement,
    scope_pairs,
    soft_scope,
)
from scrutiny.stats.agreement.scope_controls import (
    invariance_association,
    label_variety,
    scope_lift,
)
from scrutiny.stats.arrays import StatisticsError
from scrutiny.testing import check_statistic

sys.path.insert(0, str(Path(__file__).parents[1] / "reliability"))
from made_panels import KEY, OK, SKIPPED, panel, side

OWN = [one for name in usual_metrics() if isinstance(one := metric_of(name), s.OverPairs)]
G = np.random.default_rng(8)
ITEMS, TRIALS = 60, 3
ANSWERS = G.dirichlet(np.full(3, 2.0), (4, ITEMS * TRIALS))
PAIRS = scope_pairs((ANSWERS[0], ANSWERS[1]), (ANSWERS[2], ANSWERS[3]))
RANDOM = (G.random((ITEMS, TRIALS)) < 0.8) * 1.0
MADE = np.ones((ITEMS, TRIALS))
INV1, INV2, D, AGREE = (
    np.asarray(column, dtype=float).reshape(ITEMS, TRIALS)
    for column in (PAIRS.inv1, PAIRS.inv2, PAIRS.distance, PAIRS.agree)
)


def value(statistic, *columns):
    """Value of rows; each column is (row, trial)."""
    components = statistic.components(np.hstack(columns))
    return float(statistic.value(components.sum(axis=0)[None], np.ones(1)))


@pytest.mark.parametrize("statistic", OWN, ids=lambda one: one.id)
def test_they_keep_the_promises_of_their_protocol(statistic):
    check_statistic(statistic)
    assert len(OWN) == 12


def test_they_are_those_of_arrays():
    assert value(s.HARD_SCOPE, MADE, INV1, INV2) == pytest.approx(hard_scope(PAIRS).value)
    assert value(s.SOFT_SCOPE, MADE, INV1, INV2, D) == pytest.approx(soft_scope(PAIRS).value)
    assert value(s.MEAN_DISTANCE, MADE, INV1, INV2, D) == pytest.approx(
        mean_scope_distance(PAIRS).value
    )
    assert value(s.OOD_AGREEMENT.of("kept"), MADE, INV1, AGREE) == pytest.approx(
        ood_agreement(PAIRS).value
    )
    over_all = ood_agreement(PAIRS, over="all").value
    assert value(s.OOD_AGREEMENT.of("all"), MADE, AGREE) == pytest.approx(over_all)
    assert value(metric_of("kept_by(target)"), MADE, INV2) == pytest.approx(INV2.mean())
    assert value(metric_of("kept_by(reference)"), MADE, INV1) == pytest.approx(INV1.mean())
    found = invariance_association(PAIRS.inv1, PAIRS.inv2)
    assert value(s.INVARIANCE_PHI, MADE, INV1, INV2) == pytest.approx(found.phi)
    assert value(s.INVARIANCE_KAPPA, MADE, INV1, INV2) == pytest.approx(found.kappa)


def test_lift_is_that_of_arrays_and_kappa_does_not_exist_without_room():
    columns = MADE, INV1, INV2, MADE, RANDOM
    expected = scope_lift(hard_scope(PAIRS).value, RANDOM.mean())
    assert value(s.SCOPE_LIFT, *columns) == pytest.approx(expected.lift)
    assert value(s.KAPPA_INV, *columns) == pytest.approx(expected.kappa)
    unmoved = MADE, INV1, INV2, MADE, MADE
    assert value(s.SCOPE_LIFT, *unmoved) == pytest.approx(expected.hard - 1)
    assert np.isnan(value(s.KAPPA_INV, *unmoved))


def test_a_trial_without_a_pair_is_not_read():
    made = MADE.copy()
    made[::2, 2] = 0
    gone = made == 0
    inv1, inv2, d = (np.where(gone, 9.0, column) for column in (INV1, INV2, D))
    kept = scope_pairs(
        *(tuple(a[made.ravel() == 1] for a in side) for side in (ANSWERS[:2], ANSWERS[2:]))
    )
    for filler in (0.0, 1.0, 9.0):  # whatever stands there
        columns = [np.where(gone, filler, c) for c in (inv1, inv2, d)]
        assert value(s.HARD_SCOPE, made, *columns[:2]) == pytest.approx(hard_scope(kept).value)
        assert value(s.SOFT_SCOPE, made, *columns) == pytest.approx(soft_scope(kept).value)
        found = invariance_association(kept.inv1, kept.inv2)
        assert value(s.INVARIANCE_PHI, made, *columns[:2]) == pytest.approx(found.phi)
    assert value(s.PAIRS_FOUND, made) == pytest.approx(1 - 30 / 180)


def test_without_any_invariance_of_the_reference_nothing_exists():
    none = np.zeros_like(MADE)
    for statistic in (s.HARD_SCOPE, s.INVARIANCE_PHI):
        assert np.isnan(value(statistic, MADE, none, INV2))
    assert np.isnan(value(s.SOFT_SCOPE, MADE, none, INV2, D))
    assert np.isnan(value(s.SCOPE_LIFT, MADE, none, INV2, MADE, RANDOM))


def test_an_estimates_condition_sets_tolerance_and_cutoff():
    other = s.SOFT_SCOPE.of_condition({"tolerance": 0.2, "cutoff": 2, "search": "beam@1"})
    expected = soft_scope(PAIRS, tolerance=0.2, cutoff=2.0).value
    assert value(other, MADE, INV1, INV2, D) == pytest.approx(expected)
    assert expected > soft_scope(PAIRS).value
    assert s.SOFT_SCOPE.of_condition({}) == s.SOFT_SCOPE
    assert s.HARD_SCOPE.of_condition({"tolerance": 1}) == s.HARD_SCOPE
    with pytest.raises(StatisticsError, match="takes numbers"):
        s.SOFT_SCOPE.of_condition({"cutoff": "far"})
    with pytest.raises(StatisticsError, match="tolerance is 2"):
        value(s.SOFT_SCOPE.of_condition({"tolerance": 2}), MADE, INV1, INV2, D)


def test_sides_may_have_different_numbers_of_trials():
    columns = MADE, INV1, INV2, MADE[:, :1], RANDOM[:, :1]
    with pytest.raises(StatisticsError, match="of_widths"):
        value(s.SCOPE_LIFT, *columns)
    told = s.SCOPE_LIFT.of_widths([3, 3, 3, 1, 1])
    expected = hard_scope(PAIRS).value - RANDOM[:, 0].mean()
    assert value(told, *columns) == pytest.approx(expected)
    with pytest.raises(StatisticsError, match="one number for each trial"):
        s.SCOPE_LIFT.of_widths([3, 1, 3, 1, 1])
    with pytest.raises(ValueError, match="argument"):
        s.HARD_SCOPE.of_widths([3, 3])


def test_the_alarm_counts_labels():
    labels = G.integers(0, 4, 80).astype(float)
    once = np.ones((1, 80))
    expected = label_variety(labels)
    assert LABEL_ENTROPY.weighted(labels[:, None], once)[0] == pytest.approx(expected.entropy)
    assert COMMONEST_LABEL.weighted(labels[:, None], once)[0] == pytest.approx(expected.commonest)
    assert LABEL_ENTROPY.weighted(np.zeros((80, 1)), once)[0] == 0.0
    assert np.isnan(LABEL_ENTROPY.weighted(labels[:, None], 0 * once)[0])


def test_an_estimate_of_a_panel_leaves_out_items_without_both_sides():
    axis = (("trial", TRIALS),)
    measures = [Measure(name, axis) for name in ("made", "inv1", "inv2")]
    searched = np.hstack([MADE, INV1, INV2])[None]
    random = np.hstack([MADE, INV1, RANDOM])[None]
    status = np.full((1, ITEMS), OK)
    status[0, 5:9] = SKIPPED
    found = estimate(
        panel(1, ITEMS, measures),
        {"": side(searched, status), "control": side(random)},
        statistic=s.SCOPE_LIFT,
        key=KEY,
        resampling=Resampling(draws=400),
        seed=0,
    ).estimate
    kept = np.delete(np.arange(ITEMS), range(5, 9))
    columns = [c[kept] for c in (MADE, INV1, INV2, MADE, RANDOM)]
    assert found.value == pytest.approx(value(s.SCOPE_LIFT, *columns))
    assert (found.counts.n, found.counts.skipped, found.n_units) == (56, 4, 56)
    assert found.low < found.value < found.high
