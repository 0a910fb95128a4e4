"""Mean cosines from running sums: the same as over all pairs; influence; principal axes."""

from itertools import permutations

import numpy as np
import pytest

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.representations.mean_cosines import CosineSums, cosine_matrix, unit_vectors
from scrutiny.stats.representations.principal_axes import principal_axes


def texts(seed=0, *, count=7, layers=2, dimension=5, groups=3):
    """Unit vectors ``(layer, word, dimension)`` of texts, and the group of each word."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n = int(rng.integers(1, 6))
        yield (
            unit_vectors(rng.normal(size=(layers, n, dimension)) + 0.5),
            rng.integers(groups, size=n),
        )


def summed(found, groups=3):
    sums = CosineSums(layers=2, groups=groups, dimension=5)
    for units, group in found:
        sums.add(units, group if groups > 1 else np.zeros_like(group))
    return sums


def by_pairs(found, groups):
    """Mean over groups of the mean cosine of all pairs of words of different texts."""
    means = []
    for one in range(groups):
        cosines = [
            (a[:, i] * b[:, j]).sum(-1)
            for (a, g), (b, h) in permutations(found, 2)
            for i in range(a.shape[1])
            for j in range(b.shape[1])
            if groups == 1 or (g[i] == one and h[j] == one)
        ]
        means += [np.mean(cosines, axis=0)] if cosines else []
    return np.mean(means, axis=0)


@pytest.mark.parametrize("groups", [1, 3])
def test_the_mean_of_all_pairs_needs_no_pairs(groups):
    found = [*texts()]
    np.testing.assert_allclose(summed(found, groups).value(), by_pairs(found, groups), rtol=1e-12)


@pytest.mark.parametrize("groups", [1, 3])
def test_pseudo_values_have_the_value_as_mean_and_the_slopes_of_weights(groups):
    """Influence of a text is the derivative of the value by the weight of its pairs."""
    found = [*texts()]
    sums = summed(found, groups)
    own = [(u, g if groups > 1 else np.zeros_like(g)) for u, g in found]
    pseudo = np.array([sums.pseudo(*one) for one in own])
    np.testing.assert_allclose(pseudo.mean(axis=0), sums.value(), rtol=1e-12)

    def weighted(weights):
        """Value with the pairs of texts weighted by both texts' weights."""
        total = []
        for one in range(groups):
            above = np.zeros(2)
            below = 0.0
            for (i, (a, g)), (j, (b, h)) in permutations(enumerate(own), 2):
                w = weights[i] * weights[j]
                above += w * (a[:, g == one].sum(1) * b[:, h == one].sum(1)).sum(-1)
                below += w * (g == one).sum() * (h == one).sum()
            if below:
                total.append(above / below)
        return np.mean(total, axis=0)

    step = 1e-5
    for i in range(len(own)):
        up, down = (np.ones(len(own)) for _ in range(2))
        up[i] += step
        down[i] -= step
        slope = (weighted(up) - weighted(down)) / (2 * step)
        np.testing.assert_allclose(pseudo[i], sums.value() + len(own) * slope, rtol=1e-6)


def test_cosines_do_not_change_with_a_rotation_and_have_a_unit_diagonal():
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(6, 4))
    turn = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    found = cosine_matrix(vectors)
    np.testing.assert_allclose(found, found.T, atol=1e-12)
    np.testing.assert_allclose(np.diag(found), 1.0, atol=1e-12)
    np.testing.assert_allclose(cosine_matrix(3 * vectors @ turn), found, atol=1e-6)


def test_one_text_has_no_pairs():
    with pytest.raises(StatisticsError, match="no two texts"):
        summed([next(texts())], 1).value()


def test_axes_are_those_of_the_singular_values():
    X = np.random.default_rng(2).normal(size=(30, 4)) * [4, 3, 2, 1]
    axes = principal_axes(X, most=3)
    centered = X - X.mean(axis=0)
    _, values, directions = np.linalg.svd(centered, full_matrices=False)
    np.testing.assert_allclose(axes.spread, values[:3] / np.sqrt(30), rtol=1e-9)
    np.testing.assert_allclose(np.abs(axes.directions.T @ directions[:3].T), np.eye(3), atol=1e-8)
    np.testing.assert_allclose(axes.standard(X).std(axis=0), 1.0, rtol=1e-9)


def test_columns_of_zeros_have_no_axis_and_vectors_that_are_alike_none_at_all():
    X = np.pad(np.random.default_rng(3).normal(size=(9, 2)), ((0, 0), (0, 3)))
    assert principal_axes(X, most=5).spread.shape == (2,)
    for bad in (np.ones((4, 2)), np.empty((0, 2))):
        with pytest.raises(StatisticsError):
            principal_axes(bad, most=2)
