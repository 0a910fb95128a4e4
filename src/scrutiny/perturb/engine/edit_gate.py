"""The gate of candidate edits: annotations, protected parts, literals and earlier edits.

`apply_edits` has the last word; the fences ask the same questions one candidate at a time, in
time that does not grow with the text, so that the engine can go on to the next candidate.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from scrutiny.core.answers.answer import type_of
from scrutiny.core.edit import Edit, EditRefusedError
from scrutiny.core.example import MARKED, Span
from scrutiny.core.transformation import Constraint
from scrutiny.perturb.engine.changes import new_tuple
from scrutiny.perturb.engine.document import TextDocument
from scrutiny.text.edit_tracks import in_order, is_after, is_before
from scrutiny.text.edits import apply_edits, apply_to_text


class StepOutcome(NamedTuple):
    """Result of a step on one text: its edits, or why there are none."""

    edits: Sequence[Edit]
    status: str = "ok"
    reason: str | None = None


UNCHANGED = StepOutcome((), "skipped", "unchanged")


def reason_of(constraint: Constraint) -> str:
    """Reason that a constraint gives the gate for a veto; its name without the version if none."""
    return constraint.reason or constraint.id.partition("@")[0]


class Gate:
    """Accepts the first allowed candidate of each site, and remembers the first refusal.

    Annotations, protected parts, constraints and earlier edits decide.
    """

    __slots__ = ("_chosen", "_constraints", "_document", "_fences", "_is_open", "_veto")

    def __init__(
        self, document: TextDocument, constraints: Sequence[Constraint], *, opens: bool = False
    ) -> None:
        self._document = document
        self._constraints = constraints
        self._chosen = Chosen()
        self._veto: str | None = None
        self._fences = None if document.is_plain else fences_of(document, opens=opens)
        self._is_open = self._fences is None and not constraints

    def admit_first(self, candidates: Iterator[tuple[Edit, ...]]) -> bool:
        """Accept the first allowed candidate; return whether there was one."""
        text, chosen = self._document.text, self._chosen
        for candidate in candidates:
            if len(candidate) == 1 and self._is_open:  # nearly always, and worth the shorter way
                _, start, end, new, spans, *_ = edit = candidate[0]
                if not 0 <= start <= end <= len(text):
                    reason: str | None = "bounds"
                elif text[start:end] == new and not spans:
                    continue
                elif chosen.add_if_free(edit):
                    return True
                else:
                    reason = "overlap"
            elif edits := [e for e in candidate if text[e.start : e.end] != e.text or e.spans]:
                reason = self._refusal(edits)
                if reason is None:
                    chosen.add(edits)
                    if self._fences is not None:
                        self._fences.add(edits)
                    return True
            else:
                continue
            self._veto = self._veto or reason
        return False

    def _refusal(self, edits: Sequence[Edit]) -> str | None:
        """Code of the first reason to refuse these edits, or `None`."""
        document, chosen = self._document, self._chosen
        if any(not 0 <= e.start <= e.end <= len(document.text) for e in edits):
            return "bounds"
        if chosen.overlaps(edits):
            return "overlap"
        if self._fences is not None and (reason := self._fences.refusal(edits)):
            return reason
        together = [*chosen.edits, *edits]
        if document.has_words:  # which the gold answer may lose
            try:
                apply_edits(document.example, together)
            except EditRefusedError as error:
                return error.reason
        refusing = (c for c in self._constraints if not c.allows(document, together))
        return next(map(reason_of, refusing), None)

    def outcome(self) -> StepOutcome:
        """Outcome of the accepted edits, or of the first refusal if there are none."""
        chosen, veto = self._chosen.edits, self._veto
        if not chosen:
            return UNCHANGED if veto is None else StepOutcome((), "refused", veto)
        return outcome_of(self._document.text, chosen if len(chosen) == 1 else in_order(chosen))


def outcome_of(text: str, edits: Sequence[Edit]) -> StepOutcome:
    """Outcome of ordered, disjoint edits that each change their place."""
    if len(edits) == 1 or _is_changed(text, edits):
        return new_tuple(StepOutcome, (edits, "ok", None))
    return UNCHANGED


def _is_changed(text: str, edits: Sequence[Edit]) -> bool:
    """Whether edits change a text; edits that move others may cancel out."""
    gain = moves = 0
    for _, start, end, new, spans, *_ in edits:
        if spans:
            return True
        if moved := len(new) - end + start:
            gain += moved
            moves = 1
    return gain != 0 or not moves or apply_to_text(text, edits) != text


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
        places = sorted((edit.start, edit.end) for edit in edits)
        of_each_other = any(low < done for (_, done), (low, _) in pairwise(places))
        return of_each_other or any(self._overlaps(*place) for place in places)

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
                if edit.clears:
                    continue
                gains[at] = gains.get(at, 0) + len(edit.text) - (edit.end - edit.start)
            is_stated = bool(edit.spans) or edit.copies is not None
            if self._is_tiled and not is_stated and len(edit.text.split()) > bool(touched):
                return "unlabeled_token"
        if any(0 < self._left[at] <= -gain for at, gain in gains.items()):
            return "empties_span"
        return self._merged if self._merged and self._merges(gains) else None

    def _merges(self, gains: Mapping[int, int]) -> bool:
        """Whether an annotation would be left with nothing but another one that is within it."""
        for at in (at for at, gain in gains.items() if gain < 0):
            outer, size = self._spans[at], self._left[at] + gains[at]
            first = bisect_left(self._starts, outer.start)
            for other in range(first, bisect_right(self._starts, outer.end)):
                is_within = other != at and self._spans[other].end <= outer.end
                is_open = is_within and not self._is_protected[other]
                if is_open and self._left[other] + gains.get(other, 0) == size:
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
        if edit.clears:
            return None if edit.start <= span.start and span.end <= edit.end else "crosses_span"
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


def fences_of(document: TextDocument, *, opens: bool = False) -> Fences:
    """Fences of a document's field; its literals are as protected as what its data protect.

    For a change that ``opens`` marked parts, only their marks are.
    """
    layer = document.example.tokens
    tokens = None if layer is None else layer.get(document.field)
    gold = document.example.gold
    merged = "" if gold is None else type_of(gold).merged
    literals = [Span(document.field, start, end) for start, end in document.literals]
    protected = document.protected
    if opens:
        protected = tuple([part for span in protected for part in _marks(span, document)])
    return Fences(document.annotations, (*protected, *literals), tokens, merged)


def _marks(span: Span, document: TextDocument) -> list[Span]:
    """Marks of a marked part, before and behind it; any other protected stretch as it is."""
    parts = [s for s in document.example.spans if s.field == span.field]
    own = next((s for s in parts if span.start < s.start and s.end < span.end), None)
    if span.label != MARKED or own is None:
        return [span]
    return [span._replace(end=own.start), span._replace(start=own.end)]
