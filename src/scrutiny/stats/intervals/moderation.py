"""Moderated seed variances: each row's is moved toward those of similar rows."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray

_PULLS: Final = np.array([0.02, *np.arange(0.1, 0.95, 0.1), 0.95, 0.99])
_FACTORS: Final = np.geomspace(0.15, 6.0, 17)
_LEAST_RATIO: Final = 0.001  # of a variance in its logarithm: a variance of 0 has none


@dataclass(frozen=True, slots=True, eq=False)
class SeedVariances:
    """Seed variances of the rows of a family, own and moderated.

    Parameters
    ----------
    each
        ``(row,)`` variance over seeds, moved toward the family's.
    own
        ``(row,)`` variance over seeds of the row alone.
    weight
        Weight of the family against a row's own variance, from 0 to 1.
    effective
        Effective number of independent rows.
    freedom
        Degrees of freedom of ``each``.
    """

    each: FloatArray
    own: FloatArray
    weight: float
    effective: float
    freedom: float


def moderated(values: FloatArray, interaction: FloatArray, step: FloatArray) -> SeedVariances:
    """Seed variances of rows, each shrunk toward the family's.

    A family of one row keeps its own variance and its ``replicates - 1`` degrees of freedom.

    Parameters
    ----------
    values
        ``(row, replicate)``.
    interaction
        ``(row,)`` item noise that each replicate has for itself, in the mean over replicates.
    step
        ``(row,)`` change of the value by one item.

    Notes
    -----
    As Smyth (2004) does it for genes, but standardized by what the items' interaction makes of the
    variances, and with a grid instead of the fit of logarithms, which pools nearly all at three
    replicates and breaks at a variance of 0.
    """
    n_rows, replicates = values.shape
    own = values.var(axis=1, ddof=1)
    degrees = replicates - 1
    if n_rows == 1:
        return SeedVariances(own, own, 0.0, 1.0, float(degrees))
    known = replicates * interaction
    shared = max(0.0, float(np.mean(own - known)))
    least = step**2 / replicates
    base = np.maximum(known + shared, least)
    ratio = np.maximum(own, least) / base
    middle = float(ratio.mean())
    weight, factor = _pull(ratio / middle, degrees)
    effective = effective_rows(values)
    return SeedVariances(
        factor * middle * base + (1.0 - weight) * own,
        own,
        weight,
        effective,
        min(degrees / (1.0 - weight), degrees * effective),
    )


def _pull(ratio: FloatArray, degrees: int) -> tuple[float, float]:
    """Mean weight of the family against a row, and mean of that weight times the family's level.

    ``ratio / factor`` is taken for F with ``degrees`` and ``degrees * w / (1 - w)`` degrees of
    freedom; the prior of ``w`` is ``1 - w``, that of the factor is flat in its logarithm.
    """
    w, factor = np.meshgrid(_PULLS, _FACTORS, indexing="ij")
    prior = degrees * w / (1.0 - w)
    x = ratio[:, None, None] / factor
    half, other = degrees / 2.0, prior / 2.0
    log = (
        (half - 1.0) * np.log(np.maximum(x, _LEAST_RATIO))
        - (half + other) * np.log1p(degrees * x / prior)
        + half * np.log(degrees / prior)
        - scipy.special.betaln(half, other)
        - np.log(factor)
    ).sum(axis=0) + np.log1p(-w)
    mass = np.exp(log - log.max())
    mass /= mass.sum()
    return float((mass * w).sum()), float((mass * w * factor).sum())


def effective_rows(values: ArrayLike) -> float:
    """Effective number of independent rows for estimating the seeds' variance.

    Parameters
    ----------
    values
        ``(row, replicate)``.
    """
    each = np.asarray(values, dtype=np.float64)
    n_rows, replicates = each.shape
    apart = each - each.mean(axis=1, keepdims=True)
    length = np.sqrt((apart**2).sum(axis=1))
    moves = length > 0
    if moves.sum() < 2:
        return float(n_rows)
    unit = apart[moves] / length[moves, None]
    square = (unit @ unit.T) ** 2
    seen = (square.sum() - moves.sum()) / (moves.sum() * (moves.sum() - 1))
    chance = 1.0 / (replicates - 1)
    shared = np.clip((seen - chance) / (1.0 - chance), 0.0, 1.0) if chance < 1 else 1.0
    return float(n_rows / (1.0 + (n_rows - 1) * shared))
