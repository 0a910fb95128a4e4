"""Input checks, centering and bases, shared by comparisons of representations."""

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, finite
from scrutiny.stats.errors import StatisticsError


def two_representations(
    X: ArrayLike, Y: ArrayLike, *, least: int = 4
) -> tuple[FloatArray, FloatArray]:
    """Both representations as float64 ``(item, feature)``, checked.

    Raises
    ------
    StatisticsError
        Other shapes, other numbers of items, fewer than ``least``, or the same vector for every
        item.
    """
    first, second = finite(X, "X", ndim=2), finite(Y, "Y", ndim=2)
    if first.shape[0] != second.shape[0]:
        raise StatisticsError(
            f"X has {first.shape[0]} items, Y {second.shape[0]}; row i of both must be one item."
        )
    if first.shape[0] < least:
        raise StatisticsError(f"there are {first.shape[0]} items; at least {least} are needed.")
    for name, rows in (("X", first), ("Y", second)):
        if (rows == rows[:1]).all():
            raise StatisticsError(f"{name} has the same vector for every item: it does not vary.")
    return first, second


def centered(X: FloatArray) -> FloatArray:
    """Columns centered at mean 0."""
    return np.asarray(X - X.mean(axis=0, keepdims=True), dtype=np.float64)


def principal(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Left singular vectors ``(item, rank)`` and singular values of centered columns."""
    u, s, _ = np.linalg.svd(centered(X), full_matrices=False)
    rank = int((s > s[0] * max(X.shape) * np.finfo(np.float64).eps).sum())
    return np.asarray(u[:, :rank], dtype=np.float64), np.asarray(s[:rank], dtype=np.float64)
