"""Words of similar meaning: lemmas of WordNet, vector neighbors."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Final, Literal

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import AsksAhead, Document, Effect, Site
from scrutiny.perturb.engine.change import Change, Rng, new_tuple
from scrutiny.perturb.engine.streams import in_random_order
from scrutiny.perturb.languages.en.related_words import (
    UPOS_OF,
    content_lemma,
    content_tag,
    inflected,
    is_of_a_kind,
    is_same_part_of_speech,
    opposites,
)
from scrutiny.perturb.resources.capabilities import Vectors
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.perturb.words.guesses import content_words, replaced, token_at
from scrutiny.perturb.words.replacing import replace_word
from scrutiny.text.casing import match_case
from scrutiny.text.inflect import lemma
from scrutiny.text.lexicon import is_stop_word
from scrutiny.text.tokens import is_word
from scrutiny.text.wordnet import POS_OF, lemmas, synsets

_CACHED: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class WordnetAll(Change):
    """Words replaced by any lemma of any of their WordNet synsets.

    Every single-word lemma of every synset of a word, whatever its sense.

    The order is fixed: nouns, verbs, adjectives, adverbs; the frequent sense first; within a
    synset as WordNet has it. See ``synonym_wordnet`` for synonyms that fit more often.

    Parameters
    ----------
    pos
        ``all``: of every part of speech that the word may have; ``tagged``: of the one that it has
        here.
    senses
        How many senses of a part of speech count, the frequent ones first; nothing takes all.
    inflect
        Put the lemma in the inflection of the word. Published attacks do not: "movies" becomes
        "film".

    **Measures** with a search on top, how far synonyms by the dictionary bring a model.

    **Misleads when** read as a change that keeps the meaning: most senses of a word are not the one
    that is meant.

    References
    ----------
    Ren, Deng, He, Che (2019). Generating natural language adversarial examples through probability
    weighted word saliency. Morris et al. (2020). TextAttack.

    Examples
    --------
    >>> synonyms("movies", "nvar", None)
    ('movie', 'film', 'picture', 'pic', 'flick')
    """

    id: ClassVar[str] = "wordnet_all@1"
    title: ClassVar[str] = "WordNet lemmas"
    resources: ClassVar[tuple[str, ...]] = ("tagger", "wordnet")
    effect: ClassVar[Mapping[str, Effect]] = {"*": "may change"}
    is_for_search: ClassVar[bool] = True
    is_local: ClassVar[bool] = True

    pos: Literal["all", "tagged"] = "all"
    senses: int | None = None
    inflect: bool = False

    def sites(self, document: Document) -> Sequence[Site]:
        """Words of letters that have a synonym in WordNet."""
        return [
            Site(*document.tokens[i], i)
            for i, word in enumerate(document.words)
            if word.isalpha() and synonyms(word.lower(), "nvar", self.senses)
        ]

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """Lemmas in a fixed order, in the letter case of the word."""
        field, (start, end, _) = document.field, site
        xpos = ""
        if self.pos == "tagged" or self.inflect:
            xpos = content_tag(document, token_at(document, site))
        pos = POS_OF.get(UPOS_OF.get(xpos, ""), "") if self.pos == "tagged" else "nvar"
        tag = xpos if self.inflect and xpos in UPOS_OF else ""
        for form in forms(document.text[start:end], pos, self.senses, tag):
            yield (new_tuple(Edit, (field, start, end, form, (), False, ())),)


@lru_cache(maxsize=_CACHED)
def forms(word: str, pos: str, senses: int | None, xpos: str) -> tuple[str, ...]:
    """Synonyms of a word in its letter case, in the inflection of a Penn tag if there is one.

    Examples
    --------
    >>> forms("Movies", "n", 1, ""), forms("Movies", "n", 1, "NNS")[0]
    (('Movie', 'Film', 'Picture', 'Pic', 'Flick'), 'Films')
    """
    low = word.lower()
    others = synonyms(low, pos, senses)
    found = [inflected(other, xpos) for other in others] if xpos else others
    return tuple(
        [match_case(word, form) for form in found if form is not None and form.lower() != low]
    )


@lru_cache(maxsize=_CACHED)
def synonyms(word: str, pos: str, senses: int | None) -> tuple[str, ...]:
    """Single-word lemmas of the synsets of a lower-case word, or of its base form, without it.

    Parameters
    ----------
    word
        In lower case, inflected or not.
    pos
        Letters of the parts of speech that count, of ``nvar``.
    senses
        How many senses of each count; nothing takes all.
    """
    found: list[str] = []
    for upos, letter in POS_OF.items():
        if letter not in pos:
            continue
        for form in dict.fromkeys((word, lemma(word, upos))):
            for synset in synsets(form, letter)[:senses]:
                found += [other for other in lemmas(synset) if other.isalpha()]
    return tuple(dict.fromkeys(other for other in found if other.lower() != word))


@dataclass(frozen=True, slots=True)
class VectorNeighbors(Change, AsksAhead):
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

    id: ClassVar[str] = "vector_neighbors@1"
    title: ClassVar[str] = "neighbors in word vectors"
    languages: ClassVar[frozenset[str]] = frozenset({"*"})
    resources: ClassVar[tuple[str, ...]] = ("vectors",)
    effect: ClassVar[Mapping[str, Effect]] = {"*": "may change"}
    is_for_search: ClassVar[bool] = True
    is_local: ClassVar[bool] = True

    top: int = 50
    least_cosine: float = 0.0

    def sites(self, document: Document) -> Sequence[Site]:
        """Words; only later it is known which of them have a vector."""
        return [
            Site(*document.tokens[i], i) for i, word in enumerate(document.words) if is_word(word)
        ]

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """Neighbors, nearest first."""
        vectors: Vectors = find_resource(document, "vectors")
        word = document.text[site.start : site.end].lower()
        for other, cosine in vectors.neighbors(word, most=self.top):
            if cosine >= self.least_cosine and is_word(other) and other.lower() != word:
                yield replaced(document, site, other)

    def warm(
        self,
        documents: Iterable[Document],
        resources: Mapping[str, Any],
        *,
        sites: Iterable[Sequence[Site]] | None = None,
    ) -> None:
        """Look up the neighbors of all words of many documents in one call."""
        vectors: Vectors = find_resource(resources, "vectors")
        words = {d.words[s.token].lower() for d in documents for s in self.sites(d)}
        vectors.warm(words, most=self.top)


@dataclass(frozen=True, slots=True)
class SynonymVectors(Change, AsksAhead):
    """Words replaced by a neighbor among word vectors, without antonyms.

    A vector neighbor of the same part of speech and inflection, without antonyms.

    Vectors put words near one another that occur in like contexts, so opposites are near as well;
    those that WordNet knows, direct or by way of a similar adjective, are taken out. So are words
    that are mostly of another part of speech, and nouns and verbs of another class of meaning.

    Parameters
    ----------
    neighbors
        How many neighbors are looked at.
    least_cosine
        How near a neighbor has to be.

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

    id: ClassVar[str] = "synonym_vectors@1"
    title: ClassVar[str] = "synonyms (word vectors)"
    resources: ClassVar[tuple[str, ...]] = ("tagger", "wordnet", "vectors")
    effect: ClassVar[Mapping[str, Effect]] = {
        "*": "keeps",
        "question-answering": "may change",
        "text-pair-classification": "may change",
        "translation": "may change",
    }

    neighbors: int = 20
    least_cosine: float = 0.7

    def sites(self, document: Document) -> Sequence[Site]:
        """Content words; candidates are only computed later."""
        return content_words(document)

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """Suitable neighbors, in random order."""
        vectors: Vectors = find_resource(document, "vectors")
        word = document.words[site.token].lower()
        found = self._fitting(word, content_tag(document, site.token), vectors)
        for other in in_random_order(found, rng):
            yield from replace_word(document, site.token, other)

    def _fitting(self, word: str, xpos: str, vectors: Vectors) -> list[str]:
        base = content_lemma(word, xpos)
        if base is None:
            return []
        upos = UPOS_OF[xpos]
        pos = POS_OF[upos]
        against = opposites(base, pos)
        neighbors = vectors.neighbors(word, most=self.neighbors)
        near = [other for other, cosine in neighbors if cosine >= self.least_cosine]
        return [
            other
            for other in near
            if is_same_part_of_speech(word, other, xpos)
            and (stem := lemma(other, upos)) != base
            and stem not in against
            and is_of_a_kind(base, stem, pos)
            and not is_stop_word(other)
        ]

    def warm(
        self,
        documents: Iterable[Document],
        resources: Mapping[str, Any],
        *,
        sites: Iterable[Sequence[Site]] | None = None,
    ) -> None:
        """Look up the neighbors of all words of many documents in one call."""
        vectors: Vectors = find_resource(resources, "vectors")
        words = {d.words[s.token].lower() for d in documents for s in self.sites(d)}
        vectors.warm(words, most=self.neighbors)
