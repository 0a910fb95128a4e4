"""One character of a word left out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document, Effect, Intensity, Site
from scrutiny.perturb.characters.positions import Positions, chosen, letter_sites, letters_of

if TYPE_CHECKING:
    from numpy.random import Generator


@dataclass(frozen=True, slots=True)
class DeleteLetter:
    """One character left out; never the only one.

    Parameters
    ----------
    positions
        ``random``: one character of a word, drawn; ``all``: each, from left to right.
    keep_first, keep_last
        Leave the first or the last character of a word where it is.
    shortest
        Words of fewer characters are left alone.

    **Measures** with a search on top, how far chosen slips bring a model; see ``typos`` for random
    ones.

    **Misleads when** a word becomes another one ("cat", "at"): then it says something else.

    References
    ----------
    Gao et al. (2018). Black-box generation of adversarial text sequences to evade deep learning
    classifiers. Pruthi, Dhingra, Lipton (2019). Combating adversarial misspellings.

    Examples
    --------
    >>> from numpy.random import default_rng
    >>> from scrutiny.perturb.engine.document import document_of
    >>> delete, document = DeleteLetter(positions="all"), document_of("a cat")
    >>> site = delete.sites(document)[0]
    >>> [edits[0][1:4] for edits in delete.candidates(document, site, default_rng(0))]
    [(2, 3, ''), (3, 4, ''), (4, 5, '')]
    """

    id: ClassVar[str] = "delete_letter@1"
    summary: ClassVar[str] = "one character left out, at one place or at each"
    languages: ClassVar[frozenset[str]] = frozenset({"*"})
    resources: ClassVar[tuple[str, ...]] = ()
    effect: ClassVar[Mapping[str, Effect]] = {"*": "keeps"}
    intensity: ClassVar[Intensity] = Intensity(share=0.3, least=1, most=None)
    where: ClassVar[str] = "around"
    is_for_search: ClassVar[bool] = True
    is_local: ClassVar[bool] = True

    positions: Positions = "random"
    keep_first: bool = False
    keep_last: bool = False
    shortest: int = 2

    def sites(self, document: Document) -> Sequence[Site]:
        """Words that are long enough."""
        return letter_sites(document, max(2, self.shortest), self.keep_first, self.keep_last)

    def candidates(
        self, document: Document, site: Site, rng: "Generator"
    ) -> Iterator[tuple[Edit, ...]]:
        """Deletions of one character each; of two equal neighbors the first stands for both."""
        word = letters_of(document, site, keep_first=self.keep_first, keep_last=self.keep_last)
        units = word.units
        if len(units) < 2:
            return
        places = [i for i in word.places() if i == word.low or units[i] != units[i - 1]]
        for i in chosen(places, self.positions, rng):
            yield word.change(i, "")
