"""Procrustes: how far two representations stay apart after the best rotation."""

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray
from scrutiny.stats.representations.centering import principal, two_representations


def procrustes_distance(X: ArrayLike, Y: ArrayLike) -> float:
    """Distance after the best rotation of centered representations of unit size.

    Parameters
    ----------
    X, Y
        ``(item, feature)``, row i of both the same item; the narrower one is thought to be padded
        with zeros.

    Returns
    -------
    float
        ``sqrt(2 - 2 |X'Y|_*)`` (nuclear norm), 0 for a rotated, scaled and shifted copy, at most
        the square root of 2.

    **Measures**: likeness up to rotation, one scale and a shift, as a metric: it keeps the
    triangle inequality.

    **Misleads when**: items are not many times the features: independent ones come near each
    other by rotation alone; read it beside `permuted_similarity`.

    **References**: Ding, Denain & Steinhardt (2021), Grounding representation similarity with
    statistical testing; Schönemann (1966).

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((50, 3))
    >>> abs(procrustes_distance(X, 2 * X[:, [2, 0, 1]] + 5)) < 1e-6
    True
    """
    return float(np.sqrt(max(0.0, 2.0 - 2.0 * _overlap(*two_representations(X, Y)))))


def procrustes_angle(X: ArrayLike, Y: ArrayLike) -> float:
    """Angle in radians between both after the best rotation: ``arccos |X'Y|_*``.

    **Measures**: as `procrustes_distance`; the length of the way between the shapes.

    **Misleads when**: as `procrustes_distance`.

    **References**: Williams et al. (2021), Generalized shape metrics on neural representations.

    Examples
    --------
    >>> X, Y = np.array([[1.0], [-1], [1], [-1]]), np.array([[1.0], [1], [-1], [-1]])
    >>> round(procrustes_angle(X, Y), 4)
    1.5708
    """
    return float(np.arccos(_overlap(*two_representations(X, Y))))


def _overlap(X: FloatArray, Y: FloatArray) -> float:
    """Nuclear norm of the product of both, centered and of unit Frobenius norm; 0 to 1."""
    (u, s), (v, t) = principal(X), principal(Y)
    # X'Y and diag(s) u'v diag(t) have the same singular values, and the latter is at most (n, n)
    inner = (s / np.linalg.norm(s))[:, None] * (u.T @ v) * (t / np.linalg.norm(t))
    return float(min(1.0, np.linalg.svd(inner, compute_uv=False).sum()))
