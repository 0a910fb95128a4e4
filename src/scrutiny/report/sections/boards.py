"""Boards: systems on one set of items, of one run or of several runs of the same items.

Every two systems are compared on the items that all systems have answered.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrutiny.blocks.run_estimates import identity
from scrutiny.blocks.run_view import RunView
from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.estimate import Estimate
from scrutiny.core.plan import Resampling
from scrutiny.core.plugin_base import family_name
from scrutiny.core.randomness import generator
from scrutiny.data.splits.study import system_of
from scrutiny.reliability.assignment import Assignment, assignments_in
from scrutiny.reliability.joining import join
from scrutiny.reliability.panel import Joined, Panel, units_of
from scrutiny.reliability.row_statistics import resample_any, scale_of
from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.intervals.ranks import Ranks, ranks, reordered

#: Scores of logs that were imported; of other runs, the score is that of a headline.
_LOGGED: Final = "scores"
#: The one dataset of several sides that call it differently.
SHARED: Final = "the shared items"
#: Draws of items, at most; of many pairs, so many numbers over all pairs, and at least.
_DRAWS: Final = 4_000
_NUMBERS: Final = 8_000_000
_FEWEST_DRAWS: Final = 1_000


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """Systems on one set of items.

    Parameters
    ----------
    dataset, where
        The items: a dataset, and a slice of it; empty for all.
    metric
        Name of the score.
    scores
        Estimate of each system, by name, on all items that it has answered.
    n_items
        Items that all systems have answered, on which they are compared.
    ranks
        In the order of ``scores``.
    """

    dataset: str
    where: str
    metric: str
    scores: Mapping[str, Estimate]
    n_items: int
    ranks: Ranks


class _System(NamedTuple):
    """A score of one system: the run that has it, what it is, and its estimate on all items."""

    view: RunView
    score: Assignment
    estimate: Estimate


@lru_cache(maxsize=2)
def boards_of(view: RunView) -> tuple[Board, ...]:
    """Boards of a run with two or more systems; none of a split study, which has its own table."""
    if len(view.facts.subjects) < 2:
        return ()
    first: dict[tuple[str, ...], dict[str, _System]] = {}
    for place, one in _scores(view):
        first.setdefault(place, {}).setdefault(one.score.subject, one)
    return tuple(filter(None, (_board(own, key[0]) for key, own in first.items())))


def boards_over(views: Mapping[str, RunView]) -> tuple[Board, ...]:
    """Boards of several runs of the same items, one a score.

    Parameters
    ----------
    views
        Runs, by the name that their system gets; a run of several systems adds the system's. Where
        each has one dataset, it is the same one, however it is called.
    """
    first: dict[tuple[str, ...], dict[str, _System]] = {}
    datasets = [[data.name for data in view.datasets] for view in views.values()]
    is_one = all(len(names) == 1 for names in datasets)
    shared = datasets[0][0] if all(names == datasets[0] for names in datasets) else SHARED
    for name, view in views.items():
        is_single = len(view.facts.subjects) == 1
        for (dataset, *place), one in _scores(view):
            subject = name if is_single else f"{name}: {one.score.subject}"
            key = shared if is_one else dataset, *place
            first.setdefault(key, {}).setdefault(subject, one)
    return tuple(filter(None, (_board(own, key[0]) for key, own in first.items())))


def _scores(view: RunView) -> Iterator[tuple[tuple[str, ...], _System]]:
    """Scores that rank the systems of a run, by dataset, slice and condition."""
    scores = {identity(one.key): one for one in view.all_estimates}
    told = (f.estimate for f in view.all_findings if f.claim.is_headline and f.estimate)
    headlines = {identity(one.key, without=["group"]) for one in told}
    for one in assignments_in(view.manifest):
        name = identity(one.key, without=["group"])
        is_own = one.is_of_whole_records and (name in headlines or family_name(one.kind) == _LOGGED)
        known = scores.get(identity(one.key))
        if not is_own or one.role != "measured" or known is None or known.value is None:
            continue
        if not system_of(one.subject, one.dataset):
            place = one.dataset, one.where, canonical_json(one.condition)
            yield place, _System(view, one, known)


def _higher_is(view: RunView, one: Assignment) -> str:
    """Whether a higher score is better; logs of other tools say it of their scores."""
    if family_name(one.kind) != _LOGGED:
        return one.statistic.higher_is
    lower = view.manifest.get("data", {}).get(one.dataset, {}).get("lower_is_better", ())
    return "worse" if one.condition.get("metric") in lower else "better"


def _board(own: Mapping[str, _System], dataset: str) -> Board | None:
    """Board of systems on a dataset; None where there is nothing to rank by."""
    if len(own) < 2:
        return None
    (view, one, _), statistics = next(iter(own.values())), [s.score.statistic for s in own.values()]
    statistic, higher_is = statistics[0], _higher_is(view, one)
    if {each.id for each in statistics} != {statistic.id} or higher_is == "neither":
        return None
    joined, panels = [], []
    for each in own.values():
        recorded = each.view.records.recorded(each.score)
        if recorded is None:
            return None
        side = recorded.select(each.score.sides[""], each.score.within)
        joined.append(join(recorded.panel, {"": side}, needs=statistic.needs))
        panels.append(recorded.panel)
    if len({each.values.shape[-1] for each in joined}) > 1:
        return None
    places = _shared(panels, joined)
    if not places[0].size:
        return None
    values = [each.values[:, at] for each, at in zip(joined, places, strict=True)]
    units, cells = units_of(panels[0], joined[0].rows[places[0]])
    pairs = len(own) * (len(own) - 1) // 2
    try:
        drawn = resample_any(
            statistic,
            np.concatenate(values),
            units=units,
            draws=min(_DRAWS, max(_FEWEST_DRAWS, _NUMBERS // pairs)),
            rng=generator(view.facts.seed, "bootstrap", name=one.dataset, item="items"),
            cells=cells,
            systems=[number for number, side in enumerate(values) for _ in side],
        )
        ends = np.cumsum([0, *map(len, values)])
        sides = [drawn.select(slice(a, b)) for a, b in pairwise(ends)]
        resampling = Resampling(**view.manifest.get("plan", {}).get("resampling", {}))
        found = ranks(
            [side.mean_replicate() for side in sides] if resampling.is_held else sides,
            rng=generator(view.facts.seed, "bootstrap", name="ranks", item="replicates"),
            level=view.facts.level,
            scale=scale_of(statistic),
            is_higher_better=higher_is == "better",
        )
    except StatisticsError:
        return None  # a score that does not exist on these items
    said = ", ".join(map(str, one.condition.values())) or statistic.says
    scores = {name: each.estimate for name, each in own.items()}
    return Board(dataset, one.where, said, scores, places[0].size, found)


def _shared(panels: Sequence[Panel], joined: Sequence[Joined]) -> list[NDArray[np.int64]]:
    """Places of the items that all systems have answered, among the rows of each."""
    if all(panel.items == panels[0].items for panel in panels):
        rows = reduce(np.intersect1d, [each.rows for each in joined])
        return [np.searchsorted(each.rows, rows) for each in joined]
    answered = [
        {panel.items[row]: place for place, row in enumerate(each.rows.tolist())}
        for panel, each in zip(panels, joined, strict=True)
    ]
    shared = [name for name in answered[0] if all(name in others for others in answered[1:])]
    return [np.array([known[name] for name in shared], dtype=np.int64) for known in answered]


class Turned(NamedTuple):
    """Two systems that two boards are shown to order differently.

    Parameters
    ----------
    one, on, by
        The system that is ahead on the first board, that board, and by how much.
    other, there, back
        The same of the second.
    """

    one: str
    on: Board
    by: float
    other: str
    there: Board
    back: float


def turned_pairs(boards: Sequence[Board]) -> list[Turned]:
    """Pairs that stand in different orders, more than by chance, on boards of the same systems."""
    if len(boards) < 2:
        return []
    systems, found = list(boards[0].scores), []
    ahead = [board.ranks.shown_ahead(len(boards)) for board in boards]
    for i, k in reordered([board.ranks for board in boards]):
        # the largest difference of those that are shown, each way
        gaps = [
            board.ranks.differences[i, k] * (shown[i, k] or shown[k, i])
            for board, shown in zip(boards, ahead, strict=True)
        ]
        most, least = int(np.argmax(gaps)), int(np.argmin(gaps))
        first = systems[i], boards[most], float(gaps[most])
        found.append(Turned(*first, systems[k], boards[least], -float(gaps[least])))
    return found
