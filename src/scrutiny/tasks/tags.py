"""Entities from token tags, and token tags from entities: of data, of models, and to learn from.

Tags that are not well-formed are read as ``conlleval`` of the CoNLL shared tasks reads them: an
entity starts at every ``B`` and ``S``, wherever the type changes, after ``E`` and ``S``, and at an
``I`` or ``E`` after ``O``. How one tag is read says `EntityTag.of`.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from scrutiny.core.errors import DataError
from scrutiny.core.example import Span
from scrutiny.text.tokens import offsets_of_words

#: Marks of a word's place in an entity, of any notation, in the letters of BIOES.
_PLACES: Final = {"B": "B", "I": "I", "M": "I", "E": "E", "L": "E", "S": "S", "U": "S", "W": "S"}
_PREFIXED: Final = re.compile(r"(?P<place>[BIMELSUWbi])[-_](?P<label>.+)", re.DOTALL)
_SUFFIXED: Final = re.compile(r"(?P<label>.+)[-_](?P<place>[BIELSU])", re.DOTALL)
_OTHER_PREFIX: Final = re.compile(r"[A-Zo][-_]|.[-_]$")
#: Parts of speech, which words have one by one: universal ones, and those of the Penn Treebank.
UNIVERSAL: Final = frozenset(
    "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split()
)
PENN: Final = frozenset(
    "ADD AFX CC CD DT EX FW HYPH IN JJ JJR JJS LS MD NFP NN NNP NNPS NNS PDT POS PRP PRP$ RB RBR "
    "RBS RP TO UH VB VBD VBG VBN VBP VBZ WDT WP WP$ WRB -LRB- -RRB- . , : `` '' $ #".split()
)


class Chunk(NamedTuple):
    """Entity as a range of tokens, ``start`` to ``end``, end excluded."""

    start: int
    end: int
    label: str


class EntityTag(NamedTuple):
    """Tag of one word: its place in an entity (``B``, ``I``, ``E``, ``S``; ``O``), and the type.

    ``is_bare`` is a type without a mark of its place, as IO notation has it.
    """

    place: str
    label: str
    is_bare: bool = False

    @staticmethod
    @lru_cache(maxsize=4096)  # a million words have a few
    def of(text: str) -> "EntityTag":
        """Tag in any notation.

        BIO, BIOES, BILOU, BMES and BMEWO, with the mark before the type or (``B I E L S U``) behind
        it, and a hyphen or an underscore between them; marks without a type, where there is only
        one; ``b``, ``i`` and ``o`` in lower case. Parts of speech, universal or of the Penn
        Treebank, are one word each. Any other name is a type in IO notation.

        Raises
        ------
        DataError
            For anything else.

        Examples
        --------
        >>> [tuple(EntityTag.of(tag))[:2] for tag in ("B-PER", "PER_I", "U-PER", "O", "B", "NOUN")]
        [('B', 'PER'), ('I', 'PER'), ('S', 'PER'), ('O', ''), ('B', ''), ('S', 'NOUN')]
        """
        if text in ("O", "o"):
            return EntityTag("O", "")
        if text in _PLACES or text in ("b", "i"):
            return EntityTag(_PLACES[text.upper()], "")
        if text in UNIVERSAL or text in PENN:
            return EntityTag("S", text)
        if found := _PREFIXED.fullmatch(text) or _SUFFIXED.fullmatch(text):
            return EntityTag(_PLACES[found["place"].upper()], found["label"])
        if not text[:1].isalpha() or _OTHER_PREFIX.match(text):
            raise DataError(
                f"{text!r} is not a tag: tags are O, a type (PER), or B, I, E, S, L or U with a "
                "hyphen and a type (B-PER)"
            )
        return EntityTag("I", text, is_bare=True)


_OUTSIDE: Final = EntityTag("O", "")


def chunks(tags: Sequence[str]) -> list[Chunk]:
    """Entities in a column of one sentence's tags.

    Raises
    ------
    DataError
        For what is no tag in any notation (`EntityTag.of`).

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
        tag = EntityTag.of(text)
        if before.place != "O" and (tag.place == "O" or _starts(tag, before)):
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
    firsts = [EntityTag.of(tags[chunk.start]) for chunk in chunks(tags)]
    return sum(not tag.is_bare and tag.place not in ("B", "S") for tag in firsts)


def has_bare_types(tags: Sequence[str]) -> bool:
    """Whether some tags are types without a mark, which do not tell neighbors apart.

    Examples
    --------
    >>> has_bare_types(["PER", "O"]), has_bare_types(["B-PER", "O"]), has_bare_types(["NOUN"])
    (True, False, False)
    """
    return any(EntityTag.of(tag).is_bare for tag in tags)


def types_of(tags: Sequence[str]) -> tuple[str, ...]:
    """Distinct types in a set of tags, in its order; what is no tag has none.

    Examples
    --------
    >>> types_of(["O", "B-PER", "I-PER", "B-LOC", "[CLS]"])
    ('PER', 'LOC')
    """
    found = (EntityTag.of(text).label for text in tags if is_tag(text))
    return tuple(dict.fromkeys(filter(None, found)))


def is_tag(text: str) -> bool:
    """Whether a text is a tag in any notation."""
    try:
        EntityTag.of(text)
    except DataError:
        return False
    return True


def are_tags(names: Sequence[str]) -> bool:
    """Whether outputs of a network are tags: O and others, or parts of speech alone.

    Examples
    --------
    >>> are_tags(["O", "B-PER", "[PAD]"]), are_tags(["NOUN", "VERB"]), are_tags(["good", "bad"])
    (True, True, False)
    """
    places = [EntityTag.of(name).place for name in names if is_tag(name)]
    is_open = "O" in places and len(set(places)) > 1
    return is_open or (len(places) == len(names) and set(places) == {"S"})


def bio_names(labels: Sequence[str]) -> tuple[str, ...]:
    """BIO tags of some types, as `to_bio` gives them: O, and two of each; without types, B and I.

    Examples
    --------
    >>> bio_names(["PER"]), bio_names([])
    (('O', 'B-PER', 'I-PER'), ('O', 'B', 'I'))
    """
    return ("O", *(_written(place, label) for label in labels or ("",) for place in "BI"))


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
            tags[first] = _written(prefix, span.label)
            prefix = "I"
            first += 1
        if prefix == "B":
            raise DataError(f"an entity ({span.label}, {span.start} to {span.end}) has no token")
        done = span.end
    return tags


def _written(place: str, label: str) -> str:
    """Tag as it is written."""
    return f"{place}-{label}" if label else place


def _starts(tag: EntityTag, before: EntityTag) -> bool:
    """Whether an entity starts at a tag, by the rules of ``conlleval``."""
    if tag.place in "BS":
        return True
    return tag.place in "IE" and (before.place in "OES" or tag.label != before.label)
