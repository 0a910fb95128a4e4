"""Agreement of two models' labels, and the answers that an update breaks or mends."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import BoolArray, IntArray, finite
from scrutiny.stats.errors import StatisticsError


@dataclass(frozen=True, slots=True)
class CorrectnessFlips:
    """Changes of correctness between a reference and its successor, item by item.

    Parameters
    ----------
    negative
        Share of items that were right and are wrong: the negative flip rate.
    positive
        Share that were wrong and are right.
    n
        Items.
    """

    negative: float
    positive: float
    n: int

    @property
    def any(self) -> float:
        """Share of items whose correctness changed; the observed inconsistency of errors."""
        return self.negative + self.positive

    @property
    def accuracy_change(self) -> float:
        """Accuracy of the successor minus that of the reference."""
        return self.positive - self.negative


def agreement(a: ArrayLike, b: ArrayLike) -> float:
    """Share of items on which two models give the same label.

    Parameters
    ----------
    a, b
        ``(item,)`` whole-number labels. One minus the agreement is the *churn*.

    **Measures**: how often a user would see another answer.

    **Misleads when**: labels are few or unbalanced: two models without skill agree on half of
    two balanced labels, and on nearly all of unbalanced ones. Read it with kappa, and with the
    agreement of the reference with a second run of itself.

    **References**: Milani Fard et al. (2016), Launch and iterate: reducing prediction churn.

    Examples
    --------
    >>> agreement([0, 1, 1, 2], [0, 1, 2, 2])
    0.75
    """
    first, second = _labels(a, b)
    return float((first == second).mean())


def correctness_flips(hits_a: ArrayLike, hits_b: ArrayLike) -> CorrectnessFlips:
    """Share of answers that an update breaks, and that it mends.

    Parameters
    ----------
    hits_a, hits_b
        ``(item,)`` 1 where the reference (the successor) is right.

    **Measures**: regressions that equal accuracies hide.

    **Misleads when**: the model is not deterministic: a second run of the reference flips items as
    well, and that is the floor.

    **References**: Yan et al. (2021), Positive-congruent training: towards regression-free model
    updates; Dutta et al. (2024), Accuracy is not all you need.

    Examples
    --------
    >>> found = correctness_flips([1, 1, 0, 0], [1, 0, 1, 0])
    >>> found.negative, found.positive, found.accuracy_change
    (0.25, 0.25, 0.0)
    """
    first, second = paired_hits(hits_a, hits_b)
    return CorrectnessFlips(
        negative=float((first & ~second).mean()),
        positive=float((~first & second).mean()),
        n=first.size,
    )


def paired_hits(hits_a: ArrayLike, hits_b: ArrayLike) -> tuple[BoolArray, BoolArray]:
    """Two columns ``(item,)`` of right and wrong, checked to be 0 or 1 and equally long."""
    first, second = (finite(h, n, ndim=1) for h, n in ((hits_a, "hits_a"), (hits_b, "hits_b")))
    if first.size != second.size:
        raise StatisticsError(f"hits_a has {first.size} items, hits_b {second.size}.")
    for name, hits in (("hits_a", first), ("hits_b", second)):
        if not np.isin(hits, (0.0, 1.0)).all():
            raise StatisticsError(f"{name} must hold 1 (right) and 0 (wrong) only.")
    return first == 1.0, second == 1.0


def _labels(a: ArrayLike, b: ArrayLike) -> tuple[IntArray, IntArray]:
    first, second = finite(a, "a", ndim=1), finite(b, "b", ndim=1)
    if first.size != second.size:
        raise StatisticsError(f"a labels {first.size} items, b {second.size}.")
    if (first != np.rint(first)).any() or (second != np.rint(second)).any():
        raise StatisticsError("labels must be whole numbers.")
    return first.astype(np.int64), second.astype(np.int64)
