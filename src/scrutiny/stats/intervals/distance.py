"""Critical distance for item and seed error together: quantiles of a sum of two t variables."""

from functools import cache
from typing import Final

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray

_NODES: Final = 120  # of a t's mixing variance
_STEPS: Final = 8  # of Newton on the logarithm of the tail, at most
_STILL: Final = 1e-8  # of a distance: a step that is so small leaves an error of its square


def critical_distance(
    items: ArrayLike,
    seeds: ArrayLike,
    freedom: float = np.inf,
    *,
    tail: float,
    item_freedom: float = np.inf,
) -> FloatArray:
    """Distance ``(row,)`` that item and seed error together exceed with probability ``tail``.

    Both parts are a t, or a normal where the degrees of freedom are infinite.

    Parameters
    ----------
    items, seeds
        ``(row,)`` variance of the items' part and of the seeds' (of a t: its squared scale).
    freedom, item_freedom
        Degrees of freedom of the seeds' part and of the items'.
    tail
        Probability on one side.
    """
    first, second = (np.atleast_1d(np.asarray(one, dtype=np.float64)) for one in (items, seeds))
    (spread, weight), (other, other_weight) = _mixing(item_freedom), _mixing(freedom)
    whole = first + second
    moves = whole > 0
    safe = np.where(moves, whole, 1.0)
    shares = first / safe, np.where(moves, second / safe, 1.0)
    variance = shares[0][:, None, None] * spread[:, None] + shares[1][:, None, None] * other
    scale = np.sqrt(variance).reshape(first.size, -1)
    mass = np.outer(weight, other_weight).ravel()
    # a sum of two lies farther out than either does: Newton's steps start there
    found = np.maximum(
        *(
            np.sqrt(part) * -scipy.special.stdtrit(degrees, tail)
            for part, degrees in zip(shares, (item_freedom, freedom), strict=True)
        )
    )
    for _ in range(_STEPS):
        z = found[:, None] / scale
        beyond = scipy.special.ndtr(-z) @ mass
        density = (np.exp(-z * z / 2.0) / scale) @ mass / np.sqrt(2.0 * np.pi)
        step = beyond * np.log(beyond / tail) / density
        found = found + step
        if (np.abs(step) <= _STILL * found).all():
            break
    return np.asarray(np.where(moves, np.sqrt(whole) * found, 0.0))


def _mixing(freedom: float) -> tuple[FloatArray, FloatArray]:
    """Variances ``(node,)`` and weights that write a t distribution as a mixture of normals.

    A t is a normal whose variance is degrees over chi2: the nodes are quantiles of it, dense where
    the variance is largest.
    """
    if not np.isfinite(freedom):
        return np.ones(1), np.ones(1)
    at, weight = _nodes()
    share = (at + 1.0) / 2.0
    variance = freedom / scipy.special.chdtri(freedom, 1.0 - share**3)
    return variance, weight * 1.5 * share**2


@cache
def _nodes() -> tuple[FloatArray, FloatArray]:
    """Gauss's nodes between -1 and 1 and their weights: an eigenvalue problem, solved once."""
    return np.polynomial.legendre.leggauss(_NODES)
