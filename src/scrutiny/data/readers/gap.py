"""GAP: Wikipedia texts with a pronoun and two names, to one of which it may refer.

Webster, Recasens, Axelrod and Baldridge (2018). Texts are kept whole; scrutiny's own tokenizer cuts
them, and a mention is every word that it has a character in.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from scrutiny.core.errors import DataError
from scrutiny.data.readers.delimited import read_tsv
from scrutiny.data.readers.options import reader_defaults, takes
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table
from scrutiny.tasks.annotated.mention_clusters import MentionClusters
from scrutiny.text.tokens import token_spans

_NEEDED: Final = (
    "ID", "Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "A-coref", "B", "B-offset",
    "B-coref",
)  # fmt: skip
_COLUMNS: Final = ("id", "words", "mentions", "pronoun", "gender", "sentence")
_FLAGS: Final = {"TRUE": True, "FALSE": False}
_FEMININE: Final = frozenset({"she", "her", "hers", "herself"})
#: Digits of a number of a character.
_LONGEST: Final = 9


@takes("encoding")
def read(source: DataSource) -> Table:
    """Texts with three mentions: the pronoun, and the names A and B, each coreferent or not.

    A name that the pronoun does not refer to has a cluster of its own.

    Raises
    ------
    DataError
        If columns are missing.
    """
    table = read_tsv(source)
    missing = [name for name in _NEEDED if name not in table.columns]
    if missing:
        raise DataError(f"{source.target} is no file of GAP: it lacks {', '.join(missing)}.")
    return Table(
        columns=_COLUMNS,
        rows=(_row(raw, source.path.stem) for raw in table.rows),
        place=source.target,
        defaults=reader_defaults(MentionClusters.name, _COLUMNS),
        notes=("Words are cut by scrutiny's tokenizer; texts are kept whole.",),
    )


def _row(raw: RawRow, stem: str) -> RawRow:
    if raw.problem:
        return raw
    row, text = raw.values, raw.values["Text"]
    borders = token_spans(text)
    try:
        mentions = list(_mentions(row, borders))
    except DataError as error:
        return RawRow(raw.line, {}, str(error))
    pronoun = row["Pronoun"].lower()
    return RawRow(
        raw.line,
        {
            "id": row["ID"],
            "words": [text[a:b] for a, b in borders],
            "mentions": mentions,
            "pronoun": pronoun,
            "gender": "feminine" if pronoun in _FEMININE else "masculine",
            "sentence": f"{stem}/{row['ID']}",
        },
    )


def _mentions(
    row: Mapping[str, str], borders: Sequence[tuple[int, int]]
) -> Iterator[dict[str, Any]]:
    """The pronoun and both names; the cluster ``P`` is the pronoun's."""
    for name in ("Pronoun", "A", "B"):
        words = _words(row, name, borders)
        if name == "Pronoun":
            yield {"words": words, "cluster": "P", "kind": "pronoun"}
            continue
        flag = row[f"{name}-coref"].upper()
        if flag not in _FLAGS:
            raise DataError(f"{name}-coref is {flag!r}, neither TRUE nor FALSE")
        yield {"words": words, "cluster": "P" if _FLAGS[flag] else name, "kind": "proper"}


def _words(row: Mapping[str, str], name: str, borders: Sequence[tuple[int, int]]) -> list[int]:
    """Indices of the words of a mention."""
    given, surface = row[f"{name}-offset"], row[name]
    if not given.isdecimal() or len(given) > _LONGEST:
        raise DataError(f"{name}-offset is {given!r:.60}, no number")
    start, end = int(given), int(given) + len(surface)
    if not surface or row["Text"][start:end] != surface:
        raise DataError(f"{name} {surface!r} is not at character {start} of the text")
    return [i for i, (a, b) in enumerate(borders) if a < end and b > start]
