"""Power: effects that a design can detect, and margins for which it can show equivalence."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from scrutiny.stats.arrays import FloatArray, StatisticsError, proper_level

_NODES = 200  # quantiles of the seeds' variance that power is averaged over
_MOST_STEPS, _CLOSE = 100, 1e-13  # to a critical distance; about seven are usual


@dataclass(frozen=True, slots=True)
class CrossedDesign:
    """Numbers of replicates and items, and variances, of a planned or finished comparison.

    Parameters
    ----------
    replicates, items
        How many.
    seed_sd
        Standard deviation over replicates of the estimate (its item noise included).
    item_sd
        Standard deviation over items of the mean-over-replicates contribution of one item.
    """

    replicates: int
    items: int
    seed_sd: float
    item_sd: float

    def __post_init__(self) -> None:
        if self.replicates < 1 or self.items < 1 or min(self.seed_sd, self.item_sd) < 0:
            raise StatisticsError(f"{self}: counts start at 1, standard deviations at 0.")

    @property
    def seeds(self) -> float:
        """Variance of the estimate over replicates; 0 with one replicate."""
        return self.seed_sd**2 / self.replicates if self.replicates > 1 else 0.0

    @property
    def drawn_items(self) -> float:
        """Variance of the estimate over items."""
        return self.item_sd**2 / self.items


def crossed_power(effect: float, design: CrossedDesign, *, alpha: float = 0.05) -> float:
    """Power of a two-sided test by the crossed interval.

    Parameters
    ----------
    effect
        True distance from the limit, in the unit of the standard deviations.
    design
        Replicates, items and their standard deviations.
    alpha
        Two-sided level.

    **Measures**: power in the direction of the effect, averaged over the estimated seed variance.

    **Misleads when**: the standard deviations come from the same five seeds: the upper 95 % bound
    of a five-seed standard deviation is 2.4 times the estimate.

    **References**: Cohen (1988), Statistical Power Analysis; with items without variance it is
    the noncentral t.

    Examples
    --------
    >>> design = CrossedDesign(replicates=5, items=1000, seed_sd=2.0, item_sd=0.0)
    >>> round(crossed_power(3.3, design), 2)
    0.79
    """
    return _power(abs(effect), design, _critical(design, alpha))


def minimum_detectable_effect(
    design: CrossedDesign, *, alpha: float = 0.05, power: float = 0.8, family: int = 1
) -> float:
    """Smallest effect detected with the given power, in standard deviations.

    Parameters
    ----------
    design
        Replicates, items and their standard deviations.
    alpha
        Two-sided level of the family.
    power
        Wanted power.
    family
        Number of claims; the first Holm step tests at ``alpha / family``.

    **Measures**: effects that an "undecided" verdict does not exclude.

    **Misleads when**: read as a confidence limit; see `crossed_power`.

    **References**: Bloom (1995), Minimum detectable effects.

    Examples
    --------
    >>> five = CrossedDesign(replicates=5, items=1000, seed_sd=1.0, item_sd=0.0)
    >>> round(minimum_detectable_effect(five), 2)
    1.68
    """
    proper_level(power)
    critical = _critical(design, alpha / family)
    spread = (design.seeds + design.drawn_items) ** 0.5
    top = float(np.max(critical)) + 10.0 * spread
    if spread == 0.0:
        return 0.0

    def above(effect: FloatArray, _: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
        """Power minus the target, and its slope."""
        z = (effect[:, None] - critical) / spread
        slope = np.exp(-z * z / 2.0).mean(axis=1) / (spread * (2.0 * np.pi) ** 0.5)
        return scipy.special.ndtr(z).mean(axis=1) - power, slope

    start = float(critical.mean()) + scipy.special.ndtri(power) * spread
    return float(_root(above, np.array([min(max(start, 0.0), top)]), np.array([top]))[0])


def _critical(design: CrossedDesign, alpha: float) -> FloatArray:
    """Critical distance ``(node,)`` for each quantile of the estimated seed variance.

    The limit of ``sqrt(v) t + sqrt(Vi) z``: the draws that the crossed interval is made of.
    """
    tail = 1.0 - proper_level(alpha) / 2.0
    if design.seeds == 0.0:
        return np.array([scipy.special.ndtri(tail) * design.drawn_items**0.5])
    df = design.replicates - 1
    at = (np.arange(_NODES) + 0.5) / _NODES
    v = np.sqrt(design.seeds * 2.0 * scipy.special.gammaincinv(df / 2.0, at) / df)[:, None]
    if design.drawn_items == 0.0:
        return np.asarray(scipy.special.stdtrit(df, tail) * v[:, 0], dtype=np.float64)
    z, weight = np.polynomial.hermite_e.hermegauss(41)
    noise, weight = z * design.drawn_items**0.5, weight / weight.sum()

    def above(limit: FloatArray, at: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
        """Tail probability minus the target, and its slope, at these limits."""
        t = (limit[:, None] - noise) / v[at]
        found = scipy.special.stdtr(df, t) @ weight - tail
        return found, (_t_density(t, df) / v[at]) @ weight

    of_seeds = scipy.special.stdtrit(df, tail) * v[:, 0]
    of_items = scipy.special.ndtri(tail) * design.drawn_items**0.5
    return _root(above, np.hypot(of_seeds, of_items), 2.0 * of_seeds + 2.0 * of_items)


def _root(
    above: Callable[[FloatArray, NDArray[np.intp]], tuple[FloatArray, FloatArray]],
    start: FloatArray,
    top: FloatArray,
) -> FloatArray:
    """Roots ``(node,)`` of rising functions between 0 and a top, by guarded Newton steps.

    A step that leaves the bracket, or is not half as long as the one before, gives way to
    bisection: with next to no spread of the seeds the distribution is a staircase.
    """
    low, high = np.zeros(start.size), top.copy()
    limit, last = start.copy(), top.copy()
    todo = np.arange(start.size)
    for _ in range(_MOST_STEPS):
        at = limit[todo]
        excess, slope = above(at, todo)
        under = excess < 0.0
        low[todo], high[todo] = np.where(under, at, low[todo]), np.where(under, high[todo], at)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            step = -excess / slope
        inside = (low[todo] < at + step) & (at + step < high[todo])
        is_newton = inside & (2.0 * np.abs(step) < np.abs(last[todo]))
        step = np.where(is_newton, step, (low[todo] + high[todo]) / 2.0 - at)
        limit[todo], last[todo] = at + step, step
        todo = todo[np.abs(step) > _CLOSE * at]
        if todo.size == 0:
            break
    return limit


def _t_density(t: FloatArray, df: int) -> FloatArray:
    """Density of Student's t."""
    half = (df + 1.0) / 2.0
    log_top = scipy.special.gammaln(half) - scipy.special.gammaln(df / 2.0)
    found = np.exp(log_top - half * np.log1p(t * t / df)) / (df * np.pi) ** 0.5
    return np.asarray(found, dtype=np.float64)


def _power(effect: float, design: CrossedDesign, critical: FloatArray) -> float:
    spread = (design.seeds + design.drawn_items) ** 0.5
    if spread == 0.0:
        return 1.0 if effect > 0 else 0.0
    return float(scipy.special.ndtr((effect - critical) / spread).mean())


def tost(estimate: float, se: float, *, margin: float, df: float = float("inf")) -> float:
    """Equivalence test (TOST): p-value of "the difference lies within the margin".

    Parameters
    ----------
    estimate, se
        Difference and its standard error.
    margin
        Largest difference that does not matter; stated before the run.
    df
        Degrees of freedom of the standard error; infinite: normal.

    **Measures**: evidence *for* equivalence; a difference that is not significant is none.

    **Misleads when**: the margin is one that this n cannot reach: see `workable_margin`.

    **References**: Schuirmann (1987), A comparison of the two one-sided tests procedure.

    Examples
    --------
    >>> round(tost(0.0, 1.0, margin=1.96), 3)
    0.025
    """
    if se <= 0 or margin <= 0:
        raise StatisticsError(f"se {se} and margin {margin} must be positive.")
    worst = (abs(estimate) - margin) / se
    return float(scipy.special.ndtr(worst) if np.isinf(df) else scipy.special.stdtr(df, worst))


def workable_margin(
    se: float, *, alpha: float = 0.05, power: float = 0.8, df: float = float("inf")
) -> float:
    """Smallest margin that `tost` passes with the given power at no difference.

    Parameters
    ----------
    se
        Standard error of the difference.
    alpha
        Level of each one-sided test.
    power
        Wanted power.
    df
        As in `tost`.

    **Measures**: the finest equivalence that a design can state.

    **Misleads when**: chosen after the data were seen.

    **References**: Schuirmann (1987).

    Examples
    --------
    >>> round(workable_margin(1.06), 1)
    3.1
    """
    proper_level(alpha)
    proper_level(power)
    levels = np.array([1.0 - alpha, (1.0 + power) / 2.0])
    z = scipy.special.ndtri(levels) if np.isinf(df) else scipy.special.stdtrit(df, levels)
    return float(z.sum() * se)
