"""Two models' outputs: other implementations, closed forms, bounds, planted dependence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy
from sklearn.metrics import cohen_kappa_score

from scrutiny.stats.agreement.error_consistency import (
    accuracy_bounds,
    consistency_bounds,
    copy_probability,
    error_consistency,
)
from scrutiny.stats.agreement.kappa import capa, cohen_kappa
from scrutiny.stats.agreement.labels import agreement, correctness_flips
from scrutiny.stats.distributions.output_distances import (
    collision,
    js_divergence,
    kl_divergence,
    l1_bounds,
    matching_temperature,
    sampling_floor,
    tempered,
    total_variation,
)
from scrutiny.stats.distributions.two_sample import (
    hamming_mmd,
    hamming_mmd_test,
    logprob_shift_test,
)

HITS = hnp.arrays(np.int64, (2, 12), elements=st.integers(0, 1))
TWO = hnp.arrays(np.float64, (2, 6, 4), elements=st.floats(0.01, 1.0))
SHARE = st.floats(0.02, 0.98)


def rows(values):
    return values / values.sum(axis=-1, keepdims=True)


# --- labels


@given(HITS)
def test_error_consistency_is_kappa_of_right_and_wrong(hits):
    found = error_consistency(*hits)
    if found.value is None:
        assert hits.all() or not hits.any()
        assert found.reason in ("no_errors", "only_errors")
        return
    with np.errstate(invalid="ignore"):
        assert found.value == pytest.approx(cohen_kappa_score(*hits), abs=1e-12)
    assert found.low_bound - 1e-12 <= found.value <= found.high_bound + 1e-12
    assert found.value == pytest.approx((found.observed - found.expected) / (1 - found.expected))


@given(HITS)
def test_flips_are_what_consistency_leaves_and_add_up_to_the_accuracies(hits):
    found = correctness_flips(*hits)
    assert found.any == pytest.approx(1 - error_consistency(*hits).observed)
    assert found.accuracy_change == pytest.approx(hits[1].mean() - hits[0].mean())
    swapped = correctness_flips(hits[1], hits[0])
    assert (swapped.negative, swapped.positive) == (found.positive, found.negative)


@given(hnp.arrays(np.int64, (2, 15), elements=st.integers(0, 2)))
def test_kappa_and_agreement_are_those_of_scikit_learn(labels):
    assert agreement(*labels) == np.mean(labels[0] == labels[1])
    found = cohen_kappa(*labels).value
    if found is not None:
        assert found == pytest.approx(cohen_kappa_score(*labels), abs=1e-12)
        renamed = np.array([2, 0, 1])[labels]
        assert cohen_kappa(*renamed).value == pytest.approx(found, abs=1e-12)


@given(SHARE, SHARE)
def test_bounds_of_consistency_and_of_accuracy_say_the_same(a, b):
    low, high = consistency_bounds(a, b)
    assert -1 - 1e-9 <= low <= 1e-9
    assert -1e-9 <= high <= 1 + 1e-9
    least, most = accuracy_bounds(a, min(1.0, high))
    assert least - 1e-9 <= b <= most + 1e-9  # b is just possible at the highest value
    assert b == pytest.approx(least, abs=1e-6) or b == pytest.approx(most, abs=1e-6)


def test_bounds_at_the_ends():
    assert accuracy_bounds(0.7, 1.0) == pytest.approx((0.7, 0.7))
    assert accuracy_bounds(0.7, 0.0) == (0.0, 1.0)
    assert accuracy_bounds(1.0, 0.0) == (0.0, 1.0)
    assert consistency_bounds(0.5, 0.5) == pytest.approx((-1.0, 1.0))


@pytest.mark.parametrize(("a", "own", "copied"), [(0.6, 0.5, 0.5), (0.9, 0.4, 0.3), (0.7, 0.7, 0)])
def test_a_planted_share_of_copies_is_found(a, own, copied):
    g = np.random.default_rng(3)
    first = g.random(400_000) < a
    second = np.where(g.random(first.size) < copied, first, g.random(first.size) < own)
    found = error_consistency(first, second)
    assert copy_probability(*found.accuracies, consistency=found.value) == pytest.approx(
        copied, abs=0.006
    )


# --- probabilities


@given(TWO)
def test_divergences_are_those_of_scipy(values):
    p, q = rows(values)
    js = [jensenshannon(a, b, base=2) ** 2 for a, b in zip(p, q, strict=True)]
    assert js_divergence(p, q) == pytest.approx(np.array(js), abs=1e-9)
    kl = kl_divergence(p, q, floor=0.0)
    assert kl == pytest.approx(entropy(p, q, axis=1), abs=1e-9)
    assert total_variation(p, q) == pytest.approx(1 - np.minimum(p, q).sum(axis=1), abs=1e-12)
    assert collision(p, q) == pytest.approx(np.einsum("ik,ik->i", p, q))


@given(TWO)
def test_pinsker_lin_and_symmetry(values):
    p, q = rows(values)
    tv, js = total_variation(p, q), js_divergence(p, q)
    assert (2 * tv**2 <= kl_divergence(p, q, floor=0.0) + 1e-9).all()
    assert (js <= tv + 1e-9).all()
    assert js == pytest.approx(js_divergence(q, p), abs=1e-12)
    order = [2, 0, 3, 1]
    assert js == pytest.approx(js_divergence(p[:, order], q[:, order]), abs=1e-12)


def test_the_floor_bounds_what_an_impossible_outcome_costs():
    p, q = [[0.5, 0.5]], [[1.0, 0.0]]
    assert kl_divergence(p, q, floor=0.0).tolist() == [np.inf]
    assert kl_divergence(p, q)[0] == pytest.approx(
        0.5 * np.log(0.5) + 0.5 * np.log(0.5e9), rel=1e-6
    )


@given(TWO, st.floats(0.3, 3.0))
def test_a_temperature_is_undone(values, temperature):
    p = rows(values)[0]
    there = tempered(p, temperature)
    assert tempered(there, 1 / temperature) == pytest.approx(p, abs=1e-9)


def test_the_temperature_that_was_planted_is_found():
    p = rows(np.random.default_rng(0).random((50, 5)))
    assert matching_temperature(p, tempered(p, 0.25)) == pytest.approx(4.0, abs=1e-6)


@given(hnp.arrays(np.int64, (3, 10), elements=st.integers(0, 2)))
def test_capa_of_certain_answers_is_that_of_labels(labels):
    """With one-hot answers: agreement, accuracies, and 1 / (K - 1)."""
    a, b, gold = labels
    found = capa(np.eye(3)[a], np.eye(3)[b], gold)
    acc = (a == gold).mean(), (b == gold).mean()
    expected = acc[0] * acc[1] + (1 - acc[0]) * (1 - acc[1]) / 2
    assert found.observed == pytest.approx((a == b).mean())
    assert found.expected == pytest.approx(expected)
    if found.value is not None:
        assert found.value == pytest.approx((found.observed - expected) / (1 - expected))
        assert found.value <= 1 + 1e-12


def test_capa_of_two_choices_is_error_consistency_of_certain_answers():
    g = np.random.default_rng(0)
    a, b, gold = g.integers(0, 2, (3, 50))
    found = capa(np.eye(2)[a], np.eye(2)[b], gold)
    assert found.value == pytest.approx(error_consistency(a == gold, b == gold).value)


def test_capa_of_a_model_with_itself_is_1_only_if_it_is_certain():
    g = np.random.default_rng(0)
    p, gold = g.dirichlet(np.ones(4), 50), g.integers(0, 4, 50)
    assert capa(p, p, gold).value < 0.5
    sharp = np.eye(4)[p.argmax(axis=1)]
    assert capa(sharp, sharp, gold).value == 1.0


def test_capa_of_independent_models_whose_errors_are_spread_evenly_is_0():
    g = np.random.default_rng(4)
    choices, n = 4, 60_000
    gold = g.integers(0, choices, n)

    def model(skill):
        other = (gold + g.integers(1, choices, n)) % choices
        return np.eye(choices)[np.where(g.random(n) < skill, gold, other)]

    assert capa(model(0.7), model(0.4), gold).value == pytest.approx(0.0, abs=0.01)


# --- samples and top-k


def test_the_floor_is_the_closed_form_for_one_sample():
    """One sample each: two samples differ with probability 1 - sum p^2, and then by 2."""
    p = np.array([0.5, 0.3, 0.2])
    assert sampling_floor(p, samples=1) == pytest.approx(2 * (1 - (p**2).sum()))
    assert sampling_floor(p, samples=1000) == pytest.approx(
        sampling_floor(p, samples=1000, exact=False), rel=1e-3
    )
    assert sampling_floor(p, samples=50) > sampling_floor(p, samples=200)


@given(hnp.arrays(np.float64, (4, 8), elements=st.floats(0.01, 1.0)), st.integers(1, 8))
def test_top_k_bounds_hold_the_truth(values, k):
    p = rows(values)
    top = [dict.fromkeys(np.argsort(-row)[:k].tolist()) for row in p]
    answers = [{t: float(row[t]) for t in tokens} for row, tokens in zip(p, top, strict=True)]
    for signs in ((1, -1), (1, -1, -1, 1)):
        used = answers[: len(signs)]
        truth = float(np.abs(np.array(signs) @ p[: len(signs)]).sum())
        found = l1_bounds(used, signs=signs)
        assert found.low - 1e-9 <= truth <= found.high + 1e-9
        if k == 8:
            assert found.low == pytest.approx(truth) == found.high


def test_zeros_for_what_only_one_call_gave_are_no_lower_bound():
    """Why the bins are what *all* calls gave, and not what any did."""
    p, q = [0.40, 0.31, 0.29], [0.40, 0.29, 0.31]
    truth = sum(abs(a - b) for a, b in zip(p, q, strict=True))
    with_zeros = abs(0.31 - 0) + abs(0 - 0.31) + abs(0.29 - 0.29)
    found = l1_bounds([{0: 0.40, 1: 0.31}, {0: 0.40, 2: 0.31}], signs=(1, -1))
    assert found.low <= truth < with_zeros


# --- two-sample tests


def brute_mmd(x, y):
    def kernel(a, b):
        return np.mean(a == b)

    n, m = len(x), len(y)
    xx = sum(kernel(x[i], x[j]) for i in range(n) for j in range(n) if i != j) / (n * (n - 1))
    yy = sum(kernel(y[i], y[j]) for i in range(m) for j in range(m) if i != j) / (m * (m - 1))
    xy = sum(kernel(a, b) for a in x for b in y) / (n * m)
    return xx + yy - 2 * xy


def test_mmd_is_the_formula_and_the_mean_over_prompts():
    g = np.random.default_rng(0)
    x, y = g.integers(0, 3, (7, 4)), g.integers(0, 4, (5, 4))
    assert hamming_mmd(x, y) == pytest.approx(brute_mmd(x, y))
    prompts = np.array([0, 0, 0, 1, 1, 1, 1]), np.array([1, 1, 0, 0, 0])
    by_prompt = [brute_mmd(x[prompts[0] == k], y[prompts[1] == k]) for k in (0, 1)]
    assert hamming_mmd(x, y, prompts=prompts) == pytest.approx(np.mean(by_prompt))
    codes = np.array([5, 9, 0, 2])  # other names of the same tokens
    assert hamming_mmd(codes[x], codes[y]) == pytest.approx(hamming_mmd(x, y))


def test_mmd_is_unbiased_for_its_closed_form():
    """Independent positions: the mean over them of sum_k (p_k - q_k)^2."""
    g = np.random.default_rng(1)
    p, q = np.array([0.7, 0.2, 0.1]), np.array([0.4, 0.4, 0.2])
    found = [hamming_mmd(g.choice(3, (20, 6), p=p), g.choice(3, (15, 6), p=q)) for _ in range(300)]
    assert np.mean(found) == pytest.approx(((p - q) ** 2).sum(), abs=3 * np.std(found) / 300**0.5)


def test_error_rate_and_power_of_the_test_of_texts():
    g = np.random.default_rng(2)
    rejected, found = 0, 0
    for _ in range(200):
        x, y = g.integers(0, 4, (2, 16, 5))
        rejected += hamming_mmd_test(x, y, rng=g, permutations=99).p_value <= 0.05
        other = np.where(g.random((16, 5)) < 0.6, 0, y)
        found += hamming_mmd_test(x, other, rng=g, permutations=99).p_value <= 0.05
    assert 2 <= rejected <= 20  # .05 of 200 is 10
    assert found > 190


def test_error_rate_and_power_of_the_test_of_log_probabilities():
    g = np.random.default_rng(3)
    rejected, found = 0, 0
    for _ in range(200):
        calls = g.normal(-2.0, 0.05, (24, 8)) + g.normal(0, 0.02, (24, 1))
        rejected += (
            logprob_shift_test(calls[:12], calls[12:], rng=g, permutations=99).p_value <= 0.05
        )
        later = calls[12:] + np.linspace(-0.1, 0.1, 8)
        found += logprob_shift_test(calls[:12], later, rng=g, permutations=99).p_value <= 0.05
    assert 2 <= rejected <= 20
    assert found > 190
