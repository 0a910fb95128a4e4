"""Leaderboard: which ranks of several systems the items leave open, ties, and reorderings.

A board is of one score on one set of items, a dataset or a slice of it, and of all systems that
have it there. Every two systems are compared on the items that all systems have answered.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import combinations, pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.labels import short_names
from scrutiny.blocks.numbers import interval, number
from scrutiny.blocks.run_estimates import identity
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import (
    FINDINGS,
    ColumnsBlock,
    InShort,
    Part,
    ReportPart,
    SentenceBlock,
    left_out,
    part_of,
)
from scrutiny.blocks.terminal_and_markdown import cropped
from scrutiny.core.boundary.json_text import canonical_json, digest
from scrutiny.core.boundary.printable import percent
from scrutiny.core.estimate import Estimate
from scrutiny.core.plan import Resampling
from scrutiny.core.plugin_base import family_name
from scrutiny.core.randomness import generator
from scrutiny.core.record import grouped
from scrutiny.data.splits.study import system_of
from scrutiny.reliability.assignment import Assignment, assignments_in
from scrutiny.reliability.joining import join
from scrutiny.reliability.panel import units_of
from scrutiny.reliability.row_statistics import resample_any, scale_of
from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.intervals.ranks import Ranks, ranks, reordered

_LEAD: Final = (
    "A system's rank lies between 1 plus the number of systems shown to be better, and the number "
    "of all systems minus those shown to be worse. Every two systems are compared on the same "
    "items, and all ranks of a table hold at once. A wide range does not say that systems are "
    "equal: these items do not tell them apart."
)
_HEADER: Final = ("system", "score", "rank", "range of rank", "better than", "worse than")
#: Scores of logs that were imported; of other runs, the score is that of a headline.
_LOGGED: Final = "scores"
#: Draws of items, at most; of many pairs, so many numbers over all pairs, and at least.
_DRAWS: Final = 4_000
_NUMBERS: Final = 8_000_000
_FEWEST_DRAWS: Final = 1_000
#: Boards, and systems of a board, in a terminal.
_MOST_PRINTED: Final = 3
_MOST_SYSTEMS: Final = 20
_PRINTED: Final = (18, 22, 4, 8, 11, 10)  # cells


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


@lru_cache(maxsize=2)
def boards_of(view: RunView) -> tuple[Board, ...]:
    """Boards of a run with two or more systems; none of a split study, which has its own table."""
    if len(view.facts.subjects) < 2:
        return ()
    scores = {identity(one.key): one for one in view.all_estimates}
    told = (f.estimate for f in view.all_findings if f.claim.is_headline and f.estimate)
    headlines = {identity(one.key, without=["group"]) for one in told}
    first: dict[tuple[str, ...], dict[str, Assignment]] = {}
    for one in assignments_in(view.manifest):
        name = identity(one.key, without=["group"])
        is_own = one.is_of_whole_records and (name in headlines or family_name(one.kind) == _LOGGED)
        known = scores.get(identity(one.key))
        if not is_own or one.role != "measured" or known is None or known.value is None:
            continue
        if not system_of(one.subject, one.dataset):
            place = one.dataset, one.where, canonical_json(one.condition)
            first.setdefault(place, {}).setdefault(one.subject, one)
    found = (
        _board(view, own, {name: scores[identity(one.key)] for name, one in own.items()})
        for own in first.values()
    )
    return tuple(board for board in found if board is not None)


def _higher_is(view: RunView, one: Assignment) -> str:
    """Whether a higher score is better; logs of other tools say it of their scores."""
    if family_name(one.kind) != _LOGGED:
        return one.statistic.higher_is
    lower = view.manifest.get("data", {}).get(one.dataset, {}).get("lower_is_better", ())
    return "worse" if one.condition.get("metric") in lower else "better"


def _board(
    view: RunView, own: Mapping[str, Assignment], scores: Mapping[str, Estimate]
) -> Board | None:
    """Board of systems; None where there is nothing to rank by."""
    (one, *_), statistics = own.values(), [each.statistic for each in own.values()]
    statistic = statistics[0]
    is_same = {each.id for each in statistics} == {statistic.id}
    higher_is = _higher_is(view, one)
    if len(own) < 2 or not is_same or higher_is == "neither":
        return None
    joined, panel = [], None
    for each in own.values():
        recorded = view.records.recorded(each)
        if recorded is None:
            return None
        side = recorded.select(each.sides[""], each.within)
        joined.append(join(recorded.panel, {"": side}, needs=statistic.needs))
        panel = recorded.panel
    rows = reduce(np.intersect1d, [each.rows for each in joined])
    if panel is None or not rows.size or len({each.values.shape[-1] for each in joined}) > 1:
        return None
    values = [each.values[:, np.searchsorted(each.rows, rows)] for each in joined]
    units, cells = units_of(panel, rows)
    pairs = len(own) * (len(own) - 1) // 2
    try:
        drawn = resample_any(
            statistic,
            np.concatenate(values),
            units=units,
            draws=min(_DRAWS, max(_FEWEST_DRAWS, _NUMBERS // pairs)),
            rng=generator(view.facts.seed, "bootstrap", name=one.dataset, item="items"),
            cells=cells,
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
    return Board(one.dataset, one.where, said, scores, rows.size, found)


def part(view: RunView) -> Part | None:
    """A table of ranks for each board, and where two boards order systems differently."""
    boards = boards_of(view)
    charts = [*map(_reorderings, _sets(boards)), *(_ranks(view, board) for board in boards)]
    return part_of(
        "leaderboard",
        "Leaderboard",
        _LEAD,
        [chart for chart in charts if chart is not None],
        "tables",
        chapter=FINDINGS,
    )


def _sets(boards: Sequence[Board]) -> list[list[Board]]:
    """Boards of the same systems and the same score."""
    return list(grouped(((tuple(one.scores), one.metric), one) for one in boards).values())


def _on(board: Board) -> str:
    """The items of a board, in words."""
    (dataset,) = short_names([board.dataset]).values()
    return f"{dataset} where {board.where}" if board.where else dataset


def _ranks(view: RunView, board: Board) -> Chart:
    """Table of the ranks of a board."""
    found, names = board.ranks, short_names(list(board.scores))
    systems, ahead = list(board.scores), found.ahead
    rows = []
    for place in found.order:
        name = systems[place]
        rows.append(
            (
                names[name],
                interval(board.scores[name]),
                str(1 + int((found.differences[:, place] > 0).sum())),
                f"{found.low[place]} to {found.high[place]}",
                str(ahead[place].sum()),
                str(ahead[:, place].sum()),
            )
        )
    return Chart(
        anchor=f"leaderboard-{digest(board.dataset, board.where, board.metric, size=4)}",
        title=f"{board.metric} on {_on(board)}",
        caption=" ".join(_sentences(view, board)),
        table=ChartTable(_HEADER, tuple(rows)),
        is_open=True,
    )


def _sentences(view: RunView, board: Board) -> Iterator[str]:
    """Who is first, who is tied, and on what items."""
    found = board.ranks
    systems = list(short_names(list(board.scores)).values())
    first = [systems[i] for i in found.order if found.low[i] == 1]
    ties = [_and([systems[i] for i in run]) for run in found.ties()]
    if len(first) == 1:
        yield f"{first[0]} is shown to be the best."
    if ties:
        yield f"Not told apart: {'; '.join(ties)}."
    elif (found.low == found.high).all():
        yield "All systems are told apart."
    items = f"{board.n_items:,} items that all have answered"
    yield f"The ranges of rank hold together at {percent(view.facts.level)}, on {items}."


def _and(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


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


def _changed(one: Board, other: Board) -> int:
    """Pairs of systems whose scores stand in another order on two boards."""
    turned = np.sign(one.ranks.differences) * np.sign(other.ranks.differences) < 0
    return int(np.triu(turned).sum())


def _reorderings(boards: Sequence[Board]) -> Chart | None:
    """Pairs that are shown to stand in different orders on two boards."""
    if len(boards) < 2:
        return None
    found, k = turned_pairs(boards), len(boards[0].scores)
    names = short_names(list(boards[0].scores))
    most = max(combinations(boards, 2), key=lambda two: _changed(*two))
    pairs = k * (k - 1) // 2
    said = (
        f"By score, {_changed(*most)} of {pairs} pairs of systems stand in another order on "
        f"{_on(most[1])} than on {_on(most[0])}. "
        if _changed(*most)
        else "By score, all systems stand in the same order everywhere. "
    )
    said += f"Reorderings that are more than chance, over {len(boards)} sets of items: {len(found)}"
    rows = tuple(
        (f"{names[t.one]}, {names[t.other]}", _on(t.on), number(t.by), _on(t.there), number(t.back))
        for t in found
    )
    header = ("systems", "the first is ahead on", "by", "the second is ahead on", "by")
    return Chart(
        anchor=f"leaderboard-reordered-{digest(boards[0].dataset, boards[0].metric, size=4)}",
        title=f"Reorderings by {boards[0].metric}",
        caption=f"{said}.",
        table=ChartTable(header, rows, len(header)),
        is_open=bool(rows),
    )


def board_objects(view: RunView) -> Iterator[dict[str, Any]]:
    """Boards, each with its reorderings behind the last of its kind, as plain JSON."""
    for several in _sets(boards_of(view)):
        for board in several:
            found, names = board.ranks, list(board.scores)
            ahead = found.ahead
            yield {
                **_items(board),
                "metric": board.metric,
                "level": found.level,
                "n": board.n_items,
                "systems": [
                    {
                        "subject": names[i],
                        "value": board.scores[names[i]].value,
                        "low": board.scores[names[i]].low,
                        "high": board.scores[names[i]].high,
                        "rank_low": int(found.low[i]),
                        "rank_high": int(found.high[i]),
                        "better_than": [names[k] for k in np.flatnonzero(ahead[i])],
                    }
                    for i in found.order
                ],
                "ties": [[names[i] for i in run] for run in found.ties()],
            }
        for turned in turned_pairs(several):
            yield {
                "reordered": several[0].metric,
                "sides": [
                    {"ahead": name, "on": _items(board), "by": by}
                    for name, board, by in (turned[:3], turned[3:])
                ],
            }


def _items(board: Board) -> dict[str, str]:
    return {"leaderboard": board.dataset, "where": board.where}


def lines(view: RunView) -> Iterator[InShort]:
    """The first boards, and all reorderings."""
    boards = boards_of(view)
    if boards:
        yield from (SentenceBlock(""), SentenceBlock("Leaderboard", "bold"))
    for board in boards[:_MOST_PRINTED]:
        made = _ranks(view, board)
        yield SentenceBlock(made.title)
        header = ("  system", "score", "rank", "range", "better than", "worse than")
        rows = (
            (cropped(name, _PRINTED[0] - 2), *cells)
            for name, *cells in made.table.rows[:_MOST_SYSTEMS]
        )
        yield ColumnsBlock(header, _PRINTED, ())
        yield ColumnsBlock((), _PRINTED, tuple(rows), indent=2)
        if len(made.table.rows) > _MOST_SYSTEMS:
            yield SentenceBlock(left_out(len(made.table.rows), _MOST_SYSTEMS, "systems"), "dim")
        yield SentenceBlock(made.caption)
    if len(boards) > _MOST_PRINTED:
        yield SentenceBlock(left_out(len(boards), _MOST_PRINTED, "tables"), "dim")
    for made in filter(None, map(_reorderings, _sets(boards))):
        yield SentenceBlock(made.caption)
        for pair, here, gap, there, back in made.table.rows[:_MOST_SYSTEMS]:
            said = f"{pair}: the first is ahead by {gap} on {here}, the second by {back} on {there}"
            yield SentenceBlock(f"{said}.", hanging=2)


PART: Final = ReportPart(__doc__, part, lines)
