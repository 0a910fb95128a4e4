"""Rows of a family: a number with its variances, from its draws of items."""

from dataclasses import dataclass

import numpy as np

from scrutiny.stats.arrays import FloatArray
from scrutiny.stats.intervals.crossed import brought
from scrutiny.stats.intervals.families import floored
from scrutiny.stats.intervals.parts import is_coarse, item_degrees, side_of
from scrutiny.stats.intervals.scale import Scale
from scrutiny.stats.intervals.shares import (
    clipped_share,
    effect_of_few,
    is_independent,
    share_of,
)
from scrutiny.stats.resampling.resample import Resampled


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One number of a family: values and variances, on the scale where its interval is symmetric.

    Parameters
    ----------
    values
        ``(replicate,)``; their mean is the number.
    items, interaction
        Variance of that mean from drawing items, and its part that is not shared by replicates
        (``Vi`` and ``Vx`` of `crossed`).
    step
        Change of the value by one row of the data, on the scale.
    freedom
        Degrees of freedom of the items' part.
    scale
        The scale.
    crowding
        Rows of the data in the unit of an average one.
    flips
        Rows of the data that count for a loss and against it, a replicate, where the number is a
        mean of paired differences of right and wrong; NaN for any other.
    apart
        Its variance if rows of the data were independent, and how many of them it comes from, where
        the number is a difference of ratios such as an F1; NaN for any other.
    share
        The share from 0 to 1, if the number is one: its limits are exact ones of as many items as
        it is worth (`shares.exact_limits`), and the scale is the logit; NaN for any other.
    """

    values: FloatArray
    items: float
    interaction: float
    step: float
    freedom: float
    scale: Scale
    crowding: float = 1.0
    flips: tuple[float, float] = (np.nan, np.nan)
    apart: tuple[float, float] = (np.nan, np.nan)
    share: float = np.nan

    @property
    def is_share(self) -> bool:
        """Whether its limits are those of a share."""
        return bool(np.isfinite(self.share))


def row_of(
    resampled: Resampled,
    scale: Scale,
    *,
    flips: tuple[float, float] | None = None,
    apart: tuple[float, float] | None = None,
    step: float | None = None,
) -> Row:
    """Row of a family, from the resampled statistic.

    Parameters
    ----------
    resampled
        Two units at least.
    scale
        Scale on which its interval is symmetric.
    flips, apart
        See `Row`.
    step
        Change of the value by one flip: 1 / rows that count, 2 / (predicted + true) for an F1. None
        if the value is not a share.
    """
    if step is not None and (scale.low, scale.high) == (0.0, scale.whole):
        return _share_row(resampled, scale, n=1.0 / step)
    drawn = resampled.defined_draws
    where, middle, each, draws = brought(resampled.point, drawn, scale, n_units=resampled.n_units)
    side = side_of(each, draws, center=middle)
    freedom, bias = _freedom(resampled)
    items = float(side.noise.var(ddof=1)) * bias
    flip = 1.0 / resampled.n_rows if step is None else step
    flip *= where.whole if not where.is_bounded else _steepness(resampled, where)
    if step is not None or flips is not None or is_coarse(side.noise, flip):
        known = flips is not None
        items = float(floored(items, flip, crowding=resampled.crowding, is_counted=known))
    return Row(
        values=each - each.mean() + middle,
        items=items,
        interaction=side.interaction,
        step=flip,
        freedom=freedom,
        scale=where,
        crowding=resampled.crowding,
        flips=flips or (np.nan, np.nan),
        apart=apart if apart and not where.is_bounded else (np.nan, np.nan),
    )


def _freedom(resampled: Resampled) -> tuple[float, float]:
    """Degrees of freedom of the items' part, and what corrects the variance of draws for bias."""
    units = resampled.n_rows / resampled.crowding  # of one size, that tell as much
    units = max(units, resampled.n_strata + 1.0)  # two units, one of which has nearly all rows
    freedom = item_degrees(units, resampled.n_strata)
    return freedom, units / freedom if np.isfinite(freedom) else 1.0


def _share_row(resampled: Resampled, scale: Scale, *, n: float) -> Row:
    """Row of a share of n things that are right or wrong, on its logit.

    The variance is that of n independent ones times the design effect that was seen: the logits of
    draws with few cases have none that means anything. Of a unit's rows, as many count as of all.
    """
    crowding = min(resampled.crowding, max(1.0, resampled.crowding * n / resampled.n_rows))
    drawn, span = resampled.defined_draws, scale.high - scale.low
    side = side_of(resampled.point / span, drawn / span, center=0.0)
    share = share_of(float(resampled.point.mean()), scale)
    middle = clipped_share(share, n)
    slope = 1.0 / (middle * (1.0 - middle))
    freedom, bias = _freedom(resampled)
    effect = float(side.noise.var(ddof=1)) * n * slope if 0.0 < share < 1.0 else 0.0
    if effect == 0.0 or is_independent(effect, crowding, len(drawn)):
        freedom = np.inf  # the variance is known from the share, and not estimated
        effect = 1.0 if effect else 0.0
    else:
        effect *= bias
    effect = effect_of_few(effect, n * min(share, 1.0 - share), crowding)
    logit = Scale("logit", scale.low, scale.high, scale.whole)
    each = logit.forward(resampled.point, margin=0.5 / (n + 1.0))
    items = effect * slope / n
    return Row(
        values=each - each.mean() + np.log(middle / (1.0 - middle)),
        items=items,
        interaction=min(items, side.interaction * slope**2),
        step=slope / n,
        freedom=freedom,
        scale=logit,
        crowding=crowding,
        share=share,
    )


def _steepness(resampled: Resampled, scale: Scale) -> float:
    """Slope of the scale at the mean: change on it per small change of the share."""
    least = 0.5 / (resampled.n_rows + 1)
    share = (float(resampled.point.mean()) - scale.low) / (scale.high - scale.low)
    share = min(max(share, least), 1.0 - least)
    slope = 1.0 / (share * (1.0 - share))
    return slope / 2.0 if scale.name == "fisher_z" else slope
