"""Names of people, places and organizations replaced: each entity, or one mention at a time."""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final

from scrutiny.core.transformation import Document, Site, keeps_unless
from scrutiny.perturb.engine.change import EVERY_SITE, Candidates, Change, Rng, Sites
from scrutiny.perturb.phrases.mentions import (
    EntityMention,
    groups,
    is_acronym,
    mentions,
    other_names,
    part_of,
    renamed,
    without_article,
)
from scrutiny.text.lexicon import is_stop_word, listed

_TRIED = 5
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

    **Measures** whether the answer hangs on who is named instead of what is said.

    **Misleads when** the name carries the answer (a film known to be bad), or two fields of an
    example speak of one entity: they are renamed apart.

    References
    ----------
    Lin, Gao, Yin, Ren (2020). RockNER: a simple method to create adversarial examples for
    evaluating the robustness of named entity recognition models (in EMNLP 2021).

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

    def sites(self, document: Document) -> Sites:
        """The first mention of each entity."""
        firsts = [group[0] for group in groups(_certain(document))]
        return [Site(m.start, m.end, _token_at(document, m.start)) for m in firsts]

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """All mentions of the entity with a new name; a few names are drawn."""
        group = next(g for g in groups(_certain(document)) if g[0].start == site.start)
        whole = group[0]
        places = [m for m in group if m.kind == "LOC"]
        articles = [e for m in places for e in without_article(document, m.start, m.text)]
        for name in other_names(whole, rng, tries=_TRIED):
            yield (*(renamed(document, m, part_of(name, whole, m)) for m in group), *articles)


def _certain(document: Document) -> list[EntityMention]:
    """Mentions that are annotated, or are certainly names.

    What the finder sees may be a part of a longer name ("Gulf of Mexico", "St. Louis Rams"), an
    agency in its dateline, or an organization that is no company, for which we have no names.
    """
    known = [m for m in mentions(document) if not _is_adjective(document.text, m)]
    if any(span.label for span in document.annotations):
        return known
    return [mention for mention in known if _stands_alone(document.text, mention)]


def _stands_alone(text: str, mention: EntityMention) -> bool:
    before, behind = text[max(0, mention.start - 40) : mention.start], text[mention.end :][:3]
    if _NAME_BEHIND.match(behind) or _NAME_BEFORE.search(before) or behind.startswith(")"):
        return False
    return mention.kind != "ORG" or mention.text in listed("organizations")


def _is_adjective(text: str, mention: EntityMention) -> bool:
    """Whether the short name of a place stands before what it describes ("older U.S. adults")."""
    behind = _WORD_BEHIND.match(text, mention.end)
    is_short = mention.kind == "LOC" and is_acronym(mention.text)
    return is_short and behind is not None and not is_stop_word(behind[1])


def _token_at(document: Document, place: int) -> int:
    """Index of the token that contains a code point."""
    return next((i for i, (_, end) in enumerate(document.tokens) if place < end), -1)


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
