"""Adjectives replaced by their antonym."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from scrutiny.core.transformation import Document, Site, may_change_unless
from scrutiny.perturb.engine.change import Sites, sites_where
from scrutiny.perturb.languages.en.plain_statement import is_only_judgment, is_plain_statement
from scrutiny.perturb.languages.en.related_words import (
    KnownWords,
    antonym_forms,
    content_tag,
    fitting_antonym_forms,
)
from scrutiny.perturb.words.replacing import OtherWord
from scrutiny.text.inflect import lemma

_BEFORE: Final = frozenset("as so no years year - `` how too".split())
_BEHIND: Final = frozenset(
    """- selling screen school will deal brother metal enough story '' potatoes fashioned same
    nature change term time run morning luck night evening afternoon guys guy old""".split()
)
# Of a person "old" is the opposite of "young", and in pairs of families of neither.
_AGES: Final = frozenset("old older oldest young younger youngest".split())
_PERSONS: Final = frozenset(
    """adult people person man woman boy girl lady gentleman guy friend fellow child kid teenager
    brother sister sibling son daughter audience viewer reader generation patient worker student
    citizen resident american couple player actor actress director member population""".split()
)
# They say how large, long, old, quick or sure a thing is, which is often no judgment of it.
_MEASURES: Final = frozenset(
    """big small large long short old new fast slow swift hot cold warm rich poor likely unlikely
    possible impossible necessary unnecessary complex simple complicated""".split()
)
_TAGS = ("JJ", "JJR", "JJS")


@dataclass(frozen=True, slots=True)
class AntonymSwap(OtherWord):
    """Replaces an adjective by its antonym, in the same degree and letter case.

    A list holds the pairs that a reader found to fit in nearly every context; no other pair is
    used unless asked for, and none in a fixed expression ("so long", "big screen", "had better"),
    of a person's age ("older adults"), or where the antonym stands already ("good or bad").

    Parameters
    ----------
    checked
        Whether only the pairs of the list are used. Otherwise WordNet's antonyms are, those of
        more frequent senses first: more texts change, and more antonyms miss the sense.
    senses
        How many of the adjective's senses count, the most frequent first, where not checked.
    least_zipf
        How common the antonym has to be, as log10 of its count per billion words, where not
        checked.
    indirect
        Whether an adjective without an antonym of its own takes that of the adjectives that it is
        similar to ("swift" is like "fast": "slow"), where not checked.
    plain
        Whether only plain statements change: texts of one short clause without contrast, whose
        only judgment the adjective is ("Bears is bad."). They are one in two hundred reviews.

    **Measures** whether the model sees a word that turns the meaning while the topic stays.

    **Misleads when** it is scored against the old label: the label may turn, or it may not ("a
    young director" is no better than an old one). And where the rest of a text says the reverse of
    the new word ("a stupid, witty film", "have a terrible day"): half or less of the changed
    reviews (55 of 100, 5 of 14) and 5 of 18 changed messages are texts that somebody would write;
    with ``plain``, 26 of 30 reviews.

    References
    ----------
    Miller (1995). WordNet: a lexical database for English.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> perturb("It's a good film.", "antonym_swap", seed=0).edits[0].text
    'bad'
    """

    id = "antonym_swap@1"
    title = "antonyms"
    resources = ("tagger", "wordnet")
    effect = may_change_unless("spans", "words")
    has_article = True
    is_default = False  # see docs/transformation-quality.md

    checked: bool = True
    senses: int = 3
    least_zipf: float = 2.5
    indirect: bool = True
    plain: bool = False

    def sites(self, document: Document) -> Sites:
        """Adjectives that have an antonym; only possible adjectives are tagged."""
        words, known = document.words, _words_with_antonym(self)
        found = [
            site
            for site in sites_where(document, known.__getitem__)
            if content_tag(document, site.token) in _TAGS
            and self.others(document, site)
            and not (self.checked and _is_fixed(words, site.token))
        ]
        if self.plain and found:
            found = [site for site in found if _is_plain(document, site.token)]
        if not found or (self.plain and not is_plain_statement(document)):
            return []
        bases = Counter([lemma(word.lower(), "ADJ") for word in words if word.isalpha()])
        return [site for site in found if not self._is_contrasted(words[site.token], bases)]

    def _is_contrasted(self, word: str, bases: Counter[str]) -> bool:
        """Whether the word stands twice, or its antonym does too ("good or bad")."""
        low = word.lower()
        others = {lemma(form, "ADJ") for tag in _TAGS for form in self.forms(low, tag)}
        return bases[lemma(low, "ADJ")] > 1 or any(bases[other] for other in others)

    def others(self, document: Document, site: Site) -> Sequence[str]:
        """Antonyms in the adjective's degree, the most frequent sense first."""
        word = document.words[site.token].lower()
        return self.forms(word, content_tag(document, site.token))

    def forms(self, word: str, xpos: str) -> tuple[str, ...]:
        """Antonyms of a lower-case word in the degree of its Penn tag."""
        if self.checked:
            return fitting_antonym_forms(word, xpos)
        return antonym_forms(
            word,
            xpos,
            senses=self.senses,
            least_zipf=self.least_zipf,
            indirect=self.indirect,
        )


def _is_plain(document: Document, index: int) -> bool:
    """Whether an adjective judges, and no other word of the text does."""
    is_judgment = lemma(document.words[index].lower(), "ADJ") not in _MEASURES
    return is_judgment and is_only_judgment(document, index)


def _is_fixed(words: Sequence[str], index: int) -> bool:
    """Whether an adjective is part of an expression or a name, or is intensified ("so good")."""
    before = words[index - 1].lower() if index else ""
    behind = words[index + 1] if index + 1 < len(words) else ""
    low = words[index].lower()
    if before in _BEFORE or behind.lower() in _BEHIND:
        return True
    if low == "better" and (before == "had" or before.endswith(("'d", "’d"))):
        return True  # "he had better go"
    near = [lemma(word.lower(), "NOUN") for word in words[index + 1 : index + 3]]
    if low in _AGES and not _PERSONS.isdisjoint(near):
        return True
    return words[index][:1].isupper() and behind[:1].isupper() and not words[index].isupper()


@lru_cache(maxsize=64)
def _words_with_antonym(settings: AntonymSwap) -> KnownWords:
    """Words that have an antonym as adjectives; one cached table for each setting."""
    return KnownWords(lambda low: any(settings.forms(low, tag) for tag in _TAGS))
