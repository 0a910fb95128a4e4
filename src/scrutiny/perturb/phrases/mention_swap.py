"""One mention of a person, place or organization with another name."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document, Site
from scrutiny.perturb.engine.change import EVERY_SITE, Change, Rng, keeps_unless
from scrutiny.perturb.engine.new_words import with_name
from scrutiny.perturb.phrases.mentions import (
    EntityMention,
    article_before,
    mentions,
    needs_the,
    other_names,
)


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
    effect = keeps_unless(
        "coreference", "question-answering", "text-pair-classification", "translation"
    )
    intensity = EVERY_SITE
    where = "anywhere"
    is_for_search = True
    allowed: ClassVar[Mapping[str, Sequence[str]]] = {"kinds": ("PER", "LOC", "ORG")}

    kinds: tuple[str, ...] = ("PER", "LOC")
    draws: int = 3

    def sites(self, document: Document) -> Sequence[Site]:
        """Mentions of the chosen types."""
        ends = [end for _, end in document.tokens]
        found = [m for m in _by_start(document).values() if m.kind in self.kinds]
        return [Site(m.start, m.end, bisect_right(ends, m.start)) for m in found]

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """Random names, without duplicates; none takes an article as "the Netherlands" does."""
        mention = _by_start(document)[site.start]
        article = None
        if mention.kind == "LOC" and needs_the(mention.text):
            article = article_before(document, mention.start)
        before = () if article is None else (Edit(document.field, *article, ""),)
        for name in dict.fromkeys(other_names(mention, rng, tries=self.draws)):
            edit = Edit(document.field, mention.start, mention.end, name)
            yield (*before, with_name(document, edit, top=0 if mention.kind == "PER" else -1))


def _by_start(document: Document) -> Mapping[int, EntityMention]:
    held: Any = document
    return _found(held)


@lru_cache(maxsize=8)
def _found(document: Any) -> Mapping[int, EntityMention]:
    """Mentions of a text by their start, shared by sites and candidates."""
    return {mention.start: mention for mention in mentions(document)}
