"""Lines of a terminal page: 80 cells wide, wide characters counted as two."""

import re
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from scrutiny.parts.wording.labels import one_line

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
    """Lines of at most ``width`` cells, broken at spaces if there are any, but not before "%"."""
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
                pieces.append(head)
                rest, room = rest[len(head) :], width - hanging
    return [*pieces, line] if line else pieces
