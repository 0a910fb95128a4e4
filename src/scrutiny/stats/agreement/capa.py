"""CAPA: agreement of two models' probabilities beyond what their accuracies give."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, IntArray, finite
from scrutiny.stats.errors import StatisticsError

_ATOL = 1e-6  # of a sum of probabilities, as released


@dataclass(frozen=True, slots=True)
class Capa:
    """Chance-adjusted probabilistic agreement, kappa_p.

    Parameters
    ----------
    value
        None where it does not exist: both models are certain of the right choice on all items, or
        of the wrong one of two.
    observed
        Probability that answers sampled from both models are the same, over items.
    expected
        The same for independent models of these accuracies whose errors are spread evenly.
    skills
        Mean probability of the right answer, of both models.
    n
        Items.
    reason
        "no_errors" or "only_errors" where there is no value.
    """

    value: float | None
    observed: float
    expected: float
    skills: tuple[float, float]
    n: int
    reason: str | None = None


def capa(p: Sequence[ArrayLike], q: Sequence[ArrayLike], gold: ArrayLike) -> Capa:
    """Agreement of two models' probabilities beyond their accuracies, kappa_p.

    Parameters
    ----------
    p, q
        Of each item the probabilities ``(choice,)`` of both models; items may have different
        numbers of choices, at least two.
    gold
        ``(item,)`` index of the right choice.

    Returns
    -------
    Capa
        ``(observed - expected) / (1 - expected)``, with ``observed = mean_i sum_k p_ik q_ik`` and
        ``expected = s_p s_q + (1 - s_p)(1 - s_q) mean_i 1 / (K_i - 1)``, s the mean probability of
        the right choice.

    **Measures**: whether two models make the same mistakes with the same confidence.

    **Misleads when**: read as 1 for "the same": **of a model with itself it is below 1 unless it is
    certain**. Do not rescale it; print the value of the reference with itself next to it. The
    chance term takes errors to be spread evenly over wrong choices: where one wrong choice is
    attractive, independent models come out above 0.

    **References**: Goel et al. (2025), Great models think alike and this undermines AI oversight.

    Examples
    --------
    >>> certain = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    >>> unsure = [[0.8, 0.2], [0.8, 0.2], [0.2, 0.8]]
    >>> capa(certain, certain, [0, 1, 1]).value, round(capa(unsure, unsure, [0, 1, 1]).value, 3)
    (1.0, 0.333)
    """
    right = _gold(gold, len(p))
    if len(p) != len(q):
        raise StatisticsError(f"p has {len(p)} items, q {len(q)}.")
    rows = np.array([_row(*item) for item in zip(p, q, right.tolist(), strict=True)])
    sums = np.append(rows.sum(axis=0), float(right.size))
    n = right.size
    skills = float(sums[1] / n), float(sums[2] / n)
    value = float(capa_of_sums(sums))
    expected = float(
        skills[0] * skills[1] + (1.0 - skills[0]) * (1.0 - skills[1]) * float(sums[3]) / n
    )
    observed = float(sums[0]) / n
    if np.isnan(value):
        reason = "no_errors" if skills[0] > 0.5 else "only_errors"
        return Capa(None, observed, expected, skills, n, reason)
    return Capa(value, observed, expected, skills, n)


def capa_of_sums(sums: FloatArray) -> FloatArray:
    """Kappa_p ``(...)`` from summed components ``(..., 5)``.

    NaN where it does not exist.
    """
    n = np.where(sums[..., 4] > 0, sums[..., 4], np.nan)
    both, p, q, spread = (sums[..., i] / n for i in range(4))
    expected = p * q + (1.0 - p) * (1.0 - q) * spread
    # chance is 1 without any error; of two choices, also without any right answer
    room = np.where(expected < 1.0 - 1e-12, 1.0 - expected, np.nan)
    return np.asarray((both - expected) / room, dtype=np.float64)


def _row(p: ArrayLike, q: ArrayLike, gold: int) -> tuple[float, float, float, float]:
    """Components of one item: sum of products, both probabilities of the gold, 1 / (K - 1)."""
    first, second = _distribution(p, "p"), _distribution(q, "q")
    if first.size != second.size or first.size < 2:
        raise StatisticsError(
            f"an item has {first.size} and {second.size} choices; equally many, at least two."
        )
    if gold >= first.size:
        raise StatisticsError(f"gold is choice {gold} of an item with {first.size} choices.")
    return (
        float(first @ second),
        float(first[gold]),
        float(second[gold]),
        1.0 / (first.size - 1.0),
    )


def _distribution(values: ArrayLike, name: str) -> FloatArray:
    array = finite(values, name, ndim=1)
    if (array < 0).any() or abs(float(array.sum()) - 1.0) > _ATOL:
        raise StatisticsError(f"every item of {name} must be a distribution with sum 1.")
    return array


def _gold(gold: ArrayLike, n: int) -> IntArray:
    right = finite(gold, "gold", ndim=1)
    if right.size != n or (right < 0).any() or (right != np.rint(right)).any():
        raise StatisticsError(f"gold must hold {n} indices of choices, counted from 0.")
    return right.astype(np.int64)
