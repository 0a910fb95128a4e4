"""Neighbors among word vectors: those that fit, and all of them for searches."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from scrutiny.core.transformation import AsksAhead, Document, Site, keeps_unless
from scrutiny.perturb.engine.changes import KEEPS_ARCS, Sites, sites_where
from scrutiny.perturb.languages.related_words import is_of_a_kind
from scrutiny.perturb.languages.word_forms import UPOS_OF, content_lemma, content_tag, of_same_form
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.perturb.words.replacing import OtherWord, content_words
from scrutiny.text.tokens import is_word
from scrutiny.text.wordnet import POS_OF, opposites

if TYPE_CHECKING:
    from scrutiny.perturb.resources.capabilities import Vectors


class NearInVectors(OtherWord, AsksAhead):
    """Base of changes to words that are near in a vector space."""

    __slots__ = ()

    resources: ClassVar[tuple[str, ...]] = ("vectors",)

    top: int
    least_cosine: float

    def near(self, document: Document, word: str) -> Iterator[str]:
        """Neighbors of a lower-case word that are near enough, nearest first."""
        vectors: Vectors = find_resource(document.resources, "vectors")
        found = vectors.neighbors(word, most=self.top)
        return (other for other, cosine in found if cosine >= self.least_cosine)

    def warm(self, documents: Sequence[Document], sites: Sequence[Sequence[Site]]) -> None:
        """Look up the neighbors of all words of many documents in one call."""
        vectors: Vectors = find_resource(documents[0].resources, "vectors")
        words = {d.words[s.token].lower() for d in documents for s in self.sites(d)}
        vectors.warm(words, most=self.top)


@dataclass(frozen=True, slots=True)
class VectorNeighbors(NearInVectors):
    """Words replaced by their nearest neighbors among word vectors.

    The nearest words by cosine, in that order, without further conditions.

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

    id = "vector_neighbors@1"
    title = "neighbors in word vectors"
    languages = frozenset({"*"})
    effect = KEEPS_ARCS
    is_for_search = True
    is_local = True

    top: int = 50
    least_cosine: float = 0.0

    def sites(self, document: Document) -> Sites:
        """Words; only later it is known which of them have a vector."""
        return sites_where(document, is_word)

    def others(self, document: Document, site: Site) -> Iterable[str]:
        """Neighbors, nearest first."""
        word = document.text[site.start : site.end].lower()
        return (o for o in self.near(document, word) if is_word(o) and o.lower() != word)


@dataclass(frozen=True, slots=True)
class SynonymVectors(NearInVectors):
    """Words replaced by a neighbor among word vectors, without antonyms.

    A vector neighbor of the same part of speech and inflection, without antonyms.

    Vectors put words near one another that occur in like contexts, so opposites are near as well;
    those that WordNet knows, direct or by way of a similar adjective, are taken out. So are words
    that are mostly of another part of speech, and nouns and verbs of another class of meaning.

    Parameters
    ----------
    top
        How many of the nearest words are looked at.
    least_cosine
        How near a word has to be.

    **Measures** whether the answer hangs on the wording, with replacements that WordNet lacks.

    **Misleads when** neighbors are of a kind but not the same ("Monday", "Tuesday"): then the text
    says something else. Look at the variants before stating a drop as a lack of robustness.

    References
    ----------
    Alzantot et al. (2018). Generating natural language adversarial examples.
    Mrkšić et al. (2016). Counter-fitting word vectors to linguistic constraints.

    Examples
    --------
    >>> SynonymVectors().resources
    ('tagger', 'wordnet', 'vectors')
    """

    id = "synonym_vectors@1"
    title = "synonyms (word vectors)"
    resources = ("tagger", "wordnet", "vectors")
    effect = keeps_unless("extract", "relation", "text")
    is_drawn = True
    has_article = True

    top: int = 20
    least_cosine: float = 0.7

    def sites(self, document: Document) -> Sites:
        """Content words; candidates are only computed later."""
        return content_words(document)

    def others(self, document: Document, site: Site) -> Iterable[str]:
        """Suitable neighbors, nearest first."""
        word, xpos = document.words[site.token].lower(), content_tag(document, site.token)
        base = content_lemma(word, xpos)
        if base is None:
            return ()
        pos = POS_OF[UPOS_OF[xpos]]
        against = opposites(base, pos)
        return [
            other
            for other, stem in of_same_form(word, xpos, self.near(document, word))
            if stem not in against and is_of_a_kind(base, stem, pos)
        ]
