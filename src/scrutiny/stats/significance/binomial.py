"""Binomial distribution, without loading the rest of scipy's.

Loading ``scipy.stats`` takes as long as all tests of a small run. The same functions stand in
``scipy.special``, under names that a release of SciPy may change: then ``scipy.stats`` is loaded.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Final

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, StatisticsError, finite

_NAMES: Final = ("pmf", "cdf", "sf")


def pmf(k: ArrayLike, n: int, p: float) -> FloatArray:
    """Probability of exactly ``k`` of ``n`` successes.

    Examples
    --------
    >>> pmf([0, 1, 2], 2, 0.5).round(6).tolist()
    [0.25, 0.5, 0.25]
    """
    return _within(k, n, p, name="pmf", beyond=0.0)


def cdf(k: ArrayLike, n: int, p: float) -> FloatArray:
    """Probability of at most ``k`` of ``n`` successes.

    Examples
    --------
    >>> cdf([0, 1, 2], 2, 0.5).round(6).tolist()
    [0.25, 0.75, 1.0]
    """
    return _within(k, n, p, name="cdf", beyond=1.0)


def sf(k: ArrayLike, n: int, p: float) -> FloatArray:
    """Probability of more than ``k`` of ``n`` successes.

    Examples
    --------
    >>> sf([-1, 0, 1], 2, 0.5).round(6).tolist()
    [1.0, 0.75, 0.25]
    """
    return _within(k, n, p, name="sf", beyond=0.0)


def _within(k: ArrayLike, n: int, p: float, *, name: str, beyond: float) -> FloatArray:
    """Values of a function at ``k`` from 0 to ``n``, with given values outside."""
    successes = np.asarray(k, dtype=np.float64)
    below = 1.0 if name == "sf" else 0.0
    inside = np.clip(successes, 0.0, float(n))
    found = np.clip(_functions()[name](inside, float(n), p), 0.0, 1.0)
    found = np.where(successes < 0, below, found)
    return np.where(successes > n, beyond, found)


@cache
def _functions() -> dict[str, Callable[..., Any]]:
    """Functions of ``(k, n, p)`` by name: scipy's compiled ones, or those of ``binom``."""
    found: dict[str, Any] = {}
    for name in _NAMES:
        found[name] = getattr(getattr(scipy.special, "_ufuncs", None), f"_binom_{name}", None)
    if None in found.values():
        return {name: getattr(scipy.stats.binom, name) for name in _NAMES}
    return found


def poisson_binomial(probabilities: ArrayLike) -> FloatArray:
    """Binomial distribution of unlike trials: chance ``(item, k)`` of k successes.

    Parameters
    ----------
    probabilities
        ``(trial, item)``.

    **Measures**: how many of R replicates give answer 1, each with its own probability.

    **Misleads when**: trials are dependent.

    **References**: Wang (1993), On the number of successes in independent trials.

    Examples
    --------
    >>> poisson_binomial([[0.5], [0.5]]).tolist()
    [[0.25, 0.5, 0.25]]
    """
    chance = finite(probabilities, "probabilities", ndim=2)
    if (chance < 0).any() or (chance > 1).any():
        raise StatisticsError("probabilities must lie in [0, 1].")
    out = np.zeros((chance.shape[1], chance.shape[0] + 1))
    out[:, 0] = 1.0
    for p in chance:
        hit = out[:, :-1] * p[:, None]
        out *= (1.0 - p)[:, None]
        out[:, 1:] += hit
    return out
