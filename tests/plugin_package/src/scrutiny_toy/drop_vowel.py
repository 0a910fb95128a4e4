"""The transformation ``drop_vowel``."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from scrutiny.plugin import Document, Edit, Effect, Intensity, Site, Transformation

if TYPE_CHECKING:
    from numpy.random import Generator

INNER_VOWEL = re.compile(r"(?<=\w)[aeiou](?=\w)")


@dataclass(frozen=True, slots=True)
class DropVowel(Transformation):
    """An inner vowel left out.

    An inner vowel of a word left out.

    **Measures** whether words are recognized by their consonants.

    **Misleads when** the result is another word ("boot", "bot").
    """

    id: ClassVar[str] = "drop_vowel@1"
    languages: ClassVar[frozenset[str]] = frozenset({"en"})
    resources: ClassVar[tuple[str, ...]] = ()
    effect: ClassVar[Mapping[str, Effect]] = {"*": "keeps"}
    intensity: ClassVar[Intensity] = Intensity(share=0.3, least=1, most=10)

    def sites(self, document: Document) -> Sequence[Site]:
        """Words with an inner vowel."""
        return [
            Site(start, end, index)
            for index, (start, end) in enumerate(document.tokens)
            if INNER_VOWEL.search(document.text, start, end)
        ]

    def candidates(
        self, document: Document, site: Site, rng: "Generator"
    ) -> Iterator[tuple[Edit, ...]]:
        """The inner vowels in a drawn order."""
        found = [m.start() for m in INNER_VOWEL.finditer(document.text, site.start, site.end)]
        for chosen in rng.permutation(len(found)):
            yield (Edit(document.field, found[chosen], found[chosen] + 1, ""),)
