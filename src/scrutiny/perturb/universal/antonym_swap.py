"""Adjectives replaced by their antonym."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document, Effect, Intensity, Site
from scrutiny.perturb.agreement import replace_word
from scrutiny.perturb.replacements import antonym_forms, content_tag

if TYPE_CHECKING:
    from numpy.random import Generator

_TAGS = ("JJ", "JJR", "JJS")


@dataclass(frozen=True, slots=True)
class AntonymSwap:
    """An adjective's antonym, in the same degree and casing.

    Antonyms of more frequent senses are tried first.

    Parameters
    ----------
    senses
        How many of the adjective's senses count, the most frequent first.
    least_zipf
        How common the antonym has to be, as log10 of its count per billion words.

    **Measures** whether the model sees a word that turns the meaning while the topic stays.

    **Misleads when** it is scored against the old label: the label may turn, or it may not ("a
    young director" is no better than an old one).

    References
    ----------
    Miller (1995). WordNet: a lexical database for English.

    Examples
    --------
    >>> from scrutiny.core.example import Example
    >>> from scrutiny.perturb.engine import perturb
    >>> perturb(Example("1", {"text": "It's a good film."}), "antonym_swap", seed=0).edits[0].text
    'bad'
    """

    id: ClassVar[str] = "antonym_swap@1"
    summary: ClassVar[str] = "adjectives replaced by their antonym in the same degree"
    languages: ClassVar[frozenset[str]] = frozenset({"en"})
    resources: ClassVar[tuple[str, ...]] = ("tagger", "wordnet")
    effect: ClassVar[Mapping[str, Effect]] = {"*": "may change", "token-tagging": "keeps"}
    intensity: ClassVar[Intensity] = Intensity(share=0.1, least=1, most=10)
    where: ClassVar[str] = "around"

    senses: int = 3
    least_zipf: float = 2.5

    def sites(self, document: Document) -> Sequence[Site]:
        """Adjectives that have an antonym; only words that could be one get tagged."""
        words = document.words
        return [
            Site(start, end, i)
            for i, (start, end) in enumerate(document.tokens)
            if _has_antonym(words[i], self.senses, self.least_zipf)
            and content_tag(document, i) in _TAGS
            and self._forms(document, i)
        ]

    def candidates(
        self, document: Document, site: Site, rng: "Generator"
    ) -> Iterator[tuple[Edit, ...]]:
        """Antonyms in the adjective's degree, the most frequent sense first."""
        del rng
        for form in self._forms(document, site.token):
            edits = replace_word(document, site.token, form)
            if edits is not None:
                yield edits

    def _forms(self, document: Document, index: int) -> tuple[str, ...]:
        return antonym_forms(
            document.words[index].lower(),
            content_tag(document, index),
            senses=self.senses,
            least_zipf=self.least_zipf,
        )


@lru_cache(maxsize=1 << 16)
def _has_antonym(word: str, senses: int, least_zipf: float) -> bool:
    """Whether a word in any casing has an antonym as an adjective of some degree."""
    low = word.lower()
    return any(antonym_forms(low, t, senses=senses, least_zipf=least_zipf) for t in _TAGS)
