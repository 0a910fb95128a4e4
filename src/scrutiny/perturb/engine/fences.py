"""Restrictions on candidates: annotations, protected parts, literals, and earlier edits.

`apply_edits` has the last word; these checks ask the same questions one candidate at a time, in
time that does not grow with the text, so that the engine can go on to the next candidate.
"""

from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate

from scrutiny.core.answers.answer import type_of
from scrutiny.core.edit import Edit
from scrutiny.core.example import Span
from scrutiny.core.transformation import Site, Where
from scrutiny.perturb.engine.document import TextDocument
from scrutiny.text.edits.ordered import is_after, is_before


def covered(document: TextDocument, spans: Sequence[Span]) -> bytearray:
    """One byte for each code point: 1 if one of these spans of the document covers it."""
    text = document.text
    steps: Counter[int] = Counter()
    for span in spans:
        steps[span.start] += 1
        steps[span.end] -= 1
    marks = bytearray(len(text))
    depth = 0
    for place in range(len(text) if steps else 0):
        depth += steps[place]
        marks[place] = depth > 0
    return marks


def allowed_sites(sites: Sequence[Site], document: TextDocument, where: Where) -> Sequence[Site]:
    """Sites that touch no annotated span (``around``), only those that do, or all.

    None touches a literal, such as a URL, and a closed field has none. The whole text as a site
    counts as around.
    """
    if document.example.protected and document.example.is_closed(document.field):
        return ()
    if document.literals:
        sites = [s for s in sites if s.token < 0 or not document.is_literal(s.start, s.end)]
    if where == "anywhere":
        return sites
    spans = _meant(document, where)
    if not spans:
        return sites if where == "around" else ()
    marks = covered(document, spans)
    return [
        s for s in sites if (s.token >= 0 and any(marks[s.start : s.end])) == (where == "within")
    ]


def tokens_where(document: TextDocument, where: Where) -> list[int]:
    """Indices of the tokens that a change may touch: ``around`` annotated spans, ``within``, all.

    Examples
    --------
    >>> from scrutiny.core.example import Example, Span
    >>> from scrutiny.perturb.engine.document import TextDocument
    >>> gold = (Span("text", 3, 8, "LOC"),)
    >>> document = TextDocument(Example("1", {"text": "In Paris now"}, gold=gold))
    >>> tokens_where(document, "around"), tokens_where(document, "within")
    ([0, 2], [1])
    """
    is_free = where == "anywhere" or not _meant(document, where)
    if is_free and not document.literals:
        return [] if where == "within" else list(range(len(document.tokens)))
    sites = [Site(start, end, i) for i, (start, end) in enumerate(document.tokens)]
    return [site.token for site in allowed_sites(sites, document, where)]


def _meant(document: TextDocument, where: Where) -> tuple[Span, ...]:
    """Spans that are left alone, or that are changed."""
    return document.spared if where == "around" else document.annotations


class Chosen:
    """Accepted edits, disjoint and in order of position."""

    __slots__ = ("_places", "edits")

    def __init__(self) -> None:
        self.edits: list[Edit] = []
        self._places: list[tuple[int, int]] = []

    def overlaps(self, edits: Sequence[Edit]) -> bool:
        """Whether an edit overlaps an earlier one, or inserts at the same position."""
        if len(edits) == 1:
            return bool(self._places) and self._overlaps(edits[0].start, edits[0].end)
        return any(self._overlaps(e.start, e.end) for e in edits) or _overlap_each_other(edits)

    def add_if_free(self, edit: Edit) -> bool:
        """Accept an edit unless it overlaps; return whether it was accepted."""
        places = self._places
        start, end = edit[1], edit[2]  # by place: every changed word comes by here
        if places:
            if self._overlaps(start, end):
                return False
            insort(places, (start, end))
        else:
            places.append((start, end))
        self.edits.append(edit)
        return True

    def add(self, edits: Sequence[Edit]) -> None:
        """Accept these edits as well."""
        self.edits += edits
        for edit in edits:
            insort(self._places, (edit.start, edit.end))

    def _overlaps(self, start: int, end: int) -> bool:
        places = self._places
        at = bisect_left(places, (start, end))
        if at < len(places):
            low, high = places[at]
            if low < end or (low == high == start == end):
                return True
        return at > 0 and places[at - 1][1] > start


def _overlap_each_other(edits: Sequence[Edit]) -> bool:
    done = -1
    for start, end in sorted((edit.start, edit.end) for edit in edits):
        if start < done:
            return True
        done = end
    return False


class Fences:
    """Annotations and protected stretches of one field.

    Parameters
    ----------
    annotations, protected
        Spans of the field.
    tokens
        Borders of the tokens layer, where there is one. If every token carries a span of its own
        (part-of-speech tags), an edit that makes a new token is refused: nobody states its label.
    merged
        Reason for refusing edits that make two annotations one; empty if they may.
    """

    __slots__ = ("_farthest", "_is_protected", "_is_tiled", "_left", "_merged", "_spans", "_starts")

    def __init__(
        self,
        annotations: Sequence[Span],
        protected: Sequence[Span],
        tokens: Sequence[tuple[int, int]] | None = None,
        merged: str = "",
    ) -> None:
        self._merged = merged
        marked = [(s, False) for s in annotations] + [(s, True) for s in protected]
        marked.sort(key=lambda pair: (pair[0].start, pair[0].end))
        self._spans = [span for span, _ in marked]
        self._is_protected = [is_protected for _, is_protected in marked]
        self._starts = [span.start for span in self._spans]
        self._farthest = list(accumulate((span.end for span in self._spans), max))
        self._left = [span.end - span.start for span in self._spans]
        borders = {(span.start, span.end) for span in annotations}
        self._is_tiled = bool(tokens) and borders.issuperset(tokens or ())

    def refusal(self, edits: Sequence[Edit]) -> str | None:
        """Code of the first reason to refuse these edits, or `None`."""
        gains: dict[int, int] = {}
        for edit in edits:
            touched = self._touched(edit)
            for at in touched:
                reason = self._refusal(edit, at)
                if reason is not None:
                    return reason
                gains[at] = gains.get(at, 0) + len(edit.text) - (edit.end - edit.start)
            if self._is_tiled and _adds_token(edit, is_inside=bool(touched)):
                return "unlabeled_token"
        emptied = any(
            self._left[at] > 0 and self._left[at] + gain <= 0 for at, gain in gains.items()
        )
        if emptied:
            return "empties_span"
        return self._merged if self._merged and self._merges(gains) else None

    def _merges(self, gains: Mapping[int, int]) -> bool:
        """Whether an annotation would be left with nothing but another one that is within it."""
        for at in (at for at, gain in gains.items() if gain < 0):
            outer, size = self._spans[at], self._left[at] + gains[at]
            first = bisect_left(self._starts, outer.start)
            for other in range(first, bisect_right(self._starts, outer.end)):
                is_within = other != at and self._spans[other].end <= outer.end
                if (
                    is_within
                    and not self._is_protected[other]
                    and self._left[other] + gains.get(other, 0) == size
                ):
                    return True
        return False

    def add(self, edits: Sequence[Edit]) -> None:
        """Accept these edits and update the spans."""
        for edit in edits:
            for at in self._touched(edit):
                self._left[at] += len(edit.text) - (edit.end - edit.start)

    def _refusal(self, edit: Edit, at: int) -> str | None:
        if self._is_protected[at]:
            return "protected"
        span = self._spans[at]
        is_within = span.start <= edit.start and edit.end <= span.end
        return None if is_within or edit.spans else "crosses_span"

    def _touched(self, edit: Edit) -> list[int]:
        """Indices of the spans that the edit touches."""
        found = []
        at = bisect_right(self._starts, edit.end) - 1
        while at >= 0 and self._farthest[at] >= edit.start:
            span = self._spans[at]
            if not (is_before(edit, span) or is_after(edit, span)):
                found.append(at)
            at -= 1
        return found


def fences_of(document: TextDocument) -> Fences:
    """Fences of a document's field; its literals are as protected as what its data protect."""
    layer = document.example.tokens
    tokens = None if layer is None else layer.get(document.field)
    gold = document.example.gold
    merged = "" if gold is None else type_of(gold).merged
    literals = [Span(document.field, start, end) for start, end in document.literals]
    return Fences(document.annotations, (*document.protected, *literals), tokens, merged)


def _adds_token(edit: Edit, *, is_inside: bool) -> bool:
    """Whether an edit adds a token without a label to a text whose tokens all have labels."""
    if edit.spans:
        return False
    return len(edit.text.split()) > int(is_inside)
