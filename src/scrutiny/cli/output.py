"""Output of a command: standard streams, and documentation wrapped to 80 columns.

Results on stdout are read by machines; a model, or a C library under it, that prints would stand in
the middle of them. What a model closes is open again afterwards.
"""

import os
import re
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import groupby
from typing import IO, Any, Final

from scrutiny.core.boundary.printable import printable
from scrutiny.store.guards import hold, release

_OUT: Final = 1
_ERR: Final = 2


def open_standard_streams() -> None:
    """Open standard streams that were closed, with output discarded.

    A file of ours would get the number, and whatever is printed.
    """
    for file, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(file)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: this one
        if getattr(sys, name) is None:
            stream = open(file, "w" if file else "r", encoding="utf-8", closefd=False)
            setattr(sys, name, stream)


@contextmanager
def prints_on_stderr() -> Iterator[IO[str]]:
    """Redirect all output to stderr, in Python and below, and restore it afterwards.

    Gives a stream that still goes to stdout, for results that are written while models are asked.
    """
    kept, files = (sys.stdout, sys.stderr), _copies()
    _flush(sys.stdout)
    own = _own(kept[0], files)
    hold(files.values())
    if files:
        os.dup2(_ERR, _OUT)
    sys.stdout = sys.stderr
    try:
        yield own
    finally:
        if own is not kept[0]:
            _flush(own)
        _flush(sys.stdout)
        release(files.values())
        for file, copy in files.items():
            with suppress(OSError):  # somebody has closed the copy
                os.dup2(copy, file)
                os.close(copy)
        sys.stdout, sys.stderr = _open(kept[0], _OUT), _open(kept[1], _ERR)


def _own(stream: Any, copies: dict[int, int]) -> Any:
    """Stream to where stdout leads now; itself where it does not go through the file."""
    try:
        is_file = stream.fileno() == _OUT and _OUT in copies
    except (OSError, ValueError, AttributeError):
        return stream
    if not is_file:
        return stream
    return open(copies[_OUT], "w", encoding=stream.encoding, errors=stream.errors, closefd=False)


def _copies() -> dict[int, int]:
    """Copies of both files, so that they can be had again; none where one of them is closed."""
    copies: dict[int, int] = {}
    try:
        for file in (_OUT, _ERR):
            copies[file] = os.dup(file)
    except OSError:
        for copy in copies.values():
            os.close(copy)
        return {}
    return copies


def _flush(stream: Any) -> None:
    """Write what is buffered, as far as it can be."""
    with suppress(OSError, ValueError, AttributeError):
        stream.flush()


def _open(stream: Any, file: int) -> Any:
    """The stream, or one like it where somebody has closed it; it leaves its file open."""
    if not getattr(stream, "closed", False):
        return stream
    return open(file, "w", encoding="utf-8", errors="backslashreplace", closefd=False)


WIDTH: Final = 80
_UNDERLINE: Final = re.compile(r"\s*-{3,}\s*")


def hanging(text: str, start: str = "", *, indent: str | None = None, **more: Any) -> list[str]:
    """Lines of 80 columns behind a beginning, the others below where it ends or at an indent.

    Examples
    --------
    >>> hanging("words " * 15, "note  ")[1]
    '      words words'
    """
    others = " " * len(start) if indent is None else indent
    stated: dict[str, Any] = {"break_on_hyphens": False, **more}
    return textwrap.wrap(text, WIDTH, initial_indent=start, subsequent_indent=others, **stated)


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
        found += hanging(joined, indent)
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
