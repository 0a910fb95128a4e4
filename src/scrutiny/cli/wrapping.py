"""Documentation wrapped to 80 columns."""

import re
import textwrap
from collections.abc import Iterator
from itertools import groupby
from typing import Final

from scrutiny.core.boundary.storable import printable

WIDTH: Final = 80
_UNDERLINE: Final = re.compile(r"\s*-{3,}\s*")


def narrowed(text: str) -> str:
    """Text whose paragraphs fit into 80 columns; examples and short paragraphs stay as they are.

    Examples
    --------
    >>> [len(line) for line in narrowed("words " * 20).splitlines()]
    [77, 41]
    """
    found: list[str] = []
    for paragraph in _paragraphs(printable(text).splitlines()):
        is_example = paragraph[0].lstrip().startswith((">>>", "..."))
        if is_example or all(len(line) <= WIDTH for line in paragraph):
            found += paragraph
            continue
        indent = _indent(paragraph[0])
        joined = " ".join(line.strip() for line in paragraph)
        found += textwrap.wrap(
            joined, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
        )
    return "\n".join(found)


def printed_line(line: str) -> str:
    """Line as a command prints it, cut to 80 columns; what is cut off is marked.

    Examples
    --------
    >>> len(printed_line("x" * 99)), printed_line("x" * 99)[-1]
    (80, '…')
    """
    line = printable(line)
    return line if len(line) <= WIDTH else line[: WIDTH - 1].rstrip() + "…"


def _paragraphs(lines: list[str]) -> Iterator[list[str]]:
    """Groups of lines with one indentation; a heading and its underline are separate."""
    kinds = []
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        is_alone = not line.strip() or _UNDERLINE.fullmatch(line) or _UNDERLINE.fullmatch(following)
        kinds.append((_indent(line), number if is_alone else -1))
    pairs = zip(kinds, lines, strict=True)
    for _, stretch in groupby(pairs, key=lambda pair: pair[0]):
        yield [line for _, line in stretch]


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
