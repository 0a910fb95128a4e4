"""Words that a masked language model predicts: in the place of one word, of two, or between."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Final, Literal

from scrutiny.core.edit import Edit
from scrutiny.core.randomness import Rng
from scrutiny.core.record import grouped
from scrutiny.core.transformation import AsksAhead, Document, Intensity, Site, may_change_unless
from scrutiny.perturb.engine.changes import (
    KEEPS_ARCS,
    Candidates,
    Sites,
    sites_where,
    with_unknown,
    word_sites,
)
from scrutiny.perturb.languages.word_forms import content_lemma, content_tag, of_same_form
from scrutiny.perturb.resources.capabilities import Guess, MaskQuery, WordGuesser
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.perturb.words.replacing import OtherWord, content_words, replaced
from scrutiny.text.letters import Script, script_of
from scrutiny.text.lexicon import is_stop_word
from scrutiny.text.wordnet import are_antonyms


class Expected(OtherWord, AsksAhead):
    """Base of all changes that a masked language model proposes."""

    __slots__ = ()

    languages = frozenset({"en", "zh"})
    resources: ClassVar[tuple[str, ...]] = ("masked_lm",)
    effect = KEEPS_ARCS
    is_for_search = True
    is_local = True

    top: int
    least_probability: float = 0.0
    no_stop_words: bool = False
    no_antonyms: bool = False

    def sites(self, document: Document) -> Sites:
        """Words."""
        return word_sites(document)

    def queries(self, document: Document, site: Site) -> tuple[MaskQuery, ...]:
        """Queries to the model about a site."""
        return (MaskQuery(document.text, site.start, site.end),)

    def ask(
        self, guesser: WordGuesser, queries: Sequence[MaskQuery], script: Script
    ) -> Sequence[Sequence[Guess]]:
        """Predictions of the model at each place, most likely first."""
        return guesser.guess(queries, top=self.top, script=script)

    def guesses(self, document: Document, query: MaskQuery) -> Sequence[Guess]:
        """Predictions of the run's masked language model at one place."""
        guesser: WordGuesser = find_resource(document.resources, "masked_lm")
        (found,) = self.ask(guesser, [query], script_of(document.language))
        return found

    def fitting(self, document: Document, query: MaskQuery, old: Sequence[str]) -> Iterator[Guess]:
        """Predictions that are likely enough, differ from the old words, and pass the filters."""
        known = {word.lower() for word in old}
        words = tuple(known)
        for guess in self.guesses(document, query):
            low = guess.word.lower()
            if guess.value < self.least_probability or low in known:
                continue
            known.add(low)
            if self.no_stop_words and is_stop_word(low):
                continue
            if not (self.no_antonyms and any(are_antonyms(word, low) for word in words)):
                yield guess

    def others(self, document: Document, site: Site) -> Iterable[str]:
        """Words in the model's order."""
        (query,) = self.queries(document, site)
        old = document.text[site.start : site.end]
        return (guess.word for guess in self.fitting(document, query, [old]))

    def warm(self, documents: Sequence[Document], sites: Sequence[Sequence[Site]]) -> None:
        """Ask the model about many places in full batches."""
        guesser: WordGuesser = find_resource(documents[0].resources, "masked_lm")
        asked = grouped(
            (script_of(document.language), query)
            for document, own in zip(documents, sites, strict=True)
            for site in own
            for query in self.queries(document, site)
        )
        for script, queries in asked.items():
            self.ask(guesser, queries, script)


@dataclass(frozen=True, slots=True)
class MaskedReplace(Expected):
    """A word masked and replaced by predictions of a masked language model.

    The most likely whole words in place of one, most likely first, never the word itself.

    In Chinese the places and the words are single characters, unless the texts come with words.

    Parameters
    ----------
    top
        How many of the likeliest whole words are looked at.
    least_probability
        How likely a word has to be.
    no_stop_words, no_antonyms
        Leave out function words, and opposites that WordNet knows (English).

    **Measures** with a search on top, how far fluent changes bring a model.

    **Misleads when** read as a change that keeps the meaning: nothing here asks for that. A model
    that is bad at its own task proposes noise.

    References
    ----------
    Garg, Ramakrishnan (2020). BAE: BERT-based adversarial examples for text classification (BAE-R).
    Li et al. (2021). Contextualized perturbation for textual adversarial attack (replace).

    Examples
    --------
    >>> MaskedReplace().resources
    ('masked_lm',)
    """

    id = "masked_replace@1"
    title = "words replaced (masked LM)"

    top: int = 50
    least_probability: float = 0.0
    no_stop_words: bool = False
    no_antonyms: bool = False


@dataclass(frozen=True, slots=True)
class MaskedLm(Expected):
    """Words replaced by predictions of a masked language model.

    A likely word of the same part of speech and inflection, never the word itself.

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

    id = "masked_lm@1"
    title = "words from a language model"
    languages = frozenset({"en"})
    resources = ("tagger", "wordnet", "masked_lm")
    is_default = False  # of 50 questions that were read, 6 were fit
    effect = may_change_unless("spans", "words")
    intensity = Intensity(share=0.2, least=1, most=10)
    is_for_search = False
    is_local = False
    is_drawn = True
    has_article = True

    top: int = 20

    def sites(self, document: Document) -> Sites:
        """Content words; candidates are only computed later."""
        return content_words(document)

    def others(self, document: Document, site: Site) -> Iterable[str]:
        """Likely words of the same part of speech and form."""
        word, xpos = document.words[site.token].lower(), content_tag(document, site.token)
        if content_lemma(word, xpos) is None:
            return ()
        (query,) = self.queries(document, site)
        likely = dict.fromkeys(guess.word.lower() for guess in self.guesses(document, query))
        return [other for other, _ in of_same_form(word, xpos, likely) if len(other) > 2]


@dataclass(frozen=True, slots=True)
class ShownReplace(Expected):
    """A word replaced by predictions of a masked language model for the unmasked text.

    Words with as many tokens, from one pass over the unmasked text.

    At every piece of the word the model names its likeliest pieces; of their combinations those of
    the least perplexity are proposed, the least first. The best combinations are found exactly
    and without trying all: a word of four pieces takes four times as long as one of one.

    Parameters
    ----------
    top
        How many pieces at each place, and how many words in the end. Pieces that cannot stand there
        (a word's beginning in its middle, marks) do not count; in the paper they do, and their
        combinations are dropped afterwards.
    no_stop_words, no_antonyms
        Leave out function words, and opposites that WordNet knows (English).

    **Measures** with a search on top, how far changes that a model finds natural bring another.

    **Misleads when** read as a change that keeps the meaning: the model sees the word and so stays
    near it, but nothing asks for that.

    References
    ----------
    Li et al. (2020). BERT-ATTACK: adversarial attack against BERT using BERT.

    Examples
    --------
    >>> ShownReplace().resources
    ('masked_lm',)
    """

    id = "shown_replace@1"
    title = "words predicted (unmasked text)"

    top: int = 48
    no_stop_words: bool = True
    no_antonyms: bool = False

    def sites(self, document: Document) -> Sites:
        """Words of letters only."""
        return sites_where(document, str.isalpha)

    def ask(
        self, guesser: WordGuesser, queries: Sequence[MaskQuery], script: Script
    ) -> Sequence[Sequence[Guess]]:
        """Predictions of the model for each place of the unmasked text, lowest perplexity first."""
        return guesser.rewrite(queries, top=self.top, script=script)


@dataclass(frozen=True, slots=True)
class MaskedInsert(Expected):
    """A word inserted that a masked language model predicts.

    The most likely whole words between a word and its neighbor, most likely first.

    The place is the word next to which they are put, so that a search can choose between replacing
    a word and adding to it.

    Parameters
    ----------
    side
        Before the word, behind it, or first the ones and then the others.
    top
        How many of the likeliest whole words are looked at on each side.
    least_probability
        How likely a word has to be.
    no_stop_words
        Leave out function words (English).

    **Measures** with a search on top, how far fluent additions bring a model.

    **Misleads when** read as a change that keeps the meaning: "not" is likely in many places.

    References
    ----------
    Garg, Ramakrishnan (2020). BAE: BERT-based adversarial examples for text classification (BAE-I).
    Li et al. (2021). Contextualized perturbation for textual adversarial attack (insert).

    Examples
    --------
    >>> MaskedInsert(side="right").resources
    ('masked_lm',)
    """

    id = "masked_insert@1"
    title = "words inserted (masked LM)"

    side: Literal["left", "right", "both"] = "both"
    top: int = 50
    least_probability: float = 0.0
    no_stop_words: bool = False

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """Insertions by their probability, without randomness."""
        space = "" if script_of(document.language) == "han" else " "
        for side, query in zip(self._sides(), self.queries(document, site), strict=True):
            for guess in self.fitting(document, query, ()):
                if side == "left":
                    new, at = guess.word + space, site.start
                else:
                    new, at = space + guess.word, site.end
                yield (with_unknown(document, Edit(document.field, at, at, new)),)

    def queries(self, document: Document, site: Site) -> tuple[MaskQuery, ...]:
        """The gaps beside a word, from the end of the word before, so that both sides ask alike."""
        before = len(document.text[: site.start].rstrip())
        places = [before if side == "left" else site.end for side in self._sides()]
        return tuple(MaskQuery(document.text, at, at) for at in places)

    def _sides(self) -> tuple[str, ...]:
        return ("left", "right") if self.side == "both" else (self.side,)


# What may follow a part of speech in a pair that can become one word.
_PAIRS: Final[Mapping[str, frozenset[str]]] = {
    "NOUN": frozenset({"NOUN"}),
    "ADJ": frozenset({"NOUN", "NUM", "ADJ", "ADV"}),
    "ADV": frozenset({"ADJ", "VERB"}),
    "VERB": frozenset({"ADV", "VERB", "NOUN", "ADJ"}),
    "DET": frozenset({"NOUN", "ADJ"}),
    "PRON": frozenset({"NOUN", "ADJ"}),
    "NUM": frozenset({"NUM", "NOUN"}),
}


@dataclass(frozen=True, slots=True)
class MaskedMerge(Expected):
    """Two words replaced by one that a masked language model predicts.

    The most likely whole words in place of two, most likely first, never one of the two.

    Two words can be merged where their parts of speech often make a phrase: a noun or adjective
    and a noun, a determiner and a noun, a verb and its object or adverb, and such.

    Parameters
    ----------
    top
        How many of the likeliest whole words are looked at.
    least_probability
        How likely a word has to be.
    no_stop_words
        Leave out function words.

    **Measures** with a search on top, how far fluent shortening brings a model.

    **Misleads when** read as a change that keeps the meaning: one of two words is always lost.

    References
    ----------
    Li et al. (2021). Contextualized perturbation for textual adversarial attack (merge).

    Examples
    --------
    >>> MaskedMerge().resources
    ('tagger', 'masked_lm')
    """

    id = "masked_merge@1"
    title = "words merged (masked LM)"
    languages = frozenset({"en"})
    resources = ("tagger", "masked_lm")
    is_local = False  # a pair is a site by both of its words

    top: int = 50
    least_probability: float = 0.0
    no_stop_words: bool = False

    def sites(self, document: Document) -> Sites:
        """Pairs of words that can be a phrase, with only a space between them."""
        tagger = find_resource(document.resources, "tagger")
        words = word_sites(document)
        found = []
        for one, other in pairwise(words):
            if other.token != one.token + 1 or one.end == other.start:
                continue
            follows = _PAIRS.get(tagger.tag_at(document.words, one.token).upos)
            if follows and tagger.tag_at(document.words, other.token).upos in follows:
                found.append(Site(one.start, other.end, one.token))
        return found

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """Words by their probability, without randomness."""
        (query,) = self.queries(document, site)
        old = document.words[site.token : site.token + 2]
        for guess in self.fitting(document, query, old):
            edit = replaced(document, Site(site.start, site.start + len(old[0])), guess.word)
            yield (edit._replace(end=site.end),)  # cased as the first of the two
