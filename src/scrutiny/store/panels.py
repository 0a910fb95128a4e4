"""Panels of records: from tables in plan order to dense arrays; several datasets in one panel."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from scrutiny.core.design import Selector
from scrutiny.core.errors import PlanError
from scrutiny.core.record import Measure
from scrutiny.reliability.panel import CODES, NOT_PLANNED, Panel, Side
from scrutiny.store.arrow import coded, combined, is_value
from scrutiny.store.name_column import NameColumn
from scrutiny.store.row_groups import RowGroups


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    """Records of one diagnostic, subject and dataset, by condition and role.

    ``sides`` are keyed by (condition as canonical JSON, role); ``items`` reads the items with all
    their columns, in the panel's order.
    """

    panel: Panel
    sides: Mapping[tuple[str, str], Side]
    conditions: Mapping[str, Mapping[str, Any]]
    items: Callable[[], pa.Table]

    @property
    def table(self) -> pa.Table:
        """The items with all their columns."""
        return self.items()

    def only(self, inside: NDArray[np.bool_]) -> "Recorded":
        """Return the records of a subset of items, by a mask ``(item,)``."""
        rows = np.flatnonzero(inside)
        if rows.size == inside.size:
            return self
        sides = {
            key: Side(side.values[:, rows], side.status[:, rows])
            for key, side in self.sides.items()
        }
        mask = pa.array(inside)
        return Recorded(
            self.panel.select(rows), sides, self.conditions, lambda: self.table.filter(mask)
        )

    def select(self, selector: Selector, within: Mapping[str, object]) -> Side:
        """Side with the selector's role and condition, within a further condition.

        Raises
        ------
        PlanError
            If no records fit, or records of several conditions do.
        """
        wanted = {**selector.condition, **within}
        fitting = [
            (condition, role)
            for condition, role in self.sides
            if role == selector.role and wanted.items() <= self.conditions[condition].items()
        ]
        chosen = [key for key in fitting if self.conditions[key[0]] == wanted] or fitting
        if len(chosen) != 1:
            found = ", ".join(sorted(condition for condition, _ in chosen)[:4]) or "none"
            raise PlanError(
                f"The records with role {selector.role!r} and condition {wanted} are not of one "
                f"condition: {found}."
            )
        return self.sides[chosen[0]]


@dataclass(frozen=True, slots=True)
class PanelKey:
    """Selection of records for a panel, and the grouping of its items.

    Parameters
    ----------
    kind, subject, dataset, reference
        Selection of records; default ``reference``: those measured without one.
    measures
        Measures of the values, axes flattened.
    unit, strata, cells
        Columns of the items.
    """

    kind: str
    subject: str
    dataset: str
    measures: tuple[Measure, ...]
    unit: str = "item"
    strata: str | None = None
    cells: tuple[str, ...] = ()
    reference: str | None = None


def read_panel(records: RowGroups, items: pa.Table, key: PanelKey) -> Recorded:
    """Panel of one diagnostic on one subject and dataset, with all its sides.

    Raises
    ------
    PlanError
        If the items lack the column of units or strata.
    """
    is_here = is_value(items["dataset"], key.dataset)
    here = items if is_here.all() else items.filter(pa.array(is_here))
    names = NameColumn(here["item"])
    wanted = {name: getattr(key, name) for name in ("kind", "subject", "dataset", "reference")}
    made = _Sides(names, width=sum(measure.size for measure in key.measures))
    for table in records.where(**wanted):
        made.add(table)
    panel = Panel(
        measures=key.measures,
        replicates=tuple(made.replicates),
        items=names,
        units=None if key.unit == "item" else _codes(here, key.unit),
        strata=None if key.strata is None else _codes(here, key.strata),
        cells=_codes(here, *key.cells) if key.cells else None,
    )
    sides = made.whole()
    conditions = {condition: json.loads(condition) for condition, _ in sides}
    return Recorded(panel, sides, conditions, lambda: here)


class _Sides:
    """Dense arrays of every (condition, role) in the making: those of each replicate apart.

    Parameters
    ----------
    items
        Items of the panel.
    width
        Numbers of a record.
    """

    def __init__(self, items: NameColumn, *, width: int) -> None:
        self._items, self._width = items, width
        self.replicates: dict[str | None, int] = {}
        self._found: dict[tuple[str, str], dict[int, Side]] = {}

    def add(self, table: pa.Table) -> None:
        """Take the next records.

        Raises
        ------
        PlanError
            If an item has two records of one replicate, condition and role.
        """
        keys, code = combined(table, ("condition", "role", "replicate"))
        row_item = self._items.places(table["item"])
        if (row_item < 0).any():
            raise KeyError("a record of an item that is not there")
        status = _numbers(table["status"], CODES).astype(np.int8)
        is_ok = status == CODES["ok"]
        flat = pc.list_flatten(table["values"]).to_numpy(zero_copy_only=False)
        values, row_value = flat.reshape(-1, self._width), np.cumsum(is_ok) - 1
        parts = np.split(np.argsort(code, kind="stable"), np.cumsum(np.bincount(code))[:-1])
        for (condition, role, name), rows in zip(keys, parts, strict=True):
            replicate = self.replicates.setdefault(name, len(self.replicates))
            side = self._side((condition, role), replicate)
            places, ok = row_item[rows], rows[is_ok[rows]]
            is_new = side.status[places] == NOT_PLANNED
            side.status[places] = status[rows]
            if not is_new.all() or np.unique(places).size != rows.size:
                raise PlanError(  # the second row of an item would hide the first
                    f"Some items have several records with condition {condition} and role "
                    f"{role!r}. A diagnostic tells them apart in the condition, for instance by "
                    "the draw."
                )
            side.values[row_item[ok]] = values[row_value[ok]]

    def _side(self, key: tuple[str, str], replicate: int) -> Side:
        """Values and statuses of the items of one replicate, of which none is planned at first."""
        own = self._found.setdefault(key, {})
        if replicate not in own:
            n = len(self._items)
            own[replicate] = Side(
                np.full((n, self._width), np.nan), np.full(n, NOT_PLANNED, dtype=np.int8)
            )
        return own[replicate]

    def whole(self) -> dict[tuple[str, str], Side]:
        """Sides of all replicates; what was taken is given away."""
        shape = len(self.replicates), len(self._items)
        sides = {}
        for key in [*self._found]:
            parts = self._found.pop(key)
            # memory of an empty array is taken when it is filled
            values, codes = np.empty((*shape, self._width)), np.empty(shape, dtype=np.int8)
            for replicate in range(shape[0]):
                part = parts.pop(replicate, None)
                values[replicate] = np.nan if part is None else part.values
                codes[replicate] = NOT_PLANNED if part is None else part.status
            sides[key] = Side(values, codes)
        return sides


def _numbers(column: pa.ChunkedArray, places: Mapping[Any, int]) -> NDArray[np.int64]:
    """Number of each row's value."""
    found, codes = coded(column)
    return np.array([places[name] for name in found.to_pylist()], dtype=np.int64)[codes]


def _codes(items: pa.Table, *columns: str) -> NDArray[np.int64]:
    """Codes of one or several columns of items in combination, by order of appearance."""
    for column in columns:
        if column not in items.column_names:
            raise PlanError(
                f"The items have no column {column!r}; they have {', '.join(items.column_names)}. "
                "Map a unit with #unit=COLUMN in the data string, a group with #group=COLUMN."
            )
    return combined(items, columns)[1]


def stack(parts: Mapping[str, Recorded], *, cells: Sequence[str]) -> Recorded:
    """Records of several datasets (by name) in one panel; items keep their dataset.

    Datasets are strata, so that resampling draws from each as many units as it has. If a statistic
    separates datasets (``cells = ("dataset",)``), they are its cells, too.

    Raises
    ------
    PlanError
        If the parts share no replicate or no condition, or the statistic has other cells.
    """
    first, *_ = several = list(parts.values())
    panels = [part.panel for part in several]
    names = [n for n in panels[0].replicates if all(n in panel.replicates for panel in panels)]
    shared = [key for key in first.sides if all(key in part.sides for part in several)]
    if not names or not shared:
        raise PlanError(
            f"The records on {', '.join(parts)} share no replicate and condition, so nothing can "
            "be computed over all of them."
        )
    if tuple(cells) not in ((), ("dataset",)):
        raise PlanError(
            f"A statistic that keeps {', '.join(cells)} apart cannot be computed over several "
            f"datasets ({', '.join(parts)})."
        )
    sizes = [len(panel.items) for panel in panels]
    # strata of a dataset: its own, or a single one
    single = [np.zeros(size, dtype=np.int64) for size in sizes]
    strata = [one if p.strata is None else p.strata for p, one in zip(panels, single, strict=True)]
    whole = Panel(
        measures=panels[0].measures,
        replicates=tuple(names),
        items=tuple(f"{name}/{item}" for name, part in parts.items() for item in part.panel.items),
        units=_apart([panel.units for panel in panels], sizes),
        strata=_apart(strata, sizes),
        cells=np.repeat(np.arange(len(panels)), sizes) if cells else None,
    )
    rows = [[panel.replicates.index(name) for name in names] for panel in panels]
    sides = {key: _stacked([part.sides[key] for part in several], rows) for key in shared}
    return Recorded(
        whole,
        sides,
        {condition: first.conditions[condition] for condition, _ in shared},
        lambda: pa.concat_tables([part.table for part in several], promote_options="default"),
    )


def _apart(
    codes: Sequence[NDArray[np.int64] | None], sizes: Sequence[int]
) -> NDArray[np.int64] | None:
    """Codes of all datasets, made distinct; ``None`` if no dataset has codes."""
    if all(code is None for code in codes):
        return None
    found, start = [], 0
    for code, size in zip(codes, sizes, strict=True):
        own = np.arange(size) if code is None else code
        found.append(own + start)
        start += int(own.max(initial=-1)) + 1
    return np.concatenate(found)


def _stacked(sides: Sequence[Side], rows: Sequence[Sequence[int]]) -> Side:
    """One side of all datasets, with replicates in one order."""
    values = [side.values[list(order)] for side, order in zip(sides, rows, strict=True)]
    status = [side.status[list(order)] for side, order in zip(sides, rows, strict=True)]
    return Side(np.concatenate(values, axis=1), np.concatenate(status, axis=1))
