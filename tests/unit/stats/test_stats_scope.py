"""Shared invariances, samples and top-k: edges and what is refused."""

import numpy as np
import pytest

from scrutiny.stats.agreement.scope import (
    decay,
    hard_scope,
    mean_scope_distance,
    ood_agreement,
    scope_pairs,
    soft_curve,
    soft_scope,
)
from scrutiny.stats.agreement.scope_controls import (
    invariance_association,
    label_variety,
    scope_lift,
)
from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.distributions.output_distances import l1_bounds, sampling_floor

KEEPS = [[0.9, 0.1]], [[0.8, 0.2]]
CHANGES = [[0.9, 0.1]], [[0.1, 0.9]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: scope_pairs(KEEPS, ([[0.9, 0.1]] * 2, [[0.9, 0.1]] * 2)), r"\(pair, label\)"),
        (lambda: scope_pairs(KEEPS, ([[0.9, 0.1]], [[0.5, 0.2]])), "distribution"),
        (lambda: decay([0.1], tolerance=0.5, cutoff=0.4), "tolerance is 0.5"),
        (lambda: decay([0.1], tolerance=-0.1), "0 <= tolerance"),
        (lambda: decay([0.1], cutoff=float("inf")), "cutoff inf"),
        (lambda: decay([4.1]), "between 0 and 4"),
        (lambda: ood_agreement(scope_pairs(KEEPS, KEEPS), over="some"), "over is 'some'"),
        (lambda: scope_lift(1.1, 0.5), "hard is 1.1"),
        (lambda: invariance_association([1, 2], [1, 0]), "inv1 must hold 0 and 1"),
        (lambda: sampling_floor([0.5, 0.6], samples=5), "sum 1"),
        (lambda: sampling_floor([0.5, 0.5], samples=0), "at least one"),
        (lambda: sampling_floor([0.5, 0.5], [1.0], samples=5), "same outcomes"),
        (lambda: l1_bounds([{"a": 1.0}], signs=(1,)), "two answers"),
        (lambda: l1_bounds([{"a": 1.0}, {"a": 0.5}], signs=(1, 2)), "sign"),
        (lambda: l1_bounds([{"a": 1.1}, {"a": 0.5}], signs=(1, -1)), "at most 1"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(StatisticsError, match=message):
        call()


def test_a_reference_that_always_changes_leaves_nothing_to_share():
    pairs = scope_pairs(CHANGES, KEEPS)
    for one in (hard_scope, soft_scope, ood_agreement):
        found = one(pairs)
        assert (found.value, found.n_pairs, found.n_read) == (None, 1, 0)
        assert found.reason == "reference_never_invariant"
    assert mean_scope_distance(pairs).reason == "never_both_invariant"
    assert np.isnan(soft_curve(pairs, [0.5, 1.0])).all()
    assert ood_agreement(pairs, over="all").value == 0.0


def test_the_first_of_equally_likely_labels_is_the_answer():
    pairs = scope_pairs(([[0.5, 0.5]], [[0.9, 0.1]]), ([[0.1, 0.9]], [[0.5, 0.5]]))
    assert pairs.inv1.tolist() == [True]
    assert pairs.inv2.tolist() == [False]


def test_a_target_below_chance_has_negative_lift():
    found = scope_lift(0.5, 0.8)
    assert found.lift == pytest.approx(-0.3)
    assert found.kappa == pytest.approx(-1.5)


def test_variety_counts_what_is_used():
    found = label_variety([0] * 19 + [1])
    assert found.commonest == 0.95
    assert 1.0 < 2.0**found.entropy < 1.3
    assert 2.0 ** label_variety([3, 5, 7]).entropy == pytest.approx(3.0)


def test_without_an_outcome_in_common_top_k_says_nothing():
    found = l1_bounds([{"a": 0.9}, {"b": 0.9}], signs=(1, -1))
    assert (found.low, found.high) == (0.0, 2.0)


def test_complete_answers_are_known_exactly():
    four = [{"a": 0.9, "b": 0.1}, {"a": 0.1, "b": 0.9}, {"a": 0.1, "b": 0.9}, {"a": 0.9, "b": 0.1}]
    found = l1_bounds(four, signs=(1, -1, -1, 1))
    assert (found.low, found.high) == (3.2, 3.2)
