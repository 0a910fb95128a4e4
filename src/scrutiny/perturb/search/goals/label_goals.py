"""Goals about labels: another or a given one, a smaller probability, two models that differ."""

from dataclasses import dataclass
from typing import Literal

from scrutiny.core.answers.answer import label_in
from scrutiny.core.boundary.parameters import above_zero, one_of, shares
from scrutiny.core.errors import ModelError, PlanError
from scrutiny.core.facts import LABELS
from scrutiny.perturb.search.goals.answer_goals import (
    DISTANCES,
    Against,
    Distance,
    LeavesLabel,
    probability,
    scores_of,
    starting_label,
    why_skipped,
)
from scrutiny.perturb.search.judging import Answer, AnswerPair, Base, Goal, Slope, single
from scrutiny.perturb.search.state import State


@dataclass(frozen=True, slots=True)
class Untargeted(LeavesLabel):
    """The model predicts another label than the starting one.

    Any label but the starting one; the score is 1 - p of that label.

    Parameters
    ----------
    against
        What the starting label is: the gold answer, or what the model says of the base.
    is_hard
        Whether the search sees decisions only: the score is then 0 or 1.

    **Measures** whether a label can be lost.

    **Misleads when** the texts found do not mean what the base means: look at the share that is
    valid before calling it a lack of robustness.

    Examples
    --------
    >>> from scrutiny.core.example import Example
    >>> from scrutiny.core.task import Prediction
    >>> from scrutiny.perturb.search.moves import Origin
    >>> item = Example("1", {"text": "fine"}, gold="good")
    >>> base = Base(item, Prediction("good", (0.2, 0.8)), ("bad", "good"))
    >>> Untargeted().judge(base, Prediction("bad", (0.75, 0.25)), State.start(Origin(item)))
    (0.75, True)
    """

    id = "untargeted@1"

    against: Against = "gold"
    is_hard: bool = False

    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """1 - p(starting label), and whether another is predicted."""
        prediction = single(answer)
        start = starting_label(base, self.against)
        is_reached = prediction.label_among(base.labels) != base.labels[start]
        if self.is_hard:
            return float(is_reached), is_reached
        return 1.0 - probability(prediction, start, base.labels), is_reached


@dataclass(frozen=True, slots=True)
class Targeted(Goal):
    """A given label; the score is its probability.

    Parameters
    ----------
    target
        The label; with nothing it is chosen item by item, as ``choice`` says.
    choice
        ``second``: the likeliest label of the base that is not the starting one; ``last``: the
        least likely. Equals go to the first of the model's labels.
    against
        What the starting label is: the gold answer, or what the model says of the base.

    **Measures** whether a label can be brought about, which is harder than losing one.

    **Misleads when** there are two labels: then it is the same as losing the starting one.

    Examples
    --------
    >>> Targeted(target="negative").choice
    'second'
    """

    id = "targeted@1"
    wants = (LABELS,)

    target: str | None = None
    choice: Literal["second", "last"] = "second"
    against: Against = "gold"

    def skips(self, base: Base) -> str | None:
        """As for losing a label; ``is_target`` if the starting label is the target."""
        reason = why_skipped(base, self.against)
        if reason is not None:
            return reason
        return "is_target" if self._target(base) == starting_label(base, self.against) else None

    def slope(self, base: Base) -> Slope:
        """The target label, whose loss should decrease."""
        return Slope(base.labels[self._target(base)], -1)

    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """p(target), and whether it is predicted."""
        prediction, target = single(answer), self._target(base)
        is_reached = prediction.label_among(base.labels) == base.labels[target]
        return probability(prediction, target, base.labels), is_reached

    def _target(self, base: Base) -> int:
        """Index of the target label."""
        if self.target is not None:
            if self.target not in base.labels:
                raise PlanError(
                    f"The target {self.target!r} is not among the model's labels: "
                    f"{', '.join(base.labels)}."
                )
            return base.labels.index(self.target)
        start = starting_label(base, self.against)
        scores = scores_of(single(base.answer), base.labels)
        others = [label for label in range(len(base.labels)) if label != start]
        if not others:
            raise PlanError("A model with a single label has no other to reach.")
        pick = max if self.choice == "second" else min
        return pick(others, key=scores.__getitem__)


@dataclass(frozen=True, slots=True)
class Confidence(LeavesLabel):
    """The starting label's probability falls below a threshold.

    p(starting label) below a threshold; the score is 1 - p.

    Parameters
    ----------
    below
        The threshold.
    against
        What the starting label is: the gold answer, or what the model says of the base.

    **Measures** how far confidence can be brought down; above 1/2 the label stays the same.

    **Misleads when** the model is not calibrated: then a threshold means something else for each
    model, and comparing them compares their calibration.

    References
    ----------
    Kuleshov, Thakoor, Lau, Ermon (2018), Adversarial examples for natural language classification.

    Examples
    --------
    >>> Confidence(below=0.7).against
    'gold'
    """

    id = "confidence@1"

    below: float = 0.5
    against: Against = "gold"

    def __post_init__(self) -> None:
        shares(self, "below", zero=False, one=True)

    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """1 - p(starting label), and whether p is below the threshold."""
        p = probability(single(answer), starting_label(base, self.against), base.labels)
        return 1.0 - p, p < self.below


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
    >>> from scrutiny.perturb.search.moves import Origin
    >>> item = Example("1", {"text": "fine"})
    >>> start = AnswerPair(Prediction("good", (0.25, 0.75)), Prediction("good", (0.25, 0.75)))
    >>> later = AnswerPair(Prediction("good", (0.25, 0.75)), Prediction("bad", (0.75, 0.25)))
    >>> Disagreement().judge(
    ...     Base(item, start, ("bad", "good")), later, State.start(Origin(item))
    ... )
    (1.0, True)
    """

    id = "disagreement@1"
    wants = (LABELS,)

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
    wants = (LABELS,)

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
