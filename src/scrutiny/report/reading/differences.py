"""Difference of two specifications for each replicate, with its interval over items."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from scrutiny.core.estimate import Estimate
from scrutiny.core.plan import Resampling
from scrutiny.core.randomness import generator
from scrutiny.parts.run.view import OwnInterval

if TYPE_CHECKING:
    from scrutiny.core.statistic import Statistic
    from scrutiny.reliability.panel import Joined, Panel
    from scrutiny.stats.intervals.interval import Interval

    Side = tuple[Panel, Joined]

_SAME: Final = 1e-9  # a replicate's value, computed again


def own_differences(
    sides: "tuple[Side, Side]",
    statistic: "Statistic",
    *,
    whole: Estimate,
    resampling: Resampling,
    seed: int,
) -> dict[str, OwnInterval]:
    """Intervals of a report for differences of single replicates, made anew from the run's records.

    Replicates are paired by name, else by their order. Nothing where the values are not those that
    the run printed: then the sides were paired otherwise, and the intervals would be of others.
    """
    from scrutiny.reliability.additive import scale_of
    from scrutiny.reliability.estimate import resample_any, units_of
    from scrutiny.stats.intervals.contrast import paired_contrast

    (panel, mine), rows, theirs = sides[0], *_shared(*sides)
    names = [panel.names(own) for panel, own in sides]
    if not rows.size or len(names[0]) != len(names[1]):
        return {}
    stacked = np.concatenate([mine.values[:, rows], sides[1][1].values[:, theirs][_order(names)]])
    units, cells = units_of(panel, mine.rows[rows])
    drawn = resample_any(
        statistic,
        stacked,
        units=units,
        draws=resampling.draws,
        rng=generator(seed, "bootstrap", name=whole.key.dataset, item="items"),
        cells=cells,
    )
    count = len(names[0])
    each = [
        paired_contrast(
            drawn.select([i]),
            drawn.select([count + i]),
            rng=generator(seed, "bootstrap", name="contrast", item="replicates"),
            level=whole.level,
            scale=scale_of(statistic),
        )
        for i in range(count)
    ]
    return _as_printed(whole.by_replicate, names[0], each)


def _as_printed(
    printed: Mapping[str, float], names: Sequence[str | None], each: "Sequence[Interval]"
) -> dict[str, OwnInterval]:
    """Intervals by replicate, if their values are those that the run printed."""
    found = {
        name or "{}": OwnInterval(one.point, one.low, one.high, one.se)
        for name, one in zip(names, each, strict=True)
    }
    is_same = found.keys() == printed.keys() and all(
        abs(one.value - printed[name]) < _SAME for name, one in found.items()
    )
    return found if is_same else {}


def _shared(one: "Side", other: "Side") -> "tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]":
    """Positions among the kept rows of each side of the items that both kept, in order."""
    (first, mine), (second, yours) = one, other
    place = {second.items[row]: i for i, row in enumerate(yours.rows.tolist())}
    names = [first.items[row] for row in mine.rows.tolist()]
    kept = [(i, place[name]) for i, name in enumerate(names) if name in place]
    pairs = np.array(kept, dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _order(names: Sequence[tuple[str | None, ...]]) -> list[int]:
    """Positions of the second side's replicates, in the order of the first side's."""
    first, second = names
    if set(first) == set(second):
        return [second.index(name) for name in first]
    return list(range(len(second)))
