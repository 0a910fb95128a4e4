"""Two models' answers to one text: labels and probabilities in a common order."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.task import Prediction
from scrutiny.stats.distributions.outputs import (
    collision,
    js_divergence,
    kl_divergence,
    total_variation,
)

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels of both models in the words of the data.

    Parameters
    ----------
    reference, target
        Labels of each, in the order of its scores.
    known
        Every label that either has, the reference's first.
    order
        Place among the target's scores of each of the reference's labels; nothing where the two
        models do not have the same labels.

    Examples
    --------
    >>> labels = Labels(("no", "yes"), ("yes", "no"))
    >>> labels.order, labels.number("yes")
    ((1, 0), 1)
    """

    reference: tuple[str, ...]
    target: tuple[str, ...]
    known: tuple[str, ...] = field(init=False)
    order: tuple[int, ...] | None = field(init=False)

    def __post_init__(self) -> None:
        same = sorted(self.reference) == sorted(self.target)
        order = tuple(self.target.index(label) for label in self.reference) if same else None
        known = tuple(dict.fromkeys((*self.reference, *self.target)))
        object.__setattr__(self, "order", order)
        object.__setattr__(self, "known", known)

    def number(self, label: str) -> int:
        """Index of a label among all labels of both models; the next index for any other."""
        return self.known.index(label) if label in self.known else len(self.known)

    def distributions(self, a: Prediction, b: Prediction) -> tuple[Floats, Floats] | None:
        """Probabilities ``(label,)`` of both in the reference's order; `None` if one is missing."""
        if self.order is None or not a.scores or not b.scores:
            return None
        return np.array(a.scores), np.array([b.scores[i] for i in self.order])


def number_of(answer: Prediction, labels: Labels) -> float:
    """Index of an answer's label; for tags, whether there are any."""
    if answer.spans is not None:
        return float(bool(answer.spans))
    return float(labels.number(answer.label or ""))


def divergences(p: Floats, q: Floats) -> dict[str, Floats]:
    """Divergences of probabilities ``(..., label)`` in one order, by measure."""
    return {
        "js": js_divergence(p, q),
        "kl_ab": kl_divergence(p, q),
        "kl_ba": kl_divergence(q, p),
        "tv": total_variation(p, q),
    }


def of_right_answer(p: Floats, q: Floats, gold: NDArray[np.int64]) -> dict[str, Floats]:
    """Probability of the same answer, and of the right answer; ``gold`` are its positions."""
    at = np.broadcast_to(gold[..., None], (*p.shape[:-1], 1))
    pa, pb = (np.take_along_axis(side, at, axis=-1)[..., 0] for side in (p, q))
    return {"p_dot": collision(p, q), "pa_gold": pa, "pb_gold": pb}
