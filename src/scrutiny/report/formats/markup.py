"""Markdown syntax for comments: escaped text, tables, folds."""

from collections.abc import Sequence
from html import escape as html
from typing import Final

from scrutiny.parts.wording.labels import one_line

_SPECIAL: Final = str.maketrans({c: f"\\{c}" for c in "\\`*_{}[]<>|#~"})


def escape(text: str) -> str:
    """Text with special characters of Markdown and HTML escaped."""
    return one_line(text).translate(_SPECIAL)


def code(text: str) -> str:
    """Text escaped for a code span."""
    return one_line(text).replace("`", "'")


def folded(title: str, *blocks: str) -> str:
    """Blocks that are shown when a reader opens them."""
    body = "\n\n".join(block for block in blocks if block)
    return f"<details><summary>{html(one_line(title))}</summary>\n\n{body}\n\n</details>"


def table(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, right: tuple[int, ...] = ()
) -> str:
    """Markdown table; numeric columns are right-aligned."""
    rule = ["---:" if i in right else ":---" for i in range(len(header))]
    return "\n".join("| " + " | ".join(line) + " |" for line in (header, rule, *rows))
