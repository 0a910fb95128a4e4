"""Statistics of label indices: kappa of two models' labels, and number of labels used.

They take ``pred_a`` and ``pred_b``, indices of labels in one order. Their marginals are those of
each resample, so that they are functions of weighted rows and not of sums.
"""

from typing import Final

import numpy as np

from scrutiny.reliability.additive import Array, divide
from scrutiny.reliability.weighted import Weighted


def _shares(labels: Array, weights: Array, names: Array) -> Array:
    """Share ``(draw, label)`` of each label."""
    is_label = (labels[:, None] == names).astype(np.float64)
    return divide(weights @ is_label, weights.sum(axis=1)[:, None])


def _kappa(measures: Array, weights: Array) -> Array:
    names = np.unique(measures)
    first, second = (_shares(measures[:, i], weights, names) for i in range(2))
    same = (measures[:, 0] == measures[:, 1]).astype(np.float64)
    observed = divide(weights @ same, weights.sum(axis=1))
    chance = 1 - (first * second).sum(axis=1)
    # one label for all rows, from both: there is no chance to be beaten
    return 1 - divide(1 - observed, np.where(chance > 1e-12, chance, 0.0))


def _entropy(measures: Array, weights: Array) -> Array:
    share = _shares(measures[:, 0], weights, np.unique(measures))
    bits = -np.log2(share, out=np.zeros_like(share), where=share > 0) * share
    return np.asarray(np.abs(bits.sum(axis=1)))


def _commonest(measures: Array, weights: Array) -> Array:
    return np.asarray(_shares(measures[:, 0], weights, np.unique(measures)).max(axis=1))


KAPPA: Final = Weighted(
    "kappa@1",
    "agreement beyond chance (Cohen's kappa)",
    ("pred_a", "pred_b"),
    _kappa,
    scale="fisher_z",
    of_labels=True,
    no_effect=0.0,
)
LABEL_ENTROPY: Final = Weighted(
    "label_entropy@1",
    "entropy of the target's labels, bits",
    ("pred_b",),
    _entropy,
    scale="amount",
    of_labels=True,
)
COMMONEST_LABEL: Final = Weighted(
    "commonest_label@1",
    "share of the target's commonest label",
    ("pred_b",),
    _commonest,
    scale="logit",
    of_labels=True,
)
