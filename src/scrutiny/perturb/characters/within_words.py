"""Changes within one word: its characters, which may change, slips of one random number.

`OneWord` offers each change of a word for a search to choose; of `OneDraw` the drawn one comes
first, then the word's others.
"""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Literal, NamedTuple, TypeVar

from scrutiny.core.edit import Edit
from scrutiny.core.languages import SPACED_WORDS
from scrutiny.core.randomness import Rng
from scrutiny.core.transformation import ChangesAtOnce, Document, Intensity, Site
from scrutiny.perturb.engine.changes import Change, Sites, new_tuple, word_sites
from scrutiny.text.tokens import graphemes

#: ``random``: one place of a word, drawn; ``all``: every place, from left to right.
Positions = Literal["random", "all"]
T = TypeVar("T")
_INSIDE = True


class Letters(NamedTuple):
    """The characters of a word, as a reader sees them.

    Parameters
    ----------
    field
        Name of the text field.
    units
        The characters; joined they are the word.
    starts
        Where in the text each of them begins, and where the word ends: one more than ``units``.
    low, high
        Characters ``low`` to ``high``, half open, may be touched.
    """

    field: str
    units: Sequence[str]
    starts: Sequence[int]
    low: int
    high: int

    def places(self) -> range:
        """Characters that may be changed."""
        return range(self.low, self.high)

    def gaps(self) -> range:
        """Positions between characters at which an insertion is allowed."""
        last = len(self.units)
        return range(self.low, (self.high if self.high < last else last) + 1)

    def change(self, place: int, new: str, *, width: int = 1) -> tuple[Edit, ...]:
        """Edit that replaces ``width`` characters by ``new``; a width of 0 inserts."""
        start, end = self.starts[place], self.starts[place + width]
        return (new_tuple(Edit, (self.field, start, end, new, (), _INSIDE, (), None)),)


def letters_of(document: Document, site: Site, *, keep_first: bool, keep_last: bool) -> Letters:
    """Characters of the word at a site.

    Examples
    --------
    >>> from scrutiny.perturb.engine.document import document_of
    >>> word = letters_of(document_of("a word"), Site(2, 6, 1), keep_first=True, keep_last=True)
    >>> list(word.places()), list(word.gaps()), word.change(1, "O")[0][1:4]
    ([1, 2], [1, 2, 3], (3, 4, 'O'))
    """
    start, end, _ = site
    kept = int(keep_first), int(keep_last)
    return _letters(document.field, document.text[start:end], start, kept)


@lru_cache(maxsize=64)  # transformations ask about a word one after the other
def _letters(field: str, word: str, start: int, kept: tuple[int, int]) -> Letters:
    units = tuple(graphemes(word))
    starts: Sequence[int] = range(start, start + len(word) + 1)
    if len(units) < len(word):
        starts = tuple(accumulate(map(len, units), initial=start))
    return Letters(field, units, starts, kept[0], len(units) - kept[1])


def letter_sites(document: Document, shortest: int, *kept: bool) -> Sites:
    """Words with at least so many code points and at least one character that may change."""
    return _word_sites(document, max(shortest, 1 + sum(kept)))


_word_sites = lru_cache(maxsize=4)(word_sites)  # they ask about a text one after the other


class OneWord(Change):
    """A character edit of one word; subclasses define the possible changes.

    ``positions`` says which of them are candidates; the first and the last character may be kept.
    """

    __slots__ = ()

    languages = SPACED_WORDS
    intensity = Intensity(share=0.3, least=1, most=None)
    is_for_search = True
    is_local = True

    positions: Positions
    keep_first: bool = False
    keep_last: bool = False
    shortest: int = 1

    def sites(self, document: Document) -> Sites:
        """Words that are long enough."""
        return letter_sites(document, self.shortest, self.keep_first, self.keep_last)

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """Changes of the word, from left to right, or one drawn at random."""
        word = letters_of(document, site, keep_first=self.keep_first, keep_last=self.keep_last)
        for place, new, width in chosen(self.changes(word), self.positions, rng):
            yield word.change(place, new, width=width)

    @abstractmethod
    def changes(self, word: Letters) -> Sequence[tuple[int, str, int]]:
        """Every change, in the form that `Letters.change` accepts: position, new text, width."""


def exchanged(units: Sequence[str], at: int) -> str | None:
    """A character and the next one in the other order; `None` if they are equal.

    Examples
    --------
    >>> exchanged("good", 0), exchanged("good", 1)
    ('og', None)
    """
    first, second = units[at], units[at + 1]
    return None if first == second else second + first


def chosen(places: Sequence[T], positions: Positions, rng: Rng) -> Sequence[T]:
    """All places in order, or one drawn at random; empty if there are none.

    Examples
    --------
    >>> from numpy.random import default_rng
    >>> list(chosen("abc", "all", default_rng(0))), list(chosen("abc", "random", default_rng(0)))
    (['a', 'b', 'c'], ['b'])
    """
    if positions == "all" or not places:
        return places
    return (places[int(rng.random() * len(places))],)


#: Where in its word a slip begins, how many code points it takes, and what stands there instead.
Slipped = tuple[int, int, str]  # no class of its own: several are made for each text


class OneDraw(Change, ChangesAtOnce):
    """Base of random slips, one in each chosen word.

    Attributes
    ----------
    inside
        As in `scrutiny.core.edit.Edit`.
    shortest
        Words of fewer code points are left alone.
    """

    __slots__ = ()

    languages = SPACED_WORDS
    intensity = Intensity(share=0.2, least=1, most=None)
    inside = False

    shortest: int

    @abstractmethod
    def tries(self, word: str) -> int:
        """How many slips of a word there are to try."""

    @abstractmethod
    def slipped(self, word: str, share: float, number: int = 0) -> Slipped | None:
        """The slip that a share in [0, 1) draws, or one after it; `None` if it is impossible."""

    def sites(self, document: Document) -> Sites:
        """Words that are long enough."""
        return word_sites(document, self.shortest)

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """The drawn slip first, then the following ones, cyclically."""
        share = rng.random()
        for number in range(self.tries(document.text[site.start : site.end])):
            if edits := self.at_once(document, (site,), (share,), number):
                yield tuple(edits)

    def at_once(
        self, document: Document, sites: Sequence[Site], shares: Sequence[float], number: int = 0
    ) -> list[Edit] | None:
        """The drawn slips, or those of a later try; `None` if a word has none."""
        text, field, inside, slipped = document.text, document.field, self.inside, self.slipped
        edits = []
        for (start, end, _), share in zip(sites, shares, strict=True):
            if (slip := slipped(text[start:end], share, number)) is None:
                return None
            offset, width, new = slip
            offset += start
            edits.append(
                new_tuple(Edit, (field, offset, offset + width, new, (), inside, (), None))
            )
        return edits
