"""Judgments of a search: the goals that make them, their account, and the result."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple, Protocol

from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import Example
from scrutiny.core.facts import Facts
from scrutiny.core.plugin_base import PlugIn
from scrutiny.core.task import Prediction
from scrutiny.perturb.search.moves import Key
from scrutiny.perturb.search.state import State


class AnswerPair(NamedTuple):
    """Answers of two models to one text."""

    reference: Prediction
    target: Prediction


Answer = Prediction | AnswerPair
Scorer = Callable[[Example, Prediction], float]


@dataclass(frozen=True, slots=True)
class Base:
    """Start of a search: the example, the model's answer, and its labels.

    Parameters
    ----------
    example
        The item as it is.
    answer
        What the model, or each of two models, said about it.
    labels
        The model's labels, in the order of the scores; empty where there are none.
    score
        Score of an answer to a text by the task, 0 if nothing is right; or nothing.
    gold
        Number of the gold label, or nothing if there is none that the model knows.
    """

    example: Example
    answer: Answer
    labels: tuple[str, ...] = ()
    score: Scorer | None = None
    gold: int | None = field(init=False)

    def __post_init__(self) -> None:
        gold, labels = self.example.gold, self.labels
        object.__setattr__(self, "gold", labels.index(gold) if gold in labels else None)


class Judged(NamedTuple):
    """A text with its answer and score.

    Parameters
    ----------
    state
        The text.
    answer
        What the model said; nothing if it failed, or was not asked for lack of budget.
    score
        By the goal, higher is better; minus infinity without an answer.
    is_reached
        Whether the goal is reached there.
    """

    state: State
    answer: Answer | None
    score: float
    is_reached: bool


class Slope(NamedTuple):
    """Gradient that a goal needs: of which label's loss, and up (1), down (-1) or none (0)."""

    label: str
    sign: int


class Goal(PlugIn, ABC):
    """Goal of a search; each is a frozen dataclass of its parameters.

    Attributes
    ----------
    id
        Versioned name.
    wants
        Facts of the tasks whose answers it can judge, of which any suffices; empty for any task.
    is_scored
        Whether it asks for the score of the task (`Base.score`).
    """

    __slots__ = ()
    kind = "goal"

    id: ClassVar[str]
    wants: ClassVar[tuple[Facts, ...]] = ()
    is_scored: ClassVar[bool] = False

    @abstractmethod
    def skips(self, base: Base) -> str | None:
        """Short stable code of the reason to skip the item, or `None`.

        ``already_wrong``: the model errs before any change; ``already_there``; ``no_gold``.
        """

    @abstractmethod
    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """Score of a text (higher is better), and whether the goal is reached."""

    def slope(self, base: Base) -> Slope | None:
        """Loss gradient that the goal needs, if there is one.

        Methods that follow gradients raise the loss of the model's own label for all others.
        """
        del base
        return None

    def does(self, score: str) -> str:
        """What it does to texts, behind the name of an attack; ``{}`` stands for their number.

        ``score`` is what the score of the task is called.
        """
        del score
        return "fools {} % of texts"


def single(answer: Answer) -> Prediction:
    """Answer of the model that is searched; of two models, that of the reference."""
    return answer if isinstance(answer, Prediction) else answer.reference


class Closeness(Protocol):
    """Similarity of a text to its base, for example by a sentence encoder; higher is closer."""

    id: str

    def closeness(self, states: Sequence[State]) -> Sequence[float]:
        """Similarity of each text to the base."""


def best(judged: Iterable[Judged]) -> Judged | None:
    """Answered text with the highest score; the first if several are equal."""
    found: Judged | None = None
    for one in judged:
        if one.answer is not None and (found is None or one.score > found.score):
            found = one
    return found


def reached(judged: Sequence[Judged], prefer: Closeness | None = None) -> Judged | None:
    """Text at which the goal is reached: the closest to the base, or the best-scored one."""
    there = [one for one in judged if one.is_reached]
    if prefer is None or len(there) < 2:
        return best(there)
    values = prefer.closeness([one.state for one in there])
    return there[max(range(len(there)), key=values.__getitem__)]


def ranked(judged: Iterable[Judged]) -> list[Judged]:
    """Answered texts from best to worst score; equal ones in the order of proposal."""
    return sorted([one for one in judged if one.answer is not None], key=lambda one: -one.score)


Ended = Literal["done", "budget", "time"]


class Mark(NamedTuple):
    """An improvement during a search: the number of texts asked so far, and the score."""

    n_asked: int
    score: float
    is_reached: bool


@dataclass(frozen=True, slots=True)
class Found:
    """Result of a search.

    Parameters
    ----------
    item
        Identity of the item.
    status, reason
        ``ok``; ``skipped`` with the goal's reason (``already_wrong``), or ``out_of_time``;
        ``failed`` if the base was not answered or something raised an error.
    is_success
        Whether the goal was reached.
    state, answer, score
        The text that it ended with, what the model says there, and how good that is: the base
        itself if nothing better was found. Nothing where there was no search.
    base_answer
        What the model says about the base.
    n_asked
        Distinct texts that the model saw for this search, the base among them.
    n_considered
        Judgments, repeated texts among them.
    n_tried
        Judgments of changed texts that could be a result: none where there was no candidate.
    n_failed
        Texts that the model did not answer.
    n_gradients
        Gradients computed; they are no texts asked about.
    refused
        Candidates vetoed, by reason.
    trace
        Each time that it got better: success against the budget is read off this.
    reached
        The best texts at which the goal is reached, the best first, as many as were wanted.
    ended
        ``done``; ``budget`` or ``time`` where these cut it short.
    """

    item: str
    status: str
    reason: str | None = None
    is_success: bool = False
    state: State | None = None
    answer: Answer | None = None
    score: float = float("-inf")
    base_answer: Answer | None = None
    n_asked: int = 0
    n_considered: int = 0
    n_tried: int = 0
    n_failed: int = 0
    n_gradients: int = 0
    refused: Mapping[str, int] = field(default_factory=dict)
    trace: tuple[Mark, ...] = ()
    reached: tuple[Judged, ...] = ()
    ended: Ended = "done"

    def asked_to_success(self) -> int | None:
        """Number of texts asked until the goal is first reached, or `None`.

        Examples
        --------
        >>> Found("1", "ok", trace=(Mark(1, 0.1, False), Mark(7, 0.6, True))).asked_to_success()
        7
        """
        return next((mark.n_asked for mark in self.trace if mark.is_reached), None)


class Expense(NamedTuple):
    """Cost of an attack on an item: texts asked (including the item), and words changed."""

    texts: int
    words: int


def expense_of(found: Found) -> Expense:
    """Cost of a search; a random change changes at least one word."""
    changed = 0 if found.state is None else found.state.words_changed
    return Expense(found.n_asked, max(1, changed))


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
                # store a judgment if it is among the best
                best = self.best
                if best is None or is_better(one, best):
                    self.best = one
                    self.trace.append(Mark(len(self._judged), one.score, one.is_reached))
                if one.is_reached:
                    self._keep(one)
        self.n_considered += len(judged)
        return judged

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
