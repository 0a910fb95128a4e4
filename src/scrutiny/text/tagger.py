"""Parts of speech: a protocol, and a light tagger of our own that tags single words on demand.

The tagger is a linear classifier over the word, its affixes and shape, and the two words to
either side with the classes of tags that they take. It never looks at its own earlier answers, so
one word of a text can be tagged without the others, and the answer is the same in any order.
Weights are small integers: results are exact and the same on all machines.
"""

import io
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple, Protocol, runtime_checkable

from scrutiny.text.lexicon import read_bytes

_CACHED = 1 << 14
_EDGE = "<s>"


class Tag(NamedTuple):
    """Penn Treebank tag and the universal part of speech (UPOS) for it."""

    xpos: str
    upos: str


@runtime_checkable
class Tagger(Protocol):
    """Protocol: tags words; ``isn't`` counts as its first part, as all contractions do."""

    def tag_at(self, words: Sequence[str], position: int) -> Tag:
        """Return the tag of one word."""

    def tag(self, words: Sequence[str]) -> list[Tag]:
        """Return the tags of all words."""


def shape(word: str) -> str:
    """Return the shape of a word: its character classes, repetitions left out.

    Examples
    --------
    >>> shape("McDonald's"), shape("3.5"), shape("x-ray")
    ("XxXx'x", 'd.d', 'x-x')
    """
    found = ""
    for char in word[:12]:
        if char.isdigit():
            kind = "d"
        elif char.isalpha():
            kind = "X" if char.isupper() else "x"
        else:
            kind = char
        if found[-1:] != kind:
            found += kind
    return found


def guess_class(word: str) -> str:
    """Return the tag class of a word that is rare in the training data: its shape and ending."""
    if not any(char.isalpha() for char in word):
        return "?d" if any(char.isdigit() for char in word) else "?p"
    if word[0].isupper():
        return "?S" if word.endswith("s") else "?C"
    lower = word.lower()
    for ending in ("ing", "ed", "ly", "s", "er", "est", "n't", "'s"):
        if lower.endswith(ending):
            return "?" + ending
    return "?-" if "-" in word else "?"


def word_features(word: str, tag_class: str) -> list[str]:
    """Return the features that depend on the word alone."""
    lower = word.lower()
    form = shape(word)
    return [
        "b",
        "w" + lower,
        "o" + form,
        "c" + tag_class,
        *["s" + lower[-n:] for n in (1, 2, 3, 4, 5) if n < len(lower)],
        *["p" + lower[:n] for n in (1, 2, 3) if n < len(lower)],
        "x" + form + lower[-2:],
    ]


def case_in_text(word: str, first: str) -> str:
    """Return "C" for a capital, else whether the text's first word has one: "c", or "l" if not.

    A lower-case word is hardly a name, unless the whole text is in lower case.

    Examples
    --------
    >>> case_in_text("Swift", "He"), case_in_text("swift", "He"), case_in_text("swift", "he")
    ('C', 'c', 'l')
    """
    if word[:1].isupper():
        return "C"
    return "c" if first[:1].isupper() else "l"


class NeighborFeatures(NamedTuple):
    """Features that a word gives its neighbors: lower-case word, tag class, suffix."""

    lower: str
    tag_class: str
    suffix: str


def context_of(word: str, tag_class: str) -> NeighborFeatures:
    """Return a word's features for its neighbors."""
    lower = word.lower()
    return NeighborFeatures(lower, tag_class, lower[-3:])


EDGE = NeighborFeatures(_EDGE, _EDGE, _EDGE)


def context_features(
    word: NeighborFeatures,
    before: Sequence[NeighborFeatures],
    after: Sequence[NeighborFeatures],
    *,
    case: str,
) -> list[str]:
    """Return the features that depend on the text; ``before`` and ``after`` nearest first.

    ``case``: see `case_in_text`.
    """
    lower, own, suffix = word
    (left, left_class, left_suffix), (left2, left2_class, _) = before
    (right, right_class, right_suffix), (right2, right2_class, _) = after
    own_right = own + " " + right_class
    left_own = left_class + " " + own
    return [
        "a" + left,
        "d" + right,
        "e" + left2,
        "f" + right2,
        "g" + left_own,
        "h" + own_right,
        "i" + left_class + " " + own_right,
        "j" + left2_class + " " + left_own,
        "k" + own_right + " " + right2_class,
        "l" + left + " " + lower,
        "m" + lower + " " + right,
        "n" + left_class + " " + suffix,
        "q" + suffix + " " + right_class,
        "r" + left_suffix + " " + own,
        "t" + own + " " + right_suffix,
        "u" + left2_class + " " + left_class + " " + suffix,
        "v" + case + ("1" if left is _EDGE else "0") + own,
        "y" + case + lower,
    ]


class _Word(NamedTuple):
    tag: Tag | None  # where the word takes no other
    scores: Any  # int16 (tag,): sum over the word's own features
    context: NeighborFeatures


class _Model(NamedTuple):
    rows: dict[str, int]  # by feature
    weights: Any  # int16 (row, tag); at most 34 rows of |weight| < 128 are added up
    tags: tuple[Tag, ...]
    classes: dict[str, str]  # tag class by lower-case word
    fixed: dict[str, Tag]  # words as written that take one tag only
    add: Any


@cache
def _model() -> _Model:
    import numpy as np

    with np.load(io.BytesIO(read_bytes("tagger.npz.xz")), allow_pickle=False) as stored:
        arrays = dict(stored)

    def lines(name: str) -> list[list[str]]:
        return [line.split(" ") for line in str(arrays[name].tobytes(), "utf-8").split("\n")]

    tags = tuple(Tag(*line) for line in lines("tags"))
    features = str(arrays["features"].tobytes(), "utf-8").split("\n")
    rows = np.repeat(np.arange(len(features)), arrays["sizes"])
    weights = np.zeros((len(features), len(tags)), np.int16)
    weights[rows, arrays["columns"]] = arrays["weights"]
    return _Model(
        {name: row for row, name in enumerate(features)},
        weights,
        tags,
        {word: line[0] for line in lines("classes") for word in line[1:]},
        {word: tags[int(line[0])] for line in lines("fixed") for word in line[1:]},
        np.add.reduce,
    )


@lru_cache(maxsize=_CACHED)
def _word(word: str) -> _Word:
    rows, weights, _, classes, fixed, _ = _model()
    word = word.replace("’", "'")
    tag_class = classes.get(word.lower()) or guess_class(word)
    known = [rows[name] for name in word_features(word, tag_class) if name in rows]
    scores = weights[known].sum(0, dtype="int16")
    return _Word(fixed.get(word), scores, context_of(word, tag_class))


class LightTagger:
    """Tagger that ships with the package."""

    def tag_at(self, words: Sequence[str], position: int) -> Tag:
        """Return the tag of one word, in about ten microseconds."""
        tag, scores, own = _word(words[position])
        if tag is not None:
            return tag
        near = [  # two words before, and two behind
            _word(words[at]).context if 0 <= at < len(words) else EDGE
            for at in (position - 1, position - 2, position + 1, position + 2)
        ]
        rows, weights, tags, _, _, add = _model()
        names = context_features(
            own, near[:2], near[2:], case=case_in_text(words[position], words[0])
        )
        known = [row for row in map(rows.get, names) if row is not None]
        best: int = (add(weights.take(known, 0), 0, "int16") + scores).argmax()
        return tags[best]

    def tag(self, words: Sequence[str]) -> list[Tag]:
        """Return the tags of all words."""
        return [self.tag_at(words, position) for position in range(len(words))]


@cache
def default_tagger() -> LightTagger:
    """Return the tagger that ships with the package.

    Examples
    --------
    >>> [t.xpos for t in default_tagger().tag(["She", "isn't", "reading", "books", "."])]
    ['PRP', 'VBZ', 'VBG', 'NNS', '.']
    """
    return LightTagger()
