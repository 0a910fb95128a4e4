"""Where a goal starts, and distances from there between two probability distributions.

The label that it starts from is the gold answer, or what the model says of the base. For the few
labels of a classifier plain lists are quicker than arrays, and a search computes one distance for
each text.
"""

from collections.abc import Callable, Mapping, Sequence
from math import inf, log2, sqrt
from typing import Final, Literal

from scrutiny.core.answers.answer import label_in
from scrutiny.core.errors import ModelError
from scrutiny.core.facts import LABELS
from scrutiny.core.task import Prediction
from scrutiny.perturb.search.judging import Base, Goal, Slope, single

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

    wants = (LABELS,)
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


Distance = Literal["l1", "kl", "js", "max_abs", "mse", "cosine"]
Scores = Sequence[float]


def scores_of(prediction: Prediction, labels: Sequence[str]) -> Scores:
    """Probabilities of the labels; 1 for the predicted label if the model gives none.

    Raises
    ------
    ModelError
        If the answer is no classification.
    """
    if prediction.scores is not None:
        return prediction.scores
    given = label_in(prediction.answer)
    if given is None:
        raise ModelError("This goal compares probabilities or labels; the answer has neither.")
    return tuple([float(label == given) for label in labels])


def l1(p: Scores, q: Scores) -> float:
    """Sum of absolute differences, 0 to 2.

    Examples
    --------
    >>> l1((0.5, 0.5), (1.0, 0.0))
    1.0
    """
    return sum([abs(a - b) for a, b in zip(p, q, strict=True)])


def kl(p: Scores, q: Scores) -> float:
    """Kullback-Leibler divergence of q from p in bits; infinite if q is 0 where p is not.

    Examples
    --------
    >>> kl((1.0, 0.0), (0.5, 0.5)), kl((0.5, 0.5), (1.0, 0.0))
    (1.0, inf)
    """
    total = 0.0
    for a, b in zip(p, q, strict=True):
        if a > 0:
            if b <= 0:
                return inf
            total += a * log2(a / b)
    return max(0.0, total)


def js(p: Scores, q: Scores) -> float:
    """Jensen-Shannon divergence in bits, 0 to 1.

    Examples
    --------
    >>> js((1.0, 0.0), (0.0, 1.0))
    1.0
    """
    middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
    return (kl(p, middle) + kl(q, middle)) / 2


def max_abs(p: Scores, q: Scores) -> float:
    """Largest absolute difference, 0 to 1.

    Examples
    --------
    >>> max_abs((0.5, 0.5), (0.75, 0.25))
    0.25
    """
    return max([abs(a - b) for a, b in zip(p, q, strict=True)])


def mse(p: Scores, q: Scores) -> float:
    """Mean over labels of the squared difference.

    Examples
    --------
    >>> mse((0.5, 0.5), (1.0, 0.0))
    0.25
    """
    return sum([(a - b) ** 2 for a, b in zip(p, q, strict=True)]) / len(p)


def cosine(p: Scores, q: Scores) -> float:
    """1 - cosine, 0 to 1; 1 where either is zero.

    Examples
    --------
    >>> cosine((1.0, 0.0), (0.0, 1.0)), cosine((0.5, 0.5), (0.5, 0.5))
    (1.0, 0.0)
    """
    norm = sqrt(sum([a * a for a in p]) * sum([b * b for b in q]))
    dot = sum([a * b for a, b in zip(p, q, strict=True)])
    return max(0.0, 1.0 - dot / norm) if norm else 1.0


DISTANCES: Final[Mapping[str, Callable[[Scores, Scores], float]]] = {
    distance.__name__: distance for distance in (l1, kl, js, max_abs, mse, cosine)
}
