"""Seed error: variances moderated over a family, with the error of items, and against a score's.

In a family of rows each row's seed variance is moved toward those of similar rows; the critical
distance is a quantile of a sum of two t variables, for seeds and for items. A ratio of variances
tells whether a diagnostic is less stable over seeds than the score.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, StatisticsError, finite, proper_level

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


_NODES: Final = (40, 120)  # of a t's mixing variance: a first look, and what counts
_AT_ONCE: Final = 16_384  # pairs of nodes whose values stay in the cache
_STEPS: Final = 8  # of Halley on the logarithm of the tail, at most
_STILL: Final = 1e-5  # of a distance: a step that is so small leaves an error of its cube


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
    whole = first + second
    if freedom == item_freedom == np.inf:
        return np.asarray(np.sqrt(whole) * -scipy.special.ndtri(tail))
    moves = whole > 0
    safe = np.where(moves, whole, 1.0)
    shares = first / safe, np.where(moves, second / safe, 1.0)
    freedoms = item_freedom, freedom
    # a sum of two lies farther out than either does: steps start there
    found = np.maximum(
        *(
            np.sqrt(part) * -scipy.special.stdtrit(degrees, tail)
            for part, degrees in zip(shares, freedoms, strict=True)
        )
    )
    for nodes in _NODES:
        (spread, weight), (other, other_weight) = (_mixing(one, nodes) for one in freedoms)
        mass = np.outer(weight, other_weight).ravel()
        rows = max(1, _AT_ONCE // mass.size)
        for at in range(0, found.size, rows):
            some = slice(at, at + rows)
            variance = np.multiply.outer(shares[0][some], spread)[:, :, None]
            variance = variance + np.multiply.outer(shares[1][some], other)[:, None]
            scale = np.sqrt(variance).reshape(len(variance), -1)
            found[some] = _exceeded(scale, mass, tail, start=found[some])
    return np.asarray(np.where(moves, np.sqrt(whole) * found, 0.0))


def _exceeded(scale: FloatArray, mass: FloatArray, tail: float, *, start: FloatArray) -> FloatArray:
    """Distance ``(row,)`` that a mixture of normals exceeds with probability ``tail``.

    ``scale`` is ``(row, node)``, ``mass`` the nodes' weight.
    """
    found = start
    for _ in range(_STEPS):
        z = found[:, None] / scale
        bell = np.exp(-z * z / 2.0) / scale
        beyond, density = scipy.special.ndtr(-z) @ mass, bell @ mass
        falls = density / np.sqrt(2.0 * np.pi) / beyond
        newton = np.log(beyond / tail) / falls
        bend = falls - (bell * z / scale) @ mass / density
        step = newton / (1.0 + newton * bend / 2.0)
        found = found + step
        if (np.abs(step) <= _STILL * found).all():
            break
    return found


def _mixing(freedom: float, nodes: int) -> tuple[FloatArray, FloatArray]:
    """Variances ``(node,)`` and weights that write a t distribution as a mixture of normals.

    A t is a normal whose variance is degrees over chi2: the nodes are quantiles of it, dense where
    the variance is largest.
    """
    if not np.isfinite(freedom):
        return np.ones(1), np.ones(1)
    at, weight = _gauss(nodes)
    share = (at + 1.0) / 2.0
    variance = freedom / scipy.special.chdtri(freedom, 1.0 - share**3)
    return variance, weight * 1.5 * share**2


@cache
def _gauss(nodes: int) -> tuple[FloatArray, FloatArray]:
    """Gauss's nodes between -1 and 1 and their weights: an eigenvalue problem, solved once."""
    return np.polynomial.legendre.leggauss(nodes)


@dataclass(frozen=True, slots=True)
class Spread:
    """Seed standard deviation of one quantity, and its item-sampling error.

    Parameters
    ----------
    sd
        Standard deviation over replicates (ddof 1).
    item_se
        Standard error of one replicate's value from sampling items.
    replicates
        How many.
    """

    sd: float
    item_se: float
    replicates: int

    @classmethod
    def of(cls, values: ArrayLike, *, item_se: float) -> "Spread":
        """Spread of values ``(replicate,)``, at least two."""
        each = finite(values, "values", ndim=1)
        if each.size < 2:
            raise StatisticsError("one replicate has no spread; two are the least.")
        if not item_se > 0:
            raise StatisticsError(f"item_se is {item_se}; it must be positive.")
        return cls(float(each.std(ddof=1)), float(item_se), each.size)

    @property
    def ratio(self) -> float:
        """Seed standard deviation in units of the item-sampling error."""
        return self.sd / self.item_se


@dataclass(frozen=True, slots=True)
class VarianceRatio:
    """Ratio of two seed-to-item ratios, with its F test.

    Parameters
    ----------
    ratio
        Diagnostic's ratio over the downstream score's; a ratio of standard deviations.
    low, high
        Interval of the ratio.
    p_value
        One-sided: the diagnostic is the less stable one.
    df
        Degrees of freedom, diagnostic and downstream.
    smallest_significant
        Ratio that has to be exceeded for p < .05; 2.5 with five seeds on both sides.
    """

    ratio: float
    low: float
    high: float
    p_value: float
    df: tuple[int, int]
    smallest_significant: float


def variance_ratio(diagnostic: Spread, downstream: Spread, *, level: float = 0.95) -> VarianceRatio:
    """F test of whether a diagnostic varies more over seeds than the score does.

    Parameters
    ----------
    diagnostic, downstream
        Spreads over replicates; each is measured in units of its own item-sampling error, so that
        a diagnostic with few items is not called unstable for that.
    level
        Nominal coverage of the interval.

    **Measures**: whether models alike downstream differ in the diagnosis by more than chance.

    **Misleads when**: accuracy is at the majority rate (models are alike because they learned
    nothing); replicates number five: power is .63 at a ratio of 3. The F test presumes normal
    values and independent sides.

    **References**: Snedecor & Cochran (1967), Statistical Methods, section 4.15.

    Examples
    --------
    >>> wide = Spread(sd=3.0, item_se=1.0, replicates=5)
    >>> found = variance_ratio(wide, Spread(sd=1.0, item_se=1.0, replicates=5))
    >>> round(found.ratio, 2), round(found.p_value, 3), round(found.smallest_significant, 2)
    (3.0, 0.028, 2.53)
    """
    if downstream.sd == 0.0:
        raise StatisticsError(
            "the downstream score does not vary over replicates; no ratio exists."
        )
    df = (diagnostic.replicates - 1, downstream.replicates - 1)
    ratio = diagnostic.ratio / downstream.ratio
    tail = (1.0 - proper_level(level)) / 2.0
    upper, lower = scipy.special.fdtri(*df, [1.0 - tail, tail])
    return VarianceRatio(
        ratio=ratio,
        low=float(ratio / upper**0.5),
        high=float(ratio / lower**0.5),
        p_value=float(scipy.special.fdtrc(*df, ratio**2)),
        df=df,
        smallest_significant=float(scipy.special.fdtri(*df, 0.95) ** 0.5),
    )


def variance_ratio_power(
    ratio: float, *, replicates: tuple[int, int], alpha: float = 0.05
) -> float:
    """Power of the one-sided F test for a true ratio of standard deviations.

    Parameters
    ----------
    ratio
        True ratio.
    replicates
        On the diagnostic's and on the downstream side.
    alpha
        One-sided level.

    **Measures**: ratios that the comparison of spreads can detect.

    **Misleads when**: values over seeds are not normal.

    **References**: as `variance_ratio`.

    Examples
    --------
    >>> round(variance_ratio_power(3.0, replicates=(5, 5)), 2)
    0.63
    """
    df = (replicates[0] - 1, replicates[1] - 1)
    critical = scipy.special.fdtri(*df, 1.0 - proper_level(alpha))
    return float(scipy.special.fdtrc(*df, critical / ratio**2))
