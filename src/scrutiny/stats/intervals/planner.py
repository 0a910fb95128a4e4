"""Sample size planning: items or seeds needed to detect a planned loss."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray
from scrutiny.stats.intervals.distance import critical_distance
from scrutiny.stats.intervals.families import FamilyRows, tail_of, with_family_effects
from scrutiny.stats.intervals.moderation import moderated

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
