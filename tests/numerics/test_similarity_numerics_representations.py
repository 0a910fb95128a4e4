"""Similarity of representations: reference values, other implementations, invariances, bias."""

from itertools import permutations

import numpy as np
import pytest
from scipy import linalg, spatial, stats
from sklearn.neighbors import NearestNeighbors

from scrutiny.stats.representations.cca import (
    canonical_correlations,
    kept_components,
    mean_cca,
    mean_squared_cca,
    pwcca,
    svcca,
)
from scrutiny.stats.representations.cka import cka_sums, debiased_cka, linear_cka, minibatch_cka
from scrutiny.stats.representations.item_distances import (
    neighbor_jaccard,
    procrustes_angle,
    procrustes_distance,
    rsa,
    second_order_cosine,
    stir,
)

# value of a copy; and whether it survives a rotation, one scale for all, a shift, any linear map
MEASURES = {
    linear_cka: (1.0, True, True, True, False),
    debiased_cka: (1.0, True, True, True, False),
    stir: (1.0, True, True, True, False),
    mean_cca: (1.0, True, True, True, True),
    mean_squared_cca: (1.0, True, True, True, True),
    svcca: (1.0, True, True, True, False),
    pwcca: (1.0, True, True, True, True),
    procrustes_distance: (0.0, True, True, True, False),
    procrustes_angle: (0.0, True, True, True, False),
    neighbor_jaccard: (1.0, True, True, False, False),
    second_order_cosine: (1.0, True, True, False, False),
    rsa: (1.0, False, True, False, False),
}
BY_NAME = pytest.mark.parametrize("measure", MEASURES, ids=lambda m: m.__name__)


@pytest.fixture(name="g")
def generator():
    return np.random.default_rng(7)


def changed(X, g):
    """A rotated, a scaled, a shifted and a linearly mapped copy."""
    rotation = np.linalg.qr(g.standard_normal((X.shape[1],) * 2))[0]
    yield X @ rotation
    yield 3.7 * X
    yield X + g.standard_normal(X.shape[1])
    # ill-conditioned, so that principal components are others afterwards
    yield X @ (rotation * np.geomspace(1.0, 100.0, X.shape[1]))


@BY_NAME
def test_a_changed_copy_is_a_copy_where_it_should_be(measure, g):
    X = g.standard_normal((80, 6)) * np.array([3.0, 2, 1, 1, 1, 0.5])
    copy, *survives = MEASURES[measure]
    assert measure(X, X) == pytest.approx(copy, abs=2e-6)
    for one, is_same in zip(changed(X, g), survives, strict=True):
        found = measure(X, one)
        assert (found == pytest.approx(copy, abs=2e-6)) is is_same


@BY_NAME
def test_the_order_of_items_does_not_matter(measure, g):
    X, Y, order = g.standard_normal((40, 6)), g.standard_normal((40, 4)), g.permutation(40)
    assert measure(X[order], Y[order]) == pytest.approx(measure(X, Y), abs=1e-9)


@BY_NAME
def test_all_but_one_are_symmetric(measure, g):
    X, Y = g.standard_normal((60, 6)), g.standard_normal((60, 6)) * np.geomspace(1, 50, 6)
    is_symmetric = measure(X, Y) == pytest.approx(measure(Y, X), abs=1e-9)
    assert is_symmetric is (measure is not pwcca)


def test_independent_gaussians_have_the_bias_that_is_known(g):
    wide = g.standard_normal((2, 256, 1024))
    narrow = g.standard_normal((2, 256, 64))
    assert linear_cka(*wide) == pytest.approx(0.80, abs=0.01)
    assert linear_cka(*narrow) == pytest.approx(0.19, abs=0.02)
    assert debiased_cka(*wide) == pytest.approx(0.0, abs=0.02)
    assert debiased_cka(*narrow) == pytest.approx(0.0, abs=0.03)
    apart = g.standard_normal((2, 500, 40))
    assert mean_cca(*apart) == pytest.approx(0.245, abs=0.015)
    assert mean_squared_cca(*apart) == pytest.approx(40 / 499, abs=0.01)


def test_debiased_alignment_is_unbiased_for_independent_ones(g):
    found = [debiased_cka(*g.standard_normal((2, 20, 50))) for _ in range(300)]
    assert abs(np.mean(found)) < 3 * np.std(found) / np.sqrt(300)
    biased = [linear_cka(*g.standard_normal((2, 20, 50))) for _ in range(20)]
    assert min(biased) > 0.5


def test_linear_cka_is_the_same_from_features_items_and_the_centering_matrix(g):
    X, Y = g.standard_normal((30, 50)), g.standard_normal((30, 8))
    H = np.eye(30) - 1 / 30
    K, L = H @ X @ X.T @ H, H @ Y @ Y.T @ H
    expected = np.trace(K @ L) / np.sqrt(np.trace(K @ K) * np.trace(L @ L))
    assert linear_cka(X, Y) == pytest.approx(expected)
    narrow = linear_cka(X[:, :8], Y)
    padded = linear_cka(np.pad(X[:, :8], ((0, 0), (0, 42))), Y)  # takes the way of wide ones
    assert narrow == pytest.approx(padded)


def brute_hsic(K, L):
    """The unbiased estimator as means over pairs, triples and quadruples of different items."""
    n = range(K.shape[0])
    pairs = np.mean([K[i, j] * L[i, j] for i, j in permutations(n, 2)])
    triples = np.mean([K[i, j] * L[i, q] for i, j, q in permutations(n, 3)])
    quadruples = np.mean([K[i, j] * L[q, r] for i, j, q, r in permutations(n, 4)])
    return pairs - 2 * triples + quadruples


def test_the_sums_are_means_over_different_items(g):
    X, Y = g.standard_normal((7, 3)), g.standard_normal((7, 2))
    K, L = X @ X.T, Y @ Y.T
    expected = [brute_hsic(K, L), brute_hsic(K, K), brute_hsic(L, L)]
    assert cka_sums(X, Y) == pytest.approx(expected)


def test_batches_give_what_all_items_give(g):
    shared = g.standard_normal((1200, 5))
    X = np.hstack([shared, g.standard_normal((1200, 20))])
    Y = np.hstack([2 * shared, g.standard_normal((1200, 30))])
    parts = [(X[i : i + 60], Y[i : i + 60]) for i in range(0, 1200, 60)]
    assert minibatch_cka(parts) == pytest.approx(debiased_cka(X, Y), abs=0.03)
    sums = sum(cka_sums(*part) for part in parts)
    assert minibatch_cka(parts) == pytest.approx(sums[0] / np.sqrt(sums[1] * sums[2]))


def test_canonical_correlations_are_those_of_the_eigenproblem(g):
    X = g.standard_normal((100, 5))
    Y = X[:, :3] @ g.standard_normal((3, 4)) + g.standard_normal((100, 4))
    x, y = X - X.mean(axis=0), Y - Y.mean(axis=0)
    product = x.T @ y @ np.linalg.solve(y.T @ y, y.T @ x)
    squared = linalg.eigh(product, x.T @ x, eigvals_only=True)[::-1][:4]
    assert canonical_correlations(X, Y) == pytest.approx(np.sqrt(squared))
    assert mean_cca(X, Y) == pytest.approx(np.sqrt(squared).mean())


def test_one_feature_each_is_pearsons_correlation(g):
    X = g.standard_normal((50, 1))
    Y = X + g.standard_normal((50, 1))
    r = stats.pearsonr(X[:, 0], Y[:, 0]).statistic
    assert mean_cca(X, Y) == pytest.approx(abs(r))
    assert pwcca(X, Y) == pytest.approx(abs(r))
    assert linear_cka(X, Y) == pytest.approx(r**2)
    assert procrustes_angle(X, Y) == pytest.approx(np.arccos(abs(r)))


def test_projection_weights_are_those_of_the_formula(g):
    X, Y = g.standard_normal((60, 4)) * [5, 1, 1, 0.1], g.standard_normal((60, 7))
    x = X - X.mean(axis=0)
    q, p = np.linalg.qr(x)[0], np.linalg.qr(Y - Y.mean(axis=0))[0]
    u, rho, _ = np.linalg.svd(q.T @ p)
    alpha = [sum(abs((q @ u[:, i]) @ x[:, j]) for j in range(4)) for i in range(4)]
    assert pwcca(X, Y) == pytest.approx(np.dot(alpha, rho) / np.sum(alpha))


def test_directions_without_variance_are_left_out_where_they_should_be(g):
    shared, noise = g.standard_normal((300, 3)), 1e-3 * g.standard_normal((2, 300, 10))
    X, Y = np.hstack([shared, noise[0]]), np.hstack([shared, noise[1]])
    assert mean_cca(X, Y) < 0.5
    assert min(svcca(X, Y), pwcca(X, Y), linear_cka(X, Y)) > 0.99
    assert kept_components(X) == 3


def test_procrustes_is_that_of_scipy(g):
    X, Y = g.standard_normal((40, 6)), g.standard_normal((40, 6))
    x, y = (m - m.mean(axis=0) for m in (X, Y))
    x, y = x / np.linalg.norm(x), y / np.linalg.norm(y)
    rotation, overlap = linalg.orthogonal_procrustes(x, y)
    assert procrustes_distance(X, Y) == pytest.approx(np.linalg.norm(x @ rotation - y))
    assert np.cos(procrustes_angle(X, Y)) == pytest.approx(overlap)
    disparity = spatial.procrustes(X, Y)[2]  # the best scale too: 1 - overlap ** 2
    assert np.sin(procrustes_angle(X, Y)) ** 2 == pytest.approx(disparity)


def test_procrustes_is_a_metric_also_for_wide_ones(g):
    three = [g.standard_normal((12, width)) for width in (3, 40, 20)]
    for distance in (procrustes_distance, procrustes_angle):
        ab, bc, ac = (distance(three[i], three[j]) for i, j in ((0, 1), (1, 2), (0, 2)))
        assert ac <= ab + bc
        assert 0 < ab <= np.pi / 2
        padded = np.pad(three[0], ((0, 0), (0, 37)))
        assert distance(padded, three[1]) == pytest.approx(ab)


@pytest.mark.parametrize("distance", ["correlation", "cosine", "euclidean"])
def test_rsa_is_spearman_of_upper_triangles(distance, g):
    X, Y = g.standard_normal((15, 6)), g.standard_normal((15, 9))
    upper = np.triu_indices(15, 1)
    apart = [spatial.distance.squareform(spatial.distance.pdist(m, distance)) for m in (X, Y)]
    if distance == "correlation":
        apart = [1 - np.corrcoef(m) for m in (X, Y)]
    expected = stats.spearmanr(apart[0][upper], apart[1][upper]).statistic
    assert rsa(X, Y, distance=distance) == pytest.approx(expected)


def test_rsa_by_euclidean_distance_survives_rotations_and_shifts(g):
    X = g.standard_normal((30, 6))
    rotated, _, shifted, mapped = changed(X, g)
    assert rsa(X, rotated, distance="euclidean") == pytest.approx(1.0)
    assert rsa(X, shifted, distance="euclidean") == pytest.approx(1.0)
    assert rsa(X, mapped, distance="euclidean") < 0.9


def test_neighbors_are_those_of_scikit_learn(g):
    X, Y, k = g.standard_normal((50, 6)), g.standard_normal((50, 4)), 7
    near = []
    for m in (X, Y):
        found = NearestNeighbors(n_neighbors=k + 1, metric="cosine").fit(m).kneighbors(m)[1]
        near.append([set(row) - {i} for i, row in enumerate(found)])
    jaccard = [len(a & b) / len(a | b) for a, b in zip(*near, strict=True)]
    assert neighbor_jaccard(X, Y, k=k) == pytest.approx(np.mean(jaccard))
    cos = [1 - spatial.distance.cdist(m, m, "cosine") for m in (X, Y)]
    second = []
    for i, (a, b) in enumerate(zip(*near, strict=True)):
        rows = sorted(a | b)
        second.append(1 - spatial.distance.cosine(cos[0][i, rows], cos[1][i, rows]))
    assert second_order_cosine(X, Y, k=k) == pytest.approx(np.mean(second))


def test_random_neighborhoods_overlap_by_about_k_of_2n(g):
    found = neighbor_jaccard(g.standard_normal((400, 30)), g.standard_normal((400, 30)), k=10)
    assert found == pytest.approx(10 / (2 * 400 - 10), abs=0.006)


def test_shifting_a_few_items_moves_cka_and_hardly_a_neighborhood(g):
    """Why no single measure is enough (Davari et al.)."""
    X = g.standard_normal((300, 20))
    Y = X.copy()
    Y[:15] += 40.0
    assert linear_cka(X, Y) < 0.3
    assert mean_cca(X, Y) > 0.9
    assert neighbor_jaccard(X, Y) > 0.7
