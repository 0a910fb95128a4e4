"""Text of a report: lines of 80 cells for a terminal, and Markdown for comments."""

import errno
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from html import escape as html
from typing import IO, Final

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from scrutiny.blocks.charts import ChartTable
from scrutiny.blocks.labels import one_line
from scrutiny.blocks.numbers import NO_VALUE
from scrutiny.blocks.scored_texts import AGAINST, EXPLAINED, ScoredText
from scrutiny.blocks.section import ColumnsBlock, InShort, Part, left_out

WIDTH: Final = 80
_SPACE: Final = re.compile(" (?!%)")  # where a line may break: a number keeps its sign


def side_by_side(*cells: tuple[str, int]) -> str:
    """Cells side by side with one space between them; what is too long pushes the next."""
    line, edge = "", 0
    for text, width in cells:
        room = WIDTH - edge
        line = set_cell_size(line, max(edge, cell_len(line)))
        line += cropped(text, min(room, max(width, 1)) if text else 0)
        edge = max(edge, cell_len(line) - width) + width + 1
    return cropped(line.rstrip(), WIDTH)


def cropped(text: str, width: int) -> str:
    """Text of at most this number of cells, with an ellipsis if it is cut."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(0, width - 1)).rstrip() + "…"


def wrapped(text: str, *, style: str = "", hanging: int = 0) -> list[Text]:
    """Lines of a sentence in a terminal, none wider than the page."""
    first, *others = fold(text, WIDTH, hanging=hanging) or [""]
    return [Text(first, style=style), *(Text(" " * hanging + o, style=style) for o in others)]


def fold(text: str, width: int, *, hanging: int = 0) -> list[str]:
    """Lines of at most ``width`` cells, broken at spaces if there are any, but not before "%".

    What is longer than a line is broken behind a comma, if it has one there.
    """
    pieces: list[str] = []
    line, room = "", width
    for word in _SPACE.split(one_line(text)):
        rest = word
        while rest:
            joined = f"{line} {rest}" if line else rest
            if cell_len(joined) <= room:
                line, rest = joined, ""
            elif line:
                pieces.append(line)
                line, room = "", width - hanging
            else:
                head = set_cell_size(rest, room).rstrip()
                head = head[: head.rfind(",") + 1] or head
                pieces.append(head)
                rest, room = rest[len(head) :], width - hanging
    return [*pieces, line] if line else pieces


_LONGEST_ANSWER: Final = 160


def answer_cell(text: str) -> str:
    """Cell of a table for an answer: on one line, and shortened."""
    return cropped(one_line(text), _LONGEST_ANSWER)


_LEAST: Final = 24  # cells of a label beside its numbers
_BETWEEN: Final = "  "


def block_lines(blocks: Iterable[InShort]) -> Iterator[Text]:
    """Lines of blocks in a terminal."""
    for block in blocks:
        if isinstance(block, Part):
            yield from part_lines(block)
        elif isinstance(block, ScoredText):
            yield from scored_lines(block)
        elif isinstance(block, ColumnsBlock):
            if block.header:
                yield Text(side_by_side(*zip(block.header, block.widths, strict=True)), style="dim")
            label, *widths = block.widths
            edge = sum(block.widths[:-1]) + len(widths)  # where the last column begins
            for name, *cells in block.rows:
                first, *others = fold(name, label - block.indent, hanging=block.hanging) or [""]
                below = [] if edge + cell_len(cells[-1]) <= WIDTH else [cells.pop()]
                shown = zip((" " * block.indent + first, *cells), block.widths, strict=False)
                yield Text(side_by_side(*shown))
                yield from (Text(" " * (block.indent + block.hanging) + piece) for piece in others)
                yield from (Text(cell.rjust(WIDTH)) for cell in below)
        elif block.is_cut:
            room = WIDTH - block.hanging
            yield Text(" " * block.hanging + cropped(block.text, room), style=block.style)
        else:
            yield from wrapped(block.text, style=block.style, hanging=block.hanging)


_BESIDE: Final = 4
_STYLES: Final = {
    EXPLAINED: "underline",
    AGAINST: "italic yellow",
    0: "",
    1: "blue",
    2: "blue",
    3: "bold blue",
    4: "bold reverse blue",
}


def scored_lines(text: ScoredText) -> Iterator[Text]:
    """Title and words of a shaded text in a terminal: marks that need no color, colors with them.

    A word that the line before it has no room for begins the next.
    """
    yield from (Text(" " * _BESIDE + one, style="dim") for one in fold(text.title, WIDTH - _BESIDE))
    line = Text(" " * _BESIDE)
    for word in text.words:
        gap = " " if word.gap and line.cell_len > _BESIDE else ""
        if line.cell_len + cell_len(gap + word.marked) > WIDTH and line.cell_len > _BESIDE:
            yield line
            line, gap = Text(" " * _BESIDE), ""
        line.append(gap)
        line.append(word.marked, style=_STYLES[word.shade])
    yield line


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


_SPECIAL: Final = str.maketrans({c: f"\\{c}" for c in "\\`*_{}[]<>|#~&$"})
#: What a forge makes a link or a message of by itself: names of people, issues, addresses.
_LIVE: Final = re.compile(
    r"@(?=[\w-])|[#!](?=\d)|\bGH-(?=\d)|://|\bwww(?=\.)"
    r"|\b(?:mailto|javascript|data|xmpp)(?=:\S)",
    re.IGNORECASE,
)
_NOTHING: Final = "\N{WORD JOINER}"


def _calmed(text: str) -> str:
    """One line of text of which nothing becomes a link: an invisible character parts its signs."""
    return _LIVE.sub(lambda found: found[0] + _NOTHING, one_line(text))


def escape(text: str) -> str:
    """Text with special characters of Markdown and HTML escaped; nobody is mentioned by it."""
    return _calmed(text).translate(_SPECIAL)


def code(text: str) -> str:
    """Text escaped for a code span."""
    return one_line(text).replace("`", "'")


def folded(title: str, *blocks: str) -> str:
    """Blocks that are shown when a reader opens them."""
    body = "\n\n".join(block for block in blocks if block)
    return f"<details><summary>{html(_calmed(title))}</summary>\n\n{body}\n\n</details>"


def table(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, right: tuple[int, ...] = ()
) -> str:
    """Markdown table; numeric columns are right-aligned."""
    rule = ["---:" if i in right else ":---" for i in range(len(header))]
    return "\n".join("| " + " | ".join(line) + " |" for line in (header, rule, *rows))


_MOST_ROWS: Final = 30


def part_fold(part: Part) -> str:
    """Fold of a section in a comment: its charts become their tables."""
    blocks: list[str] = []
    for chart in part.charts:
        rows = chart.table.rows
        cells = [[escape(cell) for cell in row] for row in rows[:_MOST_ROWS]]
        header = [escape(name) or " " for name in chart.table.header]
        right = tuple(range(chart.table.numeric, len(header)))
        blocks.append(f"**{escape(chart.title)}** {escape(chart.caption)}".rstrip())
        blocks.append(table(header, cells, right=right))
        blocks.append(escape(left_out(len(rows), _MOST_ROWS, "rows")))
    return folded(part.title, *blocks)


_IN_ASCII: Final = str.maketrans(
    {"✓": "+", "✗": "x", "–": "-", "−": "-", "─": "-", "…": "~", "→": "->"}
)


class _Console(Console):
    """A console that leaves a closed output to the command."""

    def on_broken_pipe(self) -> None:
        """Let the error pass, where rich would end the process."""
        raise BrokenPipeError(errno.EPIPE, "the reader of the output has closed it")


def write_lines(lines: Iterable[Text], stream: IO[str] | None = None) -> None:
    """Write lines to a stream (stdout), in color only where that is a terminal."""
    stream = stream or sys.stdout
    encoding = getattr(stream, "encoding", None) or "utf-8"
    console = _Console(file=stream, width=WIDTH, highlight=False, soft_wrap=True)
    for line in lines:
        try:
            line.plain.encode(encoding)
        except (UnicodeEncodeError, LookupError):  # unsupported signs are replaced
            line.plain = line.plain.translate(_IN_ASCII).encode("ascii", "replace").decode("ascii")
        console.print(line, soft_wrap=True)
