"""Multiple tests: Holm, Benjamini-Hochberg, max-T."""

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, finite, one_of
from scrutiny.stats.errors import StatisticsError


def _p_values(p_values: ArrayLike) -> FloatArray:
    p = finite(p_values, "p_values", ndim=1)
    if (p < 0).any() or (p > 1).any():
        raise StatisticsError("p-values must lie in [0, 1].")
    return p


def holm(p_values: ArrayLike) -> FloatArray:
    """Holm's adjusted p-values ``(test,)``: reject where they are at most the level.

    **Measures**: evidence against each hypothesis, with the chance of *any* false rejection held
    at the level, under any dependence.

    **Misleads when**: the family is named after the results were seen.

    **References**: Holm (1979), A simple sequentially rejective multiple test procedure.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).round(2).tolist()
    [0.03, 0.06, 0.06]
    """
    p = _p_values(p_values)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, stepped)
    return adjusted


def benjamini_hochberg(p_values: ArrayLike) -> FloatArray:
    """Benjamini and Hochberg's adjusted p-values ``(test,)`` (false discovery rate).

    **Measures**: the share of false entries expected in a list cut at each test.

    **Misleads when**: a single entry of the list is stated as a finding.

    **References**: Benjamini & Hochberg (1995), Controlling the false discovery rate.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(2).tolist()
    [0.03, 0.04, 0.04]
    """
    return np.asarray(scipy.stats.false_discovery_control(_p_values(p_values)), dtype=np.float64)


def max_t(
    point: ArrayLike,
    draws: ArrayLike,
    *,
    limit: ArrayLike = 0.0,
    alternative: str = "two-sided",
    step_down: bool = True,
) -> FloatArray:
    """Adjusted p-values ``(test,)`` by max-T, from draws that the tests share.

    Parameters
    ----------
    point
        ``(test,)`` estimates (heads, slices, layers).
    draws
        ``(draw, test)`` of all estimates jointly: the same draws of replicates and items.
    limit
        Value under the null, one or ``(test,)``.
    alternative
        "two-sided", "greater" or "less" than the limit.
    step_down
        Westfall and Young's step-down form (more power); False: one maximum for all.

    **Measures**: which of many candidates stand out, with the chance of any false one held at the
    level, and less lost than by Holm where candidates are correlated.

    **Misleads when**: candidates were picked on the same items; pick on one half, test on the
    other. A candidate without any variance is compared as it stands.

    **References**: Westfall & Young (1993), Resampling-Based Multiple Testing; Romano & Wolf
    (2005), Stepwise multiple testing as formalized data snooping.

    Examples
    --------
    >>> draws = np.random.default_rng(0).standard_normal((999, 3))
    >>> max_t([5.0, 0.1, 0.2], draws + [5.0, 0.1, 0.2]).round(2).tolist()[0]
    0.0
    """
    one_of(alternative, "alternative", ("two-sided", "greater", "less"))
    at, drawn = finite(point, "point", ndim=1), finite(draws, "draws", ndim=2)
    if drawn.shape[1] != at.size:
        raise StatisticsError(f"draws have {drawn.shape[1]} tests, point has {at.size}.")
    spread = drawn.std(axis=0, ddof=1)
    spread = np.where(spread > 0, spread, 1.0)
    sign = -1.0 if alternative == "less" else 1.0
    seen = sign * (at - np.asarray(limit, dtype=np.float64)) / spread
    null = sign * (drawn - drawn.mean(axis=0)) / spread
    if alternative == "two-sided":
        seen, null = np.abs(seen), np.abs(null)
    order = np.argsort(-seen, kind="stable")
    ranked = null[:, order]
    if step_down:  # the maximum over this test and all that look weaker
        top = np.maximum.accumulate(ranked[:, ::-1], axis=1)[:, ::-1]
    else:
        top = np.broadcast_to(ranked.max(axis=1)[:, None], ranked.shape)
    p = (1 + (top >= seen[order]).sum(axis=0)) / (1 + drawn.shape[0])
    adjusted = np.empty_like(at)
    adjusted[order] = np.maximum.accumulate(p)
    return adjusted
