"""Logistic heads: softmax regression on fixed features, fitted to the optimum of its loss.

The loss is the mean cross-entropy plus ``strength / 2`` times the squared weights, bias among them.
With two labels there is one column of weights, the log odds of the second label; with more, one
column a label.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import scipy

from scrutiny.core.arrays import Floats, Integers
from scrutiny.stats.arrays import StatisticsError

#: Norm of the gradient at which a fit ends, relative to that at weights of zero.
_FINE: Final = 1e-9
_MOST_STEPS: Final = 200
_FALLS_ENOUGH: Final = 0.5
_HALVINGS: Final = 30


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Features and labels that a head is fitted to, and how strongly its weights are held.

    Parameters
    ----------
    features
        ``(row, dimension)``, a column of ones for the bias among them.
    labels
        ``(row,)`` from 0.
    n_labels
        How many labels there are.
    strength
        Weight of the L2 penalty beside the mean loss, above 0.

    Raises
    ------
    StatisticsError
        For one label, no rows, or a strength that is not above 0.
    """

    features: Floats
    labels: Integers
    n_labels: int
    strength: float

    def __post_init__(self) -> None:
        if len(self.features) == 0 or self.n_labels < 2 or self.strength <= 0:
            raise StatisticsError(
                "a logistic head needs rows, two labels and a penalty above 0; not "
                f"{len(self.features)} rows, {self.n_labels} labels and {self.strength:g}."
            )

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the weights: dimensions, and columns."""
        return self.features.shape[1], 1 if self.n_labels == 2 else self.n_labels

    def without(self, rows: Integers) -> "TrainingRows":
        """All rows but these."""
        kept = np.ones(len(self.labels), dtype=bool)
        kept[rows] = False
        return TrainingRows(self.features[kept], self.labels[kept], self.n_labels, self.strength)

    def with_labels(self, labels: Integers) -> "TrainingRows":
        """The same features with other labels."""
        return TrainingRows(self.features, labels, self.n_labels, self.strength)


def log_probabilities(features: Floats, weights: Floats) -> Floats:
    """Log-probabilities ``(row, label)``."""
    scores = features @ weights
    if weights.shape[1] == 1:
        scores = np.concatenate([np.zeros_like(scores), scores], axis=1)
    below = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(below - np.log(np.exp(below).sum(axis=1, keepdims=True)))


def slopes(features: Floats, labels: Integers, weights: Floats) -> Floats:
    """Slope of each row's loss by its scores ``(row, column)``: the gradient is features by this.

    Examples
    --------
    >>> slopes(np.ones((2, 1)), np.array([0, 1]), np.zeros((1, 1))).tolist()
    [[0.5], [-0.5]]
    """
    return _slopes(log_probabilities(features, weights), labels, weights)


def _slopes(logs: Floats, labels: Integers, weights: Floats) -> Floats:
    """Slopes from log-probabilities ``(row, label)``."""
    found = np.exp(logs)
    found[np.arange(len(labels)), labels] -= 1.0
    return found[:, 1:] if weights.shape[1] == 1 else found


@dataclass(frozen=True, eq=False)
class LogisticHead:
    """A fitted head.

    Parameters
    ----------
    weights
        ``(dimension, column)``.
    rows
        What it was fitted to.
    """

    weights: Floats
    rows: TrainingRows

    def losses(self, features: Floats, labels: Integers) -> Floats:
        """Minus the log-probability of a label of each row."""
        return -log_probabilities(features, self.weights)[np.arange(len(labels)), labels]

    def answers(self, features: Floats) -> Integers:
        """Most likely label of each row."""
        return np.asarray(log_probabilities(features, self.weights).argmax(axis=1))

    @cached_property
    def own_slopes(self) -> Floats:
        """Slopes of its training rows."""
        return slopes(self.rows.features, self.rows.labels, self.weights)

    @cached_property
    def hessian(self) -> Floats:
        """Second derivatives of the loss, over weights read column by column."""
        return hessian_at(self.rows, self.weights)

    @cached_property
    def factor(self) -> Any:
        """Cholesky factor of the second derivatives."""
        return scipy.linalg.cho_factor(self.hessian)

    @cached_property
    def _probabilities(self) -> Floats:
        """Probabilities ``(row, label)`` of the labels of its training rows."""
        return np.asarray(np.exp(log_probabilities(self.rows.features, self.weights)))

    def curved(self, direction: Floats) -> Floats:
        """Second derivatives times a direction ``(dimension, column)``, without the matrix."""
        return curvature_along(self.rows, self._probabilities, direction)


def hessian_at(rows: TrainingRows, weights: Floats) -> Floats:
    """Second derivatives ``(weight, weight)`` of the loss at some weights."""
    X, (dimension, columns) = rows.features, rows.shape
    p = np.exp(log_probabilities(X, weights))
    if columns == 1:
        blocks = [[(X * (p[:, :1] * p[:, 1:])).T @ X]]
    else:
        blocks = [
            [(X * (p[:, [a]] * (float(a == b) - p[:, [b]]))).T @ X for b in range(columns)]
            for a in range(columns)
        ]
    found = np.block(blocks) / len(X)
    found[np.diag_indices(dimension * columns)] += rows.strength
    return np.asarray(found)


def curvature_along(rows: TrainingRows, p: Floats, direction: Floats) -> Floats:
    """Second derivatives of the loss times a direction ``(dimension, column)``.

    ``p`` are the probabilities ``(row, label)`` where the derivatives are taken.
    """
    X = rows.features
    along = X @ direction
    if direction.shape[1] == 1:
        bent = p[:, :1] * p[:, 1:] * along
    else:
        bent = p * (along - (p * along).sum(axis=1, keepdims=True))
    return np.asarray(X.T @ bent / len(X) + rows.strength * direction)


def _loss(rows: TrainingRows, weights: Floats) -> tuple[float, Floats]:
    """Loss and its gradient ``(dimension, column)``."""
    found = log_probabilities(rows.features, weights)
    loss = -found[np.arange(len(rows.labels)), rows.labels].mean()
    loss += rows.strength / 2 * np.square(weights).sum()
    slope = _slopes(found, rows.labels, weights)
    return float(loss), rows.features.T @ slope / len(slope) + rows.strength * weights


def fit_head(rows: TrainingRows, *, near: LogisticHead | None = None) -> LogisticHead:
    """Head at the optimum of its loss, by Newton's method.

    Parameters
    ----------
    rows
        What it is fitted to.
    near
        Head of almost the same rows, whose weights and second derivatives are begun with: these are
        computed anew only where they no longer lead down fast.

    Raises
    ------
    StatisticsError
        If the optimum is not found.
    """
    weights = np.zeros(rows.shape) if near is None else near.weights
    factor = None if near is None else near.factor
    at_zero = float(np.linalg.norm(_loss(rows, np.zeros(rows.shape))[1]))
    loss, gradient = _loss(rows, weights)
    for _ in range(_MOST_STEPS):
        norm = np.linalg.norm(gradient)
        if norm <= _FINE * max(at_zero, rows.strength):
            return LogisticHead(weights, rows)
        if factor is None:
            factor = scipy.linalg.cho_factor(hessian_at(rows, weights))
        step = solved(factor, gradient)
        for halving in range(_HALVINGS):
            tried = weights - step / 2**halving
            lower, slope = _loss(rows, tried)
            if lower <= loss + 1e-12 * abs(loss):
                break
        weights, loss, gradient = tried, lower, slope
        if np.linalg.norm(gradient) > _FALLS_ENOUGH * norm:
            factor = None
    raise StatisticsError("the optimum of a logistic head was not found.")


def fit_wide_head(
    rows: TrainingRows, *, near: LogisticHead | None = None, fine: float = 1e-3
) -> LogisticHead:
    """Head of many weights near the optimum of its loss, by gradients alone (L-BFGS).

    Parameters
    ----------
    rows
        What it is fitted to.
    near
        Head of similar rows, whose weights are begun with.
    fine
        Largest slope of the loss that is left, relative to the largest at weights of zero.
    """
    start = np.zeros(rows.shape) if near is None else near.weights
    at_zero = float(np.abs(_loss(rows, np.zeros(rows.shape))[1]).max())

    def flat(weights: Floats) -> tuple[float, Floats]:
        loss, gradient = _loss(rows, weights.reshape(rows.shape))
        return loss, gradient.ravel()

    found = scipy.optimize.minimize(
        flat,
        start.ravel(),
        jac=True,
        method="L-BFGS-B",
        options={"gtol": fine * at_zero, "maxiter": _MOST_STEPS, "ftol": 0.0},
    )
    return LogisticHead(found.x.reshape(rows.shape), rows)


def solved(factor: Any, gradient: Floats) -> Floats:
    """Inverse second derivatives times a gradient ``(dimension, column)``, or several behind it."""
    flat = gradient.swapaxes(-1, -2).reshape(*gradient.shape[:-2], -1)
    found = scipy.linalg.cho_solve(factor, flat.T).T
    turned = found.reshape(*gradient.shape[:-2], gradient.shape[-1], gradient.shape[-2])
    return np.asarray(turned.swapaxes(-1, -2))
