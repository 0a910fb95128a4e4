"""Names of people, places and organizations, replaced by entity or one mention at a time."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import ClassVar, Final, Literal, NamedTuple

from scrutiny.core.edit import Edit
from scrutiny.core.example import Span
from scrutiny.core.randomness import Rng, pick
from scrutiny.core.transformation import Document, Site, keeps_unless
from scrutiny.perturb.engine.changes import EVERY_SITE, Candidates, Change, Sites, with_name
from scrutiny.perturb.phrases.unusual_names import longer_parts, unseen_parts
from scrutiny.text.entities import entity_label, first_name_gender
from scrutiny.text.letters import case_pattern
from scrutiny.text.lexicon import (
    Gender,
    cities,
    countries,
    first_names,
    is_stop_word,
    listed,
    needs_the,
)

# Short names of countries, which stand for one and are as often adjectives ("U.S. adults").
_SHORT_COUNTRIES: Final = frozenset("U.S. US U.S USA U.S.A. UK U.K. UAE U.A.E. USSR".split())
_ACRONYM: Final = 5  # letters of an acronym, at most
_ARTICLE: Final = re.compile(r"\b(?:the|an?) $", re.IGNORECASE)
_POSSESSIVE: Final = re.compile(r"\s?['’]\s?s$")


class EntityMention(NamedTuple):
    """A span of the text that names an entity of a type."""

    start: int
    end: int
    kind: str
    text: str


def mentions(document: Document) -> list[EntityMention]:
    """Mentions in text order: the annotated ones, or else those of the entity finder."""
    annotated = [(s.start, s.end, s.label) for s in _annotated(document)]
    spans = []
    for start, end, label in annotated or [(e.start, e.end, e.label) for e in document.entities]:
        if end - start > 3:  # without a possessive that is tagged as part of the name
            end = start + len(_POSSESSIVE.sub("", document.text[start:end]))
        spans.append((start, end, label))
    kept = [
        EntityMention(start, end, kind, document.text[start:end])
        for start, end, label in sorted(spans)
        if (kind := entity_label(label)) is not None and end > start
    ]
    return [m for m in kept if m.text.strip() and m.text[0] not in "@#"]


def _annotated(document: Document) -> list[Span]:
    """Spans that state the names of a text: right answers, of whatever types, or types of names.

    An aspect or an opinion says nothing of names, so that those are looked for beside it.
    """
    labeled = [span for span in document.annotations if span.label]
    gold = document.example.gold
    if isinstance(gold, tuple) and any(isinstance(one, Span) for one in gold):
        return labeled
    return [span for span in labeled if entity_label(span.label) is not None]


def groups(found: Sequence[EntityMention]) -> list[list[EntityMention]]:
    """Mentions of the same entity: equal names, and parts of a person's name."""
    grouped: list[list[EntityMention]] = []
    for mention in found:
        group = next((group for group in grouped if _is_same(group[0], mention)), None)
        if group is None:
            grouped.append([mention])
        else:
            group.append(mention)
    return grouped


def _is_same(known: EntityMention, mention: EntityMention) -> bool:
    if known.kind != mention.kind:
        return False
    a, b = known.text.lower(), mention.text.lower()
    return a == b or (known.kind == "PER" and " " not in b and b in a.split())


#: Usual names, names that no model has seen, names of more words and at least three.
NameChoice = Literal["usual", "unseen", "longer"]


def other_names(
    mention: EntityMention,
    rng: Rng,
    *,
    tries: int,
    choice: NameChoice = "usual",
    gender: Gender | None = None,
) -> Iterator[str]:
    """Random names of the same type and shape, with the letter case of the mention.

    ``gender`` is that of people with a longer name whose first name tells none.
    """
    parts = mention.text.split()
    if choice == "usual":
        tables = _tables(mention, parts)
    elif choice == "unseen":
        tables = unseen_parts(mention.kind, len(parts))
    else:
        own = first_name_gender(parts[0].title()) or gender
        tables = longer_parts(mention.kind, len(parts), own)
    if not all(tables):
        return
    for row in rng.random((tries, len(tables))).tolist():
        drawn = [pick(table, x) for table, x in zip(tables, row, strict=True)]
        name = " ".join(drawn)
        if name.lower() != mention.text.lower():
            yield _cased(name, mention.text)


def _tables(mention: EntityMention, parts: Sequence[str]) -> list[Sequence[str]]:
    """Lists of name parts from which a new name is drawn."""
    if mention.kind == "ORG":
        return [listed("organizations")]
    if mention.kind == "LOC":  # a country becomes a country
        sovereign = listed("sovereign_countries")
        if mention.text.title() in sovereign or mention.text in _SHORT_COUNTRIES:
            return [sovereign]
        is_country = mention.text.title() in {name.title() for name in countries()}
        return [_bare_names(countries() if is_country else cities())]
    gender = first_name_gender(parts[0].title())
    firsts = first_names(gender) if gender else (*first_names("female"), *first_names("male"))
    if len(parts) > 1:
        return [firsts, listed("last_names")]
    return [firsts] if gender else [_plain_last_names()]


@cache
def _plain_last_names() -> tuple[str, ...]:
    """Family names that are not first names, which would have a gender."""
    return tuple(name for name in listed("last_names") if first_name_gender(name) is None)


@cache
def _bare_names(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in names if not needs_the(name))


def without_article(document: Document, start: int, name: str) -> Iterator[Edit]:
    """Edit that removes "the" directly before a place that needs one: new names take none."""
    head = document.text[max(0, start - 4) : start]
    is_glued = start > 4 and document.text[start - 5].isalnum()
    if head.lower() == "the " and not is_glued and needs_the(name):
        yield Edit(document.field, start - 4, start, "")


def has_article(document: Document, start: int) -> bool:
    """Whether "the", "a" or "an" stands directly before a place of a text."""
    return bool(_ARTICLE.search(document.text[max(0, start - 5) : start]))


def renamed(document: Document, mention: EntityMention, name: str) -> Edit:
    """Edit of a mention by another name; its head is a person's first name, or a place's last."""
    edit = Edit(document.field, mention.start, mention.end, name)
    return with_name(document, edit, top=0 if mention.kind == "PER" else -1)


def part_of(name: str, whole: EntityMention, mention: EntityMention) -> str:
    """New form of a shorter mention of a renamed person: first name for first, last for last."""
    if whole.text.isupper() and not mention.text.isupper():
        name = name.title()
    if mention.text.lower() == whole.text.lower():
        return _cased(name, mention.text)
    words = whole.text.lower().split()
    new = name.split()
    place = words.index(mention.text.lower())
    return _cased(new[0] if place < len(words) - 1 else new[-1], mention.text)


def is_acronym(text: str) -> bool:
    """Whether a name is written in the first letters of its words, and not only in capitals.

    Examples
    --------
    >>> [is_acronym(name) for name in ("U.S.", "NATO", "PARIS", "MARY", "AUSTRALIA", "Paris")]
    [True, True, False, False, False, False]
    """
    if not text.isupper():
        return False
    if "." in text or any(map(str.isdigit, text)):
        return True
    if " " in text:
        return False
    return sum(map(str.isalpha, text)) <= _ACRONYM and text.title() not in _spelled_out()


@cache
def _spelled_out() -> frozenset[str]:
    """Names of one word that are no acronyms."""
    people = (*first_names("female"), *first_names("male"), *listed("last_names"))
    return frozenset((*people, *cities(), *countries()))


def _cased(name: str, like: str) -> str:
    """Name as names are written where the other stood: in capitals, in lower case, or as it is."""
    pattern = case_pattern(like)
    if pattern == "lower":
        return name.lower()
    return name.upper() if pattern == "upper" and not is_acronym(like) else name


_TRIED = 5
_PRONOUNS: Final[Mapping[Gender, frozenset[str]]] = {
    "female": frozenset("she her hers herself actress".split()),
    "male": frozenset("he him his himself actor".split()),
}
_NAME_BEHIND: Final = re.compile(r" ?[A-Z&-]")
_WORD_BEHIND: Final = re.compile(r" ([a-z]+)")
_NAME_BEFORE: Final = re.compile(r"([A-Z]\S*,?( of)?( the)?|\bSt\.|-) $")


@dataclass(frozen=True, slots=True)
class EntitySwap(Change):
    """Named entities replaced by others of the same type.

    Renames a person, place or organization throughout the text.

    Annotated spans are taken where the example has them, the run's entity finder otherwise, whose
    finds count where no other capital stands beside them. Every
    mention of an entity gets the same new name; a person's first or last name alone follows.

    Parameters
    ----------
    names
        Which names: ``usual`` ones of our lists; ``unseen`` ones, which are invented and stand in
        no dictionary; ``longer`` ones, of at least three words and more than there were.

    **Measures** whether the answer hangs on who is named instead of what is said; with ``unseen``
    and ``longer``, whether a tagger finds names by what stands around them.

    **Misleads when** the name carries the answer (a film known to be bad), or two fields of an
    example speak of one entity: they are renamed apart.

    References
    ----------
    Lin, Gao, Yin, Ren (2020). RockNER: a simple method to create adversarial examples for
    evaluating the robustness of named entity recognition models (in EMNLP 2021).
    Gui et al. (2021). TextFlint: OOV and SwapLonger of SwapEnt.

    Examples
    --------
    >>> from scrutiny.core.example import Example, Span
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> gold = (Span("text", 10, 16, "LOC"),)
    >>> variant = perturb(Example("1", {"text": "I went to Dublin"}, gold), "entity_swap", seed=0)
    >>> variant.gold[0].start, variant.gold[0].label
    (10, 'LOC')
    """

    id = "entity_swap@1"
    title = "entities swapped"
    resources = ("entities",)
    effect = keeps_unless("clusters", "extract", "relation", "text")
    intensity = EVERY_SITE
    is_default = False  # see docs/transformation-quality.md
    where = "anywhere"

    names: NameChoice = "usual"

    def sites(self, document: Document) -> Sites:
        """The first mention of each entity."""
        firsts = [group[0] for group in groups(self._places(document))]
        ends = [end for _, end in document.tokens]
        tokens = (next((i for i, end in enumerate(ends) if m.start < end), -1) for m in firsts)
        return [Site(m.start, m.end, token) for m, token in zip(firsts, tokens, strict=True)]

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """All mentions of the entity with a new name; a few names are drawn."""
        group = next(g for g in groups(self._places(document)) if g[0].start == site.start)
        whole = group[0]
        places = [m for m in group if m.kind == "LOC"]
        articles = [e for m in places for e in without_article(document, m.start, m.text)]
        gender = _gender_of(document)
        for name in other_names(whole, rng, tries=_TRIED, choice=self.names, gender=gender):
            yield (*(renamed(document, m, part_of(name, whole, m)) for m in group), *articles)

    def _places(self, document: Document) -> list[EntityMention]:
        """Mentions that can be renamed; a name without an article takes no place that has one."""
        found = _certain(document)
        if self.names == "usual":
            return found
        is_bare = (m.kind == "LOC" and needs_the(m.text) for m in found)  # it loses its article
        pairs = zip(found, is_bare, strict=True)
        return [m for m, is_bare in pairs if is_bare or not has_article(document, m.start)]


def _gender_of(document: Document) -> Gender | None:
    """Gender of the pronouns of a text; None if it has none, or those of both."""
    words = {word.lower() for word in document.words}
    found = [gender for gender, pronouns in _PRONOUNS.items() if not pronouns.isdisjoint(words)]
    return found[0] if len(found) == 1 else None


def _certain(document: Document) -> list[EntityMention]:
    """Mentions that are annotated, or are certainly names.

    What the finder sees may be a part of a longer name ("Gulf of Mexico", "St. Louis Rams"), an
    agency in its dateline, or an organization that is no company, for which we have no names.
    """
    text, is_annotated = document.text, bool(_annotated(document))
    found = []
    for mention in mentions(document):
        # the short name of a place before what it describes: "older U.S. adults"
        word = _WORD_BEHIND.match(text, mention.end)
        is_short = mention.kind == "LOC" and is_acronym(mention.text)
        if is_short and word is not None and not is_stop_word(word[1]):
            continue
        before, behind = text[max(0, mention.start - 40) : mention.start], text[mention.end :][:3]
        is_part = _NAME_BEHIND.match(behind) or _NAME_BEFORE.search(before) or behind[:1] == ")"
        is_known = mention.kind != "ORG" or mention.text in listed("organizations")
        if is_annotated or (is_known and not is_part):
            found.append(mention)
    return found


@dataclass(frozen=True, slots=True)
class MentionSwap(Change):
    """Replaces one mention of a name by a name of the same type; see ``entity_swap`` for all.

    First names stay of their gender, countries stay countries and cities cities.

    Parameters
    ----------
    kinds
        Which mentions: people (``PER``), places (``LOC``), organizations (``ORG``).
    draws
        How many names are drawn for a mention.

    **Measures** with a search on top, whether an answer hangs on who is named instead of what is
    said.

    **Misleads when** a text speaks of the same person again: there it keeps the old name.

    References
    ----------
    Ribeiro, Wu, Guestrin, Singh (2020). Beyond accuracy: behavioral testing of NLP models with
    CheckList.

    Examples
    --------
    >>> from scrutiny.perturb.engine.document import document_of
    >>> text = "Anna Smith flew to Nairobi"
    >>> [text[s.start : s.end] for s in MentionSwap().sites(document_of(text))]
    ['Anna Smith', 'Nairobi']
    """

    id = "mention_swap@1"
    title = "mentions swapped"
    resources = ("entities",)
    effect = keeps_unless("clusters", "extract", "relation", "text")
    intensity = EVERY_SITE
    where = "anywhere"
    is_for_search = True
    allowed: ClassVar[Mapping[str, Sequence[str]]] = {"kinds": ("PER", "LOC", "ORG")}

    kinds: tuple[str, ...] = ("PER", "LOC")
    draws: int = 3

    def sites(self, document: Document) -> Sites:
        """Mentions of the chosen types."""
        ends = [end for _, end in document.tokens]
        found = [m for m in _by_start(document).values() if m.kind in self.kinds]
        return [Site(m.start, m.end, bisect_right(ends, m.start)) for m in found]

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """Random names, without duplicates; none takes an article as "the Netherlands" does."""
        mention = _by_start(document)[site.start]
        before = without_article(document, mention.start, mention.text)
        edits = tuple(before) if mention.kind == "LOC" else ()
        for name in dict.fromkeys(other_names(mention, rng, tries=self.draws)):
            yield (*edits, renamed(document, mention, name))


@lru_cache(maxsize=8)
def _by_start(document: Document) -> Mapping[int, EntityMention]:
    """Mentions of a text by their start, shared by sites and candidates."""
    return {mention.start: mention for mention in mentions(document)}
