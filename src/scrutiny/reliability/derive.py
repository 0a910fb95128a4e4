"""Joining sides: clean and perturbed, reference and target, treatment and control.

A pair is ok if and only if all its sides are; otherwise it counts under the worst status. An item
is kept if it is kept for every replicate, so that all replicates are compared on the same items.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.errors import PlanError
from scrutiny.reliability.panel import CODES, NOT_PLANNED, Joined, Panel, Side, tally

_OK = CODES["ok"]
_UNCHANGED = (CODES["skipped"], CODES["refused"])


def join(
    panel: Panel,
    sides: Mapping[str, Side],
    *,
    needs: Sequence[str],
    fallback: Mapping[str, str] | None = None,
) -> Joined:
    """Measures ``(replicate, row, need)`` of the items that every needed side has.

    Parameters
    ----------
    panel
        Names along the axes.
    sides
        Records by side; the side of a need "hit" is "".
    needs
        "side.measure" or "measure". "side.ok" is 1 where that side is ok and 0 elsewhere, and
        never drops an item.
    fallback
        Side that stands in for another where a variant was skipped or refused, because the item
        then stays as it was.

    Raises
    ------
    PlanError
        If a side or a measure is not there.
    """
    filled = {
        name: _filled(side, sides, (fallback or {}).get(name)) for name, side in sides.items()
    }
    columns = []
    status = np.full(next(iter(sides.values())).status.shape, _OK, dtype=np.int8)
    for need in needs:
        name, _, measure = need.rpartition(".")
        if name not in filled:
            raise PlanError(f"{need!r} needs a side {name!r}; there are {sorted(sides)}.")
        if measure == "ok":
            raw = sides[name].status
            columns.append((raw == _OK).astype(np.float64))
            status = np.where(raw == NOT_PLANNED, NOT_PLANNED, status)
            continue
        columns.append(_column(panel, filled[name], measure))
        status = worst(status, filled[name].status)
    by_item = worst_over_replicates(status)
    rows = np.flatnonzero(by_item == _OK)
    values = np.stack([column[:, rows] for column in columns], axis=-1)
    return Joined(values=values, rows=rows, counts=tally(by_item))


def worst(one: NDArray[np.int8], other: NDArray[np.int8]) -> NDArray[np.int8]:
    """Worse of two statuses; what either side never planned is not planned."""
    result: NDArray[np.int8] = np.maximum(one, other)
    result[(one == NOT_PLANNED) | (other == NOT_PLANNED)] = NOT_PLANNED
    return result


def worst_over_replicates(status: NDArray[np.int8]) -> NDArray[np.int8]:
    """Status of each item ``(item,)``: its worst over replicates."""
    result: NDArray[np.int8] = status.max(axis=0)
    result[(status == NOT_PLANNED).any(axis=0)] = NOT_PLANNED
    return result


def _filled(side: Side, sides: Mapping[str, Side], stand_in: str | None) -> Side:
    """Side with another's values where its variants changed nothing."""
    if stand_in is None:
        return side
    other = sides[stand_in]
    unchanged = np.isin(side.status, _UNCHANGED)
    return Side(
        values=np.where(unchanged[..., None], other.values, side.values),
        status=np.where(unchanged, other.status, side.status),
    )


def _column(panel: Panel, side: Side, measure: str) -> NDArray[np.float64]:
    """Values ``(replicate, item)`` of one measure."""
    if measure not in panel.measures:
        raise PlanError(f"There is no measure {measure!r}; there are {list(panel.measures)}.")
    column: NDArray[np.float64] = side.values[..., panel.measures.index(measure)]
    return column
