"""Labels, errors and distributions of two models: edges and what is refused."""

import numpy as np
import pytest

from scrutiny.stats.agreement.error_consistency import (
    accuracy_bounds,
    consistency_bounds,
    consistency_of_sums,
    copy_probability,
    error_consistency_interval,
)
from scrutiny.stats.agreement.kappa import capa
from scrutiny.stats.agreement.labels import agreement, correctness_flips
from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.distributions.output_distances import (
    distributions,
    js_divergence,
    kl_divergence,
    matching_temperature,
    tempered,
)
from scrutiny.stats.resampling.weights import Units

P = [[0.5, 0.5], [0.2, 0.8]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: agreement([0, 1], [0]), "a labels 2 items, b 1"),
        (lambda: agreement([0.5], [1]), "whole numbers"),
        (lambda: agreement([], []), "empty"),
        (lambda: correctness_flips([1, 0.5], [1, 1]), "hits_a must hold 1"),
        (lambda: correctness_flips([1], [1, 1]), "hits_a has 1 items, hits_b 2"),
        (lambda: consistency_bounds(1.0, 1.0), "no consistency"),
        (lambda: consistency_bounds(1.1, 0.5), "accuracy_a is 1.1"),
        (lambda: accuracy_bounds(0.5, -0.1), "consistency is -0.1"),
        (lambda: copy_probability(1.0, 0.5, consistency=0.0), "always right or wrong"),
        (lambda: capa([[0.5, 0.6]], [[0.5, 0.5]], [0]), "item of p must be a distribution"),
        (lambda: capa([[1.0]], [[1.0]], [0]), "at least two"),
        (lambda: capa([[0.5, 0.5]], [[0.2, 0.3, 0.5]], [0]), "2 and 3 choices"),
        (lambda: capa([[0.5, 0.5]], [[0.5, 0.5]], [2]), "gold is choice 2"),
        (lambda: capa([[0.5, 0.5]], [[0.5, 0.5]], [-1]), "counted from 0"),
        (lambda: capa([[0.5, 0.5]], [], [0]), "p has 1 items, q 0"),
        (lambda: js_divergence(P, [[0.5, 0.5]]), "same items and outcomes"),
        (lambda: js_divergence(P, [[0.5, 0.6], [0.2, 0.8]]), "row of q"),
        (lambda: kl_divergence(P, P, floor=0.5), "floor is 0.5"),
        (lambda: tempered(P, 0.0), "above 0"),
        (lambda: matching_temperature([[0.5, 0.5]], [[1.0, 0.0]]), "no temperature between"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(StatisticsError, match=message):
        call()


def test_stored_probabilities_of_single_precision_are_taken():
    p = np.random.default_rng(0).dirichlet(np.ones(7), 20).astype(np.float32)
    first, _ = distributions(p, p)
    assert first.sum(axis=1) == pytest.approx(1.0, abs=1e-15)
    assert js_divergence(p, p).max() == 0.0


def test_capa_does_not_exist_where_chance_is_certain():
    right, wrong = np.eye(2)[[0, 1]], np.eye(2)[[1, 0]]
    assert capa(right, right, [0, 1]).reason == "no_errors"
    assert capa(wrong, wrong, [0, 1]).reason == "only_errors"
    three = np.eye(3)[[1, 2]]
    assert capa(three, three, [0, 1]).value == 1.0  # the same wrong choices of two each


def test_items_may_have_different_numbers_of_choices():
    found = capa([[0.5, 0.5], [0.2, 0.3, 0.5]], [[0.4, 0.6], [0.1, 0.1, 0.8]], [1, 2])
    assert found.observed == pytest.approx((0.5 + 0.02 + 0.03 + 0.4) / 2)
    assert found.skills == pytest.approx((0.5, 0.7))
    assert found.expected == pytest.approx(0.5 * 0.7 + 0.5 * 0.3 * (1 + 0.5) / 2)


def test_consistency_of_no_items_or_no_errors_is_no_number():
    sums = np.array([[0.0, 0, 0, 0], [3, 3, 3, 3], [0, 0, 3, 3], [2, 3, 2, 3]])
    found = consistency_of_sums(sums)
    assert np.isnan(found[:3]).all()
    assert found[3] == 0.0


def test_the_interval_knows_units():
    a, b = np.tile([1, 1, 1, 0], 60), np.tile([1, 1, 0, 0], 60)
    alone = error_consistency_interval(a, b, rng=np.random.default_rng(0), draws=300)
    units = Units.of(240, np.arange(240) // 12)
    together = error_consistency_interval(
        a, b, rng=np.random.default_rng(0), draws=300, units=units
    )
    assert together.width == 0.0 < alone.width  # all units are alike
    assert alone.point == together.point
