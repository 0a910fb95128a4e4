"""Two models shall disagree."""

from dataclasses import dataclass
from typing import ClassVar

from scrutiny.core.errors import ModelError, PlanError
from scrutiny.perturb.search.goal import Answer, AnswerPair, Base, label_of
from scrutiny.perturb.search.goals.distances import DISTANCES, Distance, scores_of
from scrutiny.perturb.search.state import State


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two models that say different things; the score is the distance of their outputs.

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

    id: ClassVar[str] = "disagreement@1"
    summary: ClassVar[str] = "two models say different things about one text"

    distance: Distance = "l1"
    least: float | None = None

    def __post_init__(self) -> None:
        if self.distance not in DISTANCES:
            raise PlanError(f"A distance is one of {', '.join(DISTANCES)}, not {self.distance!r}.")

    def skips(self, base: Base) -> str | None:
        """``already_there`` where they disagree about the base."""
        return "already_there" if self._compare(base, base.answer)[1] else None

    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """Distance of the two outputs, and whether the models disagree."""
        del state
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
        return far, label_of(answer.reference, labels) != label_of(answer.target, labels)
