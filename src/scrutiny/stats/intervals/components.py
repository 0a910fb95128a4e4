"""Components of a crossed interval: what replicates and items add to its variance."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import BoolArray, FloatArray, StatisticsError, finite, proper_level
from scrutiny.stats.intervals.interval import Decomposition, Interval, quantile_limits

FEW_CLUSTERS = 20  # below, a note warns of few clusters
_NEAR_NORMAL = 50  # degrees of freedom; below, the items' part gets a t instead of its own shape
FEW_FLIPS = 10  # units that change the statistic; below, its draws are too coarse for a tail
_NEGLIGIBLE = 1e-18  # variance, relative to the square of a flip or of the largest value: rounding


@dataclass(frozen=True, slots=True, eq=False)
class IntervalParts:
    """Components that one side adds to an interval: its seed variance and its item draws.

    Parameters
    ----------
    center
        Mean over replicates.
    seeds
        Variance of that mean over replicates.
    interaction
        ``Vx``: item noise that each replicate has for itself.
    noise
        ``(draw,)`` mean over replicates on each draw of items, centered.
    replicates
        How many.
    """

    center: float
    seeds: float
    interaction: float
    noise: FloatArray
    replicates: int

    @property
    def items(self) -> float:
        """``Vi``: variance of the mean over replicates, from drawing items."""
        return float(self.noise.var(ddof=1))


def checked(
    point: ArrayLike, draws: ArrayLike, *, keep: bool = False
) -> tuple[FloatArray, FloatArray, tuple[str, ...]]:
    """Point ``(replicate,)``, draws without missing values ``(draw, replicate)``, and notes."""
    each = finite(point, "point", ndim=1)
    drawn = np.asarray(draws, dtype=np.float64)
    if drawn.ndim != 2 or drawn.shape[1] != each.size or drawn.shape[0] < 2:
        raise StatisticsError(
            f"draws have shape {drawn.shape}; (draw, {each.size}) with at least 2 draws needed."
        )
    if keep:
        return each, drawn, ()
    if np.isfinite(drawn).all():
        return each, np.ascontiguousarray(drawn), ()
    return each, drawn[has_enough(drawn)], ("undefined_draws",)


def has_enough(draws: FloatArray) -> BoolArray:
    """Mask of draws for an interval: those with all values; raises if fewer than half have."""
    fine = np.asarray(np.isfinite(draws).all(axis=1), dtype=np.bool_)
    if 2 * np.count_nonzero(fine) < fine.size:
        raise StatisticsError(
            f"the statistic does not exist on {fine.size - np.count_nonzero(fine)} of {fine.size}"
            " draws of items; there are too few items of some kind for an interval."
        )
    return fine


def side_of(each: FloatArray, drawn: FloatArray, *, center: float) -> IntervalParts:
    """Components of one side, from its point ``(replicate,)`` and draws ``(draw, replicate)``."""
    replicates = each.size
    mean = drawn.mean(axis=1)
    noise = mean - mean.mean()
    if replicates == 1:
        return IntervalParts(center, 0.0, 0.0, noise, 1)
    seeds = float(each.var(ddof=1)) / replicates
    items = float(noise.var(ddof=1))
    interaction = max(0.0, (float(drawn.var(axis=0, ddof=1).mean()) - items) / (replicates - 1))
    return IntervalParts(center, seeds, interaction, noise, replicates)


def is_constant(drawn: FloatArray) -> bool:
    """Whether all draws of items give the same value, up to rounding."""
    top = float(np.abs(drawn).max())
    return float(drawn.mean(axis=1).var()) <= _NEGLIGIBLE * max(top * top, 1e-300)


def item_noise(
    noise: FloatArray,
    rng: np.random.Generator,
    *,
    n_units: int | None,
    n_strata: int = 1,
    flip: float,
) -> tuple[FloatArray, tuple[str, ...]]:
    """Item error, centered: with a floor if few items flip, as a t with few clusters.

    Clusters within strata leave ``n_units - n_strata`` degrees of freedom: each stratum's own mean
    is taken from them, and the bootstrap's variance is short by as much.
    """
    if n_units is None:
        return noise, ()
    noise, notes = _floored(noise, rng, step=flip / n_units)
    degrees = item_degrees(n_units, n_strata)
    if not np.isfinite(degrees):
        return noise, notes
    # by rank, so that draws of items stay coupled between estimates; n/(n-1): the bootstrap's bias
    found = np.empty_like(noise)
    spread = np.sqrt(noise.var(ddof=1) * n_units / degrees)
    found[np.argsort(noise, kind="stable")] = spread * t_by_rank(degrees, noise.size)
    if degrees + 1 < FEW_CLUSTERS:
        notes = (*notes, "few_clusters")
    return found, notes


@lru_cache(maxsize=256)
def t_by_rank(degrees: float, size: int) -> FloatArray:
    """Quantiles of a t ``(size,)`` in the middle of every rank, read-only: estimates share them."""
    found: FloatArray = scipy.special.stdtrit(degrees, (np.arange(size) + 0.5) / size)
    found.flags.writeable = False
    return found


def item_degrees(n_units: float, n_strata: int) -> float:
    """Degrees of freedom of the items' part: infinite from about fifty units on.

    Raises
    ------
    StatisticsError
        If there is one unit in every stratum.
    """
    degrees = n_units - n_strata
    if degrees >= _NEAR_NORMAL:
        return np.inf
    if degrees < 1:
        one = "one cluster" if n_strata == 1 else "one cluster in every stratum"
        raise StatisticsError(f"{one} has no variance between clusters; name finer units.")
    return float(degrees)


def _floored(
    noise: FloatArray, rng: np.random.Generator, *, step: float
) -> tuple[FloatArray, tuple[str, ...]]:
    """Item error with the variance of one flip, ``step``, added if there are few flips."""
    variance = float(noise.var())
    if variance <= _NEGLIGIBLE * step * step:
        return rng.standard_normal(noise.size) * step, ("zero_item_variance",)
    if variance < FEW_FLIPS * step * step and is_coarse(noise, step):
        # draws of few flips sit on a few values, and the limit on one of them: smooth by one flip
        return noise + rng.standard_normal(noise.size) * step, ("few_flips",)
    return noise, ()


def is_coarse(noise: FloatArray, step: float) -> bool:
    """Whether the draws take few distinct values, as counts do, unlike continuous measures."""
    ordered = np.sort(np.round(noise / step, 6))
    distinct = 1 + int(np.count_nonzero(ordered[1:] != ordered[:-1]))
    return distinct <= min(100, noise.size // 4)


def t_draws(side: IntervalParts, size: int, rng: np.random.Generator) -> FloatArray:
    """Seed error ``(draw,)``: ``sqrt(Vs) * t(R - 1)``; 0 for one replicate."""
    if side.replicates < 2:
        return np.zeros(size)
    scale = float(np.sqrt(side.seeds))
    return scale * rng.standard_t(side.replicates - 1, size=size)


def shrink(items: float, interaction: float) -> float:
    """Factor that removes the interaction from item error of this variance."""
    return float(np.sqrt(max(0.0, items - interaction) / items)) if items > 0 else 0.0


def replicate_notes(side: IntervalParts) -> tuple[str, ...]:
    """Notes about too few replicates."""
    if side.replicates == 1:
        return ("one_replicate",)
    return ("two_replicates",) if side.replicates == 2 else ()


def decompose(side: IntervalParts, items: float) -> Decomposition:
    """Variance components of one side whose item error has this variance."""
    alone = max(0.0, items - side.interaction)
    return Decomposition(side.seeds, alone, side.interaction, side.seeds + alone)


def interval_of(
    point: float,
    kept: FloatArray,
    test: FloatArray,
    *,
    level: float,
    bounds: tuple[float, float] | None,
    label: str,
    extra: tuple[Decomposition, tuple[str, ...]],
) -> Interval:
    """Interval from its draws, cut at the statistic's range."""
    if bounds is not None:
        cut = np.clip(kept, *bounds)
        kept, test = cut, cut if test is kept else np.clip(test, *bounds)
    low, high = quantile_limits(kept, proper_level(level))
    return Interval(
        point=point,
        low=low,
        high=high,
        level=level,
        method=label,
        se=float(kept.std(ddof=1)),
        draws=kept,
        test_draws=test,
        decomposition=extra[0],
        notes=extra[1],
    )
