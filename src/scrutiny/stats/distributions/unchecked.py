"""Distances between two distributions known to be sound: no checks, for inner loops."""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from scrutiny.core.arrays import Floats

#: Largest Jensen-Shannon divergence, in nats.
LARGEST_JS: Final = float(np.log(2.0))
_TINY: Final = np.finfo(np.float64).tiny


def softmax(values: Sequence[float]) -> tuple[float, ...]:
    """Distribution by softmax of plain numbers, unchecked: of logits or log-probabilities.

    Examples
    --------
    >>> softmax([0.0, math.log(3.0)])
    (0.25, 0.75)
    """
    best = max(values)
    raised = [math.exp(value - best) for value in values]
    total = sum(raised)
    return tuple(value / total for value in raised)


def kl(p: Floats, q: Floats) -> Floats:
    """Kullback-Leibler divergence of p from q in nats, over the last axis.

    Where q has nothing it is taken to have the smallest number there is.

    Examples
    --------
    >>> kl(np.array([0.5, 0.5]), np.array([0.25, 0.75])).round(4).item()
    0.1438
    """
    ratios = np.log(np.maximum(p, _TINY)) - np.log(np.maximum(q, _TINY))
    return np.asarray(np.maximum((p * ratios).sum(axis=-1), 0.0))  # rounding may go below


def js(p: Floats, q: Floats) -> Floats:
    """Jensen-Shannon divergence of distributions in nats, over the last axis; at most log 2.

    Examples
    --------
    >>> js(np.array([1.0, 0.0]), np.array([0.0, 1.0])).item() == LARGEST_JS
    True
    """
    middle = (p + q) / 2
    return np.asarray(np.minimum((kl(p, middle) + kl(q, middle)) / 2, LARGEST_JS))


def js_slope(p: Floats, q: Floats) -> Floats:
    """Gradient ``(..., outcome)`` of the divergence of distributions `js` with respect to p.

    Examples
    --------
    >>> js_slope(np.array([0.5, 0.5]), np.array([0.5, 0.5])).tolist()
    [0.0, 0.0]
    """
    middle = (p + q) / 2
    return np.asarray((np.log(np.maximum(p, _TINY)) - np.log(np.maximum(middle, _TINY))) / 2)


def tvd(p: Floats, q: Floats) -> Floats:
    """Total variation distance of distributions: half of the absolute differences, last axis.

    Of two labels it is the change of either's probability.

    Examples
    --------
    >>> tvd(np.array([0.9, 0.1]), np.array([0.6, 0.4])).round(3).item()
    0.3
    """
    return np.asarray(np.abs(p - q).sum(axis=-1) / 2)
