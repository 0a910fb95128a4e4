"""Account of one search: asked texts, answers, and the best result."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from scrutiny.core.diagnostic import Failure
from scrutiny.perturb.search.found import Mark
from scrutiny.perturb.search.goal import Answer, Base, Goal, Judged
from scrutiny.perturb.search.origin import Key
from scrutiny.perturb.search.state import State

UNANSWERED = float("-inf")

_new = tuple.__new__  # a named tuple without the call of its own constructor


@dataclass(slots=True)
class Ledger:
    """Answers of one search, its counts, and the best judged texts.

    Attributes
    ----------
    budget
        How many distinct texts may be asked about, or nothing.
    keep
        How many of the best texts at which the goal is reached are kept.
    answers
        By text; nothing for one that the model failed on.
    n_considered, n_tried, n_failed
        Judgments, those of changed texts that can be a result, and texts without an answer.
    best
        The best judged text that can be a result: reached before not, then by score, then the
        first.
    trace
        Each time that ``best`` changed.
    """

    budget: int | None
    keep: int = 1
    answers: dict[Key, Answer | None] = field(default_factory=dict)
    n_considered: int = 0
    n_tried: int = 0
    n_failed: int = 0
    best: Judged | None = None
    trace: list[Mark] = field(default_factory=list)
    reached: list[Judged] = field(default_factory=list)
    _judged: set[Key] = field(default_factory=set)

    @property
    def n_asked(self) -> int:
        """Number of distinct texts that the model answered for this search."""
        return len(self.answers)

    def remaining(self) -> int | None:
        """Number of texts that may still be asked, or `None` without a limit."""
        return None if self.budget is None else max(0, self.budget - len(self.answers))

    def wanted(self, states: Sequence[State]) -> tuple[dict[Key, State], bool]:
        """Texts to ask about, in order, each once; and whether the budget removed some."""
        answers, left = self.answers, self.remaining()
        found: dict[Key, State] = {}
        for state in states:
            key = state.key
            if key in answers or key in found:
                continue
            if left is not None and len(found) == left:
                return found, True
            found[key] = state
        return found, False

    def take(self, wanted: Iterable[Key], said: Mapping[Key, Answer | Failure]) -> None:
        """Record the answers to texts."""
        answers = self.answers
        for key in wanted:
            answer = said[key]
            if isinstance(answer, Failure):
                self.n_failed += 1
                answers[key] = None
            else:
                answers[key] = answer

    def judge(self, states: Sequence[State], *, goal: Goal, base: Base) -> list[Judged]:
        """Judgments in the order of the texts."""
        answers, known, judge = self.answers, self._judged, goal.judge
        judged = []
        for state in states:
            key = state.key
            answer = answers.get(key)
            if answer is None:
                if key in answers:
                    known.add(key)
                judged.append(Judged(state, None, UNANSWERED, is_reached=False))
                continue
            known.add(key)
            score, is_reached = judge(base, answer, state)
            one = _new(Judged, (state, answer, score, is_reached))
            judged.append(one)
            if state.is_probe:
                continue
            if state.edits:
                self.n_tried += 1
            if is_reached or self.best is None or score > self.best.score:
                self._note(one)
        self.n_considered += len(judged)
        return judged

    def _note(self, judged: Judged) -> None:
        """Store a judgment if it is among the best."""
        best = self.best
        if best is None or is_better(judged, best):
            self.best = judged
            self.trace.append(Mark(len(self._judged), judged.score, judged.is_reached))
        if judged.is_reached:
            self._keep(judged)

    def _keep(self, judged: Judged) -> None:
        """Store a text among the best ones that reach the goal."""
        reached, score = self.reached, judged.score
        if len(reached) == self.keep and (not reached or reached[-1].score >= score):
            return
        if any(other.state.key == judged.state.key for other in reached):
            return
        at = next((i for i, other in enumerate(reached) if other.score < score), len(reached))
        reached.insert(at, judged)
        del reached[self.keep :]


def is_better(one: Judged, other: Judged) -> bool:
    """Whether a judged text is better than an earlier one; a tie keeps the earlier one."""
    if one.is_reached != other.is_reached:
        return one.is_reached
    return one.score > other.score
