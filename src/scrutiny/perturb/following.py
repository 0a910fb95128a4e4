"""Following items of the data, appended with what is right of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrutiny.core.answers.answer import type_of
from scrutiny.core.answers.clusters import Clusters
from scrutiny.core.answers.label_and_spans import SPANS
from scrutiny.core.answers.words import ROOT, Words
from scrutiny.core.edit import Edit, Piece
from scrutiny.core.example import Example, Span
from scrutiny.core.languages import UNSPACED, script_of
from scrutiny.core.randomness import Rng
from scrutiny.core.transformation import Document, Site, may_change_unless
from scrutiny.perturb.engine.changes import Candidates, ChangesWholeText
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.text.tokens import token_spans

if TYPE_CHECKING:
    from scrutiny.perturb.resources.other_items import OtherItems


@dataclass(frozen=True, slots=True)
class Concatenate(ChangesWholeText):
    """The text and the next ones of the data, with the right answers of all.

    Entities, mentions with their clusters, heads and parts of speech of the texts that are appended
    come along; a tree becomes several. Which texts follow is settled by the data, not by the order
    in which they are changed. Mentions of one document are never those of another; a window of the
    same document is not appended.

    Parameters
    ----------
    count
        How many texts are appended.

    **Measures** whether what a tagger or a parser says of a sentence depends on those behind it.

    **Misleads when** items are whole documents, which grow longer than the model reads; or when
    they are short messages that nobody would write in one. An item without a right answer, or at
    the end of data of one item, has none to follow.

    References
    ----------
    Gui et al. (2021). TextFlint: ConcatSent, RndConcat.
    """

    id = "concatenate@1"
    title = "following texts appended"
    languages = frozenset({"*"})
    resources = ("items",)
    effect = may_change_unless("clusters", "spans", "words")
    is_default = False

    count: int = 2

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """The texts that follow in the data; for an item of other data, some that do anywhere."""
        items: OtherItems = find_resource(document.resources, "items")
        example, name = document.example, document.field
        found = items.following(example.id, self.count, start=float(rng.random()))
        gap = "" if script_of(example.language) in UNSPACED else " "
        text, spans, pieces = "", list[Span](), list[Piece]()
        for other in found:
            if _is_like(other, example, name):
                at = len(text + gap)
                spans += _spans(other, name, at) if example.gold is not None else ()
                pieces += _pieces(other, name, at, len(pieces)) if _has_tokens(document) else ()
                text += gap + other.fields[name]
        end = len(document.text)
        if text:
            yield (Edit(name, end, end, text, tuple(spans), pieces=tuple(pieces)),)


def _is_like(other: Example, example: Example, name: str) -> bool:
    """Whether an item has the same field in the same language, and the same kind of answer."""
    if name not in other.fields or other.language != example.language:
        return False
    gold, own = other.gold, example.gold
    units = {k: v for k, v in example.attributes.items() if k.startswith("u_")}
    if isinstance(own, Clusters) and units.items() & other.attributes.items():
        return False  # who is meant there may be meant here
    return own is None or (gold is not None and type_of(gold) is type_of(own))


def _has_tokens(document: Document) -> bool:
    """Whether the words of the text are those of the data, so that those of others are, too."""
    return document.has_words or bool((document.example.tokens or {}).get(document.field))


def _spans(other: Example, name: str, at: int) -> Iterator[Span]:
    """Gold spans, or mentions by cluster, of an item whose text begins at a place of an edit's."""
    gold = other.gold
    if isinstance(gold, Clusters):
        named = [(f"{other.id}: {number}", c) for number, c in enumerate(gold.clusters)]
        found = [Span(gold.field, *place, label) for label, c in named for place in c]
    else:
        found = list(gold) if type_of(gold) is SPANS else []
    for span in found:
        if span.field == name:
            yield span._replace(start=span.start + at, end=span.end + at)


def _pieces(other: Example, name: str, at: int, before: int) -> Iterator[Piece]:
    """Words of an item whose text begins at a place of an edit's, behind so many other words."""
    gold = other.gold if isinstance(other.gold, Words) else None
    if gold is None:
        borders = (other.tokens or {}).get(name) or token_spans(other.fields[name])
        yield from (Piece(start + at, end + at) for start, end in borders)
        return
    for word, (start, end) in enumerate(gold.borders):
        head = gold.heads[word] if gold.heads else None
        labels = [layer[word] if layer else "" for layer in (gold.relations, gold.upos, gold.xpos)]
        sibling = None if head is None or head == ROOT else before + head
        yield Piece(start + at, end + at, (), None, sibling, *labels)
