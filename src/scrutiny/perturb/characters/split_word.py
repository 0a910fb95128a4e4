"""A space put into a word."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document, Effect, Intensity, Site
from scrutiny.perturb.characters.positions import Positions, chosen, letter_sites, letters_of

if TYPE_CHECKING:
    from numpy.random import Generator


@dataclass(frozen=True, slots=True)
class SplitWord:
    """A space between two characters of a word, which makes two of it.

    Parameters
    ----------
    positions
        ``random``: one gap of a word, drawn; ``all``: each, from left to right.
    longest
        Words of more characters are left alone; nothing leaves none.

    **Measures** with a search on top, whether a model that reads words can be kept from seeing
    one.

    **Misleads when** both parts are words ("no where"): then it says something else.

    References
    ----------
    Li, Ji, Du, Li, Wang (2019). TextBugger: generating adversarial text against real-world
    applications. (There: words of fewer than six letters.)

    Examples
    --------
    >>> from numpy.random import default_rng
    >>> from scrutiny.perturb.engine.document import document_of
    >>> split, document = SplitWord(positions="all"), document_of("cat")
    >>> site = split.sites(document)[0]
    >>> [edits[0][1:4] for edits in split.candidates(document, site, default_rng(0))]
    [(1, 1, ' '), (2, 2, ' ')]
    """

    id: ClassVar[str] = "split_word@1"
    summary: ClassVar[str] = "a space put into a word, at one place or at each"
    languages: ClassVar[frozenset[str]] = frozenset({"*"})
    resources: ClassVar[tuple[str, ...]] = ()
    effect: ClassVar[Mapping[str, Effect]] = {"*": "keeps"}
    intensity: ClassVar[Intensity] = Intensity(share=0.3, least=1, most=None)
    where: ClassVar[str] = "around"
    is_for_search: ClassVar[bool] = True
    is_local: ClassVar[bool] = True

    positions: Positions = "random"
    longest: int | None = None

    def sites(self, document: Document) -> Sequence[Site]:
        """Words of at least two characters, and not too long."""
        found = letter_sites(document, 2)
        longest = self.longest
        return found if longest is None else [s for s in found if s.end - s.start <= longest]

    def candidates(
        self, document: Document, site: Site, rng: "Generator"
    ) -> Iterator[tuple[Edit, ...]]:
        """Splits of a word in two."""
        word = letters_of(document, site, keep_first=False, keep_last=False)
        for gap in chosen(range(1, len(word.units)), self.positions, rng):
            yield word.change(gap, " ", width=0)
