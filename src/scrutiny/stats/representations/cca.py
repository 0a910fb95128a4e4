"""Canonical correlations of two representations: mean, squared, SVCCA, projection-weighted."""

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, StatisticsError
from scrutiny.stats.representations.two_representations import (
    centered,
    principal,
    two_representations,
)


def canonical_correlations(X: ArrayLike, Y: ArrayLike) -> FloatArray:
    """Canonical correlations ``(min(rank),)``, from the largest down.

    Raises
    ------
    StatisticsError
        If one of them has (items - 1) independent features: every correlation is 1
        then, whatever they hold.

    **Measures**: how well linear readouts of one can be had from the other.

    **Misleads when**: items are not many times the features: see `mean_cca`.

    **References**: Hotelling (1936), Relations between two sets of variates.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((50, 3))
    >>> canonical_correlations(X, X @ [[1.0, 2], [0, 1], [3, 0]]).round(6).tolist()
    [1.0, 1.0]
    """
    first, second = two_representations(X, Y)
    return _correlations(_basis(first, "X"), _basis(second, "Y"))[1]


def mean_cca(X: ArrayLike, Y: ArrayLike) -> float:
    """Mean canonical correlation, 0 to 1.

    Parameters
    ----------
    X, Y
        ``(item, feature)``, row i of both the same item.

    **Measures**: likeness up to any invertible linear map.

    **Misleads when**: items are few: independent Gaussians with 500 items and 40 features score
    .245, not 0; read it with `permuted_similarity`. It gives a direction of hardly any variance
    the weight of the first.

    **References**: Hotelling (1936); Raghu et al. (2017), SVCCA.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((50, 3))
    >>> round(mean_cca(X, X @ [[1.0, 2, 0], [0, 1, 0], [3, 0, 1]]), 6)
    1.0
    """
    return float(canonical_correlations(X, Y).mean())


def mean_squared_cca(X: ArrayLike, Y: ArrayLike) -> float:
    """Mean squared canonical correlation (R2_CCA), 0 to 1.

    Parameters
    ----------
    X, Y
        As in `mean_cca`. Independent ones have the expectation ``max(p, q) / (n - 1)`` for ranks p
        and q of n items.

    **Measures**: as `mean_cca`, with a known value for independent representations.

    **Misleads when**: as `mean_cca`.

    **References**: Kornblith et al. (2019), table 1.

    Examples
    --------
    >>> g = np.random.default_rng(0)
    >>> X, Y = g.standard_normal((501, 40)), g.standard_normal((501, 40))
    >>> abs(mean_squared_cca(X, Y) - 40 / 500) < 0.01
    True
    """
    return float(np.square(canonical_correlations(X, Y)).mean())


def svcca(X: ArrayLike, Y: ArrayLike, *, variance: float = 0.99) -> float:
    """Mean canonical correlation of the principal components that hold most of the variance.

    Parameters
    ----------
    X, Y
        As in `mean_cca`.
    variance
        Share of the variance that the kept components reach, 0.99 as published.

    **Measures**: likeness of what varies, up to linear maps.

    **Misleads when**: a few directions hold nearly all variance: then it is about these. One
    benchmark's code keeps a single component always; values from it are not comparable.

    **References**: Raghu et al. (2017), SVCCA.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((50, 3)) * [1.0, 1.0, 0.001]
    >>> kept_components(X), round(svcca(X, X[:, :2]), 6)
    (2, 1.0)
    """
    first, second = two_representations(X, Y)
    bases = []
    for rows in (first, second):
        u, s = principal(rows)
        bases.append(u[:, : _n_kept(s, variance)])
    _must_have_room(bases[0], "the kept components of X")
    _must_have_room(bases[1], "the kept components of Y")
    return float(_correlations(bases[0], bases[1])[1].mean())


def kept_components(X: ArrayLike, *, variance: float = 0.99) -> int:
    """Number of principal components that reach a share of the variance.

    **Measures**: the number that `svcca` keeps.

    **Misleads when**: columns have different units.

    **References**: Raghu et al. (2017), SVCCA.

    Examples
    --------
    >>> kept_components(np.diag([3.0, 2.0, 1.0, 0.0]))
    3
    """
    first, _ = two_representations(X, X)
    return _n_kept(principal(first)[1], variance)


def pwcca(X: ArrayLike, Y: ArrayLike) -> float:
    """Projection-weighted CCA: canonical correlations weighted by their share of X.

    Parameters
    ----------
    X
        ``(item, feature)``: gives the weights. The published code takes the one with fewer
        features.
    Y
        The other one.

    Returns
    -------
    float
        ``sum_i a_i rho_i / sum_i a_i`` with ``a_i = sum_j |<h_i, x_j>|`` over columns x_j of X and
        canonical variates h_i of X.

    **Measures**: likeness up to linear maps, with directions that X does not use left out.

    **Misleads when**: read as symmetric: ``pwcca(X, Y)`` and ``pwcca(Y, X)`` differ. It depends on
    the axes of X: a rotation of X changes the weights. Where several correlations are equal (a
    part in common that is exactly linear), the variates and so the weights are arbitrary. Few
    items: as `mean_cca`.

    **References**: Morcos, Raghu & Bengio (2018), Insights on representational similarity.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((50, 3))
    >>> round(pwcca(X, X @ [[1.0, 2, 0], [0, 1, 0], [3, 0, 1]]), 6)
    1.0
    """
    first, second = two_representations(X, Y)
    basis = _basis(first, "X")
    turned, rho = _correlations(basis, _basis(second, "Y"))
    weights = np.abs((basis @ turned).T @ centered(first)).sum(axis=1)  # (variate,)
    return float(weights @ rho / weights.sum())


def _basis(X: FloatArray, name: str) -> FloatArray:
    basis = principal(X)[0]
    _must_have_room(basis, name)
    return basis


def _must_have_room(basis: FloatArray, name: str) -> None:
    """Raise if features are as many as items less one: every correlation would be 1."""
    n, rank = basis.shape
    if rank >= n - 1:
        raise StatisticsError(
            f"{name}: {rank} independent features of {n} items; every canonical correlation is 1"
            " then. Take more items (ten times the features), fewer components, or debiased_cka."
        )


def _correlations(first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Directions ``(rank, k)`` in the first basis, and the canonical correlations ``(k,)``."""
    turned, rho, _ = np.linalg.svd(first.T @ second, full_matrices=False)
    return (
        np.asarray(turned, dtype=np.float64),
        np.asarray(np.clip(rho, 0.0, 1.0), dtype=np.float64),
    )


def _n_kept(singular: FloatArray, variance: float) -> int:
    if not 0.0 < variance <= 1.0:
        raise StatisticsError(f"variance is {variance}; it lies in (0, 1].")
    share = np.cumsum(np.square(singular)) / np.square(singular).sum()
    return min(int(np.searchsorted(share, variance - 1e-12)) + 1, singular.size)
