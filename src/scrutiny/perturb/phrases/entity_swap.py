"""Named entities replaced by others of the same type."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document, Site
from scrutiny.perturb.engine.change import EVERY_SITE, Change, Rng, keeps_unless
from scrutiny.perturb.engine.new_words import with_name
from scrutiny.perturb.phrases.mentions import (
    EntityMention,
    article_before,
    groups,
    mentions,
    needs_the,
    other_names,
    part_of,
)
from scrutiny.text.lexicon import organizations

_TRIED = 5
_NAME_BEHIND: Final = re.compile(r" ?[A-Z&-]")
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
    effect = keeps_unless(
        "coreference", "question-answering", "text-pair-classification", "translation"
    )
    intensity = EVERY_SITE
    is_default = False  # see docs/transformation-quality.md
    where = "anywhere"

    def sites(self, document: Document) -> Sequence[Site]:
        """The first mention of each entity."""
        firsts = [group[0] for group in groups(_certain(document))]
        return [Site(m.start, m.end, _token_at(document, m.start)) for m in firsts]

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """All mentions of the entity with a new name; a few names are drawn."""
        group = next(g for g in groups(_certain(document)) if g[0].start == site.start)
        whole = group[0]
        for name in other_names(whole, rng, tries=_TRIED):
            edits = [Edit(document.field, m.start, m.end, part_of(name, whole, m)) for m in group]
            top = 0 if whole.kind == "PER" else -1
            edits = [with_name(document, edit, top=top) for edit in edits]
            yield (*edits, *_articles(document, group))


def _certain(document: Document) -> list[EntityMention]:
    """Mentions that are annotated, or are certainly names.

    What the finder sees may be a part of a longer name ("Gulf of Mexico", "St. Louis Rams"), an
    agency in its dateline, or an organization that is no company, for which we have no names.
    """
    found: Any = document
    known = mentions(document)
    return (
        known
        if any(s.label for s in found.annotations)
        else [m for m in known if _stands_alone(document.text, m)]
    )


def _stands_alone(text: str, mention: EntityMention) -> bool:
    before, behind = text[max(0, mention.start - 40) : mention.start], text[mention.end :][:3]
    if _NAME_BEHIND.match(behind) or _NAME_BEFORE.search(before) or behind.startswith(")"):
        return False
    return mention.kind != "ORG" or mention.text in organizations()


def _articles(document: Document, group: Sequence[EntityMention]) -> Iterator[Edit]:
    """Edits that remove "the" before a place, because our new names take no article."""
    for mention in group:
        if mention.kind == "LOC" and needs_the(mention.text):
            article = article_before(document, mention.start)
            if article is not None:
                yield Edit(document.field, *article, "")


def _token_at(document: Document, place: int) -> int:
    """Index of the token that contains a code point."""
    return next((i for i, (_, end) in enumerate(document.tokens) if place < end), -1)
