"""The model shall be less sure."""

from dataclasses import dataclass
from typing import ClassVar

from scrutiny.core.errors import PlanError
from scrutiny.perturb.search.goal import Answer, Base, Slope, probability, single
from scrutiny.perturb.search.goals.standing import Against, starting_label, why_skipped
from scrutiny.perturb.search.state import State


@dataclass(frozen=True, slots=True)
class Confidence:
    """p(starting label) below a threshold; the score is 1 - p.

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

    id: ClassVar[str] = "confidence@1"
    summary: ClassVar[str] = "the starting label's probability falls below a threshold"

    below: float = 0.5
    against: Against = "gold"

    def __post_init__(self) -> None:
        if not 0 < self.below <= 1:
            raise PlanError(f"'below' lies above 0 and at most at 1, not {self.below}.")

    def skips(self, base: Base) -> str | None:
        """As for losing a label."""
        return why_skipped(base, self.against)

    def slope(self, base: Base) -> Slope:
        """The starting label, whose loss shall rise."""
        return Slope(base.labels[starting_label(base, self.against)], 1)

    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """1 - p(starting label), and whether p is below the threshold."""
        del state
        p = probability(single(answer), starting_label(base, self.against), base.labels)
        return 1.0 - p, p < self.below
