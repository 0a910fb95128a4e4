"""The default interval: replicates crossed with items; also of a score with abstention."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import BoolArray, FloatArray, StatisticsError, finite
from scrutiny.stats.intervals.components import (
    checked,
    decompose,
    interval_of,
    is_constant,
    item_noise,
    replicate_notes,
    shrink,
    side_of,
    t_draws,
)
from scrutiny.stats.intervals.interval import Interval, Scale
from scrutiny.stats.resampling.resample import resample


def crossed(
    point: ArrayLike,
    draws: ArrayLike,
    *,
    rng: np.random.Generator,
    level: float = 0.95,
    scale: str | Scale = "identity",
    n_units: int | None = None,
    n_strata: int = 1,
) -> Interval:
    """Interval of the mean over replicates, for new replicates and new items.

    Parameters
    ----------
    point
        ``(replicate,)`` the statistic of each replicate on all items.
    draws
        ``(draw, replicate)`` on each draw of items, the same items for all replicates. Draws on
        which a replicate has no value (NaN) are left out and noted.
    rng
        Source of the t draws.
    level
        Nominal coverage.
    scale
        Scale on which the interval is symmetric: one of `stats.scale.SCALES`, or a `Scale`, whose
        ``whole`` is 100 where the statistic is in percent.
    n_units
        How many units were resampled: few get a t on the items' part, and a count of
        fewer than about ten flips gets ``(1 / n_units) ** 2`` added to the items' variance (in
        percent: ``(100 / n_units) ** 2``): the floor of an interval that would be [0, 0]. None:
        neither.
    n_strata
        Strata within which they were resampled: the t has ``n_units - n_strata`` degrees of
        freedom, and stands where these are fewer than 50.

    Returns
    -------
    Interval
        Method "crossed"; "items" for one replicate (it then speaks of this checkpoint alone).
        ``test_draws`` keep the interaction in both parts: p-values come from them, because only
        that form held its level far out in the tail.

    Notes
    -----
    With ``M`` the draws: ``Vs = var_r(point) / R``, ``Vi = var_b(mean_r M)``,
    ``Vx = max(0, (mean_r var_b M_r - Vi) / (R - 1))``, and
    ``draw_b = point + (mean_r M[b] - mean) * sqrt(max(0, Vi - Vx) / Vi) + sqrt(Vs) * t_b`` with
    ``t_b ~ t(R - 1)``. ``Vx`` is taken from the items' part because ``Vs`` holds it already.

    **Measures**: how far the recipe's expected score on the items' population may lie from the
    mean that was seen, when both replicates and items are samples.

    **Misleads when**: the replicates are checkpoints of one run or share an initialization that
    the claim speaks about; R = 2 (the t has one degree of freedom); items were chosen by looking.

    **References**: Sellam et al. (2022), The MultiBERTs; Owen (2007), The pigeonhole bootstrap;
    Brennan (2001), Generalizability Theory, chapter 2.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> point = np.array([0.60, 0.64, 0.62, 0.66, 0.63])
    >>> item_noise = 0.01 * rng.standard_normal((2000, 1))
    >>> found = crossed(point, point + item_noise, rng=rng)
    >>> round(found.point, 3), found.method, found.low < 0.61 < 0.65 < found.high
    (0.63, 'crossed', True)
    """
    each, drawn, notes = checked(point, draws)
    center = float(each.mean())
    where, middle, *on_scale = brought(each, drawn, Scale.of(scale), n_units=n_units)
    side = side_of(*on_scale, center=middle)
    flip = 1.0 if where.is_bounded else where.whole
    noise, item_notes = item_noise(side.noise, rng, n_units=n_units, n_strata=n_strata, flip=flip)
    notes += item_notes + replicate_notes(side)
    items = float(noise.var(ddof=1))
    t = t_draws(side, noise.size, rng)
    test = kept = where.inverse(middle + noise + t)
    if each.size > 1:
        kept = where.inverse(middle + noise * shrink(items, side.interaction) + t)
    return interval_of(
        center,
        kept,
        test,
        level=level,
        bounds=(where.low, where.high),
        label="items" if each.size == 1 else "crossed",
        extra=(decompose(side, items), notes),
    )


def brought(
    each: FloatArray, drawn: FloatArray, scale: Scale, *, n_units: int | None
) -> tuple[Scale, float, FloatArray, FloatArray]:
    """The scale, and the mean, replicates and draws transformed to it.

    A constant share stays as it is, because its floor is stated in flips.
    """
    center = float(each.mean())
    if scale.is_bounded and is_constant(drawn):
        scale = replace(scale, name="identity")
    margin = _margin(center, scale, n_units)
    middle = float(scale.forward(np.array([center]), margin=margin)[0])
    own, draws = (scale.forward(one, margin=margin) for one in (each, drawn))
    return scale, middle, own, draws


def _margin(center: float, scale: Scale, n_units: int | None) -> float:
    """Distance from a bound within which a share is cut: half a unit, or less near the bound.

    With several rows in a unit a mean can lie nearer to its bound than half a unit; brought to
    half a unit, it would fall out of its own interval.
    """
    margin = 1e-6 if n_units is None else 0.5 / (n_units + 1)
    if not scale.is_bounded:
        return margin
    share = (center - scale.low) / (scale.high - scale.low)
    nearest = min(share, 1.0 - share)
    return min(margin, nearest / 2) if nearest > 0 else margin


@dataclass(frozen=True, slots=True)
class Retained:
    """Score on the items whose margin is at least a threshold.

    ``coverage`` is the share of items kept, mean over replicates; ``interval`` is None if
    too few items are left.
    """

    threshold: float
    coverage: float
    interval: Interval | None


def retained_scores(
    hits: ArrayLike,
    margins: ArrayLike,
    *,
    coverages: Sequence[float],
    rng: np.random.Generator,
    draws: int = 1000,
    level: float = 0.95,
) -> list[Retained]:
    """Intervals of a score with abstention: on items with a margin of at least t, by coverage.

    Parameters
    ----------
    hits, margins
        ``(replicate, item)``; the sign of a margin does not matter. NaN items are left out.
    coverages
        Shares of all (replicate, item) pairs to keep; each gives one threshold for all replicates.
    rng, draws, level
        Of the crossed interval over replicates and items.

    **Measures**: what a verdict rests on: sure answers, or a crowd of near-ties.

    **Misleads when**: margins of different texts are on different scales (a sum over more
    tokens is larger); items come in clusters, which are not kept together here.

    **References**: El-Yaniv & Wiener (2010), On the foundations of noise-free selective
    classification; Aribandi, Tay & Metzler (2021), on margins and uncertainty.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> found = retained_scores([[1, 1, 0, 0]] * 3, [[4, 3, 2, 1]] * 3, coverages=[0.5], rng=rng)
    >>> found[0].threshold, found[0].coverage, found[0].interval.point
    (3.0, 0.5, 1.0)
    """
    told, sure = np.asarray(hits, dtype=float), np.abs(np.asarray(margins, dtype=float))
    if told.shape != sure.shape or told.ndim != 2:
        raise StatisticsError(f"hits {told.shape} and margins {sure.shape} must be alike, 2-d.")
    kept = np.isfinite(told).all(axis=0) & np.isfinite(sure).all(axis=0)
    if not kept.any():
        return []
    told, sure = finite(told[:, kept], "hits"), finite(sure[:, kept], "margins")
    ordered = np.sort(sure, axis=None)[::-1]
    found = []
    for coverage in coverages:
        place = min(ordered.size, max(1, round(coverage * ordered.size)))
        threshold = 0.0 if coverage >= 1.0 else float(ordered[place - 1])
        inside = sure >= threshold
        interval = _of_retained(told, inside, rng=rng, draws=draws, level=level)
        found.append(Retained(threshold, float(inside.mean()), interval))
    return found


def _of_retained(
    hits: FloatArray, inside: BoolArray, *, rng: np.random.Generator, draws: int, level: float
) -> Interval | None:
    """Crossed interval of the share of hits among the items inside."""
    components = np.stack([hits * inside, inside.astype(float)], axis=-1)  # (replicate, item, 2)
    try:
        drawn = resample(components, _share_of_kept, rng=rng, draws=draws)
        if 2 * len(drawn.defined_draws) < draws:
            return None
        return crossed(
            drawn.point,
            drawn.draws,
            rng=rng,
            level=level,
            scale="logit",
            n_units=int(inside.sum(axis=1).min()),
        )
    except StatisticsError:
        return None


def _share_of_kept(sums: FloatArray, weight: FloatArray) -> FloatArray:
    """Share of hits among kept items, from sums ``(..., 1, 2)``; NaN if there are none."""
    kept = sums[..., 0, 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(kept > 0, sums[..., 0, 0] / kept, np.nan)
