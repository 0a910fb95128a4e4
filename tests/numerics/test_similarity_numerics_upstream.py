"""Errors that released code of this field has, kept from coming in here."""

import numpy as np
import pytest
from scipy import stats

from scrutiny.stats.agreement.error_consistency import copy_probability, error_consistency
from scrutiny.stats.agreement.scope import scope_distance
from scrutiny.stats.representations.cca import kept_components, svcca
from scrutiny.stats.representations.cka import cka_sums, debiased_cka, minibatch_cka
from scrutiny.stats.significance.exact_tests import mcnemar

G = np.random.default_rng(11)


def test_svcca_keeps_as_many_components_as_99_percent_takes():
    """A benchmark compares a normalized share with ``0.99 * total`` and so keeps one, always."""
    X, Y = G.standard_normal((500, 40)), G.standard_normal((500, 40))
    share = np.cumsum(np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2)
    of_one_component = np.argmax(share / share[-1] >= 0.99 * share[-1])
    assert of_one_component == 0
    assert kept_components(X) == 40
    one = [(m - m.mean(axis=0)) @ np.linalg.svd(m - m.mean(axis=0))[2][0] for m in (X, Y)]
    assert svcca(X, Y) != pytest.approx(abs(np.corrcoef(*one)[0, 1]), abs=0.05)


@pytest.mark.parametrize(("variance", "kept"), [(0.5, 1), (0.9, 2), (0.95, 2), (0.99, 3), (1, 4)])
def test_the_rule_at_its_borders(variance, kept):
    singular = np.sqrt([50.0, 45.0, 4.5, 0.5])  # shares .5, .95, .995, 1
    X = np.linalg.qr(G.standard_normal((30, 4)) - 0.0)[0]
    X = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[0] * singular
    assert kept_components(X, variance=variance) == kept


def test_hsic_is_divided_by_n_minus_3():
    """Released code has ``/ n * (n - 3)``: 3,721 times too much for 64 items."""
    X = G.standard_normal((64, 5))
    own = cka_sums(X, X)[0]
    # of independent features the population value is the sum of squared variances
    assert own == pytest.approx(5.0, rel=0.5)
    assert own * 61**2 > 1e4


def test_batches_of_other_sizes_and_the_last_one():
    """The wrong factor cancels for equal batches only, and each batch overwrote the one before."""
    X = G.standard_normal((100, 5))
    Y = X + 0.5 * G.standard_normal((100, 5))
    noise = G.standard_normal((40, 5))
    parts = [(X[:60], Y[:60]), (X[60:], noise)]
    found = minibatch_cka(parts)
    sums = [cka_sums(*part) for part in parts]
    wrong = sum(s * (len(x) - 3) ** 2 for s, (x, _) in zip(sums, parts, strict=True))
    assert found == pytest.approx(
        sum(s[0] for s in sums) / np.prod([sum(s[i] for s in sums) for i in (1, 2)]) ** 0.5
    )
    assert found != pytest.approx(wrong[0] / np.sqrt(wrong[1] * wrong[2]), abs=0.01)
    assert found != pytest.approx(debiased_cka(*parts[-1]), abs=0.2)
    assert minibatch_cka(parts[::-1]) == pytest.approx(found)


def test_two_perfect_models_have_no_error_consistency():
    """lm-sim answers NaN, model-vs-human 1: it does not exist, and there is a reason."""
    found = error_consistency([1, 1, 1], [1, 1, 1])
    assert (found.value, found.reason) == (None, "no_errors")
    assert error_consistency([0, 0], [0, 0]).reason == "only_errors"
    assert error_consistency([1, 1, 1], [1, 1, 0]).value == 0.0


def test_the_share_of_copies_is_not_that_of_the_released_example():
    """Half of b is copied from a; the example's factor ``sum ab / sum b^2`` does not find it."""
    a = np.repeat([0] * 8 + [1] * 12, 5)
    b = np.repeat([0] * 6 + [1] * 2 + [1] * 6 + [0] * 3 + [1] * 3, 5)
    found = error_consistency(a, b)
    assert copy_probability(*found.accuracies, consistency=found.value) == pytest.approx(0.5)
    p, q = (np.array([m.mean(), 1 - m.mean()]) for m in (a, b))
    assert found.value * (p @ q) / (q @ q) == pytest.approx(0.4946, abs=1e-4)


def test_paired_items_are_tested_in_pairs():
    """An unpaired z-test on the same 220 items misses what McNemar's test sees."""
    gained, lost, both, n = 33, 15, 100, 220
    first, second = (both + lost) / n, (both + gained) / n
    se = np.sqrt(first * (1 - first) / n + second * (1 - second) / n)
    unpaired = 2 * stats.norm.sf(abs(second - first) / se)
    assert unpaired > 0.05
    assert mcnemar(gained, lost).p_value < 0.02


def test_the_changed_side_is_put_through_softmax_once():
    """With softmax twice, a text that raises confidence beats one that changes nothing."""
    base, same, surer = (np.array([p, 1 - p]) for p in (0.80, 0.80, 0.999))

    def twice(p):
        return np.exp(p) / np.exp(p).sum()

    def distance(p, q):
        return float(scope_distance((p, p), (p, q)))  # the target's change alone

    assert distance(base, same) == 0.0 < distance(base, surer)
    assert distance(base, twice(same)) > distance(base, twice(surer))
