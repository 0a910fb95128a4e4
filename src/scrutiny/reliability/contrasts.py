"""Contrasts: differences between two specifications, paired on items, one t term per side.

Both sides are brought to the items that both measured. Two slices of a dataset share few items or
none: each is computed on its own, and the items of both are drawn together. Replicates are paired
where it was said or where they are the same; otherwise each side has a t term of its own. Whatever
the plan's method for single estimates, a difference has the crossed interval.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.arrays import Floats
from scrutiny.core.errors import PlanError
from scrutiny.core.estimate import EstimateKey
from scrutiny.core.plan import Resampling
from scrutiny.core.randomness import generator
from scrutiny.core.record import Counts
from scrutiny.core.statistic import AdditiveStatistic, Statistic
from scrutiny.reliability.additive import divisors, is_quotient, scale_of
from scrutiny.reliability.derive import worst
from scrutiny.reliability.estimate import (
    Estimated,
    mean_divisor,
    resample_any,
    units_of,
    valued,
    without_value,
)
from scrutiny.reliability.flips import row_values, step_of
from scrutiny.reliability.intervals import difference_on_one_unit
from scrutiny.reliability.on_rows import on_rows
from scrutiny.reliability.panel import CODES, NOT_PLANNED, Joined, Panel, tally
from scrutiny.reliability.replicates.agreement import across, compared_runs
from scrutiny.stats.agreement.flips import counted_flips
from scrutiny.stats.errors import StatisticsError
from scrutiny.stats.intervals.contrast import paired_contrast, unpaired_contrast
from scrutiny.stats.intervals.interval import Interval
from scrutiny.stats.intervals.scale import Scale
from scrutiny.stats.resampling.resample import Resampled
from scrutiny.stats.resampling.weights import Units


@dataclass(frozen=True, slots=True, eq=False)
class Meeting:
    """Two sides on the items that both have measured.

    Parameters
    ----------
    values
        ``(replicate, row, need)`` of each side, rows alike.
    names
        Replicates of each side, in order.
    status
        ``(item,)`` of the items that both planned: the worse of its sides.
    units, cells
        Of the rows; ``cells`` is None if the statistic has none.
    slices
        ``(row,)`` of each side which rows are its own; None if all are.
    """

    values: tuple[NDArray[np.float64], NDArray[np.float64]]
    names: tuple[tuple[str | None, ...], tuple[str | None, ...]]
    status: NDArray[np.int8]
    units: Units | None
    cells: NDArray[np.int64] | None
    slices: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None = None

    @property
    def counts(self) -> Counts:
        """Counts of the items that both planned."""
        return tally(self.status)


def shared_items(one: tuple[Panel, Joined], other: tuple[Panel, Joined]) -> Meeting:
    """Contrast of both sides on the items they share, in the first side's order."""
    (first, mine), (second, yours) = one, other
    place = {name: i for i, name in enumerate(second.items)}
    shared = np.array([i for i, name in enumerate(first.items) if name in place], dtype=np.int64)
    theirs = np.array([place[first.items[i]] for i in shared], dtype=np.int64)
    status = worst(mine.status[shared], yours.status[theirs])
    kept = np.flatnonzero(status == CODES["ok"])
    rows = shared[kept]
    units, cells = units_of(first, rows) if rows.size else (None, None)
    return Meeting(
        values=(_rows(mine, rows), _rows(yours, theirs[kept])),
        names=(first.names(mine), second.names(yours)),
        status=status,
        units=units,
        cells=cells,
    )


def joined_slices(one: tuple[Panel, Joined], other: tuple[Panel, Joined]) -> Meeting:
    """Contrast of two slices of one dataset, on their union; items of both count in both."""
    (first, mine), (second, yours) = one, other
    place = {name: i for i, name in enumerate(first.items)}
    for name in second.items:
        place.setdefault(name, len(place))
    moved = np.array([place[name] for name in second.items], dtype=np.int64)
    ours, theirs = (np.full(len(place), NOT_PLANNED, dtype=np.int8) for _ in range(2))
    ours[: len(first.items)], theirs[moved] = mine.status, yours.status
    status = np.maximum(ours, theirs)
    rows = np.flatnonzero(status == CODES["ok"])
    slices = ours[rows] == CODES["ok"], theirs[rows] == CODES["ok"]
    new = np.array([i for i, at in enumerate(moved) if at >= len(first.items)], dtype=np.int64)

    def both(name: str) -> NDArray[np.int64] | None:
        """Codes of units, strata or cells of the rows; both slices are of one panel."""
        own = {"units": (first.units, second.units), "strata": (first.strata, second.strata)}
        a, b = own[name]
        return None if a is None or b is None else np.concatenate([a, b[new]])[rows]

    units = Units.of(rows.size, both("units"), strata=both("strata")) if rows.size else None
    return Meeting(
        values=(_spread(mine, mine.rows, rows), _spread(yours, moved[yours.rows], rows)),
        names=(first.names(mine), second.names(yours)),
        status=status,
        units=units,
        cells=None,
        slices=slices,
    )


def _spread(
    joined: Joined, items: NDArray[np.int64], rows: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Values of a side on the rows of both; zero for items outside of it."""
    values = np.zeros((joined.values.shape[0], rows.size, joined.values.shape[2]))
    is_kept = np.isin(items, rows)
    values[:, np.searchsorted(rows, items[is_kept])] = joined.values[:, is_kept]
    return values


def _rows(joined: Joined, items: NDArray[np.int64]) -> NDArray[np.float64]:
    """Values of these items of the panel, in order."""
    return joined.values[:, np.searchsorted(joined.rows, items)]


def contrast(
    meeting: Meeting,
    statistic: Statistic,
    *,
    key: EstimateKey,
    paired: bool,
    resampling: Resampling,
    seed: int,
    subtracted: Statistic | None = None,
) -> Estimated:
    """Difference of two sides with its interval, first minus second.

    Parameters
    ----------
    meeting
        The sides.
    statistic
        What is computed of each replicate of each side, on the same draws of items.
    key
        Identity that the estimate gets.
    paired
        Whether replicates belong together: by name where both sides have the same names, else by
        their order.
    resampling, seed
        Draws, level, whether replicates are held fixed; the run's seed.
    subtracted
        The statistic of the second side, where it reads other columns: networks of different size
        have as many numbers of each measure as they have heads.

    Returns
    -------
    Estimated
        Status ``undefined`` with a reason if the sides share no items.

    Raises
    ------
    PlanError
        If replicates are to be paired and one side has more of them.
    """
    count, others = (len(names) for names in meeting.names)
    blank = without_value(key, meeting.counts, min(count, others), resampling, "no_items")
    if meeting.units is None or not count or not others:
        return Estimated(blank)
    order = _order(meeting.names, key=key) if paired else list(range(others))
    statistics = _statistics(meeting, statistic, subtracted or statistic)
    values = meeting.values[0], meeting.values[1][order]
    draw = partial(
        resample_any,
        units=meeting.units,
        draws=resampling.draws,
        cells=meeting.cells,
    )
    make = partial(generator, seed, "bootstrap", name=key.dataset, item="items")
    try:
        is_alike = meeting.slices is None
        sides = _drawn(values, statistics, draw=draw, make=make, is_alike=is_alike)
        interval, apart = _difference(
            sides,
            paired=paired,
            resampling=resampling,
            seed=seed,
            scale=scale_of(statistic),
        )
    except StatisticsError:
        return Estimated(replace(blank, reason="no_value"))
    is_by_replicate = paired and apart.point.size == count
    if is_quotient(statistic) and interval is not None:
        interval, apart = _subtracted_first(values, statistics, interval, apart)
    found = valued(
        key,
        meeting.counts,
        interval,
        resampled=apart,
        names=meeting.names[0] if is_by_replicate else (None,),
        level=resampling.level,
    )
    found = replace(
        found,
        n_replicates=min(count, others),
        denominator=_smaller_divisor(values, statistics),
        by_replicate=found.by_replicate if is_by_replicate else {},
        across=across(apart.point, no_effect=0.0).numbers()
        if is_by_replicate
        else compared_runs(sides[0].point, sides[1].point),
    )
    return Estimated(
        found,
        interval,
        apart,
        row_range=_row_range(statistic),
        scale=scale_of(statistic).difference,
        flips=_flips(values, statistics) if meeting.slices is None else None,
        step=_step(values, statistics),
    )


def _statistics(
    meeting: Meeting, statistic: Statistic, subtracted: Statistic
) -> tuple[Statistic, Statistic]:
    """Statistic of each side, on its own rows if the sides are slices."""
    if meeting.slices is None:
        return statistic, subtracted
    mine, yours = meeting.slices
    return on_rows(statistic, mine), on_rows(subtracted, yours)


def _drawn(
    values: tuple[NDArray[np.float64], NDArray[np.float64]],
    statistics: tuple[Statistic, Statistic],
    *,
    draw: Callable[..., Resampled],
    make: Callable[[], np.random.Generator],
    is_alike: bool,
) -> tuple[Resampled, Resampled]:
    """Both sides on the same draws of items, as replicates of one call if possible."""
    one, other = values
    if is_alike and one.shape[-1] == other.shape[-1]:
        drawn = draw(statistics[0], np.concatenate(values), rng=make())
        return drawn.select(slice(0, len(one))), drawn.select(slice(len(one), None))
    first, second = (
        draw(statistic, side, rng=make(), share=True)
        for statistic, side in zip(statistics, values, strict=True)
    )
    return first, second


def _subtracted_first(
    values: tuple[Floats, Floats],
    statistics: tuple[Statistic, Statistic],
    interval: Interval,
    apart: Resampled,
) -> tuple[Interval, Resampled]:
    """Quotients with one denominator, subtracted before division: 95 - 90 of 100 are .05."""
    one, other = (
        s.components(side).sum(axis=-2) if isinstance(s, AdditiveStatistic) else np.zeros((0, 1))
        for s, side in zip(statistics, values, strict=True)
    )  # (replicate, component)
    counts = np.concatenate([one[:, -1], other[:, -1]])
    statistic = statistics[0]
    if not counts.size or np.ptp(counts) or not isinstance(statistic, AdditiveStatistic):
        return interval, apart

    def value(sums: Floats) -> Floats:
        sums[..., -1] = counts[0]
        return np.asarray(statistic.value(sums[..., None, :], np.ones((*sums.shape[:-1], 1))))

    mean = value((one.mean(axis=0) - other.mean(axis=0))[None])
    each = value(one - other) if apart.point.size == len(one) == len(other) else mean
    if apart.point.size not in (1, len(each)):
        return interval, apart
    return replace(interval, point=float(mean[0])), replace(apart, point=each)


def _smaller_divisor(
    values: tuple[NDArray[np.float64], NDArray[np.float64]], statistics: tuple[Statistic, Statistic]
) -> float | None:
    """Smaller denominator of both sides; ``None`` if every row counts."""
    sides = zip(statistics, values, strict=True)
    each = [mean_divisor(divisors(statistic, side)) for statistic, side in sides]
    return min((divisor for divisor in each if divisor is not None), default=None)


def _row_range(statistic: Statistic) -> tuple[float, float] | None:
    """Range of the difference of one row between the sides."""
    span = statistic.row_range
    return None if span is None else (span[0] - span[1], span[1] - span[0])


def _step(values: tuple[Floats, Floats], statistics: tuple[Statistic, Statistic]) -> float | None:
    """Change of a difference by one flip: the larger of both sides'."""
    steps = [step_of(s, side) for s, side in zip(statistics, values, strict=True)]
    known = [step for step in steps if step is not None]
    return max(known) if len(known) == len(steps) else None


def _flips(
    values: tuple[Floats, Floats], statistics: tuple[Statistic, Statistic]
) -> tuple[float, float] | None:
    """Numbers of rows that only one side has right, for each side; ``None`` for other contrasts."""
    one, other = (row_values(s, side) for s, side in zip(statistics, values, strict=True))
    if one is None or other is None or one.shape != other.shape:
        return None
    return counted_flips(one - other)


def _order(names: Sequence[Sequence[str | None]], *, key: EstimateKey) -> list[int]:
    """Positions of the second side's replicates, in the order of the first side's."""
    first, second = names
    if len(first) != len(second):
        raise PlanError(
            f"{key.subject} has {len(first)} replicates and {key.reference or 'the other side'} "
            f"has {len(second)}: they cannot be paired. Leave them unpaired, or run the same ones."
        )
    if set(first) == set(second):
        return [second.index(name) for name in first]
    return list(range(len(second)))


def _difference(
    sides: tuple[Resampled, Resampled],
    *,
    paired: bool,
    resampling: Resampling,
    seed: int,
    scale: Scale,
) -> tuple[Interval | None, Resampled]:
    """Interval of the difference, and the difference on each draw of items.

    Paired sides keep their replicates; others, and those held fixed, are one mean a side. With one
    unit there is nothing to draw, and the interval is over replicates, if there are enough.
    """
    one, other = sides
    rng = generator(seed, "bootstrap", name="contrast", item="replicates")
    is_fixed = resampling.is_held
    if is_fixed or not paired:
        one, other = one.mean_replicate(), other.mean_replicate()
    interval: Interval | None
    if one.degrees < 1:
        interval = difference_on_one_unit(*sides, scale=scale, paired=paired, resampling=resampling)
    elif is_fixed or paired:
        interval = paired_contrast(one, other, rng=rng, level=resampling.level, scale=scale)
    else:
        interval = unpaired_contrast(*sides, rng=rng, level=resampling.level, scale=scale)
    return interval, replace(one, point=one.point - other.point, draws=one.draws - other.draws)
