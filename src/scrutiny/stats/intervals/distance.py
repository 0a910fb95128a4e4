"""How far items and seeds together carry a mean: quantiles of a sum of two t."""

from typing import Final

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray

_NODES: Final = 120  # of a t's mixing variance
_STEPS: Final = 60  # of bisection: far below any figure that is printed


def critical_distance(
    items: ArrayLike,
    seeds: ArrayLike,
    freedom: float = np.inf,
    *,
    tail: float,
    item_freedom: float = np.inf,
) -> FloatArray:
    """Distance ``(row,)`` beyond which items and seeds together lie with probability ``tail``.

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
    variance = first[:, None, None] * spread[:, None] + second[:, None, None] * other
    scale = np.sqrt(variance).reshape(first.size, -1)
    mass = np.outer(weight, other_weight).ravel()
    near = np.zeros(first.size)
    far = sum(
        np.sqrt(part) * -scipy.special.stdtrit(degrees, tail / 4.0)
        for part, degrees in ((first, item_freedom), (second, freedom))
    )
    for _ in range(_STEPS):
        middle = (near + far) / 2.0
        with np.errstate(divide="ignore", invalid="ignore"):  # a row without variance
            beyond = np.nan_to_num(scipy.special.ndtr(-middle[:, None] / scale))
        is_inside = beyond @ mass > tail
        near, far = np.where(is_inside, middle, near), np.where(is_inside, far, middle)
    return np.asarray(far)


def _mixing(freedom: float) -> tuple[FloatArray, FloatArray]:
    """Variances ``(node,)`` whose mixture of normals is a t, and their weights.

    A t is a normal whose variance is degrees over chi2: the nodes are quantiles of it, dense where
    the variance is largest.
    """
    if not np.isfinite(freedom):
        return np.ones(1), np.ones(1)
    at, weight = np.polynomial.legendre.leggauss(_NODES)
    share = (at + 1.0) / 2.0
    variance = freedom / scipy.special.chdtri(freedom, 1.0 - share**3)
    return variance, weight * 1.5 * share**2
