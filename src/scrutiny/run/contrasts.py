"""Differences between two specifications: paired on items, one t term a side.

Both sides are brought to the items that both measured. Replicates are paired where it was said or
where they are the same; otherwise each side has a t term of its own. Whatever the plan's method
for single estimates, a difference has the crossed interval.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.errors import PlanError
from scrutiny.core.estimate import EstimateKey
from scrutiny.core.plan import Resampling
from scrutiny.core.randomness import generator
from scrutiny.core.record import Counts
from scrutiny.reliability.across import across, compared_runs
from scrutiny.reliability.additive import divisors, scale_of
from scrutiny.reliability.derive import worst
from scrutiny.reliability.estimate import (
    Estimated,
    mean_divisor,
    resample_any,
    valued,
    without_value,
)
from scrutiny.reliability.intervals import difference_on_one_unit, is_held, mean_replicate
from scrutiny.reliability.panel import CODES, Joined, Panel, tally
from scrutiny.stats.errors import StatisticsError
from scrutiny.stats.interval import Interval
from scrutiny.stats.intervals.contrast import paired_contrast, unpaired_contrast
from scrutiny.stats.intervals.scale import Scale
from scrutiny.stats.resampling.resample import Resampled
from scrutiny.stats.resampling.weights import Units


@dataclass(frozen=True, slots=True, eq=False)
class Meeting:
    """Two sides on the items that both measured.

    Parameters
    ----------
    values
        ``(replicate, row, need)`` of each side, rows alike.
    names
        Replicates of each side, in order.
    counts
        What became of the items that both planned: an item counts under the worse of its sides.
    units, cells
        Of the rows; ``cells`` is nothing where the statistic keeps none apart.
    """

    values: tuple[NDArray[np.float64], NDArray[np.float64]]
    names: tuple[tuple[str | None, ...], tuple[str | None, ...]]
    counts: Counts
    units: Units | None
    cells: NDArray[np.int64] | None


def meet(one: tuple[Panel, Joined], other: tuple[Panel, Joined]) -> Meeting:
    """Both sides on the items they share, in the first side's order."""
    (first, mine), (second, yours) = one, other
    place = {name: i for i, name in enumerate(second.items)}
    shared = np.array([i for i, name in enumerate(first.items) if name in place], dtype=np.int64)
    theirs = np.array([place[first.items[i]] for i in shared], dtype=np.int64)
    status = worst(mine.status[shared], yours.status[theirs])
    kept = np.flatnonzero(status == CODES["ok"])
    rows = shared[kept]
    units = None
    if kept.size:
        units = Units.of(
            kept.size,
            None if first.units is None else first.units[rows],
            strata=None if first.strata is None else first.strata[rows],
        )
    return Meeting(
        values=(_rows(mine, rows), _rows(yours, theirs[kept])),
        names=(_names(first, mine), _names(second, yours)),
        counts=tally(status),
        units=units,
        cells=None if first.cells is None else first.cells[rows],
    )


def _rows(joined: Joined, items: NDArray[np.int64]) -> NDArray[np.float64]:
    """Values of these items of the panel, all of which were kept."""
    return joined.values[:, np.searchsorted(joined.rows, items)]


def _names(panel: Panel, joined: Joined) -> tuple[str | None, ...]:
    return tuple(panel.replicates[i] for i in joined.replicates)


def contrast(
    meeting: Meeting,
    statistic: Any,
    *,
    key: EstimateKey,
    paired: bool,
    resampling: Resampling,
    seed: int,
    subtracted: Any = None,
) -> Estimated:
    """Difference of both sides with its interval, first minus second.

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
        Status ``undefined`` with a reason where there is nothing to compare.

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
    values = meeting.values[0], meeting.values[1][order]
    draw = partial(
        resample_any,
        units=meeting.units,
        draws=resampling.draws,
        cells=meeting.cells,
    )
    make = partial(generator, seed, "bootstrap", name=key.dataset, item="items")
    try:
        sides = _drawn(values, (statistic, subtracted or statistic), draw=draw, make=make)
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
    found = valued(
        key,
        meeting.counts,
        interval,
        resampled=apart,
        names=meeting.names[0] if is_by_replicate else (None,),
        resampling=resampling,
    )
    found = replace(
        found,
        n_replicates=min(count, others),
        denominator=_smaller_divisor(values, (statistic, subtracted or statistic)),
        by_replicate=found.by_replicate if is_by_replicate else {},
        across=across(apart.point, no_effect=0.0).numbers()
        if is_by_replicate
        else compared_runs(sides[0].point, sides[1].point),
    )
    whole = scale_of(statistic).whole
    return Estimated(found, interval, apart, row_range=_row_range(statistic), whole=whole)


def _drawn(
    values: tuple[NDArray[np.float64], NDArray[np.float64]],
    statistics: tuple[Any, Any],
    *,
    draw: Callable[..., Resampled],
    make: Callable[[], np.random.Generator],
) -> tuple[Resampled, Resampled]:
    """Both sides on the same draws of items: as replicates of one call where they can be."""
    one, other = values
    if one.shape[-1] == other.shape[-1]:
        drawn = draw(statistics[0], np.concatenate(values), rng=make())
        return drawn.select(slice(0, len(one))), drawn.select(slice(len(one), None))
    first, second = (
        draw(statistic, side, rng=make(), share=True)
        for statistic, side in zip(statistics, values, strict=True)
    )
    return first, second


def _smaller_divisor(
    values: tuple[NDArray[np.float64], NDArray[np.float64]], statistics: tuple[Any, Any]
) -> float | None:
    """The smaller of what both sides' values were divided by; nothing where it is every row."""
    sides = zip(statistics, values, strict=True)
    each = [mean_divisor(divisors(statistic, side)) for statistic, side in sides]
    return min((divisor for divisor in each if divisor is not None), default=None)


def _row_range(statistic: Any) -> tuple[float, float] | None:
    """Range of the difference of one row between the sides."""
    span = getattr(statistic, "row_range", None)
    return None if span is None else (span[0] - span[1], span[1] - span[0])


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
    is_fixed = is_held(resampling)
    if is_fixed or not paired:
        one, other = mean_replicate(one), mean_replicate(other)
    interval: Interval | None
    if one.degrees < 1:
        interval = difference_on_one_unit(*sides, scale=scale, paired=paired, resampling=resampling)
    elif is_fixed or paired:
        interval = paired_contrast(one, other, rng=rng, level=resampling.level, scale=scale)
    else:
        interval = unpaired_contrast(*sides, rng=rng, level=resampling.level, scale=scale)
    return interval, replace(one, point=one.point - other.point, draws=one.draws - other.draws)
