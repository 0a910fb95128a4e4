"""Words replaced by a synonym from WordNet."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document, Site
from scrutiny.perturb.engine.change import Change, Rng
from scrutiny.perturb.engine.streams import in_random_order
from scrutiny.perturb.languages.en.related_words import (
    SynonymSettings,
    content_tag,
    synonym_forms,
    words_with_synonym,
)
from scrutiny.perturb.words.replacing import replace_word

_ENOUGH: Final = 3  # so many words with a usual synonym, and the tags will leave one

_COMPOUND: Final = frozenset("noir - love short cover news".split())
_PARTICLES: Final = frozenset(
    """about across after against ahead along apart around as aside at away back by down for
    forth from forward in into of off on onto out over through to together up upon with""".split()
)


@dataclass(frozen=True, slots=True)
class SynonymWordnet(Change):
    """Words replaced by a WordNet synonym in the same inflection.

    Replaces a word by a synonym of the same part of speech, inflection and letter case.

    A list holds the pairs of words that a reader found to fit in nearly every context; no other
    pair is used unless asked for. Verbs before a preposition or particle stay, and so do words in
    a comparison ("more often than") and in compounds ("love story"). Only the words that are
    chosen get tagged.

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
    >>> from scrutiny.core.example import Example
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> perturb(Example("1", {"text": "Buy it"}), "synonym_wordnet", seed=0).edits[0].text
    'Purchase'
    """

    id: ClassVar[str] = "synonym_wordnet@1"
    title: ClassVar[str] = "synonyms (WordNet)"
    resources: ClassVar[tuple[str, ...]] = ("tagger", "wordnet")

    checked: bool = True
    senses: int = 2
    least_zipf: float = 3.0
    usual: bool = True

    def sites(self, document: Document) -> Sequence[Site]:
        """Words with a usual synonym; in texts with few, also verbs with a hypernym."""
        nearest, wider = self._settings()
        found = _words_in(document, nearest)
        if self.checked or len(found) >= _ENOUGH:
            return found
        return _words_in(document, wider)

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """Synonyms in the word's inflection, in random order; usual ones only, if any."""
        xpos = content_tag(document, site.token)
        if _is_fixed(document, site.token, xpos):
            return
        for form in in_random_order(self._forms(document.words[site.token].lower(), xpos), rng):
            yield from replace_word(document, site.token, form)

    def _forms(self, word: str, xpos: str) -> tuple[str, ...]:
        nearest, wider = self._settings()
        return synonym_forms(word, xpos, nearest) or synonym_forms(word, xpos, wider)

    def _settings(self) -> tuple[SynonymSettings, SynonymSettings]:
        """Conditions for a synonym, and those used if none is found."""
        nearest = SynonymSettings(self.senses, self.least_zipf, checked=self.checked)
        if self.checked:
            return nearest, nearest
        return nearest, nearest._replace(usual=self.usual, broader=True)


def _words_in(document: Document, settings: SynonymSettings) -> list[Site]:
    known = words_with_synonym(settings)
    tokens = document.tokens
    return [Site(*tokens[i], i) for i, word in enumerate(document.words) if known[word]]


def _is_fixed(document: Document, index: int, xpos: str) -> bool:
    """Whether a word is part of an expression: "lives in", "more often than", "love story"."""
    before = document.words[index - 1].lower() if index else ""
    behind = document.words[index + 1].lower() if index + 1 < len(document.words) else ""
    if xpos.startswith("VB"):
        return behind in _PARTICLES
    if xpos == "RB":
        return before in ("more", "most", "as")
    return behind in _COMPOUND or before in _COMPOUND
