"""Distances between items of a representation: RSA, rotation, nearest neighbors, STIR, a map.

The map is by metric multidimensional scaling (MDS).
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scrutiny.core.errors import MissingExtraError
from scrutiny.stats.arrays import BoolArray, FloatArray, IntArray, StatisticsError, finite, one_of
from scrutiny.stats.representations.cka import debiased_cka, linear_cka
from scrutiny.stats.representations.two_representations import principal, two_representations


def procrustes_distance(X: ArrayLike, Y: ArrayLike) -> float:
    """Procrustes distance: after the best rotation of centered representations of norm 1.

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
    other by rotation alone; read it with `permuted_similarity`.

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
    """Procrustes angle in radians, after the best rotation: ``arccos |X'Y|_*``.

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
    """Nuclear norm of the product of both, centered and of Frobenius norm 1; 0 to 1."""
    (u, s), (v, t) = principal(X), principal(Y)
    # X'Y and diag(s) u'v diag(t) have the same singular values, and the latter is at most (n, n)
    inner = (s / np.linalg.norm(s))[:, None] * (u.T @ v) * (t / np.linalg.norm(t))
    return float(min(1.0, np.linalg.svd(inner, compute_uv=False).sum()))


DISTANCES: Final = ("correlation", "cosine", "euclidean")
_DIGITS: Final = 12  # of the largest distance: rounding must not order equal ones


def rsa(X: ArrayLike, Y: ArrayLike, *, distance: str = "correlation") -> float:
    """Representational similarity: Spearman correlation of distances between items, -1 to 1.

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

    **Measures**: whether the order of distances is the same, whatever their size.

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
    """Whether an item ``(item,)`` has no direction (constant, up to rounding)."""
    if distance == "euclidean":
        return np.zeros(rows.shape[0], dtype=np.bool_)
    arrows = rows - rows.mean(axis=1, keepdims=True) if distance == "correlation" else rows
    rounding = rows.shape[1] * np.finfo(np.float64).eps * np.linalg.norm(rows, axis=1)
    return np.asarray(np.linalg.norm(arrows, axis=1) <= rounding, dtype=np.bool_)


def stir(base: ArrayLike, changed: ArrayLike, *, is_debiased: bool = True) -> float:
    """STIR: similarity of m2's representations of inputs that m1 represents alike.

    Parameters
    ----------
    base, changed
        ``(item, feature)`` of m2: for inputs X, and for inputs X' that were searched so that
        ``m1(X') = m1(X)`` nearly. How X' was found is the caller's; for text it can be searched in
        the space of embeddings, or by edits.
    is_debiased
        Whether `debiased_cka` is used; the paper has the biased one.

    **Measures**: how much of what m1 ignores m2 ignores too; the representational ancestor of
    Hard-SCoPE. Asymmetric.

    **Misleads when**: X' is near X to begin with: every model is then invariant. Print the value
    for counterparts that were changed by as much at random, and that of m1 with itself.

    **References**: Nanda et al. (2022), Measuring representational robustness of neural networks
    through shared invariances. The released code scales HSIC by ``(n - 3) ** 2`` too much and
    keeps the last batch only; neither is repeated here.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((20, 5))
    >>> round(stir(X, X + 3.0), 6)
    1.0
    """
    return debiased_cka(base, changed) if is_debiased else linear_cka(base, changed)


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


@dataclass(frozen=True, slots=True, eq=False)
class Scaled:
    """Points of a multidimensional scaling, with their stress.

    Parameters
    ----------
    points
        ``(item, dimension)``; turned and mirrored as it came out.
    stress
        Kruskal's stress-1: 0 is exact, above .2 the picture is poor.
    """

    points: FloatArray
    stress: float


def scaled_to_points(
    distances: ArrayLike, *, rng: np.random.Generator, dimensions: int = 2, restarts: int = 5
) -> Scaled:
    """Multidimensional scaling (MDS): points as far apart as the items, the best of several starts.

    Parameters
    ----------
    distances
        ``(item, item)``, symmetric, 0 on the diagonal.
    rng
        Source of the starts.
    dimensions, restarts
        Of the points; how many starts, 5 as published.

    Raises
    ------
    MissingExtraError
        Without scikit-learn.
    StatisticsError
        If the distances are no symmetric matrix.

    **Measures**: which items are near each other, drawn on a plane.

    **Misleads when**: the stress is high: neighbors in the picture then need not be near. Axes
    have no meaning, and distances between far groups little.

    **References**: Kruskal (1964), Multidimensional scaling by optimizing goodness of fit to a
    nonmetric hypothesis; de Leeuw (1977), Applications of convex analysis to multidimensional
    scaling (SMACOF).

    Examples
    --------
    >>> line = np.abs(np.subtract.outer([0.0, 1, 3], [0.0, 1, 3]))
    >>> scaled_to_points(line, rng=np.random.default_rng(0)).stress < 0.01
    True
    """
    d = finite(distances, "distances", ndim=2)
    if d.shape[0] != d.shape[1] or (d != d.T).any() or np.diagonal(d).any() or (d < 0).any():
        raise StatisticsError("distances must be symmetric, at least 0, and 0 on the diagonal.")
    try:
        from sklearn.manifold import smacof
    except ImportError as error:
        raise MissingExtraError("Multidimensional scaling", "clusters") from error
    points, _ = smacof(
        d,
        n_components=dimensions,
        n_init=restarts,
        random_state=int(rng.integers(2**31)),
        normalized_stress=False,
        eps=1e-6,
    )
    reached = np.sqrt(((points[:, None, :] - points[None, :, :]) ** 2).sum(axis=-1))
    norm = float((reached**2).sum())
    stress = float(np.sqrt(((reached - d) ** 2).sum() / norm)) if norm else 0.0
    return Scaled(np.asarray(points, dtype=np.float64), stress)
