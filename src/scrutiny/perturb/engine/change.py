"""What transformations are made of: their base class, their words, and sites that many share."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import ClassVar, Final

from scrutiny.core.edit import Edit as Edit
from scrutiny.core.edit import Piece as Piece
from scrutiny.core.randomness import Rng as Rng
from scrutiny.core.transformation import (
    Document,
    Effect,
    Intensity,
    Site,
    Transformation,
    Where,
    may_change_unless,
)
from scrutiny.text.tokens import is_word

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
