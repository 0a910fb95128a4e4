"""Leaderboard: which ranks of several systems the items leave open, ties, and reorderings.

A board is of one score on one set of items, a dataset or a slice of it, and of all systems that
have it there. Every two systems are compared on the items that all systems have answered.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, Final

import numpy as np

from scrutiny.blocks.charts import (
    Chart,
    ChartTable,
    Spec,
    channel,
    interval_and_point,
    label_axis,
    view_of,
)
from scrutiny.blocks.labels import short_names
from scrutiny.blocks.numbers import interval, number
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
from scrutiny.core.boundary.json_text import digest
from scrutiny.core.boundary.printable import percent
from scrutiny.core.record import grouped
from scrutiny.report.sections.boards import Board, boards_of, turned_pairs

_LEAD: Final = (
    "A system's rank lies between 1 plus the number of systems shown to be better, and the number "
    "of all systems minus those shown to be worse. Every two systems are compared on the same "
    "items, and all ranks of a table hold at once. A wide range does not say that systems are "
    "equal: these items do not tell them apart."
)
_HEADER: Final = ("system", "score", "rank", "range of rank", "better than", "worse than")
#: Boards, and systems of a board, in a terminal.
_MOST_PRINTED: Final = 3
_MOST_SYSTEMS: Final = 20
#: Systems that are drawn, at most and at least.
_MOST_DRAWN: Final = 60
_FEWEST_DRAWN: Final = 3
_STEP: Final = {"step": 24, "for": "position"}
#: Systems that a sentence names.
_MOST_FIRST: Final = 4
_PRINTED: Final = (18, 22, 4, 8, 11, 10)  # cells


def part(view: RunView) -> Part | None:
    """A table of ranks for each board, and where two boards order systems differently."""
    return part_of_boards(boards_of(view))


def part_of_boards(boards: Sequence[Board]) -> Part | None:
    """The part of these boards, whether they are of one run or of several."""
    charts = [*map(_reorderings, _sets(boards)), *(_ranks(board) for board in boards)]
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


def _ranks(board: Board) -> Chart:
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
        caption=" ".join(_sentences(board)),
        table=ChartTable(_HEADER, tuple(rows)),
        spec=_drawn(board),
        is_open=True,
    )


def _drawn(board: Board) -> Spec | None:
    """Each system's rank and its range; nothing for two systems, whose ranges a sentence says."""
    found, names = board.ranks, list(short_names(list(board.scores)).values())
    order, ahead = found.order[:_MOST_DRAWN], found.differences > 0
    if len(order) < _FEWEST_DRAWN:
        return None
    values = [
        {
            "label": names[i],
            "value": 1 + int(ahead[:, i].sum()),
            "low": int(found.low[i]),
            "high": int(found.high[i]),
            "range of rank": f"{found.low[i]} to {found.high[i]}",
        }
        for i in order
    ]
    ranks: Spec = {
        "scale": {"domain": [1, len(names)], "padding": 12, "nice": False, "zero": False},
        "tickMinStep": 1,
        "format": "d",
    }
    x = channel("value", "quantitative", title="rank: 1 is the best", tickCount=8, **ranks)
    layers = interval_and_point(
        {"y": label_axis([names[i] for i in order])},
        x,
        "label",
        "range of rank",
        along="x",
        size=64,
    )
    return view_of(values, height=_STEP, layer=list(layers))


def _sentences(board: Board) -> Iterator[str]:
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
    yield f"The ranges of rank hold together at {percent(found.level)}, on {items}."


def _and(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


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
    """Boards of a run as plain JSON."""
    return objects_of(boards_of(view))


def objects_of(boards: Sequence[Board]) -> Iterator[dict[str, Any]]:
    """Boards, each with its reorderings behind the last of its kind, as plain JSON."""
    for several in _sets(boards):
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
    """The first boards of a run, and all reorderings."""
    return lines_of(boards_of(view))


def first_sentences(view: RunView) -> Iterator[str]:
    """Who is the best on each dataset, or who are not told apart from the first."""
    return best_of(boards_of(view))


def best_of(boards: Sequence[Board]) -> Iterator[str]:
    """Who is the best on each board of all items, or who are not told apart from the first."""
    boards = [board for board in boards if not board.where] or boards
    for board in boards:
        on = f" on {_on(board)}" * (len({*map(_on, boards)}) > 1)
        systems = list(short_names(list(board.scores)).values())
        places = [i for i in board.ranks.order if board.ranks.low[i] == 1]
        if len(places) == 1:
            best, told = systems[places[0]], f"is shown to be the best of {len(systems)} systems"
            yield f"By {board.metric}{on}, {best} {told}."
        else:
            shown = [systems[i] for i in places[:_MOST_FIRST]]
            more = [f"{len(places) - _MOST_FIRST} others"] * (len(places) > _MOST_FIRST)
            first = _and([*shown, *more])
            yield f"By {board.metric}{on}, {first} can each be the best of {len(systems)} systems."


def lines_of(boards: Sequence[Board]) -> Iterator[InShort]:
    """The first boards, and all reorderings."""
    if boards:
        yield from (SentenceBlock(""), SentenceBlock("Leaderboard", "bold"))
    for board in boards[:_MOST_PRINTED]:
        made = _ranks(board)
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


PART: Final = ReportPart(__doc__, part, lines, first_sentences)
