"""A character that nobody sees put into a word."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document, Effect, Intensity, Site
from scrutiny.perturb.characters.positions import Positions, chosen, letter_sites, letters_of

if TYPE_CHECKING:
    from numpy.random import Generator

_MARKS: Final[Mapping[str, str]] = {
    "space": "\u200b",  # zero width space
    "non-joiner": "\u200c",
    "joiner": "\u200d",
    "word-joiner": "\u2060",
}


@dataclass(frozen=True, slots=True)
class InvisibleCharacter:
    r"""A character of width zero between two characters of a word.

    Parameters
    ----------
    positions
        ``random``: one gap of a word, drawn; ``all``: each, from left to right.
    mark
        Which one: zero width ``space`` (U+200B), ``non-joiner`` (U+200C), ``joiner`` (U+200D),
        ``word-joiner`` (U+2060); ``any`` tries all four at every place.

    **Measures** with a search on top, what somebody who types such characters on purpose can do; a
    reader sees nothing.

    **Misleads when** texts are normalized before they reach the model: then it is no threat. Many
    tokenizers drop these characters, and then nothing changes at all.

    References
    ----------
    Boucher, Shumailov, Anderson, Papernot (2022). Bad characters: imperceptible NLP attacks.

    Examples
    --------
    >>> from numpy.random import default_rng
    >>> from scrutiny.perturb.engine.document import document_of
    >>> hide, document = InvisibleCharacter(positions="all"), document_of("no")
    >>> [e[0][1:4] for e in hide.candidates(document, hide.sites(document)[0], default_rng(0))]
    [(1, 1, '\u200b')]
    """

    id: ClassVar[str] = "invisible_character@1"
    summary: ClassVar[str] = "a character of width zero put into a word"
    languages: ClassVar[frozenset[str]] = frozenset({"*"})
    resources: ClassVar[tuple[str, ...]] = ()
    effect: ClassVar[Mapping[str, Effect]] = {"*": "keeps"}
    intensity: ClassVar[Intensity] = Intensity(share=0.3, least=1, most=None)
    where: ClassVar[str] = "around"
    is_for_search: ClassVar[bool] = True
    is_local: ClassVar[bool] = True

    positions: Positions = "all"
    mark: Literal["space", "non-joiner", "joiner", "word-joiner", "any"] = "space"

    def sites(self, document: Document) -> Sequence[Site]:
        """Words of at least two characters."""
        return letter_sites(document, 2)

    def candidates(
        self, document: Document, site: Site, rng: "Generator"
    ) -> Iterator[tuple[Edit, ...]]:
        """Insertions of one such character each."""
        word = letters_of(document, site, keep_first=False, keep_last=False)
        marks = tuple(_MARKS.values()) if self.mark == "any" else (_MARKS[self.mark],)
        pairs = [(gap, mark) for gap in range(1, len(word.units)) for mark in marks]
        for gap, mark in chosen(pairs, self.positions, rng):
            yield word.change(gap, mark, width=0)
