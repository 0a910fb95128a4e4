"""Entropy of distributions, and Jensen-Shannon divergences between many of them."""

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, finite
from scrutiny.stats.errors import StatisticsError

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
