"""Proposals of a masked language model for a search: queries, and filters of words."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import ClassVar

from scrutiny.core.grouping import grouped
from scrutiny.core.transformation import AsksAhead, Document, Site
from scrutiny.perturb.engine.change import KEEPS_ARCS, Sites, word_sites
from scrutiny.perturb.resources.capabilities import Guess, MaskQuery, WordGuesser
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.perturb.words.replacing import OtherWord
from scrutiny.text.inflect import lemma
from scrutiny.text.letters import Script, script_of
from scrutiny.text.lexicon import is_stop_word
from scrutiny.text.wordnet import POS_OF, exists, opposites


@lru_cache(maxsize=1 << 16)
def _are_antonyms(word: str, other: str) -> bool:
    """Whether two lower-case words, or their base forms, are antonyms in WordNet.

    Examples
    --------
    >>> _are_antonyms("good", "bad"), _are_antonyms("loves", "hated"), _are_antonyms("good", "fine")
    (True, True, False)
    """
    return any(
        exists(base := lemma(word, upos), pos) and lemma(other, upos) in opposites(base, pos)
        for upos, pos in POS_OF.items()
    )


def _fitting(
    guesses: Iterable[Guess], old: Sequence[str], *, no_stop_words: bool, no_antonyms: bool
) -> Iterator[Guess]:
    """Predictions that differ from the old words, without duplicates, and pass the filters.

    Examples
    --------
    >>> found = [Guess(w, 0.1) for w in ("Good", "bad", "the", "fine", "Fine")]
    >>> [g.word for g in _fitting(found, ["good"], no_stop_words=True, no_antonyms=True)]
    ['fine']
    """
    known = {word.lower() for word in old}
    words = tuple(known)
    for guess in guesses:
        low = guess.word.lower()
        if low in known:
            continue
        known.add(low)
        if no_stop_words and is_stop_word(low):
            continue
        if no_antonyms and any(_are_antonyms(word, low) for word in words):
            continue
        yield guess


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
        found = self.guesses(document, query)
        likely = [guess for guess in found if guess.value >= self.least_probability]
        return _fitting(likely, old, no_stop_words=self.no_stop_words, no_antonyms=self.no_antonyms)

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
