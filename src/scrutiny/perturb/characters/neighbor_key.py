"""One character of a word replaced by what lies beside it on the keyboard."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document, Effect, Intensity, Site
from scrutiny.perturb.characters.positions import Positions, chosen, letter_sites, letters_of
from scrutiny.text.characters import keyboard_neighbors

if TYPE_CHECKING:
    from numpy.random import Generator


@dataclass(frozen=True, slots=True)
class NeighborKey:
    """One character replaced by one whose key is next to it on a QWERTY keyboard.

    Parameters
    ----------
    positions
        ``random``: one of all such changes of a word, drawn; ``all``: each key at each place.
    keep_first, keep_last
        Leave the first or the last character of a word as it is.
    shortest
        Words of fewer characters are left alone.

    **Measures** with a search on top, how far chosen slips bring a model; see ``keyboard`` for
    random ones.

    **Misleads when** the users type on another layout, or with autocorrection.

    References
    ----------
    Pruthi, Dhingra, Lipton (2019). Combating adversarial misspellings with robust word recognition.

    Examples
    --------
    >>> from numpy.random import default_rng
    >>> from scrutiny.perturb.engine.document import document_of
    >>> near, document = NeighborKey(positions="all", keep_first=True), document_of("ox")
    >>> site = near.sites(document)[0]
    >>> [edits[0].text for edits in near.candidates(document, site, default_rng(0))]
    ['s', 'd', 'z', 'c']
    """

    id: ClassVar[str] = "neighbor_key@1"
    summary: ClassVar[str] = "one character replaced by a key beside it, at one place or at each"
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
    shortest: int = 1

    def sites(self, document: Document) -> Sequence[Site]:
        """Words that are long enough."""
        return letter_sites(document, self.shortest, self.keep_first, self.keep_last)

    def candidates(
        self, document: Document, site: Site, rng: "Generator"
    ) -> Iterator[tuple[Edit, ...]]:
        """Neighbors of each key, in the order of the rows of the keyboard."""
        word = letters_of(document, site, keep_first=self.keep_first, keep_last=self.keep_last)
        pairs = [(i, key) for i in word.places() for key in keyboard_neighbors(word.units[i])]
        for i, key in chosen(pairs, self.positions, rng):
            yield word.change(i, key)
