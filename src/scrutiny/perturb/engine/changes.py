"""What transformations are made of: base class, shared sites, words of edits, random streams.

What an edit says of its words (which of them are old ones, what is known of the others) matters
only where the gold answer speaks of each word; elsewhere no edit states any.

Making a Philox generator takes nine microseconds, longer than a typo. Setting the state of one that
is there takes half a one, if the state is made of lists: numpy reads it number by number, and
numbers of an array cost more. The numbers are those of `scrutiny.core.randomness.generator`; the
price is that a stream ends when the next one begins, so nobody may keep it.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from threading import local
from typing import Any, ClassVar, Final, TypeVar

from scrutiny.core.answers.words import ROOT, Words
from scrutiny.core.edit import Edit, Piece
from scrutiny.core.randomness import Rng, StreamKeys
from scrutiny.core.transformation import (
    Document,
    Effect,
    Intensity,
    Site,
    Transformation,
    Where,
    may_change_unless,
)
from scrutiny.text.tokens import is_word, offsets_of_words, token_spans

#: Places that could be changed, in text order.
Sites = Sequence[Site]
#: Ways to change one place, lazily; each is a set of disjoint edits.
Candidates = Iterator[tuple[Edit, ...]]
EVERY_SITE: Final = Intensity(share=1.0, least=1, most=None)
ONE_SITE: Final = Intensity(share=0.0, least=1, most=1)
#: Effect of any word in a word's place: nothing is known of the text but its arcs.
KEEPS_ARCS: Final[Mapping[str, Effect]] = {
    **may_change_unless("words"),
    "upos": "may change",
    "xpos": "may change",
}


class Change(Transformation):
    """Base of transformations with the usual defaults.

    Attributes
    ----------
    languages
        Languages that it knows: English.
    where
        What it may do to annotated spans: it goes around them.
    """

    __slots__ = ()

    languages: ClassVar[frozenset[str]] = frozenset({"en"})
    where: ClassVar[Where] = "around"


WHOLE_TEXT = -1


class ChangesWholeText(Change):
    """A transformation of the text as a whole, which may change annotated spans."""

    __slots__ = ()

    intensity: ClassVar[Intensity] = ONE_SITE
    where = "anywhere"

    def sites(self, document: Document) -> Sites:
        """The whole text as a site, if it is not blank."""
        return whole_text(document)


new_tuple = tuple.__new__  # a named tuple without the call of its own constructor


def word_sites(document: Document, shortest: int = 1) -> list[Site]:
    """Usual sites at which a transformation asks for edits: words, no URLs, tags or numbers.

    Words have letters, and at least so many code points.
    """
    text = document.text
    return [
        new_tuple(Site, (start, end, i))
        for i, (start, end) in enumerate(document.tokens)
        if end - start >= shortest and ((word := text[start:end]).isalpha() or is_word(word))
    ]


def sites_where(document: Document, is_place: Callable[[str], bool]) -> list[Site]:
    """Sites at which a transformation asks for edits: the tokens whose surface passes its test."""
    pairs = zip(document.tokens, document.words, strict=True)
    return [
        new_tuple(Site, (start, end, i))
        for i, ((start, end), word) in enumerate(pairs)
        if is_place(word)
    ]


def whole_text(document: Document) -> Sites:
    """The text as one site; none if it is blank."""
    return (Site(0, len(document.text), WHOLE_TEXT),) if document.text.strip() else ()


def with_unknown(document: Document, edit: Edit) -> Edit:
    """Edit whose new words are words of which nothing is known."""
    if not document.has_words:
        return edit
    return edit._replace(pieces=tuple([Piece(a, b) for a, b in token_spans(edit.text)]))


def with_same_words(document: Document, edit: Edit, words: Sequence[str]) -> Edit:
    """Edit whose words are those that it takes the place of, one by one, if they are as many."""
    if not document.has_words:
        return edit
    new, old = offsets_of_words(edit.text, words), _covered(document, edit)
    if new is None or len(old) != len(new):
        return edit
    pieces = [Piece(a, b, (start,)) for (a, b), start in zip(new, old, strict=True)]
    return edit._replace(pieces=tuple(pieces))


def with_name(document: Document, edit: Edit, *, top: int) -> Edit:
    """Edit of a name by another one; of words that are more or fewer, one is the name's head.

    Parameters
    ----------
    top
        Number of that word among the new ones: the first of a person, the last of a place (-1).
    """
    stated = with_same_words(document, edit, edit.text.split())
    if stated.pieces or not document.has_words:
        return stated
    pieces = list(with_unknown(document, edit).pieces)
    pieces[top] = pieces[top]._replace(of=_covered(document, edit))
    return edit._replace(pieces=tuple(pieces))


def _covered(document: Document, edit: Edit) -> tuple[int, ...]:
    """Places of the words that an edit covers."""
    first = bisect_left(document.tokens, (edit.start,))
    last = bisect_right(document.tokens, (edit.end,))
    return tuple([a for a, b in document.tokens[first:last] if b <= edit.end])


def with_marks(document: Document, edit: Edit, *, kept: str = "", root: int = 0) -> Edit:
    """Edit whose new text is punctuation that depends on a sentence.

    Parameters
    ----------
    kept
        Beginning of the new text that is the mark which stood there, if one did.
    root
        Number of the sentence in the text, which may be -1.
    """
    if not document.has_words:
        return edit
    gold = document.example.gold
    heads = gold.heads if isinstance(gold, Words) else None
    tops = [gold.borders[i][0] for i, head in enumerate(heads or ()) if head == ROOT]
    new = Piece(0, len(edit.text), (), tops[root] if tops else None, None, "punct", "PUNCT")
    cut = len(kept)
    pieces = [new._replace(end=cut, of=_covered(document, edit)[-1:]), new._replace(start=cut)]
    return edit._replace(pieces=tuple([piece for piece in pieces if piece.start < piece.end]))


_NAMES: Final = 1024


class Streams(local):
    """A generator that can become any stream by name; common prefixes are hashed once.

    Each thread has its own.

    Examples
    --------
    >>> from scrutiny.core.randomness import generator
    >>> name = dict(name="typos@1", item="i1", draw=0)
    >>> again = Streams().stream(0, "perturb", **name)
    >>> bool(again.random() == generator(0, "perturb", **name).random())
    True
    """

    def __init__(self) -> None:
        from numpy.random import Generator, Philox

        self._bits = Philox(key=0)
        self._generator = Generator(self._bits)
        fresh: Any = self._bits.state  # counter and buffer are zero
        self._key = [0, 0]
        self._state: Any = {
            **fresh,
            "state": {"counter": fresh["state"]["counter"].tolist(), "key": self._key},
            "buffer": fresh["buffer"].tolist(),
        }
        self._begun: dict[tuple[int, str, str], StreamKeys] = {}

    def stream(self, seed: int, purpose: str, *, name: str, item: str, draw: int = 0) -> Rng:
        """Generator at the start of this stream; it replaces the previous stream."""
        asked = seed, purpose, name
        keys = self._begun.get(asked)
        if keys is None:
            if len(self._begun) >= _NAMES:
                self._begun.clear()  # seeds without end must not fill the memory
            keys = self._begun[asked] = StreamKeys(*asked)
        self._key[:] = keys.words(item, draw)
        self._bits.state = self._state
        return self._generator


STREAMS: Final = Streams()
T = TypeVar("T")


def in_random_order(options: Sequence[T], rng: Rng) -> Iterator[T]:
    """All options in a random order; the first costs one draw, the others one bulk draw."""
    if not options:
        return
    first = int(rng.random() * len(options))
    yield options[first]
    rest = [*options[:first], *options[first + 1 :]]
    for i in sorted(range(len(rest)), key=rng.random(len(rest)).tolist().__getitem__):
        yield rest[i]
