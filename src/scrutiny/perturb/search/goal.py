"""Search goals: the score of a text, whether it is good enough, the best of several."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, Protocol

from scrutiny.core.example import Example
from scrutiny.core.plugin import PlugIn
from scrutiny.core.task import Prediction
from scrutiny.perturb.search.state import State


class AnswerPair(NamedTuple):
    """Answers of two models to one text."""

    reference: Prediction
    target: Prediction


Answer = Prediction | AnswerPair


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
    gold
        Number of the gold label, or nothing if there is none that the model knows.
    """

    example: Example
    answer: Answer
    labels: tuple[str, ...] = ()
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
    """Goal of a search; each is a frozen dataclass of its parameters."""

    __slots__ = ()
    kind = "goal"

    id: ClassVar[str]

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
