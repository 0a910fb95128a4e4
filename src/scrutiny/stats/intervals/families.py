"""Simultaneous intervals of a family of rows, with variances moderated over the family.

A family is the rows of one diagnostic, one model and one dataset. With three seeds a
row's own seed variance has two degrees of freedom, and a limit that holds for fifteen rows at once
would lie seventeen standard errors away. Seed variances of one family are alike: each row's is
moved toward the others', as far as the rows themselves show that they agree. Where units hold
several items, a row's design effect is at least that of the family.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrutiny.stats.arrays import FloatArray, StatisticsError, proper_level
from scrutiny.stats.intervals.seed_error import critical_distance, moderated
from scrutiny.stats.intervals.share_limits import family_effects, tango_variance

_STEPS: Final = 40  # of bisection: far below any figure that is printed
_AT_ONCE: Final = 5
_FEW_FLIPS: Final = 10
_MORE_FLIPS: Final = 3.0  # where flips are not counted; with two, a side of an F1 is wrong in 3.5 %


@dataclass(frozen=True, slots=True, eq=False)
class FamilyRows:
    """Values, variances and flip counts of the rows of a family.

    Parameters
    ----------
    values
        ``(row, replicate)`` the value of each row and replicate: a share, or a difference of two.
    items
        ``(row,)`` variance of the mean over replicates, from drawing items.
    interaction
        ``(row,)`` item noise that each replicate has for itself (``Vx`` of `crossed`).
    step
        ``(row,)`` change of the value by one item: 1 / items for a mean, 2 / (predicted + true) for
        an F1.
    flips
        ``(row, 2)`` items per replicate that count for and against the value, a mean over
        replicates (and over draws of a change: fractions are fine), where a row is a mean of
        paired differences from -1 to 1; NaN for any other row.
    item_freedom
        Degrees of freedom of the items' part, where units are few; infinite elsewhere.
    crowding
        How many items the unit of an average item holds (`Units.crowding_of`); 1 where
        each is a unit.
    apart
        ``(row, 2)`` variance of a replicate's value if its items were independent, and items that
        it comes from (`shares.apart_of`), where a row is a difference of ratios such as an F1; NaN
        for any other row. None where no row is such a difference.
    """

    values: FloatArray
    items: FloatArray
    interaction: FloatArray
    step: FloatArray
    flips: FloatArray
    item_freedom: float = np.inf
    crowding: float = 1.0
    apart: FloatArray | None = None


@dataclass(frozen=True, slots=True, eq=False)
class FamilyLimits:
    """Simultaneous limits of all rows, ``(row,)``.

    Parameters
    ----------
    low, high
        Limits.
    seeds
        Variance of the mean that is left to seeds (0 where the scope is these checkpoints).
    distance
        Critical distance of a row, in its unit.
    freedom
        Degrees of freedom of the seeds' part; infinite without one.
    """

    low: FloatArray
    high: FloatArray
    seeds: FloatArray
    distance: FloatArray
    freedom: float


def checkpoint_limits(
    rows: FamilyRows, *, level: float = 0.95, n_rows: int | None = None
) -> FamilyLimits:
    """Limits in the scope "these checkpoints": items are drawn, seeds are fixed.

    Parameters
    ----------
    rows
        The family.
    level
        Probability that all rows' intervals hold.
    n_rows
        Number of rows that the family was planned with. Default: the rows given.
    """
    return _of_checkpoints(with_family_effects(rows), level=level, n_rows=n_rows)


def _of_checkpoints(rows: FamilyRows, *, level: float, n_rows: int | None) -> FamilyLimits:
    """Limits of rows that have the family's design effect."""
    none = np.zeros(rows.items.size)
    return _limits(rows, rows.items, none, np.inf, level=level, n_rows=n_rows)


def recipe_limits(
    rows: FamilyRows,
    *,
    level: float = 0.95,
    n_rows: int | None = None,
    here: FamilyLimits | None = None,
) -> FamilyLimits:
    """Limits in the scope "this recipe": other items and other seeds.

    Parameters
    ----------
    rows
        The family, with at least three replicates.
    level, n_rows
        As `checkpoint_limits` has them.
    here
        What `checkpoint_limits` found for these rows, where it is known.

    Returns
    -------
    FamilyLimits
        At least as wide as those of `checkpoint_limits`.

    Raises
    ------
    StatisticsError
        With fewer than three replicates: two are hardly informative about other seeds.

    Notes
    -----
    **Misleads when**: one replicate failed, so that its rows' deviations have heavy tails; rows
    that share their seeds' effects wholly (then little is borrowed, and limits are wide).
    """
    replicates = rows.values.shape[1]
    if replicates < 3:
        raise StatisticsError(
            f"{replicates} replicates say too little about other seeds; three are needed."
        )
    rows = with_family_effects(rows)
    found = moderated(rows.values, rows.interaction, rows.step)
    own = np.maximum(0.0, rows.items - rows.interaction)
    wide = _limits(rows, own, found.each / replicates, found.freedom, level=level, n_rows=n_rows)
    narrow = here or _of_checkpoints(rows, level=level, n_rows=n_rows)
    return FamilyLimits(
        np.minimum(wide.low, narrow.low),
        np.maximum(wide.high, narrow.high),
        wide.seeds,
        wide.distance,
        found.freedom,
    )


def with_family_effects(rows: FamilyRows) -> FamilyRows:
    """Rows whose item variances have at least the family's design effect.

    It is known of rows whose flips are counted, and of ratios. Rows of single items are as they
    were.

    Parameters
    ----------
    rows
        The family.
    """
    scored = np.asarray(np.isfinite(rows.flips).all(axis=1))
    apart = np.full(rows.flips.shape, np.nan) if rows.apart is None else rows.apart
    known = scored | np.isfinite(apart).all(axis=1)
    if rows.crowding <= 1.0 or not known.any():
        return rows
    usual, cases = apart.T.copy()
    usual[scored], cases[scored] = _usual(rows, scored), rows.flips[scored].sum(axis=1)
    # what a ratio has from `floored` is no sign of items that flip together
    more = np.where(scored, 0.0, np.minimum(_MORE_FLIPS * rows.step**2, rows.items))
    seen = rows.items - more
    effects = family_effects(seen[known], usual[known], cases[known], rows.crowding)
    items = rows.items.copy()
    items[known] = np.maximum(items[known], effects * usual[known] + more[known])
    return replace(rows, items=items)


def _usual(rows: FamilyRows, scored: NDArray[np.bool_]) -> FloatArray:
    """Variances ``(row,)`` of paired differences, if their items were independent."""
    share = rows.flips[scored].sum(axis=1) * rows.step[scored]
    usual = (share - rows.values[scored].mean(axis=1) ** 2) * rows.step[scored]
    return np.asarray(np.maximum(usual, 0.0), dtype=np.float64)


def floored(
    items: ArrayLike, step: ArrayLike, *, crowding: float = 1.0, is_counted: bool = True
) -> FloatArray:
    """Item variances ``(row,)``, with a floor for values of which few or no items flip.

    Of few flips the variance is uncertain, and too small where the value is too near to its bound.
    Where the flips of a row are counted, Tango's limits see to that, and one is added to fewer than
    ten. Other rows get three. Where nothing flips at all, the first item that
    does may take its whole unit with it.

    Parameters
    ----------
    items, step, crowding
        As `FamilyRows` has them.
    is_counted
        Whether the rows come with their ``flips``.

    References
    ----------
    Bonett and Price (2012), Adjusted Wald confidence interval for a difference of binomial
    proportions based on paired data, add two flips; of F1 in families that is one too few.
    """
    found, flip = np.broadcast_arrays(np.asarray(items, dtype=np.float64), step)
    is_still = found <= (1e-9 * flip) ** 2
    more = np.where(found < _FEW_FLIPS * flip**2, 1.0, 0.0) if is_counted else _MORE_FLIPS
    return np.asarray(found + np.where(is_still, np.maximum(more, crowding**2), more) * flip**2)


def tail_of(n_rows: int, level: float = 0.95) -> float:
    """Tail probability of one limit, so that all ``n_rows`` rows hold at ``level`` (Šidák)."""
    return float((1.0 - proper_level(level) ** (1.0 / n_rows)) / 2.0)


def _limits(
    rows: FamilyRows,
    items: FloatArray,
    seeds: FloatArray,
    freedom: float,
    *,
    level: float,
    n_rows: int | None,
) -> FamilyLimits:
    """Limits of a family, from its item and seed variances."""
    tail = tail_of(n_rows or rows.items.size, level)
    distance = critical_distance(items, seeds, freedom, tail=tail, item_freedom=rows.item_freedom)
    mean = rows.values.mean(axis=1)
    low, high = mean - distance, mean + distance
    whole = np.sqrt(items + seeds)
    scored = np.isfinite(rows.flips).all(axis=1) & (whole > 0)
    if scored.any():
        times = distance[scored] / whole[scored]
        against, favor = rows.flips[scored].T
        units = 1.0 / rows.step[scored]
        mean = rows.values[scored].mean(axis=1)
        usual = _usual(rows, scored)
        most = np.full(usual.size, rows.crowding)
        scale = np.divide(items[scored], usual, out=most.copy(), where=usual > 0)
        scale = np.minimum(scale, most)

        def is_inside(supposed: FloatArray) -> NDArray[np.bool_]:
            spread = scale * tango_variance(supposed, against, favor, units) + seeds[scored]
            return np.asarray(np.abs(mean - supposed) <= times * np.sqrt(spread))

        ends = _bisected(is_inside, np.tile(mean, (2, 1)), np.array([[-1.0], [1.0]]))
        low[scored] = np.minimum(low[scored], ends[0])
        high[scored] = np.maximum(high[scored], ends[1])
    return FamilyLimits(low, high, seeds, distance, freedom)


def _bisected(
    is_inside: Callable[[FloatArray], NDArray[np.bool_]], near: FloatArray, far: FloatArray
) -> FloatArray:
    """Last value inside between one that is and one that is not, ``(side, row)``, by bisection.

    A few steps are taken at once, on all of the points between.
    """
    between = np.arange(1.0, 2**_AT_ONCE).reshape(-1, 1, 1)
    width = far - near
    for _ in range(_STEPS // _AT_ONCE):
        width = width / 2**_AT_ONCE
        inside = np.logical_and.accumulate(is_inside(near + between * width))
        near = near + inside.sum(axis=0) * width
    return near
