"""Goals about two models: they differ, or the newer one fails where the older one did not."""

from dataclasses import dataclass
from typing import Literal

from scrutiny.core.answers.answer import label_in
from scrutiny.core.boundary.limits import above_zero, one_of
from scrutiny.core.errors import ModelError
from scrutiny.perturb.search.goal import Answer, AnswerPair, Base, Goal, single
from scrutiny.perturb.search.goals.distances import DISTANCES, Distance, scores_of
from scrutiny.perturb.search.goals.starting import Against
from scrutiny.perturb.search.state import State


@dataclass(frozen=True, slots=True)
class Disagreement(Goal):
    """Different answers of two models; the score is the distance of their outputs.

    Parameters
    ----------
    distance
        Between the reference's probabilities and the target's; see `KeepOutput`.
    least
        The goal is reached at this distance; with nothing, where the labels differ.

    **Measures** where a new version departs from the old one.

    **Misleads when** the two are less than sure everywhere: near the boundary any two runs of one
    recipe disagree. Put the disagreement of two seeds beside it.

    Examples
    --------
    >>> from scrutiny.core.example import Example
    >>> from scrutiny.core.task import Prediction
    >>> from scrutiny.perturb.search.origin import Origin
    >>> item = Example("1", {"text": "fine"})
    >>> start = AnswerPair(Prediction("good", (0.25, 0.75)), Prediction("good", (0.25, 0.75)))
    >>> later = AnswerPair(Prediction("good", (0.25, 0.75)), Prediction("bad", (0.75, 0.25)))
    >>> Disagreement().judge(
    ...     Base(item, start, ("bad", "good")), later, State.start(Origin(item))
    ... )
    (1.0, True)
    """

    id = "disagreement@1"

    distance: Distance = "l1"
    least: float | None = None

    def __post_init__(self) -> None:
        one_of(self, distance=DISTANCES)

    def skips(self, base: Base) -> str | None:
        """``already_there`` if they disagree about the base."""
        return "already_there" if self._compare(base, base.answer)[1] else None

    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """Distance of the two outputs, and whether the models disagree."""
        return self._compare(base, answer)

    def _compare(self, base: Base, answer: Answer) -> tuple[float, bool]:
        if not isinstance(answer, AnswerPair):
            raise ModelError("The goal disagreement needs the answers of two models.")
        labels = base.labels
        a, b = scores_of(answer.reference, labels), scores_of(answer.target, labels)
        if len(a) != len(b):
            raise ModelError(
                f"The reference scores {len(a)} labels and the target {len(b)}: two models can "
                "disagree only about the same labels."
            )
        far = DISTANCES[self.distance](a, b)
        if self.least is not None:
            return far, far >= self.least
        return far, answer.reference.label_among(labels) != answer.target.label_among(labels)


@dataclass(frozen=True, slots=True)
class RegressionMargin(Goal):
    """A predicted number that moves by at least a margin.

    The number is the first of the prediction's scores; the score is how far it has moved.

    Parameters
    ----------
    margin
        How far, in the number's own units.
    against
        Where it started: the gold answer, which must be a number, or the model's own prediction.
    direction
        ``any`` way, only ``up`` or only ``down``.

    **Measures** how far a predicted number can be moved.

    **Misleads when** the margin is smaller than what the model's error on unchanged texts is.

    Examples
    --------
    >>> RegressionMargin(margin=0.5).direction
    'any'
    """

    id = "regression_margin@1"

    margin: float = 0.5
    against: Against = "gold"
    direction: Literal["any", "up", "down"] = "any"

    def __post_init__(self) -> None:
        above_zero(self, "margin")

    def skips(self, base: Base) -> str | None:
        """``no_gold`` without a gold number; ``already_wrong`` if the error exceeds a margin."""
        if self.against == "prediction":
            return None
        gold = _number(base.example.gold)
        if gold is None:
            return "no_gold"
        return "already_wrong" if abs(_value(base.answer) - gold) >= self.margin else None

    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """Distance from the start in the given direction, and whether it reaches the margin."""
        gold = _number(base.example.gold) if self.against == "gold" else None
        moved = _value(answer) - (_value(base.answer) if gold is None else gold)
        score = abs(moved) if self.direction == "any" else moved
        score = -score if self.direction == "down" else score
        return score, score >= self.margin


def _number(gold: object) -> float | None:
    try:
        return float(label_in(gold) or "")
    except ValueError:
        return None


def _value(answer: Answer) -> float:
    scores = single(answer).scores
    if not scores:
        raise ModelError("The goal regression_margin needs a number as the first of the scores.")
    return float(scores[0])
