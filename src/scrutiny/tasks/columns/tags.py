"""Entities from token tags, and token tags from entities.

Reads BIO (IOB2), IOB1, BIOES and BILOU. Tags that are not well-formed are read as ``conlleval`` of
the CoNLL shared tasks reads them: an entity starts at every ``B`` and ``S``, wherever the type
changes, after ``E`` and ``S``, and at an ``I`` or ``E`` after ``O``.
"""

from collections.abc import Sequence
from typing import NamedTuple

from scrutiny.core.errors import DataError
from scrutiny.core.example import Span
from scrutiny.text.tokens import offsets_of_words

_PREFIXES = {"B": "B", "I": "I", "E": "E", "S": "S", "L": "E", "U": "S", "O": "O"}


class Chunk(NamedTuple):
    """Entity as a range of tokens, ``start`` to ``end``, end excluded."""

    start: int
    end: int
    label: str


class _Tag(NamedTuple):
    prefix: str
    label: str


_OUTSIDE = _Tag("O", "")


def chunks(tags: Sequence[str]) -> list[Chunk]:
    """Entities in a column of one sentence's tags.

    Raises
    ------
    DataError
        For a tag that is neither ``O`` nor a prefix, a hyphen and a type.

    Examples
    --------
    >>> chunks(["B-PER", "B-PER", "I-PER", "O", "I-LOC"])
    [Chunk(start=0, end=1, label='PER'), Chunk(start=1, end=3, label='PER'), \
Chunk(start=4, end=5, label='LOC')]
    """
    found: list[Chunk] = []
    start = 0
    before = _OUTSIDE
    for i, text in enumerate([*tags, "O"]):
        tag = _parse(text)
        if before.prefix != "O" and (tag.prefix == "O" or _starts(tag, before)):
            found.append(Chunk(start, i, before.label))
        if _starts(tag, before):
            start = i
        before = tag
    return found


def repairs(tags: Sequence[str]) -> int:
    """Number of entities that do not begin with ``B`` or ``S``: IOB1, or damaged tags.

    Examples
    --------
    >>> repairs(["O", "I-PER", "B-PER"])
    1
    """
    return sum(_parse(tags[c.start]).prefix not in ("B", "S") for c in chunks(tags))


def token_borders(tokens: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Offsets of a column's tokens in their text: joined by single spaces.

    Examples
    --------
    >>> token_borders(["Oh", "no"])
    ((0, 2), (3, 5))
    """
    borders = []
    place = 0
    for token in tokens:
        borders.append((place, place + len(token)))
        place += len(token) + 1
    return tuple(borders)


def placed(words: Sequence[str], raw: str | None = None) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Text of words, and their borders: the text as it was written, or words and single spaces.

    Raises
    ------
    DataError
        If they do not make up the text.

    Examples
    --------
    >>> placed(["do", "n't", "."]), placed(["do", "n't", "."], "don't.")
    (("do n't .", ((0, 2), (3, 6), (7, 8))), ("don't.", ((0, 2), (2, 5), (5, 6))))
    """
    if raw is None:
        return " ".join(words), token_borders(words)
    borders = offsets_of_words(raw, words)
    if borders is None:
        raise DataError(f"raw: {raw!r} is not the words, one after the other")
    return raw, borders


def spans_of(
    tags: Sequence[str], borders: Sequence[tuple[int, int]], *, field: str = "text"
) -> tuple[Span, ...]:
    """Entities as spans of the text, from tags and the borders of their tokens."""
    return tuple(
        Span(field, borders[c.start][0], borders[c.end - 1][1], c.label) for c in chunks(tags)
    )


def to_bio(tokens: Sequence[tuple[int, int]], spans: Sequence[Span]) -> list[str]:
    """BIO (IOB2) tag of each token, as a column of tags holds it.

    Parameters
    ----------
    tokens
        Borders of the tokens, in order.
    spans
        Entities of the same text, in any order.

    Raises
    ------
    DataError
        If entities overlap, a border of one lies inside a token, or one holds no token.

    Examples
    --------
    >>> to_bio([(0, 2), (3, 5), (6, 9)], [Span("text", 3, 9, "PER")])
    ['O', 'B-PER', 'I-PER']
    """
    tags = ["O"] * len(tokens)
    ordered = sorted(spans, key=lambda span: (span.start, span.end))
    first = 0
    done = 0
    for span in ordered:
        if span.start < done:
            raise DataError(f"two entities overlap at character {span.start}")
        while first < len(tokens) and tokens[first][1] <= span.start:
            first += 1
        prefix = "B"
        while first < len(tokens) and tokens[first][0] < span.end:
            start, end = tokens[first]
            if start < span.start or end > span.end:
                raise DataError(
                    f"an entity ({span.label}, {span.start} to {span.end}) ends inside the token "
                    f"{start} to {end}"
                )
            tags[first] = f"{prefix}-{span.label}" if span.label else prefix
            prefix = "I"
            first += 1
        if prefix == "B":
            raise DataError(f"an entity ({span.label}, {span.start} to {span.end}) has no token")
        done = span.end
    return tags


def _parse(text: str) -> _Tag:
    if text == "O":
        return _OUTSIDE
    prefix, hyphen, label = text.partition("-")
    known = _PREFIXES.get(prefix)
    if known is None or (known == "O") or (hyphen and not label):
        raise DataError(
            f"{text!r} is not a tag: tags are O, or B, I, E, S, L or U with a hyphen and a type "
            "(B-PER)"
        )
    return _Tag(known, label)


def _starts(tag: _Tag, before: _Tag) -> bool:
    """Whether an entity starts at a tag, by the rules of ``conlleval``."""
    if tag.prefix in "BS":
        return True
    return tag.prefix in "IE" and (before.prefix in "OES" or tag.label != before.label)
