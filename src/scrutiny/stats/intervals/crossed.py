"""The default interval: replicates crossed with items."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray
from scrutiny.stats.intervals.interval import Interval
from scrutiny.stats.intervals.parts import (
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
from scrutiny.stats.intervals.scale import Scale


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
    t = t_draws(side, noise.size, rng)
    test = kept = where.inverse(middle + noise + t)
    if each.size > 1:
        kept = where.inverse(middle + noise * shrink(noise, side.interaction) + t)
    return interval_of(
        center,
        kept,
        test,
        level=level,
        bounds=(where.low, where.high),
        label="items" if each.size == 1 else "crossed",
        extra=(decompose(side, noise), notes),
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
