"""The gate: whether a candidate edit is accepted."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from scrutiny.core.edit import Edit
from scrutiny.core.example import Example
from scrutiny.core.transformation import Constraint
from scrutiny.perturb.engine.change import new_tuple
from scrutiny.perturb.engine.document import TextDocument
from scrutiny.perturb.engine.fences import Chosen, fences_of
from scrutiny.text.edits import apply_to_text, in_order


class GateContext(NamedTuple):
    """Information for a constraint besides the document and the edits."""

    example: Example
    resources: Mapping[str, Any]


class StepOutcome(NamedTuple):
    """Result of a step on one text: its edits, or why there are none."""

    edits: Sequence[Edit]
    status: str = "ok"
    reason: str | None = None


UNCHANGED = StepOutcome((), "skipped", "unchanged")


class Gate(Protocol):
    """Accepts the first allowed candidate of each site, and remembers the first refusal."""

    def admit_first(self, candidates: Iterator[tuple[Edit, ...]]) -> bool:
        """Accept the first allowed candidate; return whether there was one."""

    def outcome(self) -> StepOutcome:
        """Outcome of all candidates."""


def gate_for(document: TextDocument, constraints: Sequence[Constraint]) -> Gate:
    """Gate of a document; a fast one if only the text can be changed."""
    if constraints or not document.is_plain:
        return FencedGate(document, constraints)
    return PlainGate(document.text)


class PlainGate:
    """Gate of a text without annotations, protected parts and constraints."""

    __slots__ = ("_chosen", "_text", "_veto")

    def __init__(self, text: str) -> None:
        self._text = text
        self._chosen = Chosen()
        self._veto: str | None = None

    def admit_first(self, candidates: Iterator[tuple[Edit, ...]]) -> bool:
        """Accept the first allowed candidate; return whether there was one."""
        text, chosen = self._text, self._chosen
        for candidate in candidates:
            if len(candidate) == 1:  # nearly always, and worth the shorter way
                _, start, end, new, spans, _ = edit = candidate[0]
                if 0 <= start <= end <= len(text):
                    if text[start:end] == new and not spans:
                        continue
                    if chosen.add_if_free(edit):
                        return True
                    self._veto = self._veto or "overlap"
                else:
                    self._veto = self._veto or "bounds"
            elif edits := _that_change(text, candidate):
                veto = "bounds" if _is_beyond(text, edits) else None
                if veto is None and not chosen.overlaps(edits):
                    chosen.add(edits)
                    return True
                self._veto = self._veto or veto or "overlap"
        return False

    def outcome(self) -> StepOutcome:
        """Outcome of all candidates."""
        return _outcome(self._text, self._chosen.edits, self._veto)


def _that_change(text: str, edits: Sequence[Edit]) -> list[Edit]:
    """Edits that change the text or its spans."""
    return [e for e in edits if text[e.start : e.end] != e.text or e.spans]


def _is_beyond(text: str, edits: Sequence[Edit]) -> bool:
    return any(not 0 <= e.start <= e.end <= len(text) for e in edits)


class FencedGate:
    """Gate that checks annotations, protected parts and constraints."""

    __slots__ = ("_chosen", "_constraints", "_context", "_document", "_fences", "_veto")

    def __init__(self, document: TextDocument, constraints: Sequence[Constraint]) -> None:
        self._document = document
        self._constraints = constraints
        self._chosen = Chosen()
        self._context = GateContext(document.example, document.resources)
        self._veto: str | None = None
        self._fences = None if document.is_plain else fences_of(document)

    def admit_first(self, candidates: Iterator[tuple[Edit, ...]]) -> bool:
        """Whether one of the candidates is accepted."""
        text = self._document.text
        for candidate in candidates:
            edits = _that_change(text, candidate)
            if not edits:
                continue
            reason = self._refusal(edits)
            if reason is None:
                self._chosen.add(edits)
                if self._fences is not None:
                    self._fences.add(edits)
                return True
            self._veto = self._veto or reason
        return False

    def _refusal(self, edits: Sequence[Edit]) -> str | None:
        """Code of the first reason to refuse these edits, or `None`."""
        chosen = self._chosen
        if _is_beyond(self._document.text, edits):
            return "bounds"
        if chosen.overlaps(edits):
            return "overlap"
        if self._fences is not None and (reason := self._fences.refusal(edits)):
            return reason
        together = [*chosen.edits, *edits]
        asked = self._document, together, self._context
        return next((c.reason for c in self._constraints if not c.allows(*asked)), None)

    def outcome(self) -> StepOutcome:
        """Outcome of all candidates."""
        return _outcome(self._document.text, self._chosen.edits, self._veto)


def _outcome(text: str, chosen: Sequence[Edit], veto: str | None) -> StepOutcome:
    """Outcome of the accepted edits, or of the first refusal if there are none."""
    if not chosen:
        return UNCHANGED if veto is None else StepOutcome((), "refused", veto)
    return outcome_of(text, chosen if len(chosen) == 1 else in_order(chosen))


def outcome_of(text: str, edits: Sequence[Edit]) -> StepOutcome:
    """Outcome of ordered, disjoint edits that each change their place."""
    if len(edits) == 1 or _is_changed(text, edits):
        return new_tuple(StepOutcome, (edits, "ok", None))
    return UNCHANGED


def _is_changed(text: str, edits: Sequence[Edit]) -> bool:
    """Whether edits change a text; edits that move others may cancel out."""
    gain = moves = 0
    for _, start, end, new, spans, _ in edits:
        if spans:
            return True
        if moved := len(new) - end + start:
            gain += moved
            moves = 1
    return gain != 0 or not moves or apply_to_text(text, edits) != text
