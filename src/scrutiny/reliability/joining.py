"""Joining sides: clean and perturbed, treatment and control, two models, two slices.

A pair is ok if and only if all its sides are; otherwise it counts under the worst status. An item
is kept if it is kept for every replicate, so that all replicates are compared on the same items. A
replicate that a side was never planned for (a checkpoint that one seed lacks) is left out.

Of a difference, both sides are brought to the items that both measured. Two slices of a dataset
share few items or none: each is computed on its own, and the items of both are drawn together. Two
datasets share none, and the items of each are drawn apart.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.design import DRAW
from scrutiny.core.errors import PlanError
from scrutiny.core.record import Counts
from scrutiny.reliability.panel import (
    CODES,
    NOT_PLANNED,
    Joined,
    Panel,
    Side,
    columns_of,
    numbered,
    side_and_measure,
    tally,
    units_of,
)
from scrutiny.stats.resampling.weights import Units

_OK = CODES["ok"]
_UNCHANGED = (CODES["skipped"], CODES["refused"])


def join(
    panel: Panel,
    sides: Mapping[str, Side],
    *,
    needs: Sequence[str],
    fallback: Mapping[str, str] | None = None,
    at: Mapping[str, int] | None = None,
) -> Joined:
    """Measures ``(replicate, row, number)`` of the items that all needed sides have.

    Parameters
    ----------
    panel
        Names along the axes.
    sides
        Records by side; the side of a need "hit" is "". Sides called "after", "after#1", ... are
        draws of one side: its measures are their means, where all of them are there.
    needs
        "side.measure" or "measure". "side.ok" is 1 where that side is ok and 0 where its variant
        was skipped or refused; a side that failed or is undefined is missing there too, not 0.
    fallback
        Side that stands in for another where a variant was skipped or refused, because the item
        then stays as it was.
    at
        Places on axes of the measures, counted from 1; what is left of a measure is flattened, and
        the measures stand side by side.

    Raises
    ------
    PlanError
        If a side or a measure is not there.
    """
    filled: dict[str, list[Side]] = {}
    asked: dict[str, list[Side]] = {}
    for name, side in sides.items():
        stem = name.partition(DRAW)[0]
        asked.setdefault(stem, []).append(side)
        filled.setdefault(stem, []).append(_filled(side, sides, (fallback or {}).get(stem)))
    columns: list[NDArray[np.float64]] = []
    statuses: list[NDArray[np.int8]] = []
    for need in needs:
        name, measure = side_and_measure(need, panel.measures)
        if name not in filled:
            raise PlanError(f"{need!r} needs a side {name!r}; there are {sorted(sides)}.")
        if measure == "ok":
            found = [_is_ok(side) for side in asked[name]]
        else:
            found = [
                (_numbers(panel, side, measure, at or {}), side.status) for side in filled[name]
            ]
        draws = [column for column, _ in found]
        columns.append(np.mean(draws, axis=0) if len(draws) > 1 else draws[0])
        statuses += [status for _, status in found]
    status = reduce(worst, statuses)
    replicates = np.flatnonzero((status != NOT_PLANNED).any(axis=1))
    by_item = worst_over_replicates(status[replicates])
    rows = np.flatnonzero(by_item == _OK)
    if (len(replicates), rows.size) != status.shape:
        columns = [column[np.ix_(replicates, rows)] for column in columns]
    values = np.concatenate(columns, axis=-1)
    names = tuple(panel.replicates[i] for i in replicates)
    return Joined(values=values, rows=rows, names=names, status=by_item)


def matched(ours: Sequence[str | None], theirs: Sequence[str | None]) -> list[tuple[int, int]]:
    """Replicates of two joined sides that are compared: pairs of their positions.

    By name where both sides have the same; by order where they have as many; a single one against
    each of the other's; else the first ones of both.

    Examples
    --------
    >>> matched(["1", "2"], ["2", "1"]), matched([None], ["1", "2"])
    ([(0, 1), (1, 0)], [(0, 0), (0, 1)])
    """
    if set(ours) == set(theirs):
        return [(i, theirs.index(name)) for i, name in enumerate(ours)]
    if 1 in (len(ours), len(theirs)):
        return [(i, k) for i in range(len(ours)) for k in range(len(theirs))]
    return [(k, k) for k in range(min(len(ours), len(theirs)))]


def _is_ok(side: Side) -> tuple[NDArray[np.float64], NDArray[np.int8]]:
    """Indicator of whether a side is ok, as a measure with a status of its own."""
    known = np.isin(side.status, (_OK, *_UNCHANGED))
    is_ok: NDArray[np.float64] = (side.status == _OK).astype(np.float64)[..., None]
    return is_ok, np.where(known, np.int8(_OK), side.status)


def worst(one: NDArray[np.int8], other: NDArray[np.int8]) -> NDArray[np.int8]:
    """Status of items when sides are joined: the worse; not planned where one side is not."""
    result: NDArray[np.int8] = np.maximum(one, other)
    result[(one == NOT_PLANNED) | (other == NOT_PLANNED)] = NOT_PLANNED
    return result


def worst_over_replicates(status: NDArray[np.int8]) -> NDArray[np.int8]:
    """Status of each item ``(item,)``: its worst over replicates.

    An item that some replicate was never asked is not planned, nor is any without replicates.
    """
    if status.shape[0] == 0:
        return np.full(status.shape[1], NOT_PLANNED, dtype=np.int8)
    result: NDArray[np.int8] = status.max(axis=0)
    result[(status == NOT_PLANNED).any(axis=0)] = NOT_PLANNED
    return result


def _filled(side: Side, sides: Mapping[str, Side], stand_in: str | None) -> Side:
    """Side with another's values for items that its variants did not change."""
    if stand_in is None:
        return side
    other = sides[stand_in]
    unchanged = np.isin(side.status, _UNCHANGED)
    return Side(
        values=np.where(unchanged[..., None], other.values, side.values),
        status=np.where(unchanged, other.status, side.status),
    )


def _numbers(panel: Panel, side: Side, measure: str, at: Mapping[str, int]) -> NDArray[np.float64]:
    """Values ``(replicate, item, number)`` of one measure at some indices of its axes."""
    columns = columns_of(panel.measures, measure, at)
    if columns is None:
        known = [known.name for known in panel.measures]
        raise PlanError(f"There is no measure {measure!r}; there are {known}.")
    first = columns[0]
    if columns == tuple(range(first, first + len(columns))):  # a view of them
        return side.values[..., first : first + len(columns)]
    return np.asarray(side.values[..., list(columns)])


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
    cells: NDArray[np.int64] | None = None
    slices: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None = None

    @property
    def counts(self) -> Counts:
        """Counts of the items that both planned."""
        return tally(self.status)


def shared_items(one: tuple[Panel, Joined], other: tuple[Panel, Joined]) -> Meeting:
    """Contrast of both sides on the items they share, in the first side's order."""
    (first, mine), (second, yours) = one, other
    ours, others = numbered(first.items, second.items)
    place = np.full(max(ours.max(initial=-1), others.max(initial=-1)) + 1, -1)
    place[others] = np.arange(others.size)
    shared = np.flatnonzero(place[ours] >= 0)
    theirs = place[ours[shared]]
    status = worst(mine.status[shared], yours.status[theirs])
    kept = np.flatnonzero(status == CODES["ok"])
    rows = shared[kept]
    units, cells = units_of(first, rows) if rows.size else (None, None)
    return Meeting(
        values=(_rows(mine, rows), _rows(yours, theirs[kept])),
        names=(mine.names, yours.names),
        status=status,
        units=units,
        cells=cells,
    )


def joined_slices(one: tuple[Panel, Joined], other: tuple[Panel, Joined]) -> Meeting:
    """Contrast of two slices of one dataset, on their union; items of both count in both."""
    (first, mine), (second, yours) = one, other
    numbers, others = numbered(first.items, second.items)
    place = np.full(max(numbers.max(initial=-1), others.max(initial=-1)) + 1, -1)
    place[numbers] = np.arange(numbers.size)
    new = np.flatnonzero(place[others] < 0)
    place[others[new]] = numbers.size + np.arange(new.size)
    moved = place[others]
    ours, theirs = (np.full(numbers.size + new.size, NOT_PLANNED, np.int8) for _ in range(2))
    ours[: numbers.size], theirs[moved] = mine.status, yours.status
    status = np.maximum(ours, theirs)
    rows = np.flatnonzero(status == CODES["ok"])
    slices = ours[rows] == CODES["ok"], theirs[rows] == CODES["ok"]

    def both(name: str) -> NDArray[np.int64] | None:
        """Codes of units, strata or cells of the rows; both slices are of one panel."""
        own = {"units": (first.units, second.units), "strata": (first.strata, second.strata)}
        a, b = own[name]
        return None if a is None or b is None else np.concatenate([a, b[new]])[rows]

    units = Units.of(rows.size, both("units"), strata=both("strata")) if rows.size else None
    return Meeting(
        values=(_spread(mine, mine.rows, rows), _spread(yours, moved[yours.rows], rows)),
        names=(mine.names, yours.names),
        status=status,
        units=units,
        slices=slices,
    )


def two_datasets(one: tuple[Panel, Joined], other: tuple[Panel, Joined]) -> Meeting:
    """Contrast of two datasets: no item is in both, and the items of each are drawn apart."""
    (first, mine), (second, yours) = one, other
    status = np.concatenate([mine.status, yours.status])
    rows = np.flatnonzero(status == CODES["ok"])
    is_first = rows < len(first.items)

    def both(codes: Sequence[NDArray[np.int64] | None]) -> NDArray[np.int64]:
        """Codes of the rows; those of the second dataset are never those of the first."""
        ours, theirs = (
            np.arange(len(panel.items)) if code is None else code
            for panel, code in zip((first, second), codes, strict=True)
        )
        return np.concatenate([ours, theirs + ours.max(initial=-1) + 1])[rows]

    strata = [
        np.zeros(len(panel.items), dtype=np.int64) if panel.strata is None else panel.strata
        for panel in (first, second)
    ]
    units = (
        Units.of(rows.size, both([first.units, second.units]), strata=both(strata))
        if is_first.any() and not is_first.all()
        else None
    )
    return Meeting(
        values=(
            _spread(mine, mine.rows, rows),
            _spread(yours, yours.rows + len(first.items), rows),
        ),
        names=(mine.names, yours.names),
        status=status,
        units=units,
        slices=(is_first, ~is_first),
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
