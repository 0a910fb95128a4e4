"""Search for other attention with the same output, for many texts and copies at once.

The objective is that of the released code, text by text: with K copies of weights ``a`` beside the
layer's own ``b``, and outputs ``p`` beside ``q``, it minimizes ::

    sum over k of penalty * relu(change(p_k, q) - slack) - JS(a_k, b)
    minus the mean over pairs (k, l) of JS(a_k, a_l)

The change is the total variation distance, which for two labels is the absolute difference of
sigmoid outputs that the released code takes. Weights are the softmax of free logits.
"""

from collections.abc import Callable

import numpy as np
from scipy.special import softmax

from scrutiny.core.arrays import Floats
from scrutiny.core.queries.attention_layer import AttentionLayer
from scrutiny.diagnostics.faithfulness.distances import js_slope, tvd
from scrutiny.diagnostics.faithfulness.params import AdversarialParams
from scrutiny.diagnostics.faithfulness.reading import LengthGroup

_BETAS = (0.9, 0.999)
_EPSILON = 1e-8


def search(
    layer: AttentionLayer, group: LengthGroup, noise: Floats, params: AdversarialParams
) -> tuple[Floats, Floats]:
    """Weights of the copies before and after the search.

    Parameters
    ----------
    layer
        Asked for outputs and gradients at each step.
    group
        Texts of n tokens.
    noise
        Standard normal ``(text, copy, token)``.
    params
        Steps, rate, slack and penalty.
    """
    logits = params.spread * noise  # those of the uniform distribution are equal, so 0
    start = softmax(logits, axis=-1)

    def gradient(logits: Floats) -> Floats:
        weights = softmax(logits, axis=-1)
        slopes = _slopes(layer, group, weights, params)
        mean = (weights * slopes).sum(axis=-1, keepdims=True)
        return np.asarray(weights * (slopes - mean))

    return start, softmax(adam(logits, gradient, steps=params.steps, lr=params.lr), axis=-1)


def _slopes(
    layer: AttentionLayer, group: LengthGroup, weights: Floats, params: AdversarialParams
) -> Floats:
    """Gradient ``(text, copy, token)`` of the objective with respect to the weights."""
    before = group.probabilities[:, None, :]
    after = layer.reweighted(group.attended, weights)
    is_beyond = tvd(after, before) > params.slack  # (text, copy)
    directions = np.sign(after - before) / 2 * (params.penalty * is_beyond)[..., None]
    found: Floats = layer.reweighted_slopes(group.attended, weights, directions)
    found = found - js_slope(weights, group.weights[:, None, :])
    copies = weights.shape[1]
    # each pair stands twice in the mean over pairs, and JS is symmetric
    pairs = js_slope(weights[:, :, None, :], weights[:, None, :, :]).sum(axis=2)
    return np.asarray(found - 2 * pairs / copies**2)


def adam(start: Floats, gradient: Callable[[Floats], Floats], *, steps: int, lr: float) -> Floats:
    """Result of Adam with amsgrad, for each number separately.

    Parameters
    ----------
    start
        Where it begins.
    gradient
        Gradient at a place, of the same shape.
    steps, lr
        How many steps, and their rate.

    Examples
    --------
    >>> adam(np.array([1.0]), lambda x: 2 * x, steps=400, lr=0.05).round(3).tolist()
    [0.0]
    """
    place = start.copy()
    mean, square, largest = (np.zeros_like(start) for _ in range(3))
    for step in range(1, steps + 1):
        slope = gradient(place)
        mean = _BETAS[0] * mean + (1 - _BETAS[0]) * slope
        square = _BETAS[1] * square + (1 - _BETAS[1]) * slope * slope
        largest = np.maximum(largest, square)
        scale = np.sqrt(largest) / np.sqrt(1 - _BETAS[1] ** step) + _EPSILON
        place = place - lr / (1 - _BETAS[0] ** step) * mean / scale
    return place
