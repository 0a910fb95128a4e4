"""The characters of one word, and which of them an edit may touch."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Literal, TypeVar

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document, Site
from scrutiny.perturb.letters import split_characters
from scrutiny.perturb.sites import word_sites

if TYPE_CHECKING:
    from numpy.random import Generator

#: ``random``: one place of a word, drawn; ``all``: every place, from left to right.
Positions = Literal["random", "all"]

T = TypeVar("T")
_INSIDE = True


@dataclass(frozen=True, slots=True)
class Letters:
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
        """Characters that may be touched."""
        return range(self.low, self.high)

    def gaps(self) -> range:
        """Places between characters where something may be put: before the character there."""
        last = len(self.units)
        return range(self.low, (self.high if self.high < last else last) + 1)

    def change(self, place: int, new: str, *, width: int = 1) -> tuple[Edit, ...]:
        """Edit that puts ``new`` where ``width`` characters stand; a width of 0 inserts."""
        start, end = self.starts[place], self.starts[place + width]
        return (Edit(self.field, start, end, new, (), _INSIDE),)


def letters_of(document: Document, site: Site, *, keep_first: bool, keep_last: bool) -> Letters:
    """Characters of the word at a site.

    Examples
    --------
    >>> from scrutiny.perturb.document import document_of
    >>> word = letters_of(document_of("a word"), Site(2, 6, 1), keep_first=True, keep_last=True)
    >>> list(word.places()), list(word.gaps()), word.change(1, "O")[0][1:4]
    ([1, 2], [1, 2, 3], (3, 4, 'O'))
    """
    units = split_characters(document.text[site.start : site.end])
    starts = list(accumulate(map(len, units), initial=site.start))
    return Letters(document.field, units, starts, int(keep_first), len(units) - int(keep_last))


def letter_sites(document: Document, shortest: int, *kept: bool) -> Sequence[Site]:
    """Words with at least so many code points, and one besides those that are kept."""
    return word_sites(document, max(shortest, 1 + sum(kept)))


def chosen(places: Sequence[T], positions: Positions, rng: "Generator") -> Iterator[T]:
    """Every place in order, or one of them drawn; none if there is none.

    Examples
    --------
    >>> from numpy.random import default_rng
    >>> list(chosen("abc", "all", default_rng(0))), list(chosen("abc", "random", default_rng(0)))
    (['a', 'b', 'c'], ['b'])
    """
    if positions == "all":
        yield from places
    elif places:
        yield places[int(rng.random() * len(places))]
