"""Online code: its closed forms, the bound of a mixture, and the probe that it ends with."""

import numpy as np
import pytest

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.influence.logistic_heads import TrainingRows, fit_head, fit_wide_head
from scrutiny.stats.representations.online_code import block_ends, online_code


def planted(count=300, *, labels=3, dimension=6, seed=0):
    rng = np.random.default_rng(seed)
    X = np.pad(rng.normal(size=(count, dimension)), ((0, 0), (0, 1)), constant_values=1.0)
    scores = X @ rng.normal(size=(dimension + 1, labels)) * 2
    return X, (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)


def test_the_first_block_is_uniform_and_one_block_is_the_uniform_code():
    X, y = planted()
    code = online_code(X, y, [300], n_labels=3)
    np.testing.assert_allclose(code.bits, np.log2(3))
    assert code.compression == pytest.approx(1.0)
    assert np.all(online_code(X, y, [30, 300], n_labels=3).bits[:30] == np.log2(3))


def test_without_features_it_is_the_code_of_the_frequencies():
    """Probes of a bias alone and the mixture are about what counting gives (add one)."""
    y = np.random.default_rng(0).choice(3, size=2000, p=[0.7, 0.2, 0.1])
    code = online_code(np.ones((2000, 1)), y, block_ends(2000), n_labels=3)
    entropy = -sum(p * np.log2(p) for p in (0.7, 0.2, 0.1))
    assert code.bits.mean() == pytest.approx(entropy, rel=0.04)


def test_a_mixture_is_no_longer_than_its_best_part_and_the_logarithm_of_their_number():
    X, y = planted()
    ends = block_ends(300)
    alone = [online_code(X, y, ends, n_labels=3, penalties=[p]).bits.sum() for p in (1.0, 50.0)]
    both = online_code(X, y, ends, n_labels=3, penalties=(1.0, 50.0))
    assert both.bits.sum() <= min(alone) + np.log2(3) + 1e-6
    assert both.penalty in (1.0, 50.0)


def test_its_bits_are_those_of_probes_fitted_to_what_came_before():
    X, y = planted(80)
    code = online_code(X, y, [20, 80], n_labels=3, penalties=[2.0])
    head = fit_head(TrainingRows(X[:20], y[:20], 3, 2.0 / 20))
    counts = np.bincount(y[:20], minlength=3) + 1.0
    logs = np.stack([-head.losses(X[20:], y[20:]), np.log(counts / counts.sum())[y[20:]]])
    whole = -np.log2(np.exp(logs.sum(axis=1)).sum() / 2)  # the chain rule: a mixture of two codes
    # both start with equal weights: the mixture's length is that of the mean of both likelihoods
    assert code.bits[20:].sum() == pytest.approx(whole + 0.0, rel=2e-3)


def test_it_does_not_change_with_a_rotation():
    X, y = planted(120)
    turn = np.linalg.qr(np.random.default_rng(5).normal(size=(6, 6)))[0]
    turned = np.column_stack([X[:, :6] @ turn, X[:, 6]])
    ends = block_ends(120)
    a, b = (online_code(one, y, ends, n_labels=3).bits.sum() for one in (X, turned))
    assert a == pytest.approx(b, rel=5e-3)


@pytest.mark.parametrize("labels", [2, 4])
def test_wide_heads_are_the_heads_of_newtons_method(labels):
    X, y = planted(labels=labels)
    rows = TrainingRows(X, y, labels, 0.01)
    exact, near = fit_head(rows), fit_wide_head(rows, fine=1e-6)
    np.testing.assert_allclose(near.weights, exact.weights, atol=1e-3)
    again = fit_wide_head(rows, near=near, fine=1e-6)
    np.testing.assert_allclose(again.weights, exact.weights, atol=1e-3)


def test_blocks_are_the_published_shares():
    assert block_ends(1000)[:4] == [1, 2, 4, 8]
    assert block_ends(1) == [1]


def test_no_rows_and_one_label_have_no_code():
    for labels, n in ((np.empty(0, dtype=int), 2), (np.zeros(3, dtype=int), 1)):
        with pytest.raises(StatisticsError):
            online_code(np.ones((len(labels), 1)), labels, [len(labels)], n_labels=n)
