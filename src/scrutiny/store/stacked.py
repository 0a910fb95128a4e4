"""Stacked records: several datasets in one panel."""

from collections.abc import Mapping, Sequence
from functools import reduce

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from scrutiny.core.errors import PlanError
from scrutiny.reliability.panel import Panel, Side
from scrutiny.store.panels import Recorded


def stack(parts: Mapping[str, Recorded], *, cells: Sequence[str]) -> Recorded:
    """Records of several datasets (by name) in one panel; items keep their dataset.

    Datasets are strata, so that resampling draws from each as many units as it has. If a statistic
    separates datasets (``cells = ("dataset",)``), they are its cells, too.

    Raises
    ------
    PlanError
        If the parts share no replicate or no condition, or the statistic has other cells.
    """
    panels = [part.panel for part in parts.values()]
    names = reduce(
        lambda a, b: [name for name in a if name in b.replicates],
        panels[1:],
        [*panels[0].replicates],
    )
    shared = [
        key
        for key in next(iter(parts.values())).sides
        if all(key in part.sides for part in parts.values())
    ]
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
    whole = Panel(
        measures=panels[0].measures,
        replicates=tuple(names),
        items=tuple(f"{name}/{item}" for name, part in parts.items() for item in part.panel.items),
        units=_apart([panel.units for panel in panels], sizes),
        strata=_apart(
            # strata of a dataset: its own, or a single one
            [
                np.zeros(k, dtype=np.int64) if panel.strata is None else panel.strata
                for panel, k in zip(panels, sizes, strict=True)
            ],
            sizes,
        ),
        cells=np.repeat(np.arange(len(panels)), sizes) if cells else None,
    )
    rows = [[panel.replicates.index(name) for name in names] for panel in panels]
    sides = {key: _stacked([part.sides[key] for part in parts.values()], rows) for key in shared}
    first = next(iter(parts.values()))
    return Recorded(
        whole,
        sides,
        {condition: first.conditions[condition] for condition, _ in shared},
        pa.concat_tables([part.table for part in parts.values()], promote_options="default"),
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
