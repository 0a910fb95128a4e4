"""Constraints applied to candidates of a search."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from scrutiny.core.edit import Edit, EditRefusedError
from scrutiny.core.grouping import grouped
from scrutiny.core.transformation import Constraint
from scrutiny.perturb.engine.gate import reason_of
from scrutiny.perturb.search.state import State

_new = tuple.__new__  # a named tuple without the call of its own constructor


class CandidateStep(NamedTuple):
    """A candidate: the edits of the current text, and the resulting text."""

    edits: Sequence[Edit]
    state: State


def steps_from(
    state: State,
    candidates: Iterable[Sequence[Edit]],
    *,
    most: int | None,
    known: set[Any],
    vetoes: Counter[str],
) -> list[CandidateStep]:
    """Candidates that give a new text, up to the requested number.

    Parameters
    ----------
    state
        The current text.
    candidates
        Edits of it.
    most
        How many are wanted; nothing for all.
    known
        Keys of known texts; those found are added.
    vetoes
        Where refused edits are counted, by reason.
    """
    steps: list[CandidateStep] = []
    for edits in candidates:
        if any(_breaks(state, edit) for edit in edits):
            vetoes["protected"] += 1
            continue
        try:
            after = state.step(edits)
        except EditRefusedError as error:
            vetoes[error.reason] += 1
            continue
        if after is None or after.key in known:
            continue
        known.add(after.key)
        steps.append(_new(CandidateStep, (edits, after)))
        if len(steps) == most:
            break
    return steps


def _breaks(state: State, edit: Edit) -> bool:
    """Whether an edit of a text changes one of its literals, or goes into one."""
    literals = state.document(edit.field).literals
    return any(
        edit.start < high and low < edit.end
        if edit.start < edit.end
        else low < edit.start < high or (edit.inside and edit.start in (low, high))
        for low, high in literals
    )


def screened(
    constraint: Constraint,
    steps: Sequence[CandidateStep],
    vetoes: Counter[str],
    *,
    of: State | None,
) -> Sequence[CandidateStep]:
    """Candidates that a constraint accepts, compared with a text, or with the base."""
    if not steps:
        return steps
    if of is None:
        origin = steps[0].state.origin
        names, documents = origin.names, origin.document
        edits: list[Sequence[Edit]] = [step.state.edits for step in steps]
    else:
        names, documents = of.origin.names, of.document
        edits = [step.edits for step in steps]
    if len(names) == 1:
        verdicts = constraint.screen(documents(names[0]), edits)
    else:
        verdicts = [True] * len(steps)
        for name in names:
            groups = [[e for e in group if e.field == name] for group in edits]
            at = [i for i, group in enumerate(groups) if group]
            passed = constraint.screen(documents(name), [groups[i] for i in at]) if at else []
            for i, verdict in zip(at, passed, strict=True):
                verdicts[i] = verdicts[i] and verdict
    if all(verdicts):
        return steps
    kept = [step for step, verdict in zip(steps, verdicts, strict=True) if verdict]
    vetoes[reason_of(constraint)] += len(steps) - len(kept)
    return kept


def passes(constraints: Sequence[Constraint], state: State) -> bool:
    """Whether a text is allowed, compared with the base."""
    for field, edits in grouped((edit.field, edit) for edit in state.edits).items():
        document = state.origin.document(field)
        if not all(constraint.allows(document, edits) for constraint in constraints):
            return False
    return True
