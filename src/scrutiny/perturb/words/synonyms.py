"""Synonyms: of WordNet, those that fit or every lemma of every sense, and neighbors in vectors."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from scrutiny.core.transformation import AsksAhead, Document, Site, keeps_unless
from scrutiny.perturb.engine.changes import KEEPS_ARCS, Sites, sites_where
from scrutiny.perturb.languages.related_words import (
    SynonymSettings,
    is_of_a_kind,
    synonym_forms,
    words_with_synonym,
)
from scrutiny.perturb.languages.verbs import HAVE
from scrutiny.perturb.languages.word_forms import (
    UPOS_OF,
    content_lemma,
    content_tag,
    inflected,
    of_same_form,
)
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.perturb.words.replacing import OtherWord, content_words, token_to_replace
from scrutiny.text.inflection import lemma
from scrutiny.text.lexicon import word_set, zipf
from scrutiny.text.tokens import is_word
from scrutiny.text.wordnet import POS_OF, opposites, sense_counts, synonyms

if TYPE_CHECKING:
    from scrutiny.perturb.resources.capabilities import Vectors


_CACHED: Final = 1 << 16
_COMMONPLACE: Final = 5.0  # one word in ten thousand, as log10 of its count per billion words
_ENOUGH: Final = 3  # so many words with a usual synonym, and the tags will leave one
_COMPOUND: Final = frozenset("noir - home love short cover news".split())
_PARTICLES: Final = word_set("particles")


@dataclass(frozen=True, slots=True)
class SynonymWordnet(OtherWord):
    """Words replaced by a WordNet synonym in the same inflection.

    Replaces a word by a synonym of the same part of speech, inflection and letter case.

    A list holds the pairs of words that a reader found to fit in nearly every context; no other
    pair is used unless asked for. Verbs before a preposition or particle stay, and so do words in
    a comparison ("more often than") and in compounds ("love story"). The commonest nouns ("film",
    "story", "child", in singular or plural) change beside another word and not alone: most texts of
    a collection may hold the same one, which would then be most of the change.

    Parameters
    ----------
    checked
        Whether only the pairs of the list are used. Otherwise every single common word will do
        whose usual sense, by the counts of SemCor, is a usual one of the word; where a text has
        hardly a word with such a synonym, a verb of feeling takes what it is a kind of. Many more
        texts change, and about three synonyms in ten miss the sense.
    senses
        How many of a word's senses count, the most frequent first, where not checked.
    least_zipf
        How common the synonym has to be, as log10 of its count per billion words, where not
        checked.
    usual
        Whether the sense has to be a usual one, where not checked. Otherwise senses early in
        WordNet's order will do as well.

    **Measures** whether the answer hangs on the wording where the meaning stays.

    **Misleads when** the word is used in a sense that is not its usual one, or the synonym differs
    in tone: a "movie" is a "film", but a "flick" is not quite.

    References
    ----------
    Miller (1995). WordNet: a lexical database for English.
    Ren, Deng, He, Che (2019). Generating natural language adversarial examples through probability
    weighted word saliency.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> perturb("Buy it", "synonym_wordnet", seed=0).edits[0].text
    'Purchase'
    """

    id = "synonym_wordnet@1"
    title = "synonyms (WordNet)"
    resources = ("tagger", "wordnet")
    is_drawn = True
    has_article = True

    checked: bool = True
    senses: int = 2
    least_zipf: float = 3.0
    usual: bool = True

    def sites(self, document: Document) -> Sites:
        """Words with a usual synonym; in texts with few, also verbs with a hypernym.

        In texts about one thing a commonplace noun ("film", "story") stands in most of them, and
        would be most of the change; so it is changed beside another word, not alone.
        """
        nearest, wider = self._settings()
        found = sites_where(document, words_with_synonym(nearest).__getitem__)
        if not self.checked:
            is_enough = len(found) >= _ENOUGH
            return (
                found if is_enough else sites_where(document, words_with_synonym(wider).__getitem__)
            )
        telling = [
            site for site in found if not _is_commonplace(document.words[site.token].lower())
        ]
        if len(telling) == len(found):
            return found  # no word is tagged
        return found if any(any(True for _ in self.others(document, s)) for s in telling) else []

    def others(self, document: Document, site: Site) -> Iterable[str]:
        """Synonyms in the word's inflection; usual ones only, if any."""
        xpos = content_tag(document, site.token)
        if _is_fixed(document, site.token, xpos):
            return ()
        word = document.words[site.token].lower()
        nearest, wider = self._settings()
        return synonym_forms(word, xpos, nearest) or synonym_forms(word, xpos, wider)

    def _settings(self) -> tuple[SynonymSettings, SynonymSettings]:
        """Conditions for a synonym, and those used if none is found."""
        nearest = SynonymSettings(self.senses, self.least_zipf, checked=self.checked)
        if self.checked:
            return nearest, nearest
        return nearest, nearest._replace(usual=self.usual, broader=True)


def _is_fixed(document: Document, index: int, xpos: str) -> bool:
    """Whether a word is part of an expression, or its tag may be wrong.

    Such are "lives in", "more often than", "love story", a letter's closing ("Love Jen"), plurals
    that are tagged as singulars or own something ("a kids' story"), and adverbs where an adjective
    stands ("your pretty face") or at the end ("how are you really?").
    """
    before = document.words[index - 1].lower() if index else ""
    behind = document.words[index + 1].lower() if index + 1 < len(document.words) else ""
    low = document.words[index].lower()
    if xpos.startswith("VB"):
        if behind in _PARTICLES:
            return True
        # at the end of a message, before a name or without a subject
        if low == "love" and not (before and before[-1].isalpha()):
            return True
        if low == "love" and behind and document.tag(index + 1) == "NNP":
            return True
        # a participle with the tag of a past: "have you started"
        has_auxiliary = index > 1 and document.words[index - 2].lower() in HAVE
        return has_auxiliary and document.tag(index) == "VBD" and document.tag(index - 1) == "PRP"
    if xpos == "RB":
        is_adjective = index > 0 and document.tag(index - 1) in ("DT", "PRP$")
        is_before_noun = bool(behind) and document.tag(index + 1)[:2] == "NN"
        is_denied = before in ("more", "most", "as", "not") or before.endswith("n't")
        is_last = not behind[:1].isalnum()
        return is_denied or is_last or (is_adjective and is_before_noun)
    is_plural = xpos == "NN" and lemma(low, "NOUN") != low
    is_owner = xpos == "NNS" and behind[:1] in ("'", "\u2019")
    return is_plural or is_owner or behind in _COMPOUND or before in _COMPOUND


@lru_cache(maxsize=_CACHED)
def _is_commonplace(word: str) -> bool:
    """Whether a lower-case word is mostly a noun, and among the commonest of English.

    Examples
    --------
    >>> _is_commonplace("films"), _is_commonplace("victory"), _is_commonplace("almost")
    (True, False, False)
    """
    base = lemma(word, "NOUN")
    uses = {pos: sum(sense_counts(lemma(word, upos), pos)) for upos, pos in POS_OF.items()}
    return zipf(base) >= _COMMONPLACE and uses["n"] >= sum(uses.values()) / 2 > 0


@dataclass(frozen=True, slots=True)
class WordnetAll(OtherWord):
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

    id = "wordnet_all@1"
    title = "WordNet lemmas"
    resources = ("tagger", "wordnet")
    effect = KEEPS_ARCS
    is_for_search = True
    is_local = True

    pos: Literal["all", "tagged"] = "all"
    senses: int | None = None
    inflect: bool = False

    def sites(self, document: Document) -> Sites:
        """Words of letters that have a synonym in WordNet."""
        return sites_where(
            document,
            lambda word: word.isalpha() and bool(synonyms(word.lower(), "nvar", self.senses)),
        )

    def others(self, document: Document, site: Site) -> Iterable[str]:
        """Lemmas in a fixed order."""
        xpos = ""
        if self.pos == "tagged" or self.inflect:
            xpos = content_tag(document, token_to_replace(document, site))
        pos = POS_OF.get(UPOS_OF.get(xpos, ""), "") if self.pos == "tagged" else "nvar"
        tag = xpos if self.inflect and xpos in UPOS_OF else ""
        return _forms_like(document.text[site.start : site.end].lower(), pos, self.senses, tag)


@lru_cache(maxsize=_CACHED)
def _forms_like(word: str, pos: str, senses: int | None, xpos: str) -> tuple[str, ...]:
    """Synonyms of a lower-case word, in the inflection of a Penn tag if there is one.

    Examples
    --------
    >>> _forms_like("movies", "n", 1, ""), _forms_like("movies", "n", 1, "NNS")[0]
    (('movie', 'film', 'picture', 'pic', 'flick'), 'films')
    """
    others = synonyms(word, pos, senses)
    found = [inflected(other, xpos) for other in others] if xpos else others
    return tuple([form for form in found if form is not None and form.lower() != word])


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
