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
_WIDTH = 10  # columns of CoNLL-U
_CONLLU = (
    "it is CoNLL-U, whose trees conllu: reads, and whose tags the options token, tag and key of "
    "conll: (see docs/data.md)"
)
#: Numbers of CoNLL-U of a word of several tokens (2-3), and of one that is not there (3.1).
_NO_TOKEN = re.compile(r"[0-9]+[-.][0-9]+")
_HEADING = re.compile(r"#\s*(newdoc|newpar)\b")


_KEY = "name of the tag within its column, as in MISC of CoNLL-U: name for name=B-PER"


@takes("encoding", "token", "tag", key=_KEY)
def read(source: DataSource) -> Table:
    """Sentences with their ``tokens``, ``tags`` and the values of ``# key = value`` lines.

    Columns are separated by tabs if a line has one, else by white space. ``-DOCSTART-`` lines are
    left out, and so are words of several tokens in CoNLL-U, where the first column has numbers. The
    line of a sentence is that of its first token.
    """
    token = _index(source, "token", 0)
    tag = _index(source, "tag", -1)
    key = source.option("key")
    is_stated = bool(source.option("token") or source.option("tag") or key)
    found = _sentences(lines(source, every_end=True), (token, tag), key, is_stated=is_stated)
    table = with_columns(found, source.target)
    return replace(table, defaults={"tokens": "tokens", "tags": "tags"})


def _sentences(
    text: Iterator[str], columns: tuple[int, int], key: str, *, is_stated: bool
) -> Iterator[RawRow]:
    token, tag = columns
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
            if not is_stated and len(cells) == _WIDTH and cells[0].isdecimal():
                problem = problem or _CONLLU
            if (key and not cells[0].isdecimal()) or (token and _NO_TOKEN.fullmatch(cells[0])):
                continue
            try:
                tokens.append(cells[token])
                tags.append(_tag(cells[tag].strip(), key))
                if len(cells) < 2:
                    problem = problem or f"line {number} has a single column"
            except IndexError:
                said = f"line {number} has {len(cells)} columns, too few for {token=},{tag=}"
                problem = problem or said
        if start:
            found = values | {"tokens": tokens, "tags": tags}
            yield RawRow(start, {} if problem else found, problem)


def _tag(cell: str, key: str) -> str:
    """Tag in a cell, or behind its key in a cell of several (``name=B-PER|SpaceAfter=No``).

    Examples
    --------
    >>> _tag("name=B-PER|SpaceAfter=No", "name"), _tag("_", "name"), _tag("B-PER", "")
    ('B-PER', 'O', 'B-PER')
    """
    if not key:
        return cell
    parts = dict(part.partition("=")[::2] for part in cell.split("|"))
    return parts.get(key) or "O"


def _index(source: DataSource, name: str, default: int) -> int:
    given = source.option(name) or str(default)
    try:
        return int(given)
    except ValueError:
        raise DataError(
            f"{name}={given} in {source}: columns of a CoNLL file are counted from 0; -1 is the "
            "last."
        ) from None
