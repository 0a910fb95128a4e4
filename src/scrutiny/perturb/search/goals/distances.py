"""Distances between two probability distributions.

For the few labels of a classifier plain lists are quicker than arrays, and a search computes one
distance for each text.
"""

from collections.abc import Callable, Mapping, Sequence
from math import inf, log2, sqrt
from typing import Final, Literal

from scrutiny.core.answers.answer import label_in
from scrutiny.core.errors import ModelError
from scrutiny.core.task import Prediction

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
