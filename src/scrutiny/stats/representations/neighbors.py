"""Nearest neighbors: whether items have the same neighbors in two representations."""

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, IntArray
from scrutiny.stats.errors import StatisticsError
from scrutiny.stats.representations.centering import two_representations


def neighbor_jaccard(X: ArrayLike, Y: ArrayLike, *, k: int = 10) -> float:
    """Mean overlap of items' nearest neighbors in two representations, 0 to 1.

    Parameters
    ----------
    X, Y
        ``(item, feature)``, row i of both the same item.
    k
        Neighbors by cosine, the item itself left out; equally near ones by their position.

    **Measures**: whether what is near stays near: the local part of a representation.

    **Misleads when**: k is no small share of the items: random neighborhoods overlap by about
    ``k / (2 n - k)``. Duplicates among the items.

    **References**: Klabunde et al. (2025), ReSi; Schumacher et al. (2021), The effects of
    randomness on the stability of node embeddings.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((40, 5))
    >>> neighbor_jaccard(X, 3 * X[:, ::-1], k=5)
    1.0
    """
    cosines, near = _neighborhoods(X, Y, k)
    n = cosines[0].shape[0]
    is_near = np.zeros((2, n, n), dtype=bool)
    for flags, index in zip(is_near, near, strict=True):
        np.put_along_axis(flags, index, values=True, axis=1)
    both = (is_near[0] & is_near[1]).sum(axis=1)
    return float((both / (2.0 * k - both)).mean())


def second_order_cosine(X: ArrayLike, Y: ArrayLike, *, k: int = 10) -> float:
    """Mean cosine between items' similarities to their neighbors in two representations.

    Parameters
    ----------
    X, Y, k
        As in `neighbor_jaccard`; the neighbors of both are put together.

    **Measures**: whether neighbors are as near, and not only whether they are the same.

    **Misleads when**: all cosines are large (anisotropic vectors): every value is then near 1.

    **References**: Hamilton, Leskovec & Jurafsky (2016), Cultural shift or linguistic drift?;
    Klabunde et al. (2025), ReSi.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((40, 5))
    >>> round(second_order_cosine(X, 3 * X[:, ::-1], k=5), 6)
    1.0
    """
    cosines, near = _neighborhoods(X, Y, k)
    found = np.empty(cosines[0].shape[0])
    for item in range(found.size):
        union = np.union1d(near[0][item], near[1][item])
        a, b = cosines[0][item, union], cosines[1][item, union]
        length = np.linalg.norm(a) * np.linalg.norm(b)
        if length == 0.0:
            raise StatisticsError(f"item {item} is orthogonal to all its neighbors: no cosine.")
        found[item] = a @ b / length
    return float(found.mean())


def _neighborhoods(
    X: ArrayLike, Y: ArrayLike, k: int
) -> tuple[tuple[FloatArray, FloatArray], tuple[IntArray, IntArray]]:
    """Cosines ``(item, item)`` and indices of the k nearest ``(item, k)``, of both."""
    first, second = two_representations(X, Y)
    if not 1 <= k < first.shape[0]:
        raise StatisticsError(f"k is {k}; at least 1 and below the {first.shape[0]} items.")
    cosines = _cosines(first, "X"), _cosines(second, "Y")
    return cosines, (_nearest(cosines[0], k), _nearest(cosines[1], k))


def _cosines(X: FloatArray, name: str) -> FloatArray:
    length = np.linalg.norm(X, axis=1, keepdims=True)
    if (length == 0).any():
        raise StatisticsError(f"{name} has {int((length == 0).sum())} zero vectors: no direction.")
    unit = X / length
    return np.asarray(unit @ unit.T, dtype=np.float64)


def _nearest(cosines: FloatArray, k: int) -> IntArray:
    """Indices of the k most similar other items, with ties robust to rounding."""
    order = np.round(-cosines, 12)
    np.fill_diagonal(order, np.inf)
    return np.argsort(order, axis=1, kind="stable")[:, :k].astype(np.int64)
