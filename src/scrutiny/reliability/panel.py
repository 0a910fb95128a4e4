"""Panel: measures of replicates on items, with their statuses."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.record import STATUSES, Counts, Measure
from scrutiny.core.statistic import Statistic
from scrutiny.stats.resampling.weights import Units

#: Codes of the statuses, from best to worst; a row that was never planned is -1.
CODES: Mapping[str, int] = {name: code for code, name in enumerate(STATUSES)}
NOT_PLANNED = -1


@dataclass(frozen=True, slots=True, eq=False)
class ItemNames(Sequence[str]):
    """Identities of some items of a whole: positions among them, of which a name is looked up.

    Parameters
    ----------
    whole
        Identities of all.
    rows
        ``(item,)`` positions of these.
    """

    whole: Sequence[str]
    rows: NDArray[np.int64]

    def __len__(self) -> int:
        return int(self.rows.size)

    def __iter__(self) -> Iterator[str]:
        return map(self.whole.__getitem__, self.rows.tolist())

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[str, ...]: ...
    def __getitem__(self, place: int | slice) -> str | tuple[str, ...]:
        """One name, or a tuple of several."""
        if isinstance(place, slice):
            return tuple(ItemNames(self.whole, self.rows[place]))
        return self.whole[int(self.rows[place])]

    def __eq__(self, other: object) -> bool:
        """Whether others are the same names in the same order."""
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]


def numbered(
    first: Sequence[str], second: Sequence[str]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Items of two panels as numbers that are equal where the names are.

    Examples
    --------
    >>> [numbers.tolist() for numbers in numbered(["a", "b"], ["b", "c"])]
    [[0, 1], [1, 2]]
    """
    (one, ours), (other, theirs) = map(_placed, (first, second))
    if one is other or one == other:
        return ours, theirs
    known = {name: i for i, name in enumerate(dict.fromkeys(first))}
    numbers = [known.setdefault(name, len(known)) for name in second]
    return np.array([known[name] for name in first], np.int64), np.array(numbers, np.int64)


def _placed(items: Sequence[str]) -> tuple[Sequence[str], NDArray[np.int64]]:
    """All identities, and the positions of these among them."""
    if isinstance(items, ItemNames):
        return items.whole, items.rows
    return items, np.arange(len(items))


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """Records of one condition and role, as dense arrays.

    Parameters
    ----------
    values
        ``(replicate, item, number)``; NaN where the status is not ok.
    status
        ``(replicate, item)`` codes of `CODES`.
    """

    values: NDArray[np.float64]
    status: NDArray[np.int8]


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """Common axes of several sides: measures, replicates, items, units.

    Parameters
    ----------
    measures
        Measures of the last axis of every side, axes flattened.
    replicates
        Canonical JSON of each replicate's random factors; a single model is ``None``.
    items
        Identities, in plan order.
    units
        Unit of resampling of each item; None: each item is its own.
    strata
        Stratum of each item, or None.
    cells
        Cell of each item, for statistics with cells; or None.
    """

    measures: tuple[Measure, ...]
    replicates: tuple[str | None, ...]
    items: Sequence[str]
    units: NDArray[np.int64] | None = None
    strata: NDArray[np.int64] | None = None
    cells: NDArray[np.int64] | None = None

    def select(self, rows: NDArray[np.int64]) -> "Panel":
        """Return the panel of a subset of items."""
        parts = (
            None if part is None else part[rows] for part in (self.units, self.strata, self.cells)
        )
        whole, places = _placed(self.items)
        items = ItemNames(whole, places[rows])
        return Panel(self.measures, self.replicates, items, *parts)


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """Measures that a statistic needs, on the items that all sides have.

    Parameters
    ----------
    values
        ``(replicate, row, number)``, all finite: the numbers of each need side by side.
    rows
        Positions of the kept items in the panel.
    names
        Replicates that all sides were planned for.
    status
        ``(item,)`` status of every item of the panel: its worst over sides and replicates.
    """

    values: NDArray[np.float64]
    rows: NDArray[np.int64]
    names: tuple[str | None, ...]
    status: NDArray[np.int8]

    @property
    def counts(self) -> Counts:
        """Counts of all planned items by outcome."""
        return tally(self.status)


def tally(status: NDArray[np.int8]) -> Counts:
    """Counts of a panel's statuses ``(item,)``; unplanned rows are left out."""
    return Counts(
        n=int((status == CODES["ok"]).sum()),
        undefined=int((status == CODES["undefined"]).sum()),
        failed=int((status == CODES["failed"]).sum()),
        skipped=int((status == CODES["skipped"]).sum()),
        refused=int((status == CODES["refused"]).sum()),
    )


def columns_of(
    measures: Sequence[Measure], name: str, at: Mapping[str, int]
) -> tuple[int, ...] | None:
    """Columns of a measure in a record's values, at some indices of its axes.

    None if there is no such measure.
    """
    start = 0
    for measure in measures:
        if measure.name == name:
            return tuple([start + position for position in measure.cells(at)])
        start += measure.size
    return None


def side_and_measure(need: str, measures: Sequence[Measure]) -> tuple[str, str]:
    """Side and measure of a need of a statistic; a measure's name may contain dots."""
    if "." not in need or any(measure.name == need for measure in measures):
        return "", need
    side, _, measure = need.partition(".")
    return side, measure


def sides_of(statistic: Statistic, measures: Sequence[Measure]) -> list[str]:
    """Sides whose measures a statistic needs, each once.

    Examples
    --------
    >>> from scrutiny.reliability.metrics import metric_of
    >>> sides_of(metric_of("excess(accuracy)"), ())
    ['before', 'after', 'control']
    """
    return list(dict.fromkeys(side_and_measure(need, measures)[0] for need in statistic.needs))


def units_of(panel: Panel, rows: NDArray[np.int64]) -> tuple[Units, NDArray[np.int64] | None]:
    """Units of resampling of some items of a panel, and their cells."""
    part = panel.select(rows)
    return Units.of(rows.size, part.units, strata=part.strata), part.cells
