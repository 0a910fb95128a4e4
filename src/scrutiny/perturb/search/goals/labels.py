"""Goals about a label: another label, a given label, or a smaller probability."""

from dataclasses import dataclass
from typing import Literal

from scrutiny.core.boundary.limits import shares
from scrutiny.core.errors import PlanError
from scrutiny.perturb.search.goal import Answer, Base, Goal, Slope, single
from scrutiny.perturb.search.goals.distances import scores_of
from scrutiny.perturb.search.goals.starting import (
    Against,
    LeavesLabel,
    probability,
    starting_label,
    why_skipped,
)
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
    >>> from scrutiny.perturb.search.origin import Origin
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
