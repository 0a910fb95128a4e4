"""Divergences of distributions: unchecked ones for inner loops, and between many at once."""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.core.arrays import Floats
from scrutiny.stats.arrays import FloatArray, StatisticsError, finite

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


_CHUNK_BYTES = 2_000_000  # of one head's mixtures with all others


def row_entropy(rows: ArrayLike, *, smoothing: float = 0.0001) -> FloatArray:
    """Entropy ``(...)`` in nats of distributions ``(..., outcome)``.

    Parameters
    ----------
    rows
        Not negative; each sums to 1.
    smoothing
        Share of the uniform distribution that is mixed in, 0.0001 as published.

    **Measures**: how broadly a head attends: 0 on one piece, log n on all n alike.

    **Misleads when**: sentences differ in length: its bound is the log of it. A row that rests on
    a special token has a low entropy, whatever it does with words.

    **References**: Clark et al. (2019), What does BERT look at?

    Examples
    --------
    >>> row_entropy([[0.5, 0.5, 0], [1, 0, 0]], smoothing=0).round(3).tolist()
    [0.693, 0.0]
    """
    return _entropy(_smoothed(rows, smoothing))


def jensen_shannon_matrix(maps: ArrayLike, *, smoothing: float = 0.001) -> FloatArray:
    """Divergence ``(map, map)`` in nats of every two sets of distributions, summed over rows.

    Parameters
    ----------
    maps
        ``(head, row, outcome)``: for each head and token, where it attends. Sentences are summed
        by the caller, so that none is padded.
    smoothing
        Share of the uniform distribution that is mixed in, 0.001 as published.

    Returns
    -------
    ndarray
        Symmetric, 0 on the diagonal; at most log 2 a row.

    **Measures**: how differently two heads attend, token by token.

    **Misleads when**: most rows rest on special tokens: idle heads are then near each other, and
    far from all else. Longer sentences count more.

    **References**: Lin (1991), Divergence measures based on the Shannon entropy; Clark et al.
    (2019), What does BERT look at?

    Examples
    --------
    >>> jensen_shannon_matrix([[[1.0, 0]], [[0, 1.0]], [[1.0, 0]]], smoothing=0).round(3).tolist()
    [[0.0, 0.693, 0.0], [0.693, 0.0, 0.693], [0.0, 0.693, 0.0]]
    """
    p = _smoothed(maps, smoothing)
    if p.ndim != 3:
        raise StatisticsError(f"maps must be (head, row, outcome); got {p.shape}.")
    heads, rows, outcomes = p.shape
    own = _entropy(p).sum(axis=1)
    found = np.zeros((heads, heads))
    step = max(1, _CHUNK_BYTES // (8 * rows * outcomes))
    for i in range(heads):
        for start in range(i + 1, heads, step):
            others = slice(start, start + step)
            mixed = _entropy((p[others] + p[i]) / 2).sum(axis=1)
            found[i, others] = mixed - (own[others] + own[i]) / 2
    found = np.maximum(found, 0.0)  # of equal heads, rounding errors remain
    return np.asarray(found + found.T, dtype=np.float64)


def _smoothed(rows: ArrayLike, smoothing: float) -> FloatArray:
    """Rows mixed with the uniform distribution, checked."""
    p = finite(rows, "rows")
    if (p < 0).any() or not np.allclose(p.sum(axis=-1), 1.0, atol=1e-4):
        raise StatisticsError("every row must be a distribution: not negative, with sum 1.")
    if not 0.0 <= smoothing < 1.0:
        raise StatisticsError(f"smoothing is {smoothing}; it lies in [0, 1).")
    return np.asarray((1.0 - smoothing) * p + smoothing / p.shape[-1], dtype=np.float64)


def _entropy(p: FloatArray) -> FloatArray:
    """Entropy in nats over the last axis; 0 log 0 is 0."""
    logs = np.log(p, out=np.zeros_like(p), where=p > 0)
    return np.asarray(0.0 - np.einsum("...i,...i->...", p, logs), dtype=np.float64)
