"""Slips that one random number draws: of each word the drawn one comes first, then its others."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence

from scrutiny.core.languages import SPACED_WORDS
from scrutiny.core.transformation import ChangesAtOnce, Document, Intensity, Site
from scrutiny.perturb.engine.change import Change, Edit, Rng, Sites, new_tuple, word_sites

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
            edits.append(new_tuple(Edit, (field, offset, offset + width, new, (), inside, ())))
        return edits
