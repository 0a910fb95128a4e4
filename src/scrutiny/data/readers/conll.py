"""CoNLL files: one token a line with its columns, blank lines between sentences."""

import re
from collections.abc import Iterator
from dataclasses import replace

from scrutiny.core.errors import DataError
from scrutiny.data.readers.files import blocks, lines
from scrutiny.data.readers.options import takes, with_columns
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table

_COMMENT = re.compile(r"#\s*([\w.-]+)\s*=\s*(.*)")
_HEADING = re.compile(r"#\s*(newdoc|newpar)\b")


@takes("encoding", "token", "tag")
def read(source: DataSource) -> Table:
    """Sentences with their ``tokens``, ``tags`` and the values of ``# key = value`` lines.

    Columns are separated by tabs if a line has one, else by white space. ``-DOCSTART-`` lines are
    left out. The line of a sentence is that of its first token.
    """
    token = _index(source, "token", 0)
    tag = _index(source, "tag", -1)
    table = with_columns(_sentences(lines(source, every_end=True), token, tag), source.target)
    return replace(table, defaults={"tokens": "tokens", "tags": "tags"})


def _sentences(text: Iterator[str], token: int, tag: int) -> Iterator[RawRow]:
    for first, block in blocks(text):
        values: dict[str, object] = {}
        tokens: list[str] = []
        tags: list[str] = []
        start, problem = 0, ""
        for number, line in enumerate(block, first):
            if line.startswith("-DOCSTART-"):
                continue
            if line.startswith("#") and not tokens:
                comment = _COMMENT.match(line)
                if comment or _HEADING.match(line):
                    values |= {comment[1]: comment[2].strip()} if comment else {}
                    continue
            start = start or number
            cells = line.split("\t") if "\t" in line else line.split()
            try:
                tokens.append(cells[token])
                tags.append(cells[tag].strip())
                if len(cells) < 2:
                    problem = problem or f"line {number} has a single column"
            except IndexError:
                said = f"line {number} has {len(cells)} columns, too few for {token=},{tag=}"
                problem = problem or said
        if start:
            found = values | {"tokens": tokens, "tags": tags}
            yield RawRow(start, {} if problem else found, problem)


def _index(source: DataSource, name: str, default: int) -> int:
    given = source.option(name) or str(default)
    try:
        return int(given)
    except ValueError:
        raise DataError(
            f"{name}={given} in {source}: columns of a CoNLL file are counted from 0; -1 is the "
            "last."
        ) from None
