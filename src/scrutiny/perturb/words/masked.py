"""Predictions of a masked language model in the place of one word."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scrutiny.core.transformation import Document, Intensity, Site, may_change_unless
from scrutiny.perturb.engine.change import Sites, sites_where
from scrutiny.perturb.languages.en.related_words import content_lemma, content_tag, of_same_form
from scrutiny.perturb.resources.capabilities import Guess, MaskQuery, WordGuesser
from scrutiny.perturb.words.guesses import Expected
from scrutiny.perturb.words.replacing import content_words
from scrutiny.text.letters import Script


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
