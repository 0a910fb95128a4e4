"""Simultaneous limits: rows of a family from their item draws, holding for all at once."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import scipy

from scrutiny.stats.arrays import FloatArray
from scrutiny.stats.intervals.crossed import brought
from scrutiny.stats.intervals.families import (
    FamilyLimits,
    FamilyRows,
    checkpoint_limits,
    floored,
    recipe_limits,
    tail_of,
)
from scrutiny.stats.intervals.interval import Interval
from scrutiny.stats.intervals.parts import is_coarse, item_degrees, side_of
from scrutiny.stats.intervals.planner import items_needed, seeds_needed
from scrutiny.stats.intervals.scale import Scale
from scrutiny.stats.resampling.resample import Resampled

#: Fewest replicates (seeds) for limits in the scope "this recipe".
FEWEST_SEEDS: Final = 3
_POWER: Final = 0.84  # standard errors that 80 % of the estimates lie above


@dataclass(frozen=True, slots=True)
class RowLimits:
    """Limits of one number that hold simultaneously with those of its family.

    Parameters
    ----------
    checkpoints
        Low and high in the scope "these checkpoints": other items, the same checkpoints.
    recipe
        Low and high in the scope "this recipe": other items and other seeds, at least as wide; None
        with too few seeds.
    detectable
        Distance between a true value and a threshold that 80 % of studies detect, in the wider
        scope.
    items_needed, seeds_needed
        Number of units, or seeds, that detects the planned loss; NaN if out of reach, or if no
        loss is planned.
    """

    checkpoints: tuple[float, float]
    recipe: tuple[float, float] | None
    detectable: float
    items_needed: float = np.nan
    seeds_needed: float = np.nan

    @property
    def widest(self) -> tuple[float, float]:
        """Limits in the scope "this recipe", or "these checkpoints" if there are too few seeds."""
        return self.recipe or self.checkpoints


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
    slack
        The part of ``items`` that is there for the limit next to a bound alone, of a share on its
        logit: the other limit is wide enough without.
    """

    values: FloatArray
    items: float
    interaction: float
    step: float
    freedom: float
    scale: Scale
    crowding: float = 1.0
    flips: tuple[float, float] = (np.nan, np.nan)
    slack: float = 0.0


def row_of(
    resampled: Resampled,
    scale: Scale,
    *,
    flips: tuple[float, float] | None = None,
    step: float | None = None,
) -> Row:
    """Row of a family, from the resampled statistic.

    Parameters
    ----------
    resampled
        Two units at least.
    scale
        Scale on which its interval is symmetric.
    flips
        See `Row`.
    step
        Change of the value by one flip: 1 / rows that count, 2 / (predicted + true) for an F1. None
        if the value is not a share.
    """
    drawn = resampled.defined_draws
    where, middle, each, draws = brought(resampled.point, drawn, scale, n_units=resampled.n_units)
    side = side_of(each, draws, center=middle)
    if step is not None and scale.is_bounded and not where.is_bounded:
        flips = flips or (0.0, 0.0)  # the same for every replicate, and on every draw
    units = resampled.n_rows / resampled.crowding  # of one size, that tell as much
    freedom = item_degrees(units, resampled.n_strata)
    bias = units / freedom if np.isfinite(freedom) else 1.0
    items = float(side.noise.var(ddof=1)) * bias
    flip = 1.0 / resampled.n_rows if step is None else step
    flip *= where.whole if not where.is_bounded else _steepness(resampled, where)
    seen = items
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
        slack=items - seen if step is not None and where.is_bounded and seen > 0 else 0.0,
    )


def _steepness(resampled: Resampled, scale: Scale) -> float:
    """Slope of the scale at the mean: change on it per small change of the share."""
    least = 0.5 / (resampled.n_rows + 1)
    share = (float(resampled.point.mean()) - scale.low) / (scale.high - scale.low)
    share = min(max(share, least), 1.0 - least)
    slope = 1.0 / (share * (1.0 - share))
    return slope / 2.0 if scale.name == "fisher_z" else slope


def simultaneous(
    rows: Sequence[Row],
    *,
    n_rows: int,
    level: float = 0.95,
    is_fixed: bool = False,
    losses: Sequence[float] = (),
) -> list[RowLimits]:
    """Simultaneous limits of rows, all holding at once at the level, in the order of the rows.

    Rows on the same scale with equally many replicates share their seed variances (moderation).

    Parameters
    ----------
    rows
        The rows of the family that have values.
    n_rows
        Number of rows that the family was planned with.
    level
        Probability that the limits of all rows hold.
    is_fixed
        Whether seeds are fixed: no limits in the scope "this recipe".
    losses
        Planned loss of each row, for `items_needed` and `seeds_needed`; NaN for none.

    **Measures**: each row as its own interval does, at a level adjusted for the number of rows.

    **Misleads when**: rows were added to the family after looking at them.

    **References**: Šidák (1967), Rectangular confidence regions; the rest as
    `scrutiny.stats.intervals.families`.
    """
    alike: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for i, row in enumerate(rows):
        about = (row.scale.name, row.scale.whole, row.values.size, row.freedom, row.crowding)
        alike[about].append(i)
    found: dict[int, RowLimits] = {}
    for places in alike.values():
        members = [rows[i] for i in places]
        wanted = np.array([losses[i] if losses else np.nan for i in places])
        each = _limits(members, wanted, n_rows=n_rows, level=level, is_fixed=is_fixed)
        found |= dict(zip(places, each, strict=True))
    return [found[i] for i in range(len(rows))]


def _limits(
    rows: Sequence[Row], losses: FloatArray, *, n_rows: int, level: float, is_fixed: bool
) -> list[RowLimits]:
    """Limits of rows that share a scale and a number of replicates."""
    values = np.array([row.values for row in rows])
    interaction = np.array([row.interaction for row in rows])
    is_of_recipe = not is_fixed and values.shape[1] >= FEWEST_SEEDS
    if not is_of_recipe:  # the interaction is in the items' part
        values, interaction = values.mean(axis=1, keepdims=True), np.zeros(len(rows))
    family = FamilyRows(
        values,
        np.array([row.items for row in rows]),
        interaction,
        np.array([row.step for row in rows]),
        np.array([row.flips for row in rows]),
        rows[0].freedom,
        rows[0].crowding,
    )
    slack = np.array([row.slack for row in rows])
    here = _sided(checkpoint_limits, family, slack, level=level, n_rows=n_rows)
    wide = here
    if is_of_recipe:
        wide = _sided(recipe_limits, family, slack, level=level, n_rows=n_rows)
    spoken = np.maximum(0.0, family.items - interaction)
    reach = wide.distance + _POWER * np.sqrt(spoken + wide.seeds)
    items, seeds = _needed(family, rows, losses, n_rows=n_rows, level=level)
    return [
        RowLimits(
            _back(row, here, i),
            _back(row, wide, i) if is_of_recipe else None,
            _on_statistic(row, float(reach[i])),
            float(items[i]),
            float(seeds[i]),
        )
        for i, row in enumerate(rows)
    ]


def _sided(
    made: Callable[..., FamilyLimits],
    family: FamilyRows,
    slack: FloatArray,
    *,
    level: float,
    n_rows: int,
) -> FamilyLimits:
    """Limits whose slack widens the one next to a bound alone: the upper one above a half."""
    found = made(family, level=level, n_rows=n_rows)
    if not slack.any():
        return found
    near = made(replace(family, items=family.items - slack), level=level, n_rows=n_rows)
    is_high = family.values.mean(axis=1) > 0
    low = np.where(is_high, near.low, found.low)
    return replace(found, low=low, high=np.where(is_high, found.high, near.high))


def _needed(
    family: FamilyRows, rows: Sequence[Row], losses: FloatArray, *, n_rows: int, level: float
) -> tuple[FloatArray, FloatArray]:
    """Numbers of units and of seeds that detect each row's planned loss."""
    none = np.full(len(rows), np.nan)
    if np.isnan(losses).all():
        return none, none
    wanted = np.array([_on_scale(row, loss) for row, loss in zip(rows, losses, strict=True)])
    return (
        items_needed(family, wanted, level=level, n_rows=n_rows),
        seeds_needed(family, wanted, level=level, n_rows=n_rows),
    )


def _on_scale(row: Row, loss: float) -> float:
    """Size of a loss on the row's scale, starting at the observed value, to where there is room."""
    middle = row.scale.inverse(np.array([row.values.mean()]))
    side = -1.0 if middle[0] + loss > row.scale.high else 1.0
    ends = row.scale.forward(np.array([middle[0], middle[0] + side * loss]), margin=row.step / 2.0)
    return float(abs(ends[1] - ends[0]))


def _back(row: Row, limits: FamilyLimits, place: int) -> tuple[float, float]:
    """Limits of a row, transformed back to its statistic and cut at its range."""
    ends = row.scale.inverse(np.array([limits.low[place], limits.high[place]]))
    low, high = np.clip(ends, row.scale.low, row.scale.high).tolist()
    return low, high


def _on_statistic(row: Row, distance: float) -> float:
    """Distance on the row's scale, converted to the statistic: mean of both directions."""
    middle = row.values.mean()
    low, high = row.scale.inverse(np.array([middle - distance, middle + distance])).tolist()
    return float((high - low) / 2.0)


def alone(interval: Interval, *, n_rows: int) -> RowLimits:
    """Limits of a row without variance components: its own interval at the family's level.

    Raises
    ------
    StatisticsError
        If the interval has too few draws for a level so close to 1.
    """
    tail = tail_of(n_rows, interval.level)
    ends = interval.at(1.0 - 2.0 * tail)
    times = 1.0 + _POWER / -float(scipy.special.ndtri(tail))
    return RowLimits(ends, None, times * (ends[1] - ends[0]) / 2.0)
