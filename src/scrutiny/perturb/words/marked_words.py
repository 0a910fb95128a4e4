"""Marked parts of a text changed: nouns swapped, synonyms in the right sense, what a noun is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Final, Literal, NamedTuple

from scrutiny.core.answers.choices import Ranking
from scrutiny.core.edit import Edit
from scrutiny.core.example import MARKED, Span
from scrutiny.core.facts import MARKED_PARTS, SENSES
from scrutiny.core.randomness import Rng, pick
from scrutiny.core.transformation import Document, Effect, Site, may_change_unless
from scrutiny.perturb.engine.changes import EVERY_SITE, ONE_SITE, Candidates, Change, Sites
from scrutiny.perturb.languages.sentence_tokens import token_edit
from scrutiny.text import wordnet
from scrutiny.text.inflection import indefinite_article, inflect, lemma
from scrutiny.text.letters import match_case
from scrutiny.text.lexicon import frequencies, zipf

_TRIED: Final = 5
_USUAL: Final = 3.7  # zipf, from which a noun is a usual one
_RARE: Final = 3.3
_VERY_COMMON: Final = 5.5  # verbs and nouns that mean little alone
#: Classes of nouns in WordNet whose members can stand for one another.
_CLASSES: Final = frozenset(
    "noun.animal noun.artifact noun.body noun.food noun.person noun.plant noun.substance".split()
)


class _Parts(Change):
    """Base of changes of marked parts."""

    __slots__ = ()

    effect: ClassVar[Mapping[str, Effect]] = may_change_unless("marked")
    where = "anywhere"
    is_default = False


def marked_parts(document: Document) -> list[Span]:
    """Parts of a text that are marked in it, in order, without their marks."""
    stretches = [s for s in document.example.protected if s.label == MARKED]
    return sorted(
        part
        for part in document.example.spans
        if part.field == document.field
        and any(s.start < part.start and part.end < s.end for s in stretches)
    )


def _noun(text: str) -> tuple[str, str]:
    """Base form of a marked part that is one noun, and its class; empty ones for any other."""
    low = text.lower()
    base = lemma(low, "NOUN")
    senses = wordnet.synsets(base, "n")
    if not text.isalpha() or not senses or text.isupper():
        return "", ""
    classes = {wordnet.lexname(sense) for sense in senses[:2]}
    return (base, classes.pop()) if len(classes) == 1 else ("", "")


class _Noun(NamedTuple):
    """A noun that may stand in place of another one."""

    word: str
    frequency: float
    kinds: tuple[str, ...]


@cache
def _nouns() -> Mapping[str, tuple[_Noun, ...]]:
    """Nouns by the class of all their senses, which are no names and of no other word class."""
    found: dict[str, list[_Noun]] = {name: [] for name in sorted(_CLASSES)}
    for word, frequency in frequencies().items():
        if len(word) < 4 or word.endswith("s"):
            continue
        senses = wordnet.synsets(word, "n")
        if not senses or any(wordnet.exists(word, p) for p in "var"):
            continue
        if lemma(word, "NOUN") != word:
            continue
        classes = {wordnet.lexname(sense) for sense in senses}
        if len(classes) == 1 and all(word in wordnet.lemmas(sense) for sense in senses):
            kinds = wordnet.hypernyms(word, "n", senses=1)
            found.get(classes.pop(), []).append(_Noun(word, frequency, kinds))
    return {name: tuple(words) for name, words in found.items()}


def _others(base: str, own: str, nouns: str) -> list[str]:
    """Nouns of the same kind as one, usual or rare ones; or usual ones of other classes."""
    kinds = wordnet.hypernyms(base, "n", senses=1)
    low, high = (0.0, _RARE) if nouns == "rare" else (_USUAL, 9.0)
    return [
        one.word
        for name, words in _nouns().items()
        if (name == own) != (nouns == "other")
        for one in words
        if low <= one.frequency < high
        and one.word != base
        and (nouns == "other" or (bool(kinds) and one.kinds == kinds))
    ]


@dataclass(frozen=True, slots=True)
class MarkedNounSwap(_Parts):
    """One of two marked nouns replaced by another noun, in its number: the relation is still said.

    A part changes that is one noun of a class of things whose members can stand for one another
    (people, animals, plants, artifacts, food, substances, parts of the body) in WordNet.

    Parameters
    ----------
    nouns
        ``same``: a usual noun that is of the same kind (with the same hypernym); ``rare``: a rare
        one of it; ``other``: a usual noun of another class.

    **Measures** whether a relation is told by what the text says, or by which nouns stand there.

    **Misleads when** a relation follows from the nouns alone: the text says no more then what it
    is (*apple pie* and *hammer pie*). Read such cases before you trust ``other``.

    References
    ----------
    Gui et al. (2021). TextFlint: SwapEnt of relation extraction, with its three types.
    """

    id = "marked_noun_swap@1"
    title = "marked nouns swapped"
    wants = (MARKED_PARTS,)
    intensity = ONE_SITE
    changes_marked = True

    nouns: Literal["same", "rare", "other"] = "same"

    def sites(self, document: Document) -> Sites:
        """Marked parts that are one noun of such a class."""
        return [Site(s.start, s.end) for s in marked_parts(document) if self._others(document, s)]

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """A few nouns, in number and case of the old one, with their article."""
        old = document.text[site.start : site.end]
        base, _ = _noun(old)
        others = self._others(document, Span(document.field, site.start, site.end))
        is_plural = base != old.lower()
        for share in rng.random(_TRIED if others else 0).tolist():
            new = pick(others, share)
            form = inflect(new, "NNS") if is_plural else new
            if form is None:
                continue
            new = match_case(old, form)
            yield (*_article(document, site, new), Edit(document.field, site.start, site.end, new))

    def _others(self, document: Document, part: Span) -> list[str]:
        """Nouns that can stand in place of a part."""
        base, own = _noun(document.text[part.start : part.end])
        return _others(base, own, self.nouns) if own in _CLASSES else []


def _article(document: Document, site: Site, word: str) -> Iterator[Edit]:
    """Edit of "a" or "an" before the mark of a part, where the new word needs the other one."""
    start = next(s.start for s in document.example.protected if s.start <= site.start < s.end)
    index = next((i for i, (_, end) in enumerate(document.tokens) if end == start - 1), -1)
    if index >= 0 and (old := document.words[index]).lower() in ("a", "an"):
        needed = indefinite_article(word)
        if needed != old.lower():
            yield token_edit(document, index, match_case(old, needed))


@dataclass(frozen=True, slots=True)
class KindClause(_Parts):
    """What a marked noun is, behind it: *the ferry, a kind of boat, …*.

    WordNet says it of a noun that is all that its part holds, has one sense, and is a kind of
    something with a usual name that says more than *person* or *substance*; it stands before a
    verb, a preposition or the end of a clause.

    **Measures** whether a relation is still found where its parts stand farther apart.

    **Misleads when** the text speaks of another sense than the one of WordNet.

    References
    ----------
    Gui et al. (2021). TextFlint: InsertClause, which asks Wikidata.
    """

    id = "kind_clause@1"
    title = "what a marked noun is"
    resources = ("tagger",)
    wants = (MARKED_PARTS,)
    intensity = ONE_SITE

    def sites(self, document: Document) -> Sites:
        """Ends of the marks of such nouns."""
        return [
            Site(end, end)
            for part in marked_parts(document)
            for end in [_end_of_mark(document, part)]
            if _kind(document.text[part.start : part.end]) and _can_follow(document, part, end)
        ]

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """The clause, without randomness."""
        part = next(p for p in marked_parts(document) if _end_of_mark(document, p) == site.end)
        kind = _kind(document.text[part.start : part.end])
        text, behind = f", a kind of {kind}", document.text[site.end : site.end + 1]
        yield (
            Edit(document.field, site.end, site.end, text if behind in ".,;:!?" else text + ","),
        )


def _end_of_mark(document: Document, part: Span) -> int:
    """End of the stretch that a part is marked by."""
    stretches = document.example.protected
    return next(s.end for s in stretches if s.label == MARKED and s.start < part.start < s.end)


def _kind(text: str) -> str:
    """What a noun is a kind of, in one usual word; empty where WordNet does not settle it."""
    low = text.lower()
    if not text.isalpha() or text != low or lemma(low, "NOUN") != low or zipf(low) <= 0:
        return ""
    if len(wordnet.synsets(low, "n")) != 1:
        return ""
    above = wordnet.hypernyms(low, "n")
    if not _SAYS_LITTLE.isdisjoint(above):
        return ""
    usual = (w for w in above if w.isalpha() and w.islower() and zipf(w) >= _USUAL and w not in low)
    # the kind is what its name usually means, and the noun has no other kind
    firsts = ((w, wordnet.synsets(w, "n")[:1]) for w in usual)
    return next((w for w, s in firsts if s and {*wordnet.lemmas(s[0])} == {*above}), "")


#: Kinds that say too little of a noun to be said.
_SAYS_LITTLE: Final = frozenset(
    "person agent substance quality collection group structure equipment unit activity action act "
    "event state condition deciding burning sound".split()
)
_BEHIND: Final = frozenset("VBD VBZ VBP MD IN TO".split())


def _can_follow(document: Document, part: Span, end: int) -> bool:
    """Whether a clause can stand behind a part: before a verb, a preposition, or at an end."""
    text = document.text
    before = text[: part.start]
    if before.count("(") > before.count(")") or before.count('"') % 2:
        return False
    if not text[end:].strip() or text[end] in ".;!?":
        return True
    index = next((i for i, (start, _) in enumerate(document.tokens) if start > end), -1)
    if index < 0 or not text[end].isspace():
        return False
    word = document.words[index].lower()
    return document.tag(index) in _BEHIND and word not in ("that", "of", "like")


@dataclass(frozen=True, slots=True)
class SenseSynonym(_Parts):
    """A marked word replaced by a synonym in its right sense, in the same form.

    The synonym is a usual word whose own first sense in WordNet is the right one. The descriptions
    stay, and so does the right one. Words of several right senses, very common ones, and verbs
    before a preposition or particle, which the synonym may not have, stay.

    **Measures** whether a sense is found by what a text says, beside the word itself.

    **Misleads when** the synonym is not said in such a sentence (collocations).

    References
    ----------
    Gui et al. (2021). TextFlint: SwapTarget of word senses.
    """

    id = "sense_synonym@1"
    title = "synonyms in the right sense"
    resources = ("tagger",)
    wants = (SENSES,)
    intensity = EVERY_SITE
    changes_marked = True

    def sites(self, document: Document) -> Sites:
        """The marked word, where its sense has other words."""
        return [Site(s.start, s.end) for s in marked_parts(document) if _synonyms(document, s)]

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """Each synonym, the most frequent first."""
        part = next(s for s in marked_parts(document) if s.start == site.start)
        for word in _synonyms(document, part):
            edit = Edit(document.field, site.start, site.end, word)
            yield (*_article(document, site, word), edit)


_FORMS: Final[Mapping[str, Sequence[str]]] = {
    "n": ("NN", "NNS"),
    "v": ("VB", "VBD", "VBG", "VBN", "VBZ"),
    "a": ("JJ", "JJR", "JJS"),
    "r": ("RB",),
}


def _synonyms(document: Document, part: Span) -> list[str]:
    """Synonyms of a marked word in its right sense, in its form; none where that is not sure."""
    told, gold = document.example.attributes, document.example.gold
    base, pos = str(told.get("a_lemma", "")), str(told.get("a_pos", ""))
    if not isinstance(gold, Ranking) or len(gold) != 1 or pos not in _FORMS:
        return []
    senses = wordnet.synsets(base.replace("_", " "), pos)
    if gold[0] >= len(senses) or zipf(base) > _VERY_COMMON:
        return []
    text = document.text[part.start : part.end]
    low = text.lower()
    tags = [tag for tag in _FORMS[pos] if low == (base if tag in _BARE else inflect(base, tag))]
    if not tags or text.isupper():
        return []
    if pos == "v" and _is_followed(document, part):
        return []
    words = [
        word
        for word in wordnet.lemmas(senses[gold[0]])
        if word.isalpha()
        and word.islower()
        and word != base
        and zipf(word) >= _RARE
        # what the synonym usually means is this sense, and it was found to be used in it
        and wordnet.synsets(word, pos)[0] == senses[gold[0]]
        and wordnet.sense_counts(word, pos)[0] > 0
    ]
    # "split" may be three forms, of which another verb has one each: then nothing is sure
    forms = [{word if tag in _BARE else inflect(word, tag) for tag in tags} for word in words]
    found = [form.pop() for form in forms if len(form) == 1]
    return [match_case(text, word) for word in found if word and word != low]


def _is_followed(document: Document, part: Span) -> bool:
    """Whether a preposition or particle stands behind the mark of a part."""
    end = _end_of_mark(document, part)
    index = next((i for i, (start, _) in enumerate(document.tokens) if start >= end), -1)
    return index >= 0 and document.tag(index) in ("IN", "RP", "TO")


_BARE: Final = frozenset({"NN", "VB", "JJ", "RB"})
