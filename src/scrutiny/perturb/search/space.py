"""Which texts a search may go to: transformations, and what vetoes their candidates."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

from scrutiny.core.edit import Edit, EditRefusedError
from scrutiny.core.errors import PlanError
from scrutiny.core.transformation import Constraint, Document, Site, Transformation
from scrutiny.perturb.document import TextDocument
from scrutiny.perturb.gate import Context
from scrutiny.perturb.search.move import Amount, Changeable, Move
from scrutiny.perturb.search.origin import Origin
from scrutiny.perturb.search.state import State
from scrutiny.perturb.search.trail import Trail
from scrutiny.perturb.streams import streams
from scrutiny.perturb.where import sites_where

PlaceKey = tuple[str, int, int]

_ANY_AMOUNT = Amount()


class Place(NamedTuple):
    """A place of the current text that may be changed, with what can change it.

    Parameters
    ----------
    field
        Its text field.
    start
        Code point of the base that it comes from.
    token
        The token of the base that it comes from; -1 for the whole text and for new words.
    low, high
        Where it stands in the current text.
    sites
        What can change it: number of the move, and the site in the current text.
    """

    field: str
    start: int
    token: int
    low: int
    high: int
    sites: tuple[tuple[int, Site], ...]

    @property
    def key(self) -> PlaceKey:
        """What names it in all texts of a search."""
        return self.field, self.start, self.token


@runtime_checkable
class ScreensMany(Protocol):
    """A constraint that judges many candidates of one text at once: those that need a model."""

    def screen(
        self, document: Document, candidates: Sequence[Sequence[Edit]], context: Any
    ) -> Sequence[bool]:
        """Whether each of the candidates may stand."""
        ...


class Step(NamedTuple):
    """A candidate: the edits of the current text, and the text that they make."""

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
    """

    moves: tuple[Move, ...]
    amount: Amount = _ANY_AMOUNT
    constraints: tuple[Constraint, ...] = ()
    step_constraints: tuple[Constraint, ...] = ()

    def __post_init__(self) -> None:
        if not self.moves:
            raise PlanError("A space needs at least one transformation.")

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
        """Space of transformations that share a limit and a rule."""
        rule = may_change or Changeable()
        moves = tuple(Move(t, most, rule) for t in transformations)
        return cls(moves, amount or Amount(), tuple(constraints), tuple(step_constraints))

    @property
    def resources(self) -> tuple[str, ...]:
        """Names of all resources that it needs, sorted."""
        needed = {r for move in self.moves for r in move.transformation.resources}
        for constraint in (*self.constraints, *self.step_constraints):
            needed.update(getattr(constraint, "resources", ()))
        return tuple(sorted(needed))

    def places(self, state: State) -> Sequence[Place]:
        """Places of a text that may be changed, in the order of fields and of the text."""
        found = state._places
        if found is None:
            limit = self.limit(state.origin)
            is_full = limit is not None and bool(state.edits) and state.words_changed >= limit
            found = [
                place
                for field in state.origin.names
                for place in self._places_of(state, field, is_full=is_full)
            ]
            state._places = found
        return found

    def place(self, state: State, key: PlaceKey) -> Place | None:
        """Place of this name in a text, if it may be changed."""
        return next((place for place in self.places(state) if place.key == key), None)

    def limit(self, origin: Origin) -> int | None:
        """Largest number of words of this base that may be changed, or nothing."""
        if self.amount.words is None and self.amount.share is None:
            return None
        return self.amount.limit(word_count=origin.word_count)

    def candidates(
        self, state: State, place: Place, refused: Counter[str] | None = None
    ) -> list[State]:
        """Texts one step from here at a place, in the order of moves and of their proposals.

        Vetoes are counted in ``refused``, by their reasons.
        """
        vetoes = Counter[str]() if refused is None else refused
        document = state.document(place.field)
        steps: list[Step] = []
        known = {state.key, *state.origin.excluded}
        for number, site in place.sites:
            steps += self._proposed(state, document, number, site=site, known=known, vetoes=vetoes)
        return [step.state for step in self._screened(state, steps, vetoes)]

    def propose(
        self,
        state: State,
        candidates: Iterable[Sequence[Edit]],
        refused: Counter[str] | None = None,
    ) -> list[State]:
        """Texts that edits of this text make, without those that are vetoed or not new.

        For methods that bring candidates of their own.
        """
        vetoes = Counter[str]() if refused is None else refused
        steps: list[Step] = []
        known = {state.key, *state.origin.excluded}
        _extend(steps, state, candidates, most=None, known=known, vetoes=vetoes)
        return [step.state for step in self._screened(state, steps, vetoes)]

    def neighbors(self, state: State, refused: Counter[str] | None = None) -> list[State]:
        """Texts one step from here at any place, each once."""
        found: dict[Any, State] = {}
        for place in self.places(state):
            for candidate in self.candidates(state, place, refused):
                found.setdefault(candidate.key, candidate)
        return list(found.values())

    def admits(self, state: State) -> bool:
        """Whether a text made otherwise than by a step may stand, as far as the base tells."""
        if state.key in state.origin.excluded:
            return False
        limit = self.limit(state.origin)
        if limit is not None and state.words_changed > limit:
            return False
        for field, edits in _by_field(state.edits).items():
            document, context = _with_context(state.origin.document(field))
            if not all(c.allows(document, edits, context) for c in self.constraints):
                return False
        return True

    def _places_of(self, state: State, field: str, *, is_full: bool) -> Iterable[Place]:
        document = state.document(field)
        grouped: dict[tuple[int, int, bool], list[tuple[int, Site]]] = {}
        for number, move in enumerate(self.moves):
            if move.may_change.fields and field not in move.may_change.fields:
                continue
            if not _speaks(move.transformation, document):
                continue
            sites = move.transformation.sites(document)
            for site in sites_where(sites, document, move.place_rule):
                is_word = site.token >= 0 and site.start < site.end
                if not is_word or move.may_change.allows(document.text[site.start : site.end]):
                    at = site.start, site.end, is_word
                    grouped.setdefault(at, []).append((number, site))
        edits = [edit for edit in state.edits if edit.field == field]
        trail = Trail(edits, state.origin.document(field).tokens)
        for start, end, is_word in sorted(grouped):
            place = self._place(field, trail, (start, end), grouped[start, end, is_word])
            is_free = place is not None and not document.is_protected(start, end)
            if place is not None and is_free and not (is_full and self._is_fresh(trail, place)):
                yield place

    def _place(
        self, field: str, trail: Trail, at: tuple[int, int], sites: Sequence[tuple[int, Site]]
    ) -> Place | None:
        """Place of these sites without those that may be used once and were."""
        low, high = at
        if not trail.has_edits:
            source, is_touched = trail.source(low, high), False
        else:
            source = trail.source(low, high)
            is_touched = source.is_touched
        kept = tuple([s for s in sites if not (is_touched and self.moves[s[0]].may_change.is_once)])
        token = source.token if sites[0][1].token >= 0 else -1
        return Place(field, source.start, token, low, high, kept) if kept else None

    @staticmethod
    def _is_fresh(trail: Trail, place: Place) -> bool:
        """Whether changing a place would change one word more."""
        return not trail.source(place.low, place.high).is_touched

    def _proposed(
        self,
        state: State,
        document: TextDocument,
        number: int,
        *,
        site: Site,
        known: set[Any],
        vetoes: Counter[str],
    ) -> list[Step]:
        """Candidates of one move at one site that change the text to one not yet known."""
        move = self.moves[number]
        rng = self._stream(state, document, number, site)
        steps: list[Step] = []
        proposed = move.transformation.candidates(document, site, rng)
        _extend(steps, state, proposed, most=move.most, known=known, vetoes=vetoes)
        return steps

    def _stream(self, state: State, document: TextDocument, number: int, site: Site) -> Any:
        """Random stream of a move at a word: the same whatever else was changed before."""
        name = self.moves[number].transformation.id
        same = sum([move.transformation.id == name for move in self.moves[:number]])
        origin = state.origin
        edits = [edit for edit in state.edits if edit.field == document.field]
        start = _base_start(edits, site.start)
        word = document.text[site.start : site.end]
        return streams().stream(
            origin.seed,
            "search",
            name=f"{name}+{same}" if same else name,
            item=f"{origin.example.id}\0{document.field}\0{start}\0{word}",
            draw=origin.draw,
        )

    def _screened(
        self, state: State, steps: Sequence[Step], vetoes: Counter[str]
    ) -> Sequence[Step]:
        """Candidates that no constraint vetoes."""
        limit = self.limit(state.origin)
        if limit is not None:
            kept = [step for step in steps if step.state.words_changed <= limit]
            vetoes["amount"] += len(steps) - len(kept)
            steps = kept
        for constraint in self.constraints:
            steps = _passing(constraint, steps, vetoes, of=None)
        for constraint in self.step_constraints:
            steps = _passing(constraint, steps, vetoes, of=state)
        return steps


def _extend(
    steps: list[Step],
    state: State,
    candidates: Iterable[Sequence[Edit]],
    *,
    most: int | None,
    known: set[Any],
    vetoes: Counter[str],
) -> None:
    """Add the candidates that make a text that is not known yet, as many as are wanted."""
    for edits in candidates:
        try:
            after = state.step(edits)
        except EditRefusedError as error:
            vetoes[error.reason] += 1
            continue
        if after is None or after.key in known:
            continue
        known.add(after.key)
        steps.append(Step(edits, after))
        if len(steps) == most:
            break


def _passing(
    constraint: Constraint, steps: Sequence[Step], vetoes: Counter[str], *, of: State | None
) -> Sequence[Step]:
    """Candidates that a constraint lets pass, compared with a text, or with the base."""
    if not steps:
        return steps
    if of is None:
        edits: list[Sequence[Edit]] = [step.state.edits for step in steps]
        from_state = State.start(steps[0].state.origin)
    else:
        edits = [step.edits for step in steps]
        from_state = of
    verdicts = [True] * len(steps)
    for field in from_state.origin.names:
        at = [i for i, group in enumerate(edits) if any(e.field == field for e in group)]
        if at:
            document, context = _with_context(from_state.document(field))
            groups = [[e for e in edits[i] if e.field == field] for i in at]
            for i, verdict in zip(
                at, _verdicts(constraint, document, groups, context), strict=True
            ):
                verdicts[i] = verdicts[i] and verdict
    kept = [step for step, verdict in zip(steps, verdicts, strict=True) if verdict]
    if len(kept) < len(steps):
        vetoes[constraint.reason] += len(steps) - len(kept)
    return kept


def _verdicts(
    constraint: Constraint, document: TextDocument, groups: Sequence[Sequence[Edit]], context: Any
) -> Sequence[bool]:
    if isinstance(constraint, ScreensMany):
        return constraint.screen(document, groups, context)
    return [constraint.allows(document, group, context) for group in groups]


def _with_context(document: TextDocument) -> tuple[TextDocument, Context]:
    return document, Context(document.example, document.resources)


def _by_field(edits: Sequence[Edit]) -> Mapping[str, list[Edit]]:
    found: dict[str, list[Edit]] = {}
    for edit in edits:
        found.setdefault(edit.field, []).append(edit)
    return found


def _base_start(edits: Sequence[Edit], start: int) -> int:
    """Code point of the base that a place of the current text comes from."""
    gain = 0
    for edit in edits:
        low = edit.start + gain
        if start < low + len(edit.text):
            return edit.start if start >= low else start - gain
        gain += len(edit.text) - edit.end + edit.start
    return start - gain


def _speaks(transformation: Transformation, document: TextDocument) -> bool:
    """Whether a transformation knows the language of a document."""
    known, language = transformation.languages, document.language
    return "*" in known or language in known or language.partition("-")[0] in known
