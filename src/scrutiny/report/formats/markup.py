"""Markdown for comments: text that stays text, tables, folds."""

from collections.abc import Sequence
from html import escape as html
from typing import Final

from scrutiny.parts.wording.labels import one_line

_SPECIAL: Final = str.maketrans({c: f"\\{c}" for c in "\\`*_{}[]<>|#~"})


def escape(text: str) -> str:
    """Text that Markdown, and the HTML inside it, leave as it is."""
    return one_line(text).translate(_SPECIAL)


def code(text: str) -> str:
    """Text that stays within a code span."""
    return one_line(text).replace("`", "'")


def folded(title: str, *blocks: str) -> str:
    """Blocks that are shown when a reader opens them."""
    body = "\n\n".join(block for block in blocks if block)
    return f"<details><summary>{html(one_line(title))}</summary>\n\n{body}\n\n</details>"


def table(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, right: tuple[int, ...] = ()
) -> str:
    """Table of Markdown; columns of figures stand at the right."""
    rule = ["---:" if i in right else ":---" for i in range(len(header))]
    return "\n".join("| " + " | ".join(line) + " |" for line in (header, rule, *rows))
