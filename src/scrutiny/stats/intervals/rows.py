"""Rows of a family: a number with its variances, and the items or seeds that would show its loss.

Variances come from draws of items, on the scale where the number's interval is symmetric.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray
from scrutiny.stats.intervals.components import is_coarse, item_degrees, side_of
from scrutiny.stats.intervals.crossed import brought
from scrutiny.stats.intervals.families import FamilyRows, floored, tail_of, with_family_effects
from scrutiny.stats.intervals.interval import Scale
from scrutiny.stats.intervals.seed_error import critical_distance, moderated
from scrutiny.stats.intervals.share_limits import (
    clipped_share,
    effect_of_few,
    is_independent,
    share_of,
)
from scrutiny.stats.resampling.resample import Resampled


@dataclass(frozen=True, slots=True, eq=False)
class FamilyRow:
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
) -> FamilyRow:
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
    return FamilyRow(
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


def _share_row(resampled: Resampled, scale: Scale, *, n: float) -> FamilyRow:
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
    return FamilyRow(
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


_POWER: Final = 0.84  # standard errors that 80 % of the estimates lie above
MOST_ITEMS: Final = 8  # times the items at hand; needing more counts as out of reach
MOST_SEEDS: Final = 20


def items_needed(
    rows: FamilyRows, loss: ArrayLike, *, level: float = 0.95, n_rows: int | None = None
) -> FloatArray:
    """Number of items ``(row,)`` that detects a loss of this size with about 80 % power.

    Parameters
    ----------
    rows
        The family that was seen; with three replicates or more, it speaks of the recipe.
    loss
        The loss that is planned for, of all rows or ``(row,)`` of each, never the one that was
        seen: planning for that reaches a power anywhere between .3 and 1.
    level, n_rows
        As in `recipe_limits`.

    Returns
    -------
    array
        NaN if eight times as many do not suffice. In simulations, power is 70 to 90 %.
    """
    rows = _with_planned_flips(with_family_effects(rows), loss)
    reaches = _design(rows, loss, tail_of(n_rows or rows.items.size, level))
    replicates = rows.values.shape[1]
    units = 1.0 / rows.step
    few, many = units.copy(), MOST_ITEMS * units
    possible = reaches(many, replicates)
    while np.any(many - few > 1.0):
        middle = (few + many) / 2.0
        enough = reaches(middle, replicates)
        few, many = np.where(enough, few, middle), np.where(enough, middle, many)
    return np.where(possible, np.where(reaches(units, replicates), units, np.ceil(many)), np.nan)


def items_planned(loss: float, *, churn: float, n_rows: int, level: float = 0.95) -> int:
    """Number of items that detects a loss in a family of so many rows, before any is seen.

    Parameters
    ----------
    loss
        The loss that is planned for.
    churn
        Share of the items whose answer flips, either way.
    n_rows, level
        As in `recipe_limits`.

    Returns
    -------
    int
        For about 80 % power with one checkpoint. Several checkpoints need fewer items for
        themselves; what three say of the recipe needs about as many where rows are few.

    Examples
    --------
    >>> [items_planned(0.05, churn=0.1, n_rows=rows) for rows in (1, 2, 5, 15)]
    [306, 370, 454, 554]
    """
    critical = -float(scipy.special.ndtri(tail_of(n_rows, level)))
    return int(np.ceil((churn - loss**2) * ((critical + _POWER) / loss) ** 2))


def seeds_needed(
    rows: FamilyRows, loss: ArrayLike, *, level: float = 0.95, n_rows: int | None = None
) -> FloatArray:
    """Number of seeds ``(row,)`` that detects a loss of this size with about 80 % power.

    Parameters are those of `items_needed`; NaN if twenty do not suffice, or if there are fewer than
    three, which is too few to estimate their variance.
    """
    replicates = rows.values.shape[1]
    needed = np.full(rows.items.size, np.nan)
    if replicates < 3:
        return needed
    planned = _with_planned_flips(with_family_effects(rows), loss)
    reaches = _design(planned, loss, tail_of(n_rows or rows.items.size, level))
    for count in range(MOST_SEEDS, replicates - 1, -1):
        needed = np.where(reaches(1.0 / rows.step, count), count, needed)
    return needed


def least_detectable(rows: FamilyRows, *, tail: float) -> FloatArray:
    """Smallest difference ``(row,)`` that its own flips show with about 80 % power; else 0.

    One of 1 % flips 1 % of the items at least, two of 200: as many as chance does.

    Parameters
    ----------
    rows
        The family; 0 for rows whose flips are not counted.
    tail
        Probability of one limit.
    """
    critical = _POWER - float(scipy.special.ndtri(tail))
    spread = critical**2 * _effect(rows) * rows.step
    return np.asarray(np.where(rows.flips.sum(axis=1) >= 0, spread / (1.0 + spread), 0.0))


def _with_planned_flips(rows: FamilyRows, loss: ArrayLike) -> FamilyRows:
    """Rows with the item variances of as many flips as the planned loss takes, or more.

    Where nothing flipped, nothing varied; a loss of 2 points flips 2 % of the items.
    """
    share = np.abs(np.asarray(loss, dtype=np.float64))
    planned = _effect(rows) * (share - share**2) * rows.step
    is_counted = rows.flips.sum(axis=1) >= 0
    return replace(rows, items=np.where(is_counted, np.fmax(rows.items, planned), rows.items))


def _effect(rows: FamilyRows) -> FloatArray:
    """Variance ``(row,)`` that was seen, over that of as many flips of single items alone."""
    flips = rows.flips.sum(axis=1)
    usual = np.maximum(flips * rows.step - rows.values.mean(axis=1) ** 2, 0.0) * rows.step
    is_seen = (flips > 0) & (usual > 0)
    most = np.full(flips.size, rows.crowding)
    return np.asarray(np.divide(rows.items, usual, out=most, where=is_seen), dtype=np.float64)


def _design(
    rows: FamilyRows, planned: ArrayLike, tail: float
) -> Callable[[FloatArray, int], FloatArray]:
    """Function of items ``(row,)`` and seeds: whether they detect the loss."""
    loss = np.asarray(planned, dtype=np.float64)
    replicates = rows.values.shape[1]
    if replicates < 3:

        def of_items(units: FloatArray, _: int) -> FloatArray:
            items = rows.items / (rows.step * units)
            distance = critical_distance(items, np.zeros(items.size), tail=tail)
            return np.asarray(distance + _POWER * np.sqrt(items) <= loss)

        return of_items
    seen = moderated(rows.values, rows.interaction, rows.step)
    known = replicates * rows.interaction
    # what seeds add beyond the items' interaction, with the error of a variance of few seeds
    error = float(np.sqrt(2.0 / ((replicates - 1) * seen.effective)))
    shared = max(0.0, float(np.mean(seen.own - known))) + float(seen.own.mean()) * error
    borrowed = (replicates - 1) * seen.weight / (1.0 - seen.weight)

    def reaches(units: FloatArray, count: int) -> FloatArray:
        part = 1.0 / (rows.step * units)
        items = np.maximum(0.0, rows.items - rows.interaction) * part
        seeds = (known * part + shared) / count
        freedom = max(1.0, min(borrowed + count - 1, (count - 1) * seen.effective))
        distance = critical_distance(items, seeds, freedom, tail=tail)
        return np.asarray(distance + _POWER * np.sqrt(items + seeds) <= loss)

    return reaches
