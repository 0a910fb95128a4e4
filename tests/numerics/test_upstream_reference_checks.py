"""Formulas written out a second time, as loops over items; reference values; the tests' levels."""

from itertools import combinations

import numpy as np
import pytest

from scrutiny.stats.agreement.error_consistency import accuracy_bounds, error_consistency
from scrutiny.stats.agreement.kappa import capa
from scrutiny.stats.agreement.scope import (
    decay,
    hard_scope,
    mean_scope_distance,
    ood_agreement,
    scope_pairs,
    soft_scope,
)
from scrutiny.stats.distributions.two_sample import (
    hamming_mmd_test,
    logprob_shift_test,
    paired_logprob_test,
)
from scrutiny.stats.representations.cca import mean_cca, mean_squared_cca, pwcca, svcca
from scrutiny.stats.representations.cka import cka_sums, debiased_cka, linear_cka, minibatch_cka
from scrutiny.stats.representations.item_distances import procrustes_angle, procrustes_distance


@pytest.fixture(name="g")
def generator():
    return np.random.default_rng(21)


# --- shared invariances


@pytest.mark.parametrize(("tolerance", "cutoff"), [(0.05, 1.0), (0.1, 0.1), (0.0, 0.5)])
def test_scope_is_the_loop_of_its_definition(g, tolerance, cutoff):
    m1, m1_changed, m2, m2_changed = g.dirichlet(np.full(3, 0.8), (4, 200))
    kept, shared, soft, both, same = [], [], [], [], []
    for p, p_, q, q_ in zip(m1, m1_changed, m2, m2_changed, strict=True):
        if p.argmax() != p_.argmax():
            continue
        d = sum(abs((p[k] - p_[k]) - (q[k] - q_[k])) for k in range(3))
        if d <= tolerance:
            weight = 1.0
        else:
            weight = 0.0 if d > cutoff else (cutoff - d) / (cutoff - tolerance)
        is_kept = q.argmax() == q_.argmax()
        kept.append(1)
        shared.append(is_kept)
        soft.append(is_kept * weight)
        same.append(p_.argmax() == q_.argmax())
        if is_kept:
            both.append(d)
    pairs = scope_pairs((m1, m1_changed), (m2, m2_changed))
    assert 40 < len(kept) < 160
    assert hard_scope(pairs).value == pytest.approx(np.mean(shared))
    found = soft_scope(pairs, tolerance=tolerance, cutoff=cutoff)
    assert found.value == pytest.approx(np.mean(soft))
    assert found.n_read == len(kept)
    assert ood_agreement(pairs).value == pytest.approx(np.mean(same))
    assert mean_scope_distance(pairs).value == pytest.approx(np.mean(both))


def test_soft_without_tolerance_is_the_share_of_equal_changes():
    m1 = np.array([[0.75, 0.25]] * 4), np.array([[0.5, 0.5]] * 4)
    # the same change from elsewhere; another label; the same change; a change in size
    m2 = (
        np.array([[0.875, 0.125], [0.75, 0.25], [0.75, 0.25], [0.75, 0.25]]),
        np.array([[0.625, 0.375], [0.25, 0.75], [0.5, 0.5], [0.625, 0.375]]),
    )
    pairs = scope_pairs(m1, m2)
    assert hard_scope(pairs).value == 0.75
    for cutoff in (0.0, 1e-300, 1e-9):
        assert soft_scope(pairs, tolerance=0.0, cutoff=cutoff).value == 0.5


def test_constants_so_near_each_other_that_a_slope_would_overflow():
    pairs = scope_pairs(([[0.9, 0.1]], [[0.6, 0.4]]), ([[0.6, 0.4]], [[0.7, 0.3]]))
    assert soft_scope(pairs, tolerance=0.0, cutoff=5e-324).value == 0.0
    assert soft_scope(pairs, tolerance=0.0, cutoff=2.3e-308).value == 0.0


@pytest.mark.parametrize(("samples", "mean_decay"), [(20, 0.68), (100, 0.89)])
def test_more_samples_of_one_sure_model_are_nearer_to_each_other(g, samples, mean_decay):
    p = [0.9] + [0.1 / 9] * 9
    drawn = g.multinomial(samples, p, size=(4, 4000)) / samples
    pairs = scope_pairs((drawn[0], drawn[1]), (drawn[2], drawn[3]))
    soft = soft_scope(pairs, tolerance=0.1, cutoff=1.0).value
    assert decay(pairs.distance, tolerance=0.1).mean() == pytest.approx(mean_decay, abs=0.015)
    assert soft <= hard_scope(pairs).value


# --- outputs


def test_capa_is_the_loop_of_its_definition(g):
    """Items of two to five choices."""
    sizes = g.integers(2, 6, 60)
    p, q = ([g.dirichlet(np.ones(k)) for k in sizes] for _ in range(2))
    gold = np.array([g.integers(k) for k in sizes])
    observed = sum(p[i][k] * q[i][k] for i in range(60) for k in range(sizes[i])) / 60
    skills = [sum(m[i][gold[i]] for i in range(60)) / 60 for m in (p, q)]
    chance = skills[0] * skills[1]
    chance += (1 - skills[0]) * (1 - skills[1]) * sum(1 / (k - 1) for k in sizes) / 60
    assert capa(p, q, gold).value == pytest.approx((observed - chance) / (1 - chance), abs=1e-12)


def test_capa_of_one_unsure_model_with_itself_by_hand():
    found = capa([[0.7, 0.2, 0.1]], [[0.7, 0.2, 0.1]], [0])
    assert found.observed == pytest.approx(0.54)
    assert found.expected == pytest.approx(0.49 + 0.09 / 2)
    assert found.value == pytest.approx(0.005 / 0.465)


@pytest.mark.reproduces
@pytest.mark.parametrize(("a", "k"), [(0.8, 0.5), (0.3, 0.9), (0.55, 0.1)])
def test_bounds_of_an_accuracy_are_those_of_the_released_code(a, k):
    low, high = a * k / (2 * a * k - 2 * a - k + 2), a * (2 - k) / (k + 2 * a * (1 - k))
    assert accuracy_bounds(a, k) == pytest.approx((low, high))


@pytest.mark.parametrize(("first", "second"), [([1], [0]), ([0], [1]), ([1, 0], [0, 1])])
def test_error_consistency_of_hardly_any_items(first, second):
    found = error_consistency(first, second)
    assert found.value == pytest.approx((found.observed - found.expected) / (1 - found.expected))


# --- representations


def test_a_rotated_scaled_and_shifted_copy(g):
    X = g.standard_normal((200, 8)) * np.geomspace(4, 1, 8)
    Y = -2.5 * X @ np.linalg.qr(g.standard_normal((8, 8)))[0] + g.standard_normal(8)
    for measure in (linear_cka, debiased_cka, mean_cca, mean_squared_cca, svcca, pwcca):
        assert measure(X, Y) == pytest.approx(1.0, abs=1e-9)
    assert minibatch_cka((X[i::4], Y[i::4]) for i in range(4)) == pytest.approx(1.0)
    assert max(procrustes_distance(X, Y), procrustes_angle(X, Y)) < 1e-6


def test_any_invertible_map_leaves_cca_and_not_cka(g):
    X = g.standard_normal((200, 8))
    Y = X @ (g.standard_normal((8, 8)) + np.diag(np.geomspace(0.1, 20, 8)))
    assert (mean_cca(X, Y), pwcca(X, Y)) == pytest.approx((1.0, 1.0))
    assert linear_cka(X, Y) < 0.9


def test_the_unbiased_sum_is_the_printed_formula(g):
    n, X, Y = 12, g.standard_normal((12, 5)), g.standard_normal((12, 3))
    K, L = X @ X.T, Y @ Y.T  # not centered: it must not matter
    np.fill_diagonal(K, 0.0)
    np.fill_diagonal(L, 0.0)
    one = np.ones(n)
    first = np.trace(K @ L) + (one @ K @ one) * (one @ L @ one) / ((n - 1) * (n - 2))
    expected = (first - 2 / (n - 2) * (one @ K @ L @ one)) / (n * (n - 3))
    assert cka_sums(X, Y)[0] == pytest.approx(expected)


def test_batches_are_in_the_mean_what_all_items_are(g):
    """Exactly, over all subsets of one size; sums with the biased estimator are not."""
    X = g.standard_normal((9, 3))
    Y = X[:, :2] + g.standard_normal((9, 2))
    subsets = [list(chosen) for chosen in combinations(range(9), 5)]
    assert np.mean([cka_sums(X[s], Y[s]) for s in subsets], axis=0) == pytest.approx(cka_sums(X, Y))

    def biased(x, y):
        return np.square((x - x.mean(axis=0)).T @ (y - y.mean(axis=0))).sum() / (len(x) - 1) ** 2

    assert np.mean([biased(X[s], Y[s]) for s in subsets]) != pytest.approx(biased(X, Y), rel=0.05)


@pytest.mark.parametrize(("items", "features"), [(4, 3), (12, 40), (40, 5)])
def test_the_sum_of_independent_ones_has_mean_0(g, items, features):
    found = [cka_sums(*g.standard_normal((2, items, features)))[0] for _ in range(400)]
    assert abs(np.mean(found)) < 3.5 * np.std(found) / 20


# --- levels of the two-sample tests


def test_levels_with_prompts_of_their_own_missing_tokens_and_ties(g):
    runs, rejected = 300, np.zeros(4)
    x_of, y_of = np.repeat(np.arange(4), 4), np.repeat(np.arange(4), 2)
    for _ in range(runs):
        words = g.integers(0, 6, (4, 5))  # each prompt has answers of its own

        def answers(of, words=words):
            return np.where(g.random((of.size, 5)) < 0.6, words[of], 9)

        a, b = g.normal(-2, 0.1, (12, 5)), g.normal(-2, 0.1, (6, 5))
        for calls in (a, b):
            calls[calls < -2.15] = np.nan  # beyond the top k
        coarse, noise = g.integers(0, 2, (18, 1)), g.normal(0, 1, (2, 10))
        found = (
            hamming_mmd_test(answers(x_of), answers(y_of), rng=g, prompts=(x_of, y_of)),
            hamming_mmd_test(coarse[:11], coarse[11:], rng=g),
            logprob_shift_test(a, b, rng=g, permutations=199),
            paired_logprob_test(noise[0] - 50, noise[1] - 50, rng=g),
        )
        rejected += [test.p_value <= 0.05 for test in found]
    assert (rejected <= 27).all()  # 15 expected at most; 3.2 standard errors
    assert (rejected[[0, 2, 3]] >= 4).all()
