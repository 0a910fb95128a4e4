"""Words that a masked language model puts between two others, or in the place of two."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from scrutiny.core.edit import Edit
from scrutiny.core.randomness import Rng
from scrutiny.core.transformation import Document, Site
from scrutiny.perturb.engine.changes import Candidates, Sites, with_unknown, word_sites
from scrutiny.perturb.resources.capabilities import MaskQuery
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.perturb.words.masked_words import Expected
from scrutiny.perturb.words.replacing import replaced
from scrutiny.text.letters import script_of


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
