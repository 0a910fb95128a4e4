"""Label that a goal starts from: the gold answer, or what the model says of the base."""

from typing import Literal

from scrutiny.core.answers.answer import label_in
from scrutiny.core.errors import ModelError
from scrutiny.core.task import Prediction
from scrutiny.perturb.search.goal import Base, Goal, Slope, single

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
    predicted = single(base.answer).label_among(base.labels)
    if predicted not in base.labels:
        raise ModelError(
            f"The model answered {predicted!r}, which is not among its labels "
            f"({', '.join(base.labels) or 'none were given'})."
        )
    return base.labels.index(predicted)


def why_skipped(base: Base, against: Against) -> str | None:
    """Reason why a goal skips an item: ``no_gold``, ``unknown_label`` or ``already_wrong``."""
    if against == "prediction":
        return None
    if label_in(base.example.gold) is None:
        return "no_gold"
    if base.gold is None:
        return "unknown_label"
    predicted = single(base.answer).label_among(base.labels)
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


def probability(prediction: Prediction, label: int, labels: tuple[str, ...]) -> float:
    """Probability of a label in the answer that a goal judges; 1 or 0 if the model gives none."""
    if prediction.scores is not None:
        return prediction.scores[label]
    return float(prediction.answer == labels[label])
