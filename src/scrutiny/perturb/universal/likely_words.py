"""Words replaced by predictions of a masked language model, or by vector neighbors."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import AsksAhead, Document, Effect, Intensity, Site
from scrutiny.perturb.engine.change import Change, Rng
from scrutiny.perturb.engine.streams import in_random_order
from scrutiny.perturb.english.related_words import (
    UPOS_OF,
    content_lemma,
    content_tag,
    is_of_a_kind,
    is_same_part_of_speech,
    opposites,
)
from scrutiny.perturb.english.replacing import replace_word
from scrutiny.perturb.resources.capabilities import MaskFiller, MaskQuery, Vectors
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.text.inflect import lemma
from scrutiny.text.lexicon import is_stop_word
from scrutiny.text.wordnet import POS_OF


class ContentWords(Change):
    """Base of changes of content words: words of letters that are not function words."""

    __slots__ = ()

    def sites(self, document: Document) -> Sequence[Site]:
        """Content words; candidates are only computed later."""
        words = document.words
        return [
            Site(start, end, i)
            for i, (start, end) in enumerate(document.tokens)
            if end - start > 2 and words[i].isalpha() and not is_stop_word(words[i])
        ]


@dataclass(frozen=True, slots=True)
class MaskedLm(ContentWords, AsksAhead):
    """A likely word of the same part of speech and inflection, never the word itself.

    Parameters
    ----------
    top
        How many of the likeliest whole words are looked at.

    **Measures** the answer to fluent changes that nobody's dictionary foresaw.

    **Misleads when** the model proposes another meaning ("good" and "bad" are both likely): that
    is why the effect is ``may change``. A model that is bad at its own task proposes noise; report
    its masked-token accuracy beside the result.

    References
    ----------
    Garg, Ramakrishnan (2020). BAE: BERT-based adversarial examples for text classification.
    Li et al. (2020). BERT-ATTACK: adversarial attack against BERT using BERT.

    Examples
    --------
    >>> MaskedLm().resources
    ('tagger', 'wordnet', 'masked_lm')
    """

    id: ClassVar[str] = "masked_lm@1"
    title: ClassVar[str] = "words from a language model"
    summary: ClassVar[str] = "words replaced by predictions of a masked language model"
    resources: ClassVar[tuple[str, ...]] = ("tagger", "wordnet", "masked_lm")
    effect: ClassVar[Mapping[str, Effect]] = {"*": "may change", "token-tagging": "keeps"}
    intensity: ClassVar[Intensity] = Intensity(share=0.2, least=1, most=10)

    top: int = 20

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """Likely words of the same part of speech and form, in random order."""
        xpos = content_tag(document, site.token)
        word = document.words[site.token].lower()
        if content_lemma(word, xpos) is None:
            return
        filler: MaskFiller = find_resource(document, "masked_lm")
        likely = filler.fill([_query(document, site)], top=self.top)[0]
        for other in in_random_order(_fitting(word, xpos, likely), rng):
            yield from replace_word(document, site.token, other)

    def warm(
        self,
        documents: Iterable[Document],
        resources: Mapping[str, Any],
        *,
        sites: Iterable[Sequence[Site]] | None = None,
    ) -> None:
        """Ask the model about many places in full batches.

        Parameters
        ----------
        documents
            Texts; all their sites are asked unless told.
        resources
            Where the model is.
        sites
            For each document, the places that will be needed.
        """
        filler: MaskFiller = find_resource(resources, "masked_lm")
        if sites is None:
            pairs = [(d, self.sites(d)) for d in documents]
        else:
            pairs = list(zip(documents, sites, strict=True))
        filler.fill([_query(d, s) for d, places in pairs for s in places], top=self.top)


def _query(document: Document, site: Site) -> MaskQuery:
    return MaskQuery(document.text, site.start, site.end)


def _fitting(word: str, xpos: str, likely: Sequence[str]) -> list[str]:
    """Lower-case words that usually have this tag in this form, and another lemma."""
    upos = UPOS_OF[xpos]
    base = lemma(word, upos)
    return [
        other
        for other in dict.fromkeys(w.lower() for w in likely)
        if len(other) > 2
        and not is_stop_word(other)
        and is_same_part_of_speech(word, other, xpos)
        and lemma(other, upos) != base
    ]


@dataclass(frozen=True, slots=True)
class SynonymVectors(ContentWords, AsksAhead):
    """A vector neighbor of the same part of speech and inflection, without antonyms.

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
    summary: ClassVar[str] = "words replaced by a neighbor among word vectors, without antonyms"
    resources: ClassVar[tuple[str, ...]] = ("tagger", "wordnet", "vectors")
    effect: ClassVar[Mapping[str, Effect]] = {
        "*": "keeps",
        "text-pair-classification": "may change",
    }

    neighbors: int = 20
    least_cosine: float = 0.7

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
