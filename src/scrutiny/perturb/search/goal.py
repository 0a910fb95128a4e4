"""What a search is for: how good a text is, and whether it is good enough."""

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from scrutiny.core.example import Example
from scrutiny.core.task import Prediction
from scrutiny.perturb.search.state import State


class AnswerPair(NamedTuple):
    """Answers of two models to one text."""

    reference: Prediction
    target: Prediction


Answer = Prediction | AnswerPair


@dataclass(frozen=True, slots=True)
class Base:
    """Where a search begins: the example, what was answered, and the model's labels.

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
        number = labels.index(gold) if isinstance(gold, str) and gold in labels else None
        object.__setattr__(self, "gold", number)


class Judged(NamedTuple):
    """A text and what came of asking about it.

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


class Goal(Protocol):
    """What a search is for; one small file each, a frozen dataclass of its parameters."""

    id: str
    summary: str

    def skips(self, base: Base) -> str | None:
        """Short stable code of why nothing is searched from here, or nothing.

        ``already_wrong``: the model errs before any change; ``already_there``; ``no_gold``.
        """
        ...

    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """Score of a text, higher is better, and whether the goal is reached there."""
        ...


class Slope(NamedTuple):
    """What a goal wants of a loss: of which label, and whether up (1), down (-1) or as it is (0).

    Goals have a method ``slope(base)`` where that can be said; methods that follow gradients raise
    the loss of the model's own label for all others.
    """

    label: str
    sign: int


def label_of(prediction: Prediction, labels: tuple[str, ...]) -> str | None:
    """Predicted label: the one that the model names, else the first of the highest score."""
    if prediction.label is not None or not prediction.scores:
        return prediction.label
    scores = prediction.scores
    return labels[scores.index(max(scores))]


def probability(prediction: Prediction, label: int, labels: tuple[str, ...]) -> float:
    """Probability of a label; 1 or 0 where the model gives none."""
    if prediction.scores is not None:
        return prediction.scores[label]
    return float(prediction.label == labels[label])


def single(answer: Answer) -> Prediction:
    """Answer of the one model there is, or of the reference."""
    return answer if isinstance(answer, Prediction) else answer.reference
