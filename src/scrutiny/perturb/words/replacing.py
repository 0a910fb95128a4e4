"""Another word in a word's place, in its case and with its article: other forms, antonyms."""

from abc import abstractmethod
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final

from scrutiny.core.edit import Edit
from scrutiny.core.randomness import Rng
from scrutiny.core.transformation import Document, Site, keeps_unless, may_change_unless
from scrutiny.perturb.engine.changes import (
    Candidates,
    Change,
    Sites,
    in_random_order,
    new_tuple,
    sites_where,
)
from scrutiny.perturb.languages.related_words import (
    KnownWords,
    antonym_forms,
    fitting_antonym_forms,
)
from scrutiny.perturb.languages.sentence_tokens import token_edit
from scrutiny.perturb.languages.statements import is_only_judgment, is_plain_statement
from scrutiny.perturb.languages.word_forms import UPOS_OF, content_tag
from scrutiny.text.inflection import indefinite_article, inflect, lemma
from scrutiny.text.letters import match_case
from scrutiny.text.lexicon import is_stop_word, word_set, zipf

_ARTICLES = frozenset({"a", "an"})


class OtherWord(Change):
    """Base of transformations that put another word in a word's place.

    Attributes
    ----------
    is_drawn
        Whether the words come in random order, and not as they are given.
    has_article
        Whether "a" or "an" before the word follows the new one. What a search tries is one place,
        and the published attacks leave the article alone.
    """

    __slots__ = ()

    is_drawn: ClassVar[bool] = False
    has_article: ClassVar[bool] = False

    @abstractmethod
    def others(self, document: Document, site: Site) -> Iterable[str]:
        """Words that can stand at a site, the best first; uses no randomness."""

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """Each of the other words; none whose article would have to change and may not."""
        others = self.others(document, site)
        for other in in_random_order(tuple(others), rng) if self.is_drawn else others:
            edit = replaced(document, site, other)
            article = _follow_article(document, site.token, other) if self.has_article else None
            if article is None:
                yield (edit,)
            elif not document.is_protected(article.start, article.end):
                yield article, edit


def replaced(document: Document, site: Site, word: str) -> Edit:
    """Replacement of the word at a site, in its letter case.

    Examples
    --------
    >>> from scrutiny.perturb.engine.document import document_of
    >>> replaced(document_of("A Film"), Site(2, 6, 1), "movie").text
    'Movie'
    """
    start, end, _ = site
    new = match_case(document.text[start:end], word)
    edit: Edit = new_tuple(Edit, (document.field, start, end, new, (), False, (), None))
    return edit


def _follow_article(document: Document, index: int, word: str) -> Edit | None:
    """Edit of the article directly before a token, if a new word needs the other form."""
    if index == 0:
        return None
    before = document.words[index - 1]
    if before.lower() not in _ARTICLES:
        return None
    needed = indefinite_article(word)
    # Only a change of sound counts: what the writer wrote before is not ours to mend.
    if needed == indefinite_article(document.words[index]) or needed == before.lower():
        return None
    if before == "A":  # a capital alone may be one of a title or of a text in capitals
        shout = document.words[index].isupper() and len(document.words[index]) > 1
        return token_edit(document, index - 1, "AN" if shout else "An")
    return token_edit(document, index - 1, match_case(before, needed))


def token_to_replace(document: Document, site: Site) -> int:
    """Index of the token whose word is to be replaced, adjusted for earlier edits.

    Examples
    --------
    >>> from scrutiny.perturb.engine.document import document_of
    >>> token_to_replace(document_of("A fi lm here"), Site(8, 12, 2))
    3
    """
    tokens, place = document.tokens, (site.start, site.end)
    if site.token < len(tokens) and tokens[site.token] == place:
        return site.token
    return min(bisect_left(tokens, place), len(tokens) - 1)


def content_words(document: Document) -> list[Site]:
    """Words that may be replaced: of three letters or more, and no function words."""
    return sites_where(
        document, lambda word: len(word) > 2 and word.isalpha() and not is_stop_word(word)
    )


# Pronouns and quantities, which the tags of a treebank call nouns and adjectives.
_UNINFLECTED: Final = word_set("uninflected")
_TAGS_WITH_FORMS: Final[Mapping[str, tuple[str, ...]]] = {
    "NOUN": ("NN", "NNS"),
    "VERB": ("VB", "VBP", "VBZ", "VBD", "VBG", "VBN"),
    "ADJ": ("JJ", "JJR", "JJS"),
}


@dataclass(frozen=True, slots=True)
class Inflections(OtherWord):
    """Words in another inflection.

    All other forms of a noun, verb or adjective, in the order of their Penn tags.

    Parameters
    ----------
    skip_stop_words
        Leave function words, and with them all forms of "be" and "have", alone.

    **Measures** with a search on top, whether a model understands writers who inflect as learners
    and speakers of other dialects do.

    **Misleads when** tense or number matter to the task: then the answer may rightly change.

    References
    ----------
    Tan, Joty, Kan, Socher (2020). It's morphin' time! Combating linguistic discrimination with
    inflectional perturbations.

    Examples
    --------
    >>> _inflected_forms("went", "VERB")
    ('go', 'goes', 'going', 'gone')
    """

    id = "inflections@1"
    resources = ("tagger",)
    effect = keeps_unless("extract", "relation", "text", "xpos")
    is_for_search = True
    is_local = True

    skip_stop_words: bool = True

    def sites(self, document: Document) -> Sites:
        """Words of letters; their tags decide later which of them can be inflected."""
        stops = self.skip_stop_words
        return sites_where(
            document,
            lambda word: len(word) > 1 and word.isalpha() and not (stops and is_stop_word(word)),
        )

    def others(self, document: Document, site: Site) -> Sequence[str]:
        """Forms in a fixed order."""
        upos = UPOS_OF.get(content_tag(document, token_to_replace(document, site)), "")
        return _inflected_forms(document.text[site.start : site.end].lower(), upos)


@lru_cache(maxsize=1 << 16)
def _inflected_forms(word: str, upos: str) -> tuple[str, ...]:
    """Inflected forms that may replace a lower-case word; none for adverbs and function words."""
    base = lemma(word, upos)
    if word in _UNINFLECTED:
        return ()
    forms = (inflect(base, xpos) for xpos in _TAGS_WITH_FORMS.get(upos, ()))
    found = [form for form in forms if form and form != word]
    if upos == "ADJ":  # written by people ("manier" is not), and of this word ("worse": bad)
        found = [form for form in found if zipf(form) > 0 and lemma(form, upos) == base]
    return tuple(dict.fromkeys(found))


_BEFORE: Final = frozenset("as so no years year - `` how too".split())
_BEHIND: Final = word_set("behind_fixed_adjectives")
# Of a person "old" is the opposite of "young", and in pairs of families of neither.
_AGES: Final = frozenset("old older oldest young younger youngest".split())
_PERSONS: Final = word_set("persons")
# They say how large, long, old, quick or sure a thing is, which is often no judgment of it.
_MEASURES: Final = word_set("measures")
_TAGS_OF_ADJECTIVES = ("JJ", "JJR", "JJS")


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
        places = sites_where(document, known.__getitem__)
        found = [site for site in places if self._fits(document, site)]
        if not found or (self.plain and not is_plain_statement(document)):
            return []
        bases = Counter([lemma(word.lower(), "ADJ") for word in words if word.isalpha()])
        kept = []
        for site in found:  # none that stands twice, or whose antonym does too ("good or bad")
            low = words[site.token].lower()
            forms = (form for tag in _TAGS_OF_ADJECTIVES for form in self.forms(low, tag))
            if bases[lemma(low, "ADJ")] < 2 and not any(bases[lemma(f, "ADJ")] for f in forms):
                kept.append(site)
        return kept

    def _fits(self, document: Document, site: Site) -> bool:
        """Whether an adjective has an antonym; if plain, one that judges as no other word does."""
        index, words = site.token, document.words
        if content_tag(document, index) not in _TAGS_OF_ADJECTIVES:
            return False
        if not self.others(document, site) or (self.checked and _is_fixed(words, index)):
            return False
        is_measure = lemma(words[index].lower(), "ADJ") in _MEASURES
        return not self.plain or (not is_measure and is_only_judgment(document, index))

    def others(self, document: Document, site: Site) -> Sequence[str]:
        """Antonyms in the adjective's degree, the most frequent sense first."""
        word = document.words[site.token].lower()
        return self.forms(word, content_tag(document, site.token))

    def forms(self, word: str, xpos: str) -> tuple[str, ...]:
        """Antonyms of a lower-case word in the degree of its Penn tag."""
        if self.checked:
            return fitting_antonym_forms(word, xpos)
        return antonym_forms(
            word, xpos, senses=self.senses, least_zipf=self.least_zipf, indirect=self.indirect
        )


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
    return KnownWords(lambda low: any(settings.forms(low, tag) for tag in _TAGS_OF_ADJECTIVES))
