"""Models side by side: the score of each on every data set, as one picture with a table.

Rows are models, columns data sets and slices of them. A model that is called after the one data set
it was trained for ("lstm-tags" on *tags*) stands in the row of its first name, with those that were
trained for others. In brackets are the ranks within a column that items and replicates leave open.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.labels import short_names
from scrutiny.blocks.numbers import NO_VALUE, interval, number
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import (
    Chapter,
    ColumnsBlock,
    InShort,
    Part,
    ReportPart,
    SentenceBlock,
    left_out,
)
from scrutiny.blocks.terminal_and_markdown import cropped
from scrutiny.blocks.written_maps import WrittenCell, written_map
from scrutiny.core.boundary.printable import whole_percent
from scrutiny.core.estimate import Estimate
from scrutiny.report.sections.boards import Board, boards_of

CHAPTER: Final = Chapter(
    "models-side-by-side",
    "Models side by side",
    "One model can be better than another at one task, and worse at the next.",
    rows=60,
    is_first=True,
)
#: Points below the best that have the strongest color, whatever is shown.
_STRONGEST: Final = 12.0
_MARKS: Final = ("-", "_", " ")
_SERIES: Final = ("score", "points below the best")
#: Columns that a terminal has room for, and cells of a name and of each.
_MOST_PRINTED: Final = 5
_NAME, _CELL = 17, 12


@dataclass(frozen=True, slots=True)
class ScoreCell:
    """Score of one model on the items of a column.

    Parameters
    ----------
    score
        With its interval.
    below
        Points below the best score of the column.
    low, high
        Ranks that are left open, all of a column at once.
    """

    score: Estimate
    below: float
    low: int
    high: int

    @property
    def ranks(self) -> str:
        """Rank, or the range of those that are left open."""
        return str(self.low) if self.low == self.high else f"{self.low}\N{EN DASH}{self.high}"

    @property
    def said(self) -> str:
        """Points with the ranks."""
        return f"{_points(self.score)} ({self.ranks})"

    @property
    def is_best(self) -> bool:
        """Whether it is shown to be the best."""
        return self.low == self.high == 1

    def written(self, series: int) -> WrittenCell:
        """Cell of a map of one of the series."""
        points = _points(self.score)
        gap = f"\N{MINUS SIGN}{number(self.below, 1)}" if self.below > 0 else "best"
        words, few = ((self.said, points.partition(".")[0]), (gap, gap))[series]
        return WrittenCell(self.below, words, few, self.is_best)


def _points(score: Estimate) -> str:
    return NO_VALUE if score.value is None else number(100 * score.value, 1)


def row_of(subject: str, dataset: str) -> str:
    """Row of a model: its name without that of the data set it was trained for.

    Examples
    --------
    >>> row_of("lstm-tags", "tags"), row_of("lstm", "tags"), row_of("tags", "tags")
    ('lstm', 'lstm', 'tags')
    """
    ends = (f"{mark}{dataset}" for mark in _MARKS)
    return next((subject.removesuffix(e) for e in ends if subject.endswith(e)), subject)


def _column(board: Board) -> str:
    """Heading of a column in lines: the items, what tells a slice apart first, and the score."""
    (dataset,) = short_names([board.dataset]).values()
    return "\n".join([*filter(None, [board.where]), dataset, board.metric])


def cells_of(boards: Sequence[Board]) -> dict[tuple[str, str], ScoreCell]:
    """Cells by row and column; none unless two models have scores on two data sets.

    Models that have a score on one data set alone are left to its leaderboard.
    """
    found: dict[tuple[str, str], ScoreCell] = {}
    seen: dict[str, set[str]] = {}
    for board in boards:
        known = [e.value for e in board.scores.values() if e.value is not None]
        ranks = board.ranks
        gaps = ranks.differences.max(axis=0)  # of the items that all have answered
        for place, (subject, score) in enumerate(board.scores.items()):
            row = row_of(subject, board.dataset)
            if not known or (row, _column(board)) in found:
                return {}  # two models of one row
            gap = float(100 * max(0.0, np.round(gaps[place], 9)))
            cell = ScoreCell(score, gap, int(ranks.low[place]), int(ranks.high[place]))
            found[row, _column(board)] = cell
            seen.setdefault(row, set()).add(board.dataset)
    kept = {row for row, datasets in seen.items() if len(datasets) > 1}
    return {at: cell for at, cell in found.items() if at[0] in kept} if len(kept) > 1 else {}


def _names(cells: Mapping[tuple[str, str], ScoreCell]) -> tuple[list[str], list[str]]:
    """Rows and columns, in the order of the plan."""
    return [*dict.fromkeys(row for row, _ in cells)], [*dict.fromkeys(at for _, at in cells)]


def score_matrix(view: RunView) -> Part | None:
    """Picture and table of a run that scored several models on several data sets."""
    boards = boards_of(view)
    cells = cells_of(boards)
    if not cells:
        return None
    rows, columns = _names(cells)
    told = {
        at: {
            "model": at[0],
            "on": _flat(at[1]),
            "score": interval(cell.score),
            "ranks": cell.ranks,
            "points below the best": number(cell.below, 1),
        }
        for at, cell in cells.items()
    }
    chart = Chart(
        anchor="models-picture",
        title="Score of each model in points, with the ranks that are left open",
        caption=(
            "Stronger colors are farther below the best of their column. In brackets: the rank "
            "within the column, or the range of ranks that items and replicates leave open; all "
            f"of a column hold at once at {whole_percent(boards[0].ranks.level)}. Bold: shown "
            "to be the best. A range does not say that models are equal."
        ),
        spec=written_map(
            [
                (name, {at: cell.written(series) for at, cell in cells.items()})
                for series, name in enumerate(_SERIES)
            ],
            rows=rows,
            columns=columns,
            told=told,
            strongest=_STRONGEST,
            legend="points below the best",
            choice="models-picture-choice",
        ),
        table=ChartTable(
            ("model", *map(_flat, columns)),
            tuple((row, *(_told(cells.get((row, at))) for at in columns)) for row in rows),
        ),
        is_open=True,
        has_choice=True,
    )
    return Part(
        "score-matrix", "Which model is better at what", _lead(cells), (chart,), chapter=CHAPTER
    )


def _told(cell: ScoreCell | None) -> str:
    return NO_VALUE if cell is None else f"{interval(cell.score)} rank {cell.ranks}"


def _flat(lines: str) -> str:
    return lines.replace("\n", ", ")


def _lead(cells: Mapping[tuple[str, str], ScoreCell]) -> str:
    """Who is shown to be the best, and the worst, where."""
    rows, _ = _names(cells)
    worst = {at: cell for at, cell in cells.items() if cell.low == cell.high == len(rows)}
    best = {at: cell for at, cell in cells.items() if cell.is_best}
    return f"Shown to be the best: {_places(best)}. Shown to be the worst: {_places(worst)}."


def _places(cells: Mapping[tuple[str, str], ScoreCell]) -> str:
    return "; ".join(f"{row} on {_flat(at)}" for row, at in cells) or "none"


def lines(view: RunView) -> Iterator[InShort]:
    """The picture in words, in the width of a terminal."""
    cells = cells_of(boards_of(view))
    if not cells:
        return
    rows, columns = _names(cells)
    shown = columns[:_MOST_PRINTED]
    widths = (_NAME, *[_CELL] * len(shown))
    yield from (SentenceBlock(""), SentenceBlock("Models side by side", "bold"))
    for line in range(max(at.count("\n") for at in shown) + 1):
        parts = [(at.split("\n") + [""] * 3)[line] for at in shown]
        head = "  model" if not line else ""
        yield ColumnsBlock((head, *(cropped(part, _CELL - 1) for part in parts)), widths, ())
    body = tuple(
        (
            cropped(row, _NAME - 2),
            *(cells[row, at].said if (row, at) in cells else NO_VALUE for at in shown),
        )
        for row in rows
    )
    yield ColumnsBlock((), widths, body, indent=2)
    if len(columns) > _MOST_PRINTED:
        yield SentenceBlock(left_out(len(columns), _MOST_PRINTED, "columns"), "dim")
    yield SentenceBlock(f"{_lead(cells)} In brackets: ranks that items and replicates leave open.")


PART: Final = ReportPart(__doc__, score_matrix, lines)
