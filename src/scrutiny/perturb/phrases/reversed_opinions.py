"""Opinions about the aspects of a text, turned round: those of one aspect, those of the others.

After ARTS (Xing et al. 2020), RevTgt and RevNon: an aspect is known with the words that judge it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Final

from scrutiny.core.edit import Edit
from scrutiny.core.example import Example, Span
from scrutiny.core.facts import NAMED_PART
from scrutiny.core.randomness import Rng
from scrutiny.core.transformation import (
    Document,
    Effect,
    SetsGold,
    Site,
    may_change_unless,
)
from scrutiny.perturb.engine.changes import (
    ONE_SITE,
    Candidates,
    Change,
    Sites,
    in_random_order,
    with_unknown,
)
from scrutiny.perturb.languages.opinions import (
    agreeing,
    is_degree,
    place_of,
    reversals,
    strengthened,
)
from scrutiny.tasks.aspects import Aspect, aspects_of, opposite_of, sign_of

_TRIED: Final = 4
Place = tuple[int, int]


class _OfOpinions(Change):
    """Base of what changes opinions about aspects: the whole text is the site."""

    __slots__ = ()

    intensity = ONE_SITE
    where = "anywhere"
    resources = ("tagger", "wordnet")
    wants = (NAMED_PART,)
    is_default = False  # data say seldom which words judge an aspect


@dataclass(frozen=True, slots=True)
class ReverseOpinion(_OfOpinions, SetsGold):
    """Turns round what is said of the aspect that is asked about, so that its polarity flips.

    Each opinion gets its opposite ("slow" for "fast"), loses its negation, or is denied where it
    has no opposite. "and" becomes "but" where the aspect now differs from its neighbor, and "but"
    becomes "and" where they agree.

    Parameters
    ----------
    neutral
        Whether neutral aspects change, too; they stay neutral, as published.

    **Measures** whether the answer follows what is said of the aspect.

    **Misleads when** an opinion that is not annotated still says the old polarity; or a polarity is
    neutral, and words turned round make it a judgment.

    References
    ----------
    Xing, Jin, Jin, Wang, Zhang, Huang (2020). Tasty burgers, soggy fries: probing aspect robustness
    in aspect-based sentiment analysis.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> from scrutiny.tasks.aspects import AspectSentiment
    >>> row = {"text": "Good food.", "aspect": "food", "opinions": [[0, 4]], "label": "positive"}
    >>> item = AspectSentiment().parse(row, source="x")
    >>> variant = perturb(item, "reverse_opinion", seed=0, task="aspect-sentiment")
    >>> variant.edits[0].text, variant.gold
    ('Bad', 'negative')
    """

    id = "reverse_opinion@1"
    title = "opinion reversed"
    effect: ClassVar[Mapping[str, Effect]] = {"*": "may change", "anchor": "sets"}

    neutral: bool = False

    def sites(self, document: Document) -> Sites:
        """The text, if it has the aspect's opinions and the polarity can be turned round."""
        own = _aspects(document)[0]
        sign = sign_of(own.polarity)
        return _whole(document) if own.opinions and sign in self._signs else ()

    @property
    def _signs(self) -> tuple[int, ...]:
        return (1, -1, 0) if self.neutral else (1, -1)

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """All opinions of the aspect turned round at once."""
        aspects = _aspects(document)
        yield from _turned(document, aspects, {*map(place_of, aspects[0].opinions)})

    def gold_after(self, gold: Any, before: Example, edits: Sequence[Edit]) -> Any:
        """The opposite polarity."""
        return opposite_of(gold) if isinstance(gold, str) else gold


@dataclass(frozen=True, slots=True)
class ReverseOtherOpinions(_OfOpinions):
    """Turns round what is said of the other aspects, and leaves the one that is asked about.

    Others of the same polarity are reversed, so that they differ; what differs already is
    strengthened by an adverb of degree. Aspects that share words of opinion with it stay.

    **Measures** whether the answer is about this aspect, and not about the text as a whole.

    **Misleads when** the polarity of the aspect hangs on what is said of the others.

    References
    ----------
    Xing, Jin, Jin, Wang, Zhang, Huang (2020). Tasty burgers, soggy fries: probing aspect robustness
    in aspect-based sentiment analysis.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> from scrutiny.tasks.aspects import AspectSentiment
    >>> row = {"text": "Good food, kind staff.", "aspect": "food", "opinions": [[0, 4]]}
    >>> row["others"] = [{"place": [16, 21], "label": "positive", "opinions": [[11, 15]]}]
    >>> item = AspectSentiment().parse({**row, "label": "positive"}, source="x")
    >>> variant = perturb(item, "reverse_other_opinions", seed=0, task="aspect-sentiment")
    >>> variant.edits[0].text, variant.gold
    ('unkind', 'positive')
    """

    id = "reverse_other_opinions@1"
    title = "opinions of other aspects reversed"
    effect = may_change_unless("anchor")

    def sites(self, document: Document) -> Sites:
        """The text, if other aspects have opinions of their own, and a polarity."""
        own, *others = _aspects(document)
        if sign_of(own.polarity) is None:
            return ()
        return _whole(document) if any(_is_apart_from(own, one) for one in others) else ()

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """Opinions of the others turned round or strengthened, all at once."""
        own, *others = aspects = _aspects(document)
        apart = [one for one in others if _is_apart_from(own, one)]
        alike = [one for one in apart if sign_of(one.polarity) == sign_of(own.polarity)]
        turned = {place_of(opinion) for one in alike for opinion in one.opinions}
        stronger = {place_of(o): o for one in apart if one not in alike for o in one.opinions}
        added: list[Edit] = []
        for place, opinion in stronger.items():
            ways = [] if place in turned else _open(document, strengthened(document, opinion))
            added += next(in_random_order(ways, rng), ())
        for edits in _turned(document, aspects, turned):
            yield (*edits, *_stated(document, _apart(added, edits)))
        if added:
            yield tuple(_stated(document, added))


def _aspects(document: Document) -> tuple[Aspect, ...]:
    """Aspects of a document's text, in its field."""
    return aspects_of(document.example)


def _whole(document: Document) -> Sites:
    """The text as one site, in the field that the aspects stand in."""
    return (Site(0, len(document.text), -1),) if document.field == "text" else ()


def _is_apart_from(own: Aspect, other: Aspect) -> bool:
    """Whether another aspect can be changed alone: it has opinions, and shares none of them.

    Nothing is told of two neutral ones: neither is praised or blamed.
    """
    signs = sign_of(own.polarity), sign_of(other.polarity)
    is_shared = any(
        o.start < m.end and m.start < o.end for o in other.opinions for m in own.opinions
    )
    return bool(other.opinions) and not is_shared and None not in signs and signs != (0, 0)


def _turned(
    document: Document, aspects: Sequence[Aspect], places: Collection[Place]
) -> Iterator[tuple[Edit, ...]]:
    """Ways to turn the opinions at these places round at once, with conjunctions that agree."""
    signs = {place_of(o): sign_of(a.polarity) or 0 for a in reversed(aspects) for o in a.opinions}
    known = {place_of(o): o for a in aspects for o in a.opinions}
    said = [place for place in sorted(places) if not is_degree(document, known[place])]
    every = (reversals(document, known[place], signs[place]) for place in said or sorted(places))
    chosen = [ways for one in every if (ways := _open(document, one))]
    joined = _joined(document, aspects, places)
    for number in range(min(_TRIED, max(map(len, chosen), default=0))):
        edits: list[Edit] = []
        for ways in chosen:
            fitting = (e for e in ways[min(number, len(ways) - 1) :] if _is_apart(e, edits))
            edits += next(fitting, ())
        if edits:
            yield tuple(_stated(document, [*edits, *_apart(joined, edits)]))


def _joined(document: Document, aspects: Sequence[Aspect], turned: Collection[Place]) -> list[Edit]:
    """Conjunctions between neighbors of which at least one changes its polarity."""
    known = []
    for one in aspects:
        sign = sign_of(one.polarity)
        is_turned = bool(one.opinions) and all(place_of(o) in turned for o in one.opinions)
        if sign and one.opinions:
            words = [*one.opinions, *((one.place,) if one.place else ())]
            known.append(
                (min(s.start for s in words), words, -sign if is_turned else sign, is_turned)
            )
    known.sort(key=lambda entry: entry[0])
    return [
        edit
        for (_, one, sign, a), (_, two, other, b) in pairwise(known)
        if a or b
        for edit in agreeing(document, one, two, same=sign == other)
    ]


def _open(document: Document, ways: Iterable[tuple[Edit, ...]]) -> list[tuple[Edit, ...]]:
    """Ways that touch nothing that no change may touch."""
    return [e for e in ways if not any(document.is_protected(one.start, one.end) for one in e)]


def _is_apart(edits: Sequence[Edit], others: Sequence[Edit]) -> bool:
    """Whether edits overlap no other ones."""
    return not any(
        (e.start < o.end and o.start < e.end) or e.start == o.start for e in edits for o in others
    )


def _apart(edits: Sequence[Edit], others: Sequence[Edit]) -> list[Edit]:
    """Edits that overlap none of the others, nor one another."""
    found: list[Edit] = []
    for edit in edits:
        if _is_apart([edit], [*others, *found]):
            found.append(edit)
    return found


def _stated(document: Document, edits: Sequence[Edit]) -> Iterator[Edit]:
    """Edits that say where the annotations are which they cross the borders of."""
    for edit in edits:
        crossed = [
            span
            for span in document.example.spans
            if edit.start < span.end and span.start < edit.end
            and not (span.start <= edit.start and edit.end <= span.end)
        ]  # fmt: skip
        spans = tuple(Span(edit.field, 0, len(edit.text), s.label) for s in crossed if edit.text)
        yield with_unknown(document, edit._replace(spans=spans))
