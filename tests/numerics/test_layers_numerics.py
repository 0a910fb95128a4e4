"""Probes of known layers: labels at random cost the uniform code, and nothing is selective."""

import numpy as np
import pytest

from scrutiny.stats.representations.mean_cosines import CosineSums, unit_vectors
from scrutiny.stats.representations.online_code import block_ends, online_code

pytestmark = pytest.mark.slow
N, DIMENSION, LABELS, STUDIES = 1500, 32, 8, 24


def with_bias(X):
    return np.pad(X, ((0, 0), (0, 1)), constant_values=1.0)


def test_random_labels_cost_the_uniform_code():
    """Whatever the vectors: within 1 % on average, and never 2 % less."""
    found = []
    for seed in range(STUDIES):
        rng = np.random.default_rng(seed)
        X, y = with_bias(rng.normal(size=(N, DIMENSION))), rng.integers(LABELS, size=N)
        found.append(online_code(X, y, block_ends(N), n_labels=LABELS).compression)
    assert abs(np.mean(found) - 1) < 0.01
    assert max(found) < 1.02


def test_a_probe_of_random_vectors_has_the_majority_and_no_selectivity():
    """Labels of word types, vectors that know nothing: task and control are equally hopeless."""
    gaps, accuracies = [], []
    for seed in range(STUDIES):
        rng = np.random.default_rng(1000 + seed)
        X = with_bias(rng.normal(size=(2 * N, DIMENSION)))
        task, control = (rng.choice(3, size=2 * N, p=[0.5, 0.3, 0.2]) for _ in range(2))
        right = []
        for y in (task, control):
            head = online_code(X[:N], y[:N], block_ends(N), n_labels=3).head
            right.append((head.answers(X[N:]) == y[N:]).mean())
        gaps.append(right[0] - right[1])
        accuracies.append(right[0])
    error = np.std(gaps) / np.sqrt(STUDIES)
    assert abs(np.mean(gaps)) < 3 * error
    assert np.mean(accuracies) == pytest.approx(0.5, abs=0.025)


def test_pseudo_values_tell_how_far_mean_cosines_vary():
    """Their standard error is that of the value over new texts: each pair counts for two texts."""
    values, errors = [], []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        texts = [
            unit_vectors(rng.normal(size=(1, 6, 8)) + rng.normal(size=8) + 1.0) for _ in range(40)
        ]
        sums, group = CosineSums(1, 1, 8), np.zeros(6, dtype=int)
        for one in texts:
            sums.add(one, group)
        pseudo = [float(sums.pseudo(one, group)[0]) for one in texts]
        values.append(float(sums.value()[0]))
        errors.append(np.std(pseudo, ddof=1) / np.sqrt(len(texts)))
    assert np.mean(errors) == pytest.approx(np.std(values), rel=0.25)
