"""The gate: whether a candidate edit is accepted."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scrutiny.core.edit import Edit, EditRefusedError
from scrutiny.core.example import Example
from scrutiny.core.transformation import Constraint
from scrutiny.perturb.engine.change import new_tuple
from scrutiny.perturb.engine.document import TextDocument
from scrutiny.perturb.engine.fences import Chosen, fences_of
from scrutiny.text.edits.apply import apply_edits, apply_to_text
from scrutiny.text.edits.ordered import in_order


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

    def __init__(self, document: TextDocument, constraints: Sequence[Constraint]) -> None:
        self._document = document
        self._constraints = constraints
        self._chosen = Chosen()
        self._veto: str | None = None
        self._fences = None if document.is_plain else fences_of(document)
        self._is_open = self._fences is None and not constraints

    def admit_first(self, candidates: Iterator[tuple[Edit, ...]]) -> bool:
        """Accept the first allowed candidate; return whether there was one."""
        text, chosen = self._document.text, self._chosen
        for candidate in candidates:
            if len(candidate) == 1 and self._is_open:  # nearly always, and worth the shorter way
                _, start, end, new, spans, _, _ = edit = candidate[0]
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
        if document.has_words and (reason := _lost(document.example, together)):
            return reason
        refusing = (c for c in self._constraints if not c.allows(document, together))
        return next(map(reason_of, refusing), None)

    def outcome(self) -> StepOutcome:
        """Outcome of the accepted edits, or of the first refusal if there are none."""
        chosen, veto = self._chosen.edits, self._veto
        if not chosen:
            return UNCHANGED if veto is None else StepOutcome((), "refused", veto)
        return outcome_of(self._document.text, chosen if len(chosen) == 1 else in_order(chosen))


def _lost(example: Example, edits: Sequence[Edit]) -> str | None:
    """Code of what the gold answer loses by these edits, or `None`."""
    try:
        apply_edits(example, edits)
    except EditRefusedError as error:
        return error.reason
    return None


def outcome_of(text: str, edits: Sequence[Edit]) -> StepOutcome:
    """Outcome of ordered, disjoint edits that each change their place."""
    if len(edits) == 1 or _is_changed(text, edits):
        return new_tuple(StepOutcome, (edits, "ok", None))
    return UNCHANGED


def _is_changed(text: str, edits: Sequence[Edit]) -> bool:
    """Whether edits change a text; edits that move others may cancel out."""
    gain = moves = 0
    for _, start, end, new, spans, _, _ in edits:
        if spans:
            return True
        if moved := len(new) - end + start:
            gain += moved
            moves = 1
    return gain != 0 or not moves or apply_to_text(text, edits) != text
