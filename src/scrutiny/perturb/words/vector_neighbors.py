"""Words replaced by their neighbors in a space of word vectors, the nearest first."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document, Effect, Site
from scrutiny.perturb.engine.change import Change, Rng
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.perturb.words.guesses import replaced
from scrutiny.text.tokens import is_word

if TYPE_CHECKING:
    from scrutiny.perturb.resources.capabilities import Vectors


@dataclass(frozen=True, slots=True)
class VectorNeighbors(Change):
    """The nearest words by cosine, in that order, with nothing else asked of them.

    Parameters
    ----------
    top
        How many of the nearest words are proposed.
    least_cosine
        How near a word has to be.

    **Measures** with a search on top, how far words of a like use bring a model. The published
    attacks use vectors that were counter-fitted to synonyms and antonyms; with plain ones, such as
    GloVe's, opposites are near as well.

    **Misleads when** read as a change that keeps the meaning: constraints on part of speech and on
    the similarity of sentences are what keeps it, as far as they do.

    References
    ----------
    Jin, Jin, Zhou, Szolovits (2020). Is BERT really robust? Alzantot et al. (2018). Generating
    natural language adversarial examples. Mrkšić et al. (2016). Counter-fitting word vectors.

    Examples
    --------
    >>> VectorNeighbors().resources
    ('vectors',)
    """

    id: ClassVar[str] = "vector_neighbors@1"
    summary: ClassVar[str] = "words replaced by their nearest neighbors among word vectors"
    languages: ClassVar[frozenset[str]] = frozenset({"*"})
    resources: ClassVar[tuple[str, ...]] = ("vectors",)
    effect: ClassVar[Mapping[str, Effect]] = {"*": "may change"}
    is_for_search: ClassVar[bool] = True
    is_local: ClassVar[bool] = True

    top: int = 50
    least_cosine: float = 0.0

    def sites(self, document: Document) -> Sequence[Site]:
        """Words; which of them have a vector shows when they are asked."""
        return [
            Site(*document.tokens[i], i) for i, word in enumerate(document.words) if is_word(word)
        ]

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """Neighbors, the nearest first; nothing is drawn."""
        vectors: Vectors = find_resource(document, "vectors")
        word = document.text[site.start : site.end].lower()
        for other, cosine in vectors.neighbors(word, most=self.top):
            if cosine >= self.least_cosine and is_word(other) and other.lower() != word:
                yield replaced(document, site, other)

    def warm(self, documents: Iterable[Document], resources: Mapping[str, Any]) -> None:
        """Look up the neighbors of all words of many documents in one go."""
        vectors: Vectors = find_resource(resources, "vectors")
        words = {d.words[s.token].lower() for d in documents for s in self.sites(d)}
        vectors.warm(words, most=self.top)
