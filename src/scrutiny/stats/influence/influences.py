"""Influence of training rows on decisions of a logistic head, by several methods.

Positive is helpful: with the row, the loss at the decision is lower. Removing a row changes that
loss by about its influence divided by the number of rows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal, get_args

import numpy as np
import scipy

from scrutiny.core.arrays import Floats, Integers
from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.influence.logistic_heads import LogisticHead, fit_head, slopes, solved

Method = Literal["exact", "cg", "lissa", "lissa-2020", "gradient", "tracin"]
METHODS: Final[tuple[Method, ...]] = get_args(Method)

#: Product of second derivatives with a direction ``(dimension, column)``.
Product = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True)
class LissaSettings:
    """Settings of the stochastic series: its limit is the solution of ``H + damping * scale``.

    Parameters
    ----------
    damping, scale
        As in Koh & Liang's code.
    depth
        Number of steps.
    """

    damping: float
    scale: float
    depth: int

    @property
    def effective(self) -> float:
        """Damping of the problem that is solved."""
        return self.damping * self.scale


#: Settings of Han, Wallace & Tsvetkov (2020): an effective damping of 30.
LISSA_2020: Final = LissaSettings(damping=3e-3, scale=1e4, depth=2500)
_LISSA_DEPTH: Final = 5_000
_MOST_LEFT: Final = 0.05  # of a gradient, where a series ends
_POWER_STEPS: Final = 50
#: Steps of gradient descent after which TracIn keeps the weights.
_CHECKPOINTS: Final = (1, 3, 10, 30, 100, 300, 1000)


def influences(
    head: LogisticHead, features: Floats, labels: Integers, *, method: Method = "exact"
) -> Floats:
    """Influence ``(decision, training row)`` on the loss of some decisions.

    Parameters
    ----------
    head
        Head that decides.
    features, labels
        Features of the decisions ``(decision, dimension)``, and the label whose loss it is about:
        usually the one decided for.
    method
        ``exact`` (Cholesky), ``cg``, ``lissa`` (a series whose limit is exact), ``lissa-2020``
        (with the settings of Han et al., which damp so much that little but the gradients is
        left), ``gradient`` (products of gradients), ``tracin`` (these, summed over checkpoints).

    Raises
    ------
    StatisticsError
        If conjugate gradients or the series do not converge.

    **Measures**: how the loss would change, to first order, if a row weighed a little more.

    **Misleads when**: many rows are removed together (they do not add up), or the head is not at
    its optimum.

    **References**: Koh & Liang (2017), Understanding black-box predictions via influence functions
    (their sign is the opposite); Agarwal, Bullins & Hazan (2017), Second-order stochastic
    optimization (LiSSA); Pruthi et al. (2020), Estimating training data influence by tracing
    gradient descent; Han, Wallace & Tsvetkov (2020), Explaining black box predictions and unveiling
    data artifacts through influence functions.
    """
    if method == "tracin":
        return _traced(head, features, labels)
    at = slopes(features, labels, head.weights)
    gradients = features[:, :, None] * at[:, None, :]  # (decision, dimension, column)
    if method == "exact":
        moved = solved(head.factor, gradients)
    elif method == "gradient":
        moved = gradients
    else:
        one = partial(conjugate_gradients, head.curved)
        if method != "cg":
            settings = LISSA_2020 if method == "lissa-2020" else exact_lissa(head)
            one = partial(lissa, head.curved, settings=settings)
        moved = np.stack([one(gradient) for gradient in gradients])
    return along_rows(moved, head.rows.features, head.own_slopes)


def along_rows(moved: Floats, features: Floats, at: Floats) -> Floats:
    """Products ``(decision, row)`` of moved gradients with those of rows, which are outer products.

    Parameters
    ----------
    moved
        ``(decision, dimension, column)``.
    features, at
        Of the rows: ``(row, dimension)``, and slopes ``(row, column)``.
    """
    return np.asarray(sum((moved[:, :, c] @ features.T) * at[:, c] for c in range(moved.shape[2])))


def self_influences(head: LogisticHead) -> Floats:
    """Influence ``(row,)`` of each training row on its own loss: how far it is memorized."""
    X, at = head.rows.features, head.own_slopes
    found = np.empty(len(X))
    for start in range(0, len(X), 1000):
        part = slice(start, start + 1000)
        gradients = X[part, :, None] * at[part, None, :]
        found[part] = (gradients * solved(head.factor, gradients)).sum(axis=(1, 2))
    return found


def conjugate_gradients(product: Product, gradient: Floats) -> Floats:
    """Solution of ``H x = gradient`` by conjugate gradients.

    Raises
    ------
    StatisticsError
        If it does not converge.
    """
    shape = gradient.shape
    operator = scipy.sparse.linalg.LinearOperator(
        (gradient.size, gradient.size), lambda flat: product(flat.reshape(shape)).ravel()
    )
    found, failed = scipy.sparse.linalg.cg(
        operator, gradient.ravel(), rtol=1e-10, maxiter=20 * gradient.size
    )
    if failed:
        raise StatisticsError("conjugate gradients did not converge.")
    return np.asarray(found.reshape(shape))


def lissa(product: Product, gradient: Floats, *, settings: LissaSettings) -> Floats:
    """Solution of ``(H + damping * scale) x = gradient`` by a series, with whole products.

    Raises
    ------
    StatisticsError
        If the scale is too small for the series to converge, or its depth.
    """
    found = gradient
    for _ in range(settings.depth):
        found = gradient + (1 - settings.damping) * found - product(found) / settings.scale
    if not np.isfinite(found).all():
        raise StatisticsError(
            f"the series does not converge: scale {settings.scale:g} must be above half of the "
            "largest eigenvalue of the second derivatives."
        )
    solution = found / settings.scale
    left = gradient - product(solution) - settings.effective * solution
    if np.linalg.norm(left) > _MOST_LEFT * np.linalg.norm(gradient):
        raise StatisticsError(
            f"the series has not converged in {settings.depth:,} steps: "
            f"{100 * np.linalg.norm(left) / np.linalg.norm(gradient):.0f} % of the gradient is "
            "left. Use exact or cg, or a stronger penalty."
        )
    return solution


def exact_lissa(head: LogisticHead) -> LissaSettings:
    """Settings whose limit is not damped: the scale is the largest eigenvalue and a little more."""
    direction = np.ones(head.rows.shape)
    for _ in range(_POWER_STEPS):
        direction = head.curved(direction / np.linalg.norm(direction))
    return LissaSettings(0.0, 1.1 * float(np.linalg.norm(direction)), _LISSA_DEPTH)


def _traced(head: LogisticHead, features: Floats, labels: Integers) -> Floats:
    """Sum over checkpoints of gradient descent: its rate times the products of gradients."""
    rows = head.rows
    # a mean loss bends at most by half of the mean squared norm of its rows, and the penalty
    rate = 1 / (np.square(rows.features).sum(axis=1).mean() / 2 + rows.strength)
    weights, total = np.zeros(rows.shape), np.zeros((len(features), len(rows.features)))
    before = 0
    for step in range(1, _CHECKPOINTS[-1] + 1):
        own = slopes(rows.features, rows.labels, weights)
        weights = weights - rate * (rows.features.T @ own / len(own) + rows.strength * weights)
        if step in _CHECKPOINTS:
            at = slopes(features, labels, weights)
            own = slopes(rows.features, rows.labels, weights)
            products = along_rows(features[:, :, None] * at[:, None, :], rows.features, own)
            total += rate * (step - before) * products  # it stands for all steps since the last
            before = step
    return total


def confidence_without(
    head: LogisticHead, removed: Integers, features: Floats, labels: Integers
) -> Floats:
    """Probability ``(decision,)`` of labels by a head that is fitted anew without some rows."""
    fitted = fit_head(head.rows.without(removed), near=head)
    return np.asarray(np.exp(-fitted.losses(features, labels)))
