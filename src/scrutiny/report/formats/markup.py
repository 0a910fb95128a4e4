"""Markdown syntax for comments: escaped text, tables, folds."""

import re
from collections.abc import Sequence
from html import escape as html
from typing import Final

from scrutiny.parts.wording.labels import one_line

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
