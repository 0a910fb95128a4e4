"""Simultaneous limits: rows of a family from their item draws, holding for all at once."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from math import isnan
from typing import Final

import numpy as np
import scipy

from scrutiny.core.estimate import Limits
from scrutiny.stats.arrays import FloatArray
from scrutiny.stats.intervals.families import (
    FamilyLimits,
    FamilyRows,
    checkpoint_limits,
    recipe_limits,
    tail_of,
    with_family_effects,
)
from scrutiny.stats.intervals.interval import Interval
from scrutiny.stats.intervals.rows import FamilyRow, items_needed, least_detectable, seeds_needed
from scrutiny.stats.intervals.share_limits import exact_limits

#: Fewest replicates (seeds) for limits in the scope "this recipe".
FEWEST_SEEDS: Final = 3
_POWER: Final = 0.84  # standard errors that 80 % of the estimates lie above


def simultaneous(
    rows: Sequence[FamilyRow],
    *,
    n_rows: int,
    level: float = 0.95,
    is_fixed: bool = False,
    losses: Sequence[float] = (),
) -> list[Limits]:
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
        scale = row.scale.name, row.scale.whole, row.is_share
        about = (scale, row.values.size, row.freedom, row.crowding)
        alike[about].append(i)
    found: dict[int, Limits] = {}
    for places in alike.values():
        members = [rows[i] for i in places]
        wanted = np.array([losses[i] if losses else np.nan for i in places])
        each = _limits(members, wanted, n_rows=n_rows, level=level, is_fixed=is_fixed)
        found |= dict(zip(places, each, strict=True))
    return [found[i] for i in range(len(rows))]


def _limits(
    rows: Sequence[FamilyRow], losses: FloatArray, *, n_rows: int, level: float, is_fixed: bool
) -> list[Limits]:
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
        np.array([row.apart for row in rows]),
    )
    here = checkpoint_limits(family, level=level, n_rows=n_rows)
    wide = here
    if is_of_recipe:
        wide = recipe_limits(family, level=level, n_rows=n_rows, here=here)
    tail = tail_of(n_rows, level)
    whole = with_family_effects(family)
    spoken = np.maximum(0.0, whole.items - interaction)
    reach = wide.distance + _POWER * np.sqrt(spoken + wide.seeds)
    reach = np.maximum(reach, least_detectable(whole, tail=tail))
    items, seeds = _needed(family, rows, losses, n_rows=n_rows, level=level)
    near = [_back(row, here, i, tail=tail) for i, row in enumerate(rows)]
    far = [_back(row, wide, i, tail=tail) for i, row in enumerate(rows)] if is_of_recipe else near
    return [
        Limits(
            near[i],
            far[i] if is_of_recipe else None,
            n_rows,
            detectable_by(far[i], tail) if row.is_share else _on_statistic(row, float(reach[i])),
            *(None if isnan(needed[i]) else int(needed[i]) for needed in (items, seeds)),
        )
        for i, row in enumerate(rows)
    ]


def _needed(
    family: FamilyRows, rows: Sequence[FamilyRow], losses: FloatArray, *, n_rows: int, level: float
) -> tuple[FloatArray, FloatArray]:
    """Numbers of units and of seeds that detect each row's planned loss."""
    none = np.full(len(rows), np.nan)
    if np.isnan(losses).all():
        return none, none
    if rows[0].is_share:
        family, wanted = _of_planned_shares(family, rows, losses)
    else:
        wanted = np.array([_on_scale(row, loss) for row, loss in zip(rows, losses, strict=True)])
    return (
        items_needed(family, wanted, level=level, n_rows=n_rows),
        seeds_needed(family, wanted, level=level, n_rows=n_rows),
    )


def _of_planned_shares(
    family: FamilyRows, rows: Sequence[FamilyRow], losses: FloatArray
) -> tuple[FamilyRows, FloatArray]:
    """Shares as they are, with the variance of one that is twice the planned loss, and the losses.

    None of a hundred has no variance; a share of 4 % that is told from one of 2 % has one.
    """
    wanted = losses / np.array([row.scale.high - row.scale.low for row in rows])
    seen = np.array([_spread(row) for row in rows])
    planned = np.clip(2.0 * np.nan_to_num(wanted), 0.0, 0.5)
    spread = np.maximum(seen, planned * (1.0 - planned))
    return (
        replace(
            family,
            values=family.values * seen[:, None],
            items=family.items * seen * spread,
            interaction=family.interaction * seen**2,
            step=family.step * seen,
        ),
        wanted,
    )


def _on_scale(row: FamilyRow, loss: float) -> float:
    """Size of a loss on the row's scale, starting at the observed value, to where there is room."""
    middle = row.scale.inverse(np.array([row.values.mean()]))
    side = -1.0 if middle[0] + loss > row.scale.high else 1.0
    ends = row.scale.forward(np.array([middle[0], middle[0] + side * loss]), margin=row.step / 2.0)
    return float(abs(ends[1] - ends[0]))


def _back(row: FamilyRow, limits: FamilyLimits, place: int, *, tail: float) -> tuple[float, float]:
    """Limits of a row, transformed back to its statistic and cut at its range."""
    if row.is_share:
        whole = (limits.high[place] - limits.low[place]) / 2.0
        low, high = _of_share(row, float(whole), tail=tail)
        span = row.scale.high - row.scale.low
        return row.scale.low + span * low, row.scale.low + span * high
    ends = row.scale.inverse(np.array([limits.low[place], limits.high[place]]))
    low, high = np.clip(ends, row.scale.low, row.scale.high).tolist()
    return low, high


def _of_share(row: FamilyRow, distance: float, *, tail: float) -> tuple[float, float]:
    """Limits of a share, from its critical distance on the logit.

    None is tighter than without a single case (or with nothing else): some cases show how items
    fail together, and are no reason to be surer than with none.
    """
    spread = distance / -float(scipy.special.ndtri(tail))
    worth = 1.0 / (spread**2 * _spread(row))
    units = 1.0 / (row.step * _spread(row)) / row.crowding
    # of the share, of none, of all
    lows, highs = exact_limits([row.share, 0.0, 1.0], [worth, units, units], tail=tail)
    return min(float(lows[0]), float(lows[2])), max(float(highs[0]), float(highs[1]))


def _spread(row: FamilyRow) -> float:
    """Variance p (1 - p) of one thing that is right or wrong, at a share's place on the logit."""
    share = float(scipy.special.expit(row.values.mean()))
    return share * (1.0 - share)


def _on_statistic(row: FamilyRow, distance: float) -> float:
    """Distance on the row's scale, converted to the statistic: mean of both directions."""
    middle = row.values.mean()
    low, high = row.scale.inverse(np.array([middle - distance, middle + distance])).tolist()
    return float((high - low) / 2.0)


def alone(interval: Interval, *, n_rows: int) -> Limits:
    """Limits of a row without variance components: its own interval at the family's level.

    Raises
    ------
    StatisticsError
        If the interval has too few draws for a level so close to 1.
    """
    tail = tail_of(n_rows, interval.level)
    ends = interval.at(1.0 - 2.0 * tail)
    return Limits(ends, None, n_rows, detectable_by(ends, tail))


def detectable_by(ends: tuple[float, float], tail: float) -> float:
    """Distance that 80 % of studies detect, from limits that are known by their ends alone."""
    times = 1.0 + _POWER / -float(scipy.special.ndtri(tail))
    return times * (ends[1] - ends[0]) / 2.0
