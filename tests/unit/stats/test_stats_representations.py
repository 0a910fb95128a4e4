"""Representations: what is refused, intervals and chance."""

import numpy as np
import pytest

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.representations.cca import (
    canonical_correlations,
    kept_components,
    mean_cca,
    svcca,
)
from scrutiny.stats.representations.cka import debiased_cka, linear_cka, minibatch_cka
from scrutiny.stats.representations.item_distances import (
    neighbor_jaccard,
    procrustes_angle,
    rsa,
    second_order_cosine,
    stir,
)
from scrutiny.stats.representations.two_representations import (
    grouped_jackknife,
    permuted_similarity,
    principal,
    two_representations,
)
from scrutiny.stats.resampling.weights import Units

G = np.random.default_rng(0)
X, Y = G.standard_normal((20, 3)), G.standard_normal((20, 4))
ZERO = np.vstack([X[:19], np.zeros(3)])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: linear_cka(X, Y[:19]), "X has 20 items, Y 19"),
        (lambda: linear_cka(X[0], Y), "1 axes"),
        (lambda: linear_cka(np.where(X > 2, np.nan, X * np.nan), Y), "NaN"),
        (lambda: debiased_cka(X[:3], Y[:3]), "at least 4"),
        (lambda: debiased_cka(np.ones((20, 3)), Y), "same vector for every item"),
        (lambda: minibatch_cka([]), "no batch"),
        (lambda: minibatch_cka([(X, Y), (X[:3], Y[:3])]), "3 items"),
        (lambda: mean_cca(G.standard_normal((20, 19)), Y), "19 independent features of 20 items"),
        (lambda: canonical_correlations(Y, G.standard_normal((20, 40))), "Y: 19 independent"),
        (lambda: svcca(X, G.standard_normal((20, 40)), variance=1.0), "kept components of Y"),
        (lambda: svcca(X, Y, variance=0.0), "variance is 0.0"),
        (lambda: rsa(X, Y, distance="manhattan"), "allowed"),
        (lambda: rsa(np.hstack([X[:, :1]] * 3), Y), "X has no correlation distances"),
        (lambda: neighbor_jaccard(X, Y, k=20), "k is 20"),
        (lambda: neighbor_jaccard(ZERO, Y, k=3), "1 zero vectors"),
        (lambda: second_order_cosine(np.eye(5), np.eye(5), k=2), "orthogonal to all"),
        (lambda: grouped_jackknife(X, Y, linear_cka, rng=G, groups=21), "2 to 20"),
        (lambda: grouped_jackknife(X, Y[:19], linear_cka, rng=G), "Y 19"),
        (lambda: permuted_similarity(X, Y, linear_cka, rng=G, permutations=0), "one permutation"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(StatisticsError, match=message):
        call()


def test_items_that_vary_in_one_place_only_have_no_debiased_value():
    """One item apart from all others: the unbiased sum is not above 0."""
    spike = np.zeros((6, 2))
    spike[0] = 1.0
    with pytest.raises(StatisticsError, match="beyond chance"):
        debiased_cka(spike, np.diff(X[:6], axis=1))


def test_two_items_are_enough_for_the_published_form():
    assert linear_cka(X[:2], Y[:2]) == pytest.approx(1.0)
    with pytest.raises(StatisticsError):
        two_representations(X[:2], Y[:2])


def test_dependent_features_count_once():
    doubled = np.hstack([X, X, X.sum(axis=1, keepdims=True)])
    assert principal(doubled)[0].shape == (20, 3)
    assert mean_cca(doubled, Y) == pytest.approx(mean_cca(X, Y))
    assert kept_components(doubled, variance=1.0) == 3


def test_equally_near_neighbors_are_taken_by_position():
    """Rounding must not decide: a grid has ties everywhere."""
    angles = np.linspace(0, 2 * np.pi, 13)[:-1]
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    turned = circle @ np.array([[np.cos(1), -np.sin(1)], [np.sin(1), np.cos(1)]])
    assert neighbor_jaccard(circle, turned, k=3) == 1.0


def test_stir_is_debiased_unless_asked_as_published():
    assert stir(X, Y) == debiased_cka(X, Y)
    assert stir(X, Y, is_debiased=False) == linear_cka(X, Y)


def test_an_exact_copy_has_no_error():
    found = grouped_jackknife(X, 2 * X, debiased_cka, rng=np.random.default_rng(0), groups=5)
    assert found.point == pytest.approx(1.0)
    assert found.se < 1e-12
    assert (found.method, found.draws) == ("grouped_jackknife", None)


def test_units_are_left_out_whole():
    g = np.random.default_rng(1)
    unit = np.repeat(np.arange(10), 8)
    shift = g.standard_normal((10, 3))[unit]
    base = g.standard_normal((80, 3)) * 0.3
    a, b = base + shift, base + shift @ np.diag([1.0, -1, 1])
    rng = np.random.default_rng
    together = grouped_jackknife(
        a, b, procrustes_angle, rng=rng(0), groups=10, units=Units.of(80, unit)
    )
    apart = grouped_jackknife(a, b, procrustes_angle, rng=rng(0), groups=10)
    assert together.se > apart.se
    assert together.point == apart.point


def test_chance_is_that_of_exchanged_items():
    g = np.random.default_rng(2)
    wide = g.standard_normal((2, 60, 200))
    found = permuted_similarity(*wide, linear_cka, rng=g, permutations=49)
    assert found.mean > 0.7
    assert abs(found.value - found.mean) < 0.05
    same = permuted_similarity(wide[0], wide[0], linear_cka, rng=g, permutations=49)
    assert (same.p_value, same.smallest_p) == (0.02, 0.02)
    assert same.value - same.mean > 0.2
    assert same.high < 1.0
