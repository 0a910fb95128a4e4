"""Where a classification stands before any change."""

from typing import Literal

from scrutiny.core.errors import ModelError
from scrutiny.perturb.search.goal import Base, label_of, single

Against = Literal["gold", "prediction"]


def starting_label(base: Base, against: Against) -> int:
    """Number of the label that a goal starts from: the gold answer, or the model's own.

    Raises
    ------
    ModelError
        If the model's answer is no label of its own.
    """
    if against == "gold" and (gold := base.gold) is not None:
        return gold
    predicted = label_of(single(base.answer), base.labels)
    if predicted not in base.labels:
        raise ModelError(
            f"The model answered {predicted!r}, which is not among its labels "
            f"({', '.join(base.labels) or 'none were given'})."
        )
    return base.labels.index(predicted)


def why_skipped(base: Base, against: Against) -> str | None:
    """``no_gold``, ``unknown_label`` or ``already_wrong``, where the goal starts from gold."""
    if against == "prediction":
        return None
    if not isinstance(base.example.gold, str):
        return "no_gold"
    if base.gold is None:
        return "unknown_label"
    predicted = label_of(single(base.answer), base.labels)
    return None if predicted == base.example.gold else "already_wrong"
