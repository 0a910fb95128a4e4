"""One character of a word replaced by one of another script that looks the same."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document, Effect, Intensity, Site
from scrutiny.perturb.characters.positions import Positions, chosen, letter_sites, letters_of
from scrutiny.text.characters import homoglyphs

if TYPE_CHECKING:
    from numpy.random import Generator


@dataclass(frozen=True, slots=True)
class Homoglyph:
    """One Latin letter or digit replaced by a look-alike of another script.

    Parameters
    ----------
    positions
        ``random``: one of all such changes of a word, drawn; ``all``: each at each place.
    most_alike
        How many look-alikes of a character are tried, the closest first.

    **Measures** with a search on top, what somebody who types foreign letters on purpose can do; a
    reader sees nothing.

    **Misleads when** texts are normalized before they reach the model: then it is no threat.

    References
    ----------
    Li, Ji, Du, Li, Wang (2019). TextBugger. Boucher et al. (2022). Bad characters: imperceptible
    NLP attacks. Unicode Technical Standard 39, confusables.

    Examples
    --------
    >>> from numpy.random import default_rng
    >>> from scrutiny.perturb.engine.document import document_of
    >>> alike, document = Homoglyph(positions="all"), document_of("no")
    >>> site = alike.sites(document)[0]
    >>> [f"U+{ord(e[0].text):04X}" for e in alike.candidates(document, site, default_rng(0))][-1]
    'U+043E'
    """

    id: ClassVar[str] = "homoglyph@1"
    summary: ClassVar[str] = "one letter replaced by a look-alike of another script"
    languages: ClassVar[frozenset[str]] = frozenset({"*"})
    resources: ClassVar[tuple[str, ...]] = ()
    effect: ClassVar[Mapping[str, Effect]] = {"*": "keeps"}
    intensity: ClassVar[Intensity] = Intensity(share=0.3, least=1, most=None)
    where: ClassVar[str] = "around"
    is_for_search: ClassVar[bool] = True
    is_local: ClassVar[bool] = True

    positions: Positions = "all"
    most_alike: int = 1

    def sites(self, document: Document) -> Sequence[Site]:
        """Words."""
        return letter_sites(document, 1)

    def candidates(
        self, document: Document, site: Site, rng: "Generator"
    ) -> Iterator[tuple[Edit, ...]]:
        """Look-alikes of each character, from left to right."""
        word = letters_of(document, site, keep_first=False, keep_last=False)
        pairs = [
            (i, alike)
            for i, unit in enumerate(word.units)
            for alike in homoglyphs(unit)[: self.most_alike]
        ]
        for i, alike in chosen(pairs, self.positions, rng):
            yield word.change(i, alike)
