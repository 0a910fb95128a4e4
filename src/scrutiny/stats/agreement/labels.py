"""Labels of two models or of gold: agreement, answers broken or mended, and labels exchanged.

Swapped or shifted labels leave the answers as informative as they were: each gold label has one
answer that goes with it, but the wrong one. A model that is merely weak, or biased to one answer,
has no better order. So another order of the labels has to pass three checks, over items (or units
of items): it is right far more often where it differs, the difference is significant, and answers
and gold labels are associated under it at all.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import BoolArray, IntArray, StatisticsError, finite


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


Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]
#: Level of both tests. Swapped labels of ten items pass it, weak models of any size do not.
ALPHA: Final = 0.001
#: z of the same level.
_LEAST_Z: Final = 3.09
#: Least gain in accuracy among the items whose label moves.
FAR: Final = 0.3


@dataclass(frozen=True, slots=True)
class Exchange:
    """Another order of the labels, and the accuracy before and after.

    Parameters
    ----------
    order
        For each gold label, the answer that goes with it.
    now, then
        Accuracy with the labels as they are, and in this order.
    """

    order: tuple[int, ...]
    now: float
    then: float


def far_better_order(
    gold: Ints, answer: Ints, *, n_labels: int, units: Ints | None = None
) -> Exchange | None:
    """Order of the labels that raises accuracy far and significantly, or ``None``.

    Parameters
    ----------
    gold, answer
        Label of each item and the model's, from 0  # (items,)
    n_labels
        How many labels the model has.
    units
        Unit of resampling of each item, from 0; default: each item is its own  # (items,)

    Notes
    -----
    With more than two labels the order is chosen on one half of the items and judged on the other,
    and the other way round: the best of many orders looks better than it is.

    Examples
    --------
    >>> gold = np.array([0, 1] * 20)
    >>> far_better_order(gold, 1 - gold, n_labels=2)
    Exchange(order=(1, 0), now=0.0, then=1.0)
    """
    counts = counts_of_answers(gold, answer, n_labels=n_labels)
    if not has_better_answer(counts):
        return None
    units = np.arange(gold.size) if units is None else units
    half = np.zeros(gold.size, np.int64)
    for label in range(n_labels if n_labels > 2 else 0):  # alternating over the items of each label
        mine = np.flatnonzero(gold == label)
        half[mine] = np.arange(mine.size) % 2
    difference, together = np.zeros(gold.size), np.zeros(gold.size)
    moved = np.zeros(gold.size, bool)
    for part in np.unique(half):
        on = half == part
        learned = on if n_labels == 2 else ~on
        learned_from = counts_of_answers(gold[learned], answer[learned], n_labels=n_labels)
        order = best_order(learned_from, least=FAR)
        wanted = order[gold[on]]
        moved[on] = wanted != gold[on]
        difference[on] = (answer[on] == wanted).astype(float) - (answer[on] == gold[on])
        given = answer[on]
        a, b = (np.bincount(x, minlength=n_labels) / x.size for x in (wanted, given))
        # agreement of each item beyond chance, centered
        together[on] = (wanted == given) - b[wanted] - a[given] + float(a @ b)
    if not moved.any() or difference[moved].mean() < FAR:
        return None
    centered = _by_unit(together, units)
    error = float(np.sqrt((centered**2).sum()))
    z = float(centered.sum()) / error if error > 0 else 0.0
    if z < _LEAST_Z or _sign_test(_by_unit(difference, units)) > ALPHA:
        return None
    return exchange(counts, least=FAR)


def has_better_answer(counts: Ints) -> bool:
    """Whether for any label another answer than its own is far better: else no order is.

    Parameters
    ----------
    counts
        Counts of each answer given to each gold label  # (gold, answer)
    """
    gain = counts.max(axis=1) - np.diagonal(counts)
    return bool((gain > FAR * counts.sum(axis=1)).any())


def exchange(counts: Ints, *, least: float = 0.0) -> Exchange | None:
    """Order of the labels that raises accuracy, without a test; ``None`` if there is none.

    Parameters are those of `best_order`.
    """
    order, n = best_order(counts, least=least), int(counts.sum())
    now = int(np.trace(counts)) / n
    then = int(counts[np.arange(order.size), order].sum()) / n
    return Exchange(tuple(order.tolist()), now, then) if then > now else None


def best_order(counts: Ints, *, least: float = 0.0) -> Ints:
    """Answer assigned to each gold label such that accuracy is highest.

    Parameters
    ----------
    counts
        Counts of each answer given to each gold label  # (gold, answer)
    least
        Gain in accuracy among a label's items below which the label is not moved. Of equally good
        orders, the one that moves fewest labels is returned.
    """
    n_labels = len(counts)
    stays = np.eye(n_labels)
    gain = counts - least * counts.sum(axis=1, keepdims=True) * (1.0 - stays)
    gain += stays / (2.0 * n_labels)
    if n_labels == 2:
        is_swapped = gain[0, 1] + gain[1, 0] > gain[0, 0] + gain[1, 1]
        return np.array([1, 0] if is_swapped else [0, 1])
    from scipy.optimize import linear_sum_assignment

    return np.asarray(linear_sum_assignment(gain, maximize=True)[1], np.int64)


def share_by_chance(counts: Ints) -> float:
    """Agreement by chance, as in Cohen's kappa: accuracy if these answers were dealt out at random.

    Unlike the share of the commonest label, a model without skill does not fall below it however
    often it gives a rare answer.

    Examples
    --------
    >>> share_by_chance(counts_of_answers(np.array([0, 0, 0, 1]), np.ones(4, int), n_labels=2))
    0.25
    """
    shares = [counts.sum(axis=axis) / counts.sum() for axis in (1, 0)]
    return float(shares[0] @ shares[1])


def counts_of_answers(gold: Ints, answer: Ints, *, n_labels: int) -> Ints:
    """Counts of each answer given to each gold label, ``(gold, answer)``."""
    flat = np.bincount(gold * n_labels + answer, minlength=n_labels * n_labels)
    return flat.reshape(n_labels, n_labels)


def _by_unit(values: Floats, units: Ints) -> Floats:
    """Sum of the values of each unit."""
    return np.asarray(np.bincount(np.unique(units, return_inverse=True)[1], values), np.float64)


def _sign_test(values: Floats) -> float:
    """One-sided exact p-value of a sign test: more values above 0 than below."""
    from scrutiny.stats.significance.exact_tests import mcnemar

    above, below = int((values > 0).sum()), int((values < 0).sum())
    return mcnemar(above, below, method="exact", alternative="greater").p_value
