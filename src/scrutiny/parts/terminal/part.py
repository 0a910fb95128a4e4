"""Parts of a report for a terminal: words and tables."""

from collections.abc import Iterator
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from scrutiny.parts.charts.tables import ChartTable
from scrutiny.parts.part import Part
from scrutiny.parts.terminal.layout import WIDTH, cropped, fold, wrapped
from scrutiny.parts.wording.labels import one_line
from scrutiny.parts.wording.numbers import NO_VALUE

_LEAST: Final = 24  # cells of a label beside its numbers
_BETWEEN: Final = "  "


def part_lines(part: Part) -> Iterator[Text]:
    """Lines of a part in a terminal: title, facts and tables; a drawing becomes its table."""
    yield Text()
    yield from wrapped(part.title, style="bold")
    width = max((cell_len(name) for name, _ in part.facts), default=0)
    for name, said in part.facts:
        first, *others = fold(said, WIDTH - width - 4) or [""]
        yield Text(f"  {set_cell_size(name, width)}  {first}".rstrip())
        yield from (Text(" " * (width + 4) + piece) for piece in others)
    for chart in part.charts:
        if len(part.charts) > 1:
            yield Text(cropped(f"  {one_line(chart.title)}", WIDTH), style="italic")
        yield from _table_lines(chart.table, indent=4 if len(part.charts) > 1 else 2)


def _table_lines(table: ChartTable, *, indent: int = 0) -> Iterator[Text]:
    """Columns if the page is wide enough; otherwise each row in words below its label."""
    rows = [tuple(map(one_line, row)) for row in (table.header, *table.rows)]
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    room = WIDTH - indent - sum(width + len(_BETWEEN) for width in widths[1:])
    if room < min(_LEAST, widths[0]):
        yield from _in_words(rows, indent)
        return
    label = min(room, widths[0])
    for place, row in enumerate(rows):
        first, *others = fold(row[0], label) or [""]
        cells = [set_cell_size(first, label)]
        for k, (cell, width) in enumerate(zip(row[1:], widths[1:], strict=True), 1):
            free = " " * (width - cell_len(cell))
            cells.append(free + cell if k >= table.numeric else cell + free)
        line = " " * indent + _BETWEEN.join(cells)
        yield Text(line.rstrip(), style="" if place else "dim")
        yield from (Text(" " * indent + piece) for piece in others)


def _in_words(rows: list[tuple[str, ...]], indent: int) -> Iterator[Text]:
    """Each row as its label and, below it, its columns."""
    header, *body = rows
    for row in body:
        yield Text(" " * indent + cropped(row[0], WIDTH - indent))
        said = [
            f"{name} {cell}".strip()
            for name, cell in zip(header[1:], row[1:], strict=True)
            if cell not in ("", NO_VALUE)
        ]
        for piece in fold(", ".join(said), WIDTH - indent - 2):
            yield Text(" " * (indent + 2) + piece)
