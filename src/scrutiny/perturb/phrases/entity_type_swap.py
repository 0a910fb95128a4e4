"""Named entities replaced by those of another type, which the right answer then names."""

import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final

from scrutiny.core.answers.answer import type_of
from scrutiny.core.answers.label_and_spans import SPANS
from scrutiny.core.example import Span
from scrutiny.core.facts import SPANS as OF_SPANS
from scrutiny.core.randomness import Rng, pick
from scrutiny.core.transformation import Document, Effect, Site, may_change_unless
from scrutiny.perturb.engine.changes import EVERY_SITE, Candidates, Change, Sites
from scrutiny.perturb.phrases.entity_swap import groups, has_article, mentions, renamed
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.perturb.resources.other_items import OtherItems
from scrutiny.text.entities import Entity, EntityLabel, default_entity_finder, entity_label
from scrutiny.text.lexicon import word_set

_TRIED: Final = 5
_TITLES: Final = word_set("titles")
#: What a name is, or was, behind it: a life, a class of things, another name in brackets.
_IS_A: Final = re.compile(
    r" ?\(| -LRB-| (?:died|born|was born)\b"
    r"|(?: ?,| is| was| are| were) (?:also )?(?:an?|the|one|founded|formed)\b"
)
_TOLD_BEFORE: Final = frozenset({"(", "-LRB-", "-", ":", "Dear"})
_IN: Final = re.compile(r"\b(?:in|at|near|around|throughout|across|outside|inside) $")


@dataclass(frozen=True, slots=True)
class EntityTypeSwap(Change):
    """People, places and organizations replaced by names of another of these types.

    The names, and what their type is called, are those of the data; of these only such that tell
    their type by themselves ("Anna Smith", "Nairobi"), and have no other in the data. All mentions
    of an entity become the same name, and the right answer has its type. Nobody stands behind a
    preposition of place, and no name where other words say what it is one of ("the village of").

    **Measures** whether a tagger names the type of the name that stands there, or that of the name
    which usually stands in such a sentence.

    **Misleads when** the sentence leaves no room for the other type ("Kenya gave birth to twins"),
    so that a reader sees a team or a company behind the name of a place: a reader who went by the
    sentence doubted the new type in half of the texts.

    References
    ----------
    Gui et al. (2021). TextFlint: CrossCategory of SwapEnt.
    """

    id = "entity_type_swap@1"
    title = "entities of another type"
    resources = ("items", "tagger")
    effect: ClassVar[Mapping[str, Effect]] = {**may_change_unless(), "spans": "sets"}
    wants = (OF_SPANS,)
    intensity = EVERY_SITE
    where = "anywhere"
    is_default = False

    def sites(self, document: Document) -> Sites:
        """The first mention of each annotated entity that is written as a name, without article."""
        gold = document.example.gold
        if gold is None or type_of(gold) is not SPANS:
            return ()
        firsts = [group[0] for group in groups(mentions(document))]
        places = [
            Site(m.start, m.end, bisect_left(document.tokens, (m.start,)))
            for m in firsts
            if m.text[0].isupper() and not has_article(document, m.start)
        ]
        return [site for site in places if not _is_told(document, site)]

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """A few names of other types; each type of the data is as likely."""
        group = next(g for g in groups(mentions(document)) if g[0].start == site.start)
        items: OtherItems = find_resource(document.resources, "items")
        without = {group[0].kind, "PER" if _IN.search(document.text, 0, site.start) else ""}
        known = [(label, names) for kind, label, names in _names(items) if kind not in without]
        for first, second in rng.random((_TRIED if known else 0, 2)).tolist():
            label, names = known[int(first * len(known))]
            name = pick(names, second)
            if name in document.text:  # two would become one
                continue
            spans = (Span(document.field, 0, len(name), label),)
            yield tuple([renamed(document, m, name)._replace(spans=spans) for m in group])


def _is_told(document: Document, site: Site) -> bool:
    """Whether other words say what a name is one of: "the village of X", "X, a band"."""
    if _IS_A.match(document.text, site.end):
        return True
    before = document.words[max(0, site.token - 2) : site.token]
    at = site.token - 1 if before[-1:] != ["of"] else site.token - 2
    is_noun = at >= 0 and document.words[at].islower() and document.tag(at) in ("NN", "NNS")
    title = before[0] if before[1:] == ["."] else "".join(before[-1:])
    is_titled = title.rstrip(".") in _TITLES
    return is_noun or is_titled or not _TOLD_BEFORE.isdisjoint(before[-1:])


@lru_cache(maxsize=8)
def _names(items: OtherItems) -> list[tuple[EntityLabel, str, tuple[str, ...]]]:
    """Kind, label and names of the people, places and organizations of data."""
    kinds = [(entity_label(label), label, names) for label, names in items.names.items()]
    found = [
        (kind, label, tuple(name for name in names if _is_evident(name, kind)))
        for kind, label, names in kinds
        if kind is not None
    ]
    return [row for row in found if row[2]]


def _is_evident(name: str, kind: EntityLabel) -> bool:
    """Whether a name tells its kind by itself: to the entity finder that ships with the package.

    Examples
    --------
    >>> _is_evident("New York", "LOC"), _is_evident("Home", "LOC"), _is_evident("ann", "PER")
    (True, False, False)
    """
    return default_entity_finder().entities(name) == [Entity(0, len(name), kind)]
