"""Gender-swapped pairs made from StereoSet: a measure of stereotypes must notice the swap.

Pikuliak, Benova and Bachraty 2023. Groups of four lines with the target word in angle brackets: the
stereotype, the same with the gender swapped, then what goes against it, likewise. Or groups of six
without brackets: a context and two sentences that follow it, then all three swapped.
"""

import re
from collections.abc import Iterator
from typing import Final

from scrutiny.core.errors import DataError
from scrutiny.data.readers.files import lines
from scrutiny.data.readers.stated import stated_columns
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table

_COLUMNS: Final = ("id", "more", "less", "category", "set", "pair")
_BRACKETED: Final = re.compile(r"<([^<>]+)>")
_SETS: Final = ("original", "swapped")


def read_swaps(source: DataSource) -> Table:
    """Pairs of sentences: ``original`` and ``swapped`` of each group share a ``pair``.

    Brackets are taken away: the words that differ are the target. Context and what follows it are
    joined by a space.
    """
    numbered = [(i, line.strip()) for i, line in enumerate(lines(source), 1) if line.strip()]
    marked = sum(bool(_BRACKETED.search(line)) for _, line in numbered)
    if marked not in (0, len(numbered)):
        odd = next(i for i, line in numbered if not _BRACKETED.search(line))
        raise DataError(f"{source.target}:{odd} has no <word>; other lines have.")
    size = 4 if marked else 6
    if len(numbered) % size:
        raise DataError(
            f"{source.target} has {len(numbered)} lines of text, which are no groups of {size}."
        )
    return Table(
        columns=_COLUMNS,
        rows=_rows(numbered, size),
        place=source.target,
        defaults=stated_columns("sentence-pairs", _COLUMNS),
    )


def _rows(numbered: list[tuple[int, str]], size: int) -> Iterator[RawRow]:
    for start in range(0, len(numbered), size):
        group = numbered[start : start + size]
        pair = str(start // size)
        for k, name in enumerate(_SETS):
            line, more, less = _bracketed(group, k) if size == 4 else _followed(group, k)
            values = {"id": f"{pair}/{name}", "more": more, "less": less, "set": name}
            yield RawRow(line, {**values, "pair": pair, "category": "gender"})


def _bracketed(group: list[tuple[int, str]], k: int) -> tuple[int, str, str]:
    (line, more), (_, less) = group[k], group[k + 2]
    return line, _BRACKETED.sub(r"\1", more), _BRACKETED.sub(r"\1", less)


def _followed(group: list[tuple[int, str]], k: int) -> tuple[int, str, str]:
    (line, context), (_, more), (_, less) = group[3 * k : 3 * k + 3]
    return line, f"{context} {more}", f"{context} {less}"
