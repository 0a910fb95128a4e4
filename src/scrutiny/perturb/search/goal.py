"""Search goals: the score of a text, whether it is good enough, the best of several."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple, Protocol

from scrutiny.core.answers.answer import label_in
from scrutiny.core.errors import ModelError
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


def goal_label(prediction: Prediction, labels: tuple[str, ...]) -> str | None:
    """Label that a goal looks at: the one that the model names, or else the likeliest."""
    if prediction.answer is not None or not prediction.scores:
        return label_in(prediction.answer)
    scores = prediction.scores
    return labels[scores.index(max(scores))]


def probability(prediction: Prediction, label: int, labels: tuple[str, ...]) -> float:
    """Probability of a label; 1 or 0 if the model gives none."""
    if prediction.scores is not None:
        return prediction.scores[label]
    return float(prediction.answer == labels[label])


def single(answer: Answer) -> Prediction:
    """Answer that a search's goal looks at: of the only model, or of the reference."""
    return answer if isinstance(answer, Prediction) else answer.reference


Against = Literal["gold", "prediction"]


def starting_label(base: Base, against: Against) -> int:
    """Index of the label that a goal starts from: the gold answer, or the model's own.

    Raises
    ------
    ModelError
        If the model's answer is no label of its own.
    """
    if against == "gold" and (gold := base.gold) is not None:
        return gold
    predicted = goal_label(single(base.answer), base.labels)
    if predicted not in base.labels:
        raise ModelError(
            f"The model answered {predicted!r}, which is not among its labels "
            f"({', '.join(base.labels) or 'none were given'})."
        )
    return base.labels.index(predicted)


def why_skipped(base: Base, against: Against) -> str | None:
    """``no_gold``, ``unknown_label`` or ``already_wrong``, if the goal starts from gold."""
    if against == "prediction":
        return None
    if label_in(base.example.gold) is None:
        return "no_gold"
    if base.gold is None:
        return "unknown_label"
    predicted = goal_label(single(base.answer), base.labels)
    return None if predicted == base.example.gold else "already_wrong"


class LeavesLabel(Goal):
    """Goal that starts from a label, of which the model shall be less sure."""

    __slots__ = ()

    against: Against

    def skips(self, base: Base) -> str | None:
        """``no_gold``, ``unknown_label`` or ``already_wrong``."""
        return why_skipped(base, self.against)

    def slope(self, base: Base) -> Slope | None:
        """The starting label, whose loss should increase."""
        return Slope(base.labels[starting_label(base, self.against)], 1)


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
