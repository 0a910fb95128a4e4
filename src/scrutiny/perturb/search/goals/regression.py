"""A predicted number shall move."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from scrutiny.core.errors import ModelError, PlanError
from scrutiny.perturb.search.goal import Answer, Base, single
from scrutiny.perturb.search.goals.standing import Against
from scrutiny.perturb.search.state import State


@dataclass(frozen=True, slots=True)
class RegressionMargin:
    """A predicted number at least a margin away from where it started.

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

    id: ClassVar[str] = "regression_margin@1"
    summary: ClassVar[str] = "a predicted number moves by at least a margin"

    margin: float = 0.5
    against: Against = "gold"
    direction: Literal["any", "up", "down"] = "any"

    def __post_init__(self) -> None:
        if not self.margin > 0:
            raise PlanError(f"The margin is a positive number, not {self.margin}.")

    def skips(self, base: Base) -> str | None:
        """``no_gold`` without a gold number; ``already_wrong`` where the error is a margin."""
        if self.against == "prediction":
            return None
        gold = _number(base.example.gold)
        if gold is None:
            return "no_gold"
        return "already_wrong" if abs(_value(single(base.answer)) - gold) >= self.margin else None

    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """Distance from the start in the wanted direction, and whether it is a margin."""
        del state
        gold = _number(base.example.gold) if self.against == "gold" else None
        start = _value(single(base.answer)) if gold is None else gold
        moved = _value(single(answer)) - start
        score = abs(moved) if self.direction == "any" else moved
        score = -score if self.direction == "down" else score
        return score, score >= self.margin


def _number(gold: object) -> float | None:
    try:
        return float(gold) if isinstance(gold, str) else None
    except ValueError:
        return None


def _value(prediction: object) -> float:
    scores = getattr(prediction, "scores", None)
    if not scores:
        raise ModelError("The goal regression_margin needs a number as the first of the scores.")
    return float(scores[0])
