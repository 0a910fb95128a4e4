"""Sums of additive components by unit, weighted by each draw."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, IntArray, StatisticsError, finite
from scrutiny.stats.resampling.weights import Units

_SHORT = 2**24  # whole numbers below are all there in single precision
_ROWS_A_PATTERN = 12  # a multinomial count costs about as much as a dozen drawn indices


@dataclass(frozen=True, slots=True, eq=False)
class ComponentTable:
    """Sums of components per unit, ready to be weighted.

    Parameters
    ----------
    columns
        One array a cell, ``(member, replicate * component + 1)``: centered sums over the rows of
        this cell in the member unit, and in the last column how many rows there are.
    members
        One array a cell: units (or patterns) that have rows in it; None: all of them, in order.
    center
        ``(component,)`` subtracted from every row, so that sums of large numbers keep their digits;
        zero where all components are whole numbers, whose sums are exact anyway.
    shape
        (replicate, component).
    is_nested
        Each cell lies inside one unit, so that a cell can be drawn many times or not at all.
    n_columns
        Units (or patterns) to be weighted.
    is_short
        All sums that a draw of equally many units can make are whole numbers that single precision
        holds: they are the same in it, and take half the time.
    """

    columns: tuple[FloatArray, ...]
    members: tuple[IntArray | None, ...]
    center: FloatArray
    shape: tuple[int, int]
    is_nested: bool
    n_columns: int
    is_short: bool = False

    @property
    def dtype(self) -> type[np.floating[Any]]:
        """Type of weights in which sums are exact, if there is one."""
        return np.float32 if self.is_short else np.float64

    @property
    def n_sums(self) -> int:
        """Number of sums per draw."""
        return len(self.columns) * self.shape[0] * self.shape[1]

    def weighted(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Sums and multiplicities under weights ``(draw, unit)``.

        Their shapes: ``(draw, replicate, cell, component)``, ``(draw, replicate, cell)``.
        """
        replicates, components = self.shape
        draws, cells = weights.shape[0], len(self.columns)
        sums = np.empty((draws, replicates, cells, components))
        times = np.ones((draws, 1, cells))
        if self.is_nested:  # a cell is one row of its unit, which is drawn so many times
            rows = np.concatenate(self.columns)
            each = rows[:, :-1].reshape(cells, replicates, components)
            each = each + rows[:, -1, None, None] * self.center
            times[:, 0] = weights[:, [0 if m is None else int(m[0]) for m in self.members]]
            np.multiply(times[..., None], each.swapaxes(0, 1), out=sums)
            return sums, np.broadcast_to(times, (draws, replicates, cells))
        for c, (column, member) in enumerate(zip(self.columns, self.members, strict=True)):
            drawn = weights if member is None else weights[:, member]
            # (draw, replicate * component + 1)
            total = (drawn @ column.astype(drawn.dtype, copy=False)).astype(np.float64, copy=False)
            sums[:, :, c, :] = total[:, :-1].reshape(draws, replicates, components)
            sums[:, :, c, :] += total[:, -1, None, None] * self.center
        return sums, np.broadcast_to(times, (draws, replicates, cells))


def component_table(X: FloatArray, units: Units, cells: ArrayLike | None = None) -> ComponentTable:
    """Table of components ``(replicate, row, component)``, by unit and cell.

    ``cells`` holds the cell of each row, 0 to ``n_cells - 1``; None: one cell.
    """
    replicates, rows, components = X.shape
    cell = cell_codes(cells, rows)
    n_cells = int(cell.max()) + 1
    whole = all(np.array_equal(each, np.rint(each)) for each in X)
    center = np.zeros(components) if whole else X.mean(axis=(0, 1))
    # (row, replicate * component + 1)
    flat = np.empty((rows, replicates * components + 1))
    body = flat[:, :-1].reshape(rows, replicates, components)  # the same memory
    np.subtract(X.transpose(1, 0, 2), center, out=body)
    flat[:, -1] = 1.0
    if n_cells == 1 and units.n_units == rows:  # each row is a unit, and has its number
        pairs, position = np.arange(rows), units.code
    else:
        pairs, position = np.unique(units.code * n_cells + cell, return_inverse=True)
    if pairs.size == rows:  # each row is a unit
        sums = flat
        if not np.array_equal(position, np.arange(rows)):
            sums = np.empty_like(flat)
            sums[position] = flat
    else:
        each = [np.bincount(position, weights=column) for column in flat.T]
        sums = np.stack(each, axis=1)
    nested = n_cells > 1 and pairs.size == n_cells
    columns, of_cells = [sums], [pairs]  # units of each cell
    if n_cells > 1:
        in_cells = [np.flatnonzero(pairs % n_cells == c) for c in range(n_cells)]
        columns = [sums[own] for own in in_cells]
        of_cells = [pairs[own] // n_cells for own in in_cells]
    members = [None if own.size == units.n_units else own for own in of_cells]
    largest = max(float(sums.max()), -float(sums.min()))
    return ComponentTable(
        columns=tuple(columns),
        members=tuple(members),
        center=center,
        shape=(replicates, components),
        is_nested=nested,
        n_columns=units.n_units,
        is_short=whole and units.n_units * largest < _SHORT,
    )


def cell_codes(cells: ArrayLike | None, rows: int) -> IntArray:
    """Cell of each row as int64, checked: 0 to ``n_cells - 1``, none of them empty."""
    if cells is None:
        return np.zeros(rows, dtype=np.int64)
    cell = np.asarray(cells)
    if cell.shape != (rows,) or cell.dtype.kind not in "iu" or cell.min() < 0:
        raise StatisticsError(f"cells must be ({rows},) whole numbers from 0; got {cell.shape}.")
    if np.unique(cell).size != int(cell.max()) + 1:
        raise StatisticsError("a cell has no rows; number the cells 0 to n_cells - 1 without gaps.")
    return cell.astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class CollapsedUnits:
    """Units with equal sums, collapsed: drawing units is a multinomial draw.

    Parameters
    ----------
    table
        Table whose columns are patterns.
    sizes
        ``(pattern,)`` how many units share each pattern.
    members
        One array a stratum: its patterns.
    """

    table: ComponentTable
    sizes: IntArray
    members: tuple[IntArray, ...]

    def draw(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Counts of each pattern in each draw ``(draw, pattern)``."""
        drawn = np.empty((draws, self.sizes.size))
        for members in self.members:
            size = self.sizes[members]
            n = int(size.sum())
            drawn[:, members] = rng.multinomial(n, size / n, size=draws)
        return drawn


def collapse(table: ComponentTable, units: Units) -> CollapsedUnits | None:
    """Units of equal sums, collapsed into patterns; None if collapsing saves no time.

    Exact: a multinomial draw of n units among equals is a multinomial draw of their patterns.
    """
    if table.is_nested or sum(c.shape[0] for c in table.columns) != units.n_units:
        return None  # cells inside units, or units that span cells
    limit = units.n_units // _ROWS_A_PATTERN
    values, cell = table.columns[0], np.zeros(units.n_units, dtype=np.int64)
    if len(table.columns) > 1 or table.members[0] is not None:
        values = np.empty((units.n_units, values.shape[1]))
        for c, (column, member) in enumerate(zip(table.columns, table.members, strict=True)):
            where = slice(None) if member is None else member
            values[where], cell[where] = column, c
    code = _pattern_codes(units.stratum, cell, values, limit)
    if code is None:
        return None
    sizes = np.bincount(code)
    first = np.empty(sizes.size, dtype=np.int64)
    first[code[::-1]] = np.arange(code.size - 1, -1, -1)  # the last that is written stays
    by_cell = [np.flatnonzero(cell[first] == c) for c in range(len(table.columns))]
    return CollapsedUnits(
        table=replace(
            table,
            columns=tuple(values[first[m]] for m in by_cell),
            members=tuple(m if len(by_cell) > 1 else None for m in by_cell),
            n_columns=first.size,
            is_short=False,
        ),
        sizes=sizes,
        members=tuple(np.flatnonzero(units.stratum[first] == s) for s in range(units.n_strata)),
    )


def _pattern_codes(
    stratum: IntArray, cell: IntArray, values: FloatArray, limit: int
) -> IntArray | None:
    code = stratum * (int(cell.max()) + 1) + cell
    for k in range(values.shape[1]):
        if k > 0 and (values[:, k] == values[0, k]).all():
            continue  # a count of rows tells no units apart
        n, index = _ranks(values[:, k])
        joint = code * n + index
        _, code = _ranks(joint)
        if int(code.max()) + 1 > limit:
            return None
    return _ranks(code)[1]


_FEW: Final = 65_536


def _ranks(values: FloatArray | IntArray) -> tuple[int, IntArray]:
    """Number of distinct values, and the rank of each value among them.

    Whole numbers of a small range, as nearly all sums are, need no sorting.
    """
    low, high = values.min(), values.max()
    if high - low < _FEW:
        shifted = (values - low).astype(np.int64)
        if np.array_equal(shifted + low, values):
            is_there = np.bincount(shifted) > 0
            return int(is_there.sum()), (np.cumsum(is_there) - 1)[shifted]
    distinct, index = np.unique(values, return_inverse=True)
    return distinct.size, index.astype(np.int64).reshape(-1)


Value = Callable[[FloatArray, FloatArray], FloatArray]


def evaluate(table: ComponentTable, weights: FloatArray, value: Value) -> FloatArray:
    """Statistic ``(draw, replicate)`` under weights ``(draw, unit)``, checked."""
    sums, times = table.weighted(weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        result = np.asarray(value(sums, times), dtype=np.float64)
    if result.shape != sums.shape[:2]:
        raise StatisticsError(
            f"value() answered shape {result.shape} for sums {sums.shape}; it must reduce the last"
            f" two axes and answer {sums.shape[:2]}."
        )
    return result


def influences(X: ArrayLike, value: Value) -> FloatArray:
    """Influence ``(replicate, row)`` of each row on a statistic: with it, minus without it.

    Parameters
    ----------
    X, value
        As in `resample`, without cells.

    **Measures**: by how much single rows move a value.

    **Misleads when**: the statistic does not exist without some row (NaN).

    **References**: Efron & Tibshirani (1993), An Introduction to the Bootstrap, chapter 11.

    Examples
    --------
    >>> mean = lambda s, w: s[..., 0, 0] / s[..., 0, 1]
    >>> influences([[[1.0, 1.0], [2.0, 1.0], [3.0, 1.0]]], mean).tolist()
    [[-0.5, 0.0, 0.5]]
    """
    components = finite(X, "X", ndim=3)
    whole = components.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        with_all, without = (
            np.asarray(value(s[..., None, :], np.ones((*s.shape[:-1], 1))), dtype=np.float64)
            for s in (whole, whole - components)
        )
    return with_all - without
