"""Search space: transformations, and the constraints that their candidates pass."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from scrutiny.core.edit import Edit, EditRefusedError
from scrutiny.core.errors import PlanError
from scrutiny.core.randomness import stream_of
from scrutiny.core.record import grouped
from scrutiny.core.transformation import AsksAhead, Constraint, Transformation
from scrutiny.perturb.engine.changes import Streams
from scrutiny.perturb.engine.edit_gate import reason_of
from scrutiny.perturb.search.moves import Amount, Changeable, Key, Move, Origin, Place, PlaceKey
from scrutiny.perturb.search.places import find_places, find_word
from scrutiny.perturb.search.state import State

_ANY_AMOUNT = Amount()
_STREAMS = Streams()  # a stream ends where the next begins: changes and searches have their own


class CandidateStep(NamedTuple):
    """A candidate: the edits of the current text, and the resulting text."""

    edits: Sequence[Edit]
    state: State


@dataclass(frozen=True, slots=True)
class Space:
    """Transformations and constraints over the current text of a search.

    Parameters
    ----------
    moves
        What proposes candidates, in this order.
    amount
        How many words may be changed.
    constraints
        Vetoes that compare a candidate with the *base*, asked in this order.
    step_constraints
        Vetoes that compare a candidate with the text that it was made from.
    is_warmed
        Whether a move asks a model of its own, and can ask it in batches.
    """

    moves: tuple[Move, ...]
    amount: Amount = _ANY_AMOUNT
    constraints: tuple[Constraint, ...] = ()
    step_constraints: tuple[Constraint, ...] = ()
    is_warmed: bool = field(init=False, repr=False, compare=False)
    _is_local: bool = field(init=False, repr=False, compare=False)
    _streams: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.moves:
            raise PlanError("A space needs at least one transformation.")
        made = [move.transformation for move in self.moves]
        ids = [stream_of(one) for one in made]
        before = [ids[:number].count(name) for number, name in enumerate(ids)]
        streams = [f"{name}+{n}" if n else name for name, n in zip(ids, before, strict=True)]
        object.__setattr__(self, "_streams", tuple(streams))
        object.__setattr__(self, "is_warmed", any(isinstance(one, AsksAhead) for one in made))
        object.__setattr__(self, "_is_local", all(one.is_local for one in made))

    @classmethod
    def of(
        cls,
        *transformations: Transformation,
        most: int | None = None,
        may_change: Changeable | None = None,
        amount: Amount | None = None,
        constraints: Sequence[Constraint] = (),
        step_constraints: Sequence[Constraint] = (),
    ) -> "Space":
        """Space of transformations with a common limit and rule."""
        rule = may_change or Changeable()
        moves = tuple(Move(t, most, rule) for t in transformations)
        return cls(moves, amount or Amount(), tuple(constraints), tuple(step_constraints))

    @property
    def resources(self) -> tuple[str, ...]:
        """Names of all resources that it needs, sorted."""
        vetoes = (*self.constraints, *self.step_constraints)
        needed = {r for move in self.moves for r in move.transformation.resources}
        return tuple(sorted(needed.union(*(veto.resources for veto in vetoes))))

    def limit(self, origin: Origin) -> int | None:
        """Largest number of words of this base that may be changed, or `None`."""
        if self.amount.words is None and self.amount.share is None:
            return None
        return self.amount.limit(word_count=origin.word_count)

    def places(self, state: State) -> Sequence[Place]:
        """Places of a text that may be changed, in the order of fields and of the text."""
        holder = state if state.edits else state.origin
        if holder.places is not None and holder.places[0] is self:
            return holder.places[1]
        is_full = self._is_full(state)
        found = [
            place
            for field in state.origin.names
            for place in find_places(state, self.moves, field, is_full=is_full)
        ]
        holder.places = self, found
        return found

    def place(self, state: State, key: PlaceKey) -> Place | None:
        """Place with this key in a text, if it may be changed."""
        origin = state.origin
        if self._is_local and origin.is_plain and state.places is None:
            if origin.places is None or origin.places[0] is not self:
                self.places(State.start(origin))
            assert origin.places is not None
            words, is_full = origin.places[1], self._is_full(state)
            found, is_settled = find_word(state, key, words, is_full=is_full)
            if is_settled:
                return found
        return next((place for place in self.places(state) if place.key == key), None)

    def candidates(
        self, state: State, place: Place, refused: Counter[str] | None = None
    ) -> list[State]:
        """Texts one step away at a place, in the order of moves and of their proposals.

        Vetoes are counted in ``refused``, by their reasons.
        """
        vetoes = Counter[str]() if refused is None else refused
        origin, document = state.origin, state.document(place.field)
        word = document.text[place.low : place.high]
        item = f"{origin.example.id}\0{place.field}\0{place.start}\0{word}"
        steps: list[CandidateStep] = []
        known = {state.key, *origin.excluded}
        for number, site in place.sites:
            move, name = self.moves[number], self._streams[number]
            # the same stream for a word whatever else was changed before
            rng = _STREAMS.stream(origin.seed, "search", name=name, item=item, draw=origin.draw)
            proposed = move.transformation.candidates(document, site, rng)
            steps += steps_from(state, proposed, most=move.most, known=known, vetoes=vetoes)
        return self._screened(state, steps, vetoes)

    def propose(
        self,
        state: State,
        candidates: Iterable[Sequence[Edit]],
        refused: Counter[str] | None = None,
    ) -> list[State]:
        """Texts that edits of this text give, without refused or known ones.

        For methods that bring candidates of their own.
        """
        vetoes = Counter[str]() if refused is None else refused
        known = {state.key, *state.origin.excluded}
        steps = steps_from(state, candidates, most=None, known=known, vetoes=vetoes)
        return self._screened(state, steps, vetoes)

    def neighbors(self, state: State, refused: Counter[str] | None = None) -> list[State]:
        """Texts one step away at any place, each once."""
        found: dict[Key, State] = {}
        for place in self.places(state):
            for candidate in self.candidates(state, place, refused):
                found.setdefault(candidate.key, candidate)
        return list(found.values())

    def admits(self, state: State) -> bool:
        """Whether a text that was not made by a step is allowed, compared with the base."""
        if state.key in state.origin.excluded:
            return False
        limit = self.limit(state.origin)
        if limit is not None and state.words_changed > limit:
            return False
        return passes(self.constraints, state)

    def _is_full(self, state: State) -> bool:
        """Whether the largest number of changed words is reached."""
        limit = self.limit(state.origin) if state.edits else None
        return limit is not None and state.words_changed >= limit

    def _screened(
        self, state: State, steps: Sequence[CandidateStep], vetoes: Counter[str]
    ) -> list[State]:
        """Texts of the candidates that no constraint refuses."""
        limit = self.limit(state.origin)
        if limit is not None:
            kept = [step for step in steps if step.state.words_changed <= limit]
            if len(kept) < len(steps):
                vetoes["amount"] += len(steps) - len(kept)
            steps = kept
        for constraint in self.constraints:
            steps = screened(constraint, steps, vetoes, of=None)
        for constraint in self.step_constraints:
            steps = screened(constraint, steps, vetoes, of=state)
        return [step.state for step in steps]


_new = tuple.__new__  # a named tuple without the call of its own constructor


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
    return bool(literals) and any(
        edit.start < high and low < edit.end
        if edit.start < edit.end
        else low < edit.start < high or (edit.inside and edit.start in (low, high))
        for low, high in literals
    )


def screened(
    constraint: Constraint, steps: Sequence[CandidateStep], vetoes: Counter[str], of: State | None
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
    origin = state.origin
    by_field: Mapping[str, Sequence[Edit]] = (
        {origin.names[0]: state.edits}
        if len(origin.names) == 1
        else grouped((edit.field, edit) for edit in state.edits)
    )
    return all(
        constraint.allows(origin.document(name), edits)
        for name, edits in by_field.items()
        if edits
        for constraint in constraints
    )
