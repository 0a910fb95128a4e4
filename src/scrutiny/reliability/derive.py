"""Joining sides: clean and perturbed, reference and target, treatment and control.

A pair is ok if and only if all its sides are; otherwise it counts under the worst status. An item
is kept if it is kept for every replicate, so that all replicates are compared on the same items. A
replicate that a side was never planned for (a checkpoint that one seed lacks) is left out.
"""

from collections.abc import Mapping, Sequence
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.design import DRAW
from scrutiny.core.errors import PlanError
from scrutiny.reliability.panel import CODES, NOT_PLANNED, Joined, Panel, Side, columns_of

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
        name, measure = _parts(need, panel)
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
    chosen = np.ix_(replicates, rows)
    values = np.concatenate([column[chosen] for column in columns], axis=-1)
    return Joined(values=values, rows=rows, replicates=replicates, status=by_item)


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


def _parts(need: str, panel: Panel) -> tuple[str, str]:
    """Side and measure of a need; a measure's name may contain dots."""
    if "." not in need or any(measure.name == need for measure in panel.measures):
        return "", need
    side, _, measure = need.partition(".")
    return side, measure


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
    return np.asarray(side.values[..., list(columns)])
