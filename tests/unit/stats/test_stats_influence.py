"""Influence of training rows: closed forms, other solvers, exact retraining, planted errors."""

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.influence.influences import (
    LISSA_2020,
    LissaSettings,
    along_rows,
    confidence_without,
    influences,
    lissa,
    self_influences,
)
from scrutiny.stats.influence.logistic_heads import TrainingRows, fit_head, solved
from scrutiny.stats.influence.shared_features import shared_features


@pytest.fixture(scope="module")
def cancer():
    """Head of 400 rows of the breast cancer data, scaled, and the 169 others."""
    data = load_breast_cancer()
    X = (data.data - data.data.mean(axis=0)) / data.data.std(axis=0)
    X = np.c_[X, np.ones(len(X))]
    order = np.random.default_rng(0).permutation(len(X))
    train, test = order[:400], order[400:]
    rows = TrainingRows(X[train], data.target[train], 2, 0.01)
    return fit_head(rows), X[test], data.target[test]


@pytest.fixture(scope="module")
def three():
    """Head of 3 labels on random features."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(120, 6)), rng.integers(3, size=120)
    return fit_head(TrainingRows(X, y, 3, 0.05)), rng.normal(size=(4, 6)), np.array([0, 1, 2, 0])


def test_of_a_mean_the_estimate_is_the_change_less_one_row_in_n():
    values = np.array([1.0, 2.0, 3.0, 6.0])
    mean = values.mean()
    left_out = np.array([np.delete(values, i).mean() for i in range(4)]) - mean
    slope = (mean - values)[:, None]  # of half the squared distance, whose second derivative is 1
    estimated = along_rows(np.ones((1, 1, 1)), np.ones((4, 1)), slope)[0] / 4
    assert left_out == pytest.approx([2 / 3, 1 / 3, 0, -1])
    assert estimated.tolist() == [0.5, 0.25, 0, -0.75]
    assert left_out[[0, 1, 3]] / estimated[[0, 1, 3]] == pytest.approx(4 / 3)


def test_the_fit_is_the_optimum_that_scikit_learn_finds(cancer, three):
    for head, *_ in (cancer, three):
        rows = head.rows
        model = LogisticRegression(
            C=1 / (rows.strength * len(rows.labels)), fit_intercept=False, tol=1e-9, max_iter=5_000
        ).fit(rows.features, rows.labels)
        assert np.abs(head.weights.T - model.coef_).max() < 1e-4


def test_influence_foretells_exact_retraining_on_breast_cancer(cancer):
    """Figures of the reference: Pearson .992, Spearman .997, slope .854 on the hardest test row."""
    head, X, y = cancer
    hardest = [int(head.losses(X, y).argmax())]
    X, y = X[hardest], y[hardest]
    estimated = influences(head, X, y)[0] / 400
    before = head.losses(X, y)[0]
    changes = [
        -np.log(confidence_without(head, np.array([i]), X, y)[0]) - before for i in range(400)
    ]
    assert pearsonr(estimated, changes)[0] == pytest.approx(0.992, abs=0.001)
    assert spearmanr(estimated, changes)[0] == pytest.approx(0.997, abs=0.001)
    assert np.polyfit(changes, estimated, 1)[0] == pytest.approx(0.854, abs=0.001)


def test_second_derivatives_are_those_of_the_gradient(three):
    head, *_ = three
    direction = np.random.default_rng(2).normal(size=head.rows.shape)
    along = (head.hessian @ direction.T.ravel()).reshape(direction.T.shape).T
    assert np.abs(along - head.curved(direction)).max() < 1e-12
    assert np.abs(solved(head.factor, head.curved(direction)) - direction).max() < 1e-9


def test_conjugate_gradients_equal_cholesky(cancer, three):
    for head, X, y in (cancer, three):
        exact = influences(head, X[:3], y[:3])
        assert influences(head, X[:3], y[:3], method="cg") == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("settings", [(0.01, 10.0, 2000), (0.1, 5.0, 300), (3e-3, 1e4, 5_000)])
def test_lissa_solves_the_damped_problem(three, settings):
    head, *_ = three
    known = LissaSettings(*settings)
    gradient = np.random.default_rng(3).normal(size=head.rows.shape)
    damped = head.hessian + known.effective * np.eye(gradient.size)
    exact = np.linalg.solve(damped, gradient.T.ravel()).reshape(gradient.T.shape).T
    found = lissa(head.curved, gradient, settings=known)
    assert np.abs(found - exact).max() < 1e-3 * np.abs(exact).max()


def test_lissa_says_when_its_scale_is_too_small(three):
    head, *_ = three
    with (
        np.errstate(all="ignore"),
        pytest.raises(StatisticsError, match=r"scale 0\.001 must be above half"),
    ):
        lissa(head.curved, np.ones(head.rows.shape), settings=LissaSettings(0.0, 1e-3, 500))


def test_a_damping_of_30_leaves_the_products_of_gradients(cancer):
    head, X, y = cancer
    assert LISSA_2020.effective == pytest.approx(30)
    damped = influences(head, X[:1], y[:1], method="lissa-2020")[0]
    plain = influences(head, X[:1], y[:1], method="gradient")[0]
    exact = influences(head, X[:1], y[:1])[0]
    cosine = damped @ plain / np.linalg.norm(damped) / np.linalg.norm(plain)
    assert cosine > 0.999
    assert exact @ plain / np.linalg.norm(exact) / np.linalg.norm(plain) < 0.9


def test_all_methods_agree_on_who_helps(cancer):
    head, X, y = cancer
    exact = influences(head, X[:20], y[:20])
    for method, least in {"cg": 0.99, "gradient": 0.6, "lissa-2020": 0.6, "tracin": 0.2}.items():
        found = influences(head, X[:20], y[:20], method=method)
        likeness = [spearmanr(a, b)[0] for a, b in zip(found, exact, strict=True)]
        assert np.mean(likeness) > least, method
    by_series = influences(head, X[:2], y[:2], method="lissa")
    assert by_series == pytest.approx(exact[:2], rel=0.02, abs=0.01)


def test_mislabeled_rows_have_the_most_influence_on_themselves(cancer):
    head, *_ = cancer
    rng = np.random.default_rng(4)
    flipped = rng.permutation(400)[:40]
    labels = head.rows.labels.copy()
    labels[flipped] = 1 - labels[flipped]
    own = self_influences(fit_head(head.rows.with_labels(labels)))
    others = np.delete(own, flipped)
    assert (own[flipped][:, None] > others).mean() >= 0.9
    assert (own >= 0).all()


def test_labels_at_random_leave_no_order_of_influence(cancer):
    head, X, y = cancer
    rng = np.random.default_rng(5)
    kept = []
    for _ in range(8):
        shuffled = fit_head(head.rows.with_labels(rng.permutation(head.rows.labels)))
        pair = (influences(one, X[:20], y[:20]) for one in (head, shuffled))
        kept += [spearmanr(a, b)[0] for a, b in zip(*pair, strict=True)]
    assert abs(np.mean(kept)) < 0.15


def test_turned_features_change_no_influence():
    rng = np.random.default_rng(6)
    X, T, y = rng.normal(size=(30, 80)), rng.normal(size=(5, 80)), rng.integers(2, size=30)
    few = shared_features(X, T)
    all_ = [np.c_[one, np.ones(len(one))] for one in (X, T)]
    found = [
        influences(fit_head(TrainingRows(a, y, 2, 0.1)), b, np.zeros(5, dtype=int))
        for a, b in (few, all_)
    ]
    assert few[0].shape == (30, 30)
    assert found[0] == pytest.approx(found[1], rel=1e-5)


def test_sparse_features_are_read_as_dense_ones_are():
    from scipy.sparse import csr_array

    rng = np.random.default_rng(7)
    for shape in ((40, 5), (10, 60)):
        X, T = rng.poisson(0.4, size=shape), rng.poisson(0.4, size=(3, shape[1]))
        dense, sparse = shared_features(X, T), shared_features(csr_array(X), csr_array(T))
        assert dense[1] @ dense[0].T == pytest.approx(sparse[1] @ sparse[0].T)
        assert dense[1] @ dense[0].T == pytest.approx(T @ X.T + 1.0, abs=1e-8)


@pytest.mark.parametrize(("rows", "labels", "strength"), [(0, 2, 1.0), (3, 1, 1.0), (3, 2, 0.0)])
def test_what_cannot_be_fitted_is_refused(rows, labels, strength):
    with pytest.raises(StatisticsError, match="needs rows, two labels and a penalty above 0"):
        TrainingRows(np.ones((rows, 2)), np.zeros(rows, dtype=int), labels, strength)
