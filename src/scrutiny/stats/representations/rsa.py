"""Representational similarity analysis: whether two models find the same pairs alike."""

from typing import Final

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import BoolArray, FloatArray, one_of
from scrutiny.stats.errors import StatisticsError
from scrutiny.stats.representations.centering import two_representations

DISTANCES: Final = ("correlation", "cosine", "euclidean")
_DIGITS: Final = 12  # of the largest distance: rounding must not order equal ones


def rsa(X: ArrayLike, Y: ArrayLike, *, distance: str = "correlation") -> float:
    """Spearman correlation of two models' distances between items, -1 to 1.

    Parameters
    ----------
    X, Y
        ``(item, feature)``, row i of both the same item; at least four.
    distance
        "correlation" (of two items' features, as published), "cosine" or "euclidean".

    Raises
    ------
    StatisticsError
        If an item has no direction (a constant vector; a zero vector), or all distances are equal.

    **Measures**: whether the order of distances is the same; nothing about their size.

    **Misleads when**: pairs are counted as observations: n items have n (n - 1) / 2 pairs and one
    independent row each, so its p-value comes from permuted items (`permuted_similarity`). A few
    clusters give a high value whatever is inside them. Correlation distance changes when features
    are rotated or shifted; "euclidean" does not.

    **References**: Kriegeskorte, Mur & Bandettini (2008), Representational similarity analysis.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((20, 5))
    >>> round(rsa(X, 3 * X), 6), round(rsa(X, 3 * X[:, ::-1] + 1, distance="euclidean"), 6)
    (1.0, 1.0)
    """
    one_of(distance, "distance", DISTANCES)
    first, second = two_representations(X, Y)
    apart = [_distances(rows, name, distance) for name, rows in (("X", first), ("Y", second))]
    return float(scipy.stats.spearmanr(apart[0], apart[1]).statistic)


def _distances(rows: FloatArray, name: str, distance: str) -> FloatArray:
    """Distances ``(pair,)`` as shares of the largest; equal ones are exactly equal."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = scipy.spatial.distance.pdist(rows, distance)
    is_fine = np.isfinite(found).all() and found.max() > 0 and not _has_none(rows, distance).any()
    if is_fine:
        found = np.round(found / found.max(), _DIGITS)
    if not is_fine or found.max() == found.min():
        raise StatisticsError(
            f"{name} has no {distance} distances that differ: an item without direction, or"
            " all items equally far apart."
        )
    return np.asarray(found, dtype=np.float64)


def _has_none(rows: FloatArray, distance: str) -> BoolArray:
    """Whether an item ``(item,)`` has no direction; its mean may be off by rounding."""
    if distance == "euclidean":
        return np.zeros(rows.shape[0], dtype=np.bool_)
    arrows = rows - rows.mean(axis=1, keepdims=True) if distance == "correlation" else rows
    rounding = rows.shape[1] * np.finfo(np.float64).eps * np.linalg.norm(rows, axis=1)
    return np.asarray(np.linalg.norm(arrows, axis=1) <= rounding, dtype=np.bool_)
