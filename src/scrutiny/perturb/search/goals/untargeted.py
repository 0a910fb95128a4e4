"""The model shall say anything else."""

from dataclasses import dataclass
from typing import ClassVar

from scrutiny.perturb.search.goal import Answer, Base, Slope, label_of, probability, single
from scrutiny.perturb.search.goals.standing import Against, starting_label, why_skipped
from scrutiny.perturb.search.state import State


@dataclass(frozen=True, slots=True)
class Untargeted:
    """Any label but the starting one; the score is 1 - p of that label.

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

    id: ClassVar[str] = "untargeted@1"
    summary: ClassVar[str] = "the model says anything but the starting label"

    against: Against = "gold"
    is_hard: bool = False

    def skips(self, base: Base) -> str | None:
        """``no_gold``, ``unknown_label`` or ``already_wrong``."""
        return why_skipped(base, self.against)

    def slope(self, base: Base) -> Slope:
        """The starting label, whose loss shall rise."""
        return Slope(base.labels[starting_label(base, self.against)], 1)

    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """1 - p(starting label), and whether another is predicted."""
        del state
        prediction = single(answer)
        start = starting_label(base, self.against)
        is_reached = label_of(prediction, base.labels) != base.labels[start]
        if self.is_hard:
            return float(is_reached), is_reached
        return 1.0 - probability(prediction, start, base.labels), is_reached
