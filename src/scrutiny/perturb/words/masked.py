"""Predictions of a masked language model: of one kind, for one word, for two, or between words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Final, Literal

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document, Effect, Intensity, Site
from scrutiny.perturb.engine.change import Rng, word_sites
from scrutiny.perturb.engine.streams import in_random_order
from scrutiny.perturb.languages.en.related_words import (
    UPOS_OF,
    content_lemma,
    content_tag,
    is_same_part_of_speech,
)
from scrutiny.perturb.resources.capabilities import Guess, MaskQuery, WordGuesser
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.perturb.resources.vocabulary import Script, script_of
from scrutiny.perturb.words.guesses import Expected, content_words, replaced
from scrutiny.perturb.words.replacing import replace_word
from scrutiny.text.inflect import lemma
from scrutiny.text.lexicon import is_stop_word


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

    id: ClassVar[str] = "masked_replace@1"
    title: ClassVar[str] = "words replaced (masked LM)"

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

    id: ClassVar[str] = "masked_lm@1"
    title: ClassVar[str] = "words from a language model"
    languages: ClassVar[frozenset[str]] = frozenset({"en"})
    resources: ClassVar[tuple[str, ...]] = ("tagger", "wordnet", "masked_lm")
    effect: ClassVar[Mapping[str, Effect]] = {"*": "may change", "token-tagging": "keeps"}
    intensity: ClassVar[Intensity] = Intensity(share=0.2, least=1, most=10)
    is_for_search: ClassVar[bool] = False
    is_local: ClassVar[bool] = False

    top: int = 20

    def sites(self, document: Document) -> Sequence[Site]:
        """Content words; candidates are only computed later."""
        return content_words(document)

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """Likely words of the same part of speech and form, in random order."""
        xpos = content_tag(document, site.token)
        word = document.words[site.token].lower()
        if content_lemma(word, xpos) is None:
            return
        (query,) = self.queries(document, site)
        likely = [guess.word for guess in self.guesses(document, query)]
        for other in in_random_order(_fitting(word, xpos, likely), rng):
            yield from replace_word(document, site.token, other)


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

    id: ClassVar[str] = "shown_replace@1"
    title: ClassVar[str] = "words predicted (unmasked text)"

    top: int = 48
    no_stop_words: bool = True
    no_antonyms: bool = False

    def sites(self, document: Document) -> Sequence[Site]:
        """Words of letters only."""
        words = document.words
        return [site for site in word_sites(document) if words[site.token].isalpha()]

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

    id: ClassVar[str] = "masked_insert@1"
    title: ClassVar[str] = "words inserted (masked LM)"

    side: Literal["left", "right", "both"] = "both"
    top: int = 50
    least_probability: float = 0.0
    no_stop_words: bool = False

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """Insertions by their probability, without randomness."""
        space = "" if script_of(document.language) == "han" else " "
        for side, query in zip(self._sides(), self.queries(document, site), strict=True):
            for guess in self.fitting(document, query, ()):
                if side == "left":
                    new, at = guess.word + space, site.start
                else:
                    new, at = space + guess.word, site.end
                yield (Edit(document.field, at, at, new),)

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

    id: ClassVar[str] = "masked_merge@1"
    title: ClassVar[str] = "words merged (masked LM)"
    languages: ClassVar[frozenset[str]] = frozenset({"en"})
    resources: ClassVar[tuple[str, ...]] = ("tagger", "masked_lm")
    is_local: ClassVar[bool] = False  # a pair is a site by both of its words

    top: int = 50
    least_probability: float = 0.0
    no_stop_words: bool = False

    def sites(self, document: Document) -> Sequence[Site]:
        """Pairs of words that can be a phrase, with only a space between them."""
        tagger = find_resource(document, "tagger")
        words = word_sites(document)
        found = []
        for one, other in pairwise(words):
            if other.token != one.token + 1 or one.end == other.start:
                continue
            follows = _PAIRS.get(tagger.tag_at(document.words, one.token).upos)
            if follows and tagger.tag_at(document.words, other.token).upos in follows:
                found.append(Site(one.start, other.end, one.token))
        return found

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """Words by their probability, without randomness."""
        (query,) = self.queries(document, site)
        old = document.words[site.token : site.token + 2]
        for guess in self.fitting(document, query, old):
            edit = replaced(document, Site(site.start, site.start + len(old[0])), guess.word)[0]
            yield (edit._replace(end=site.end),)  # cased as the first of the two
