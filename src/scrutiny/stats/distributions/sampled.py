"""Distances of output distributions from samples or top-k probabilities: floors and bounds."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, IntArray, finite
from scrutiny.stats.errors import StatisticsError
from scrutiny.stats.significance import binomial


def sampling_floor(*distributions: ArrayLike, samples: int, exact: bool = True) -> float:
    """Expected L1 distance of two *equal* models from sampling alone.

    Parameters
    ----------
    distributions
        ``(outcome,)``. One: each model's frequencies are from ``samples`` draws of it, and the
        distance is between both. Two (base and changed text): it is between the models' changes,
        the distance of Soft-SCoPE.
    samples
        Draws of each distribution by each model.
    exact
        From the binomial distributions; else the normal approximation, for one distribution
        ``sum_k 2 sqrt(p_k (1 - p_k) / (pi N))``.

    **Measures**: the plug-in bias: what a model would score against itself.

    **Misleads when**: subtracted from an observed distance: the bias is smaller where the models
    differ. Measure the reference against itself and report relative to that.

    **References**: ours; de Moivre's mean absolute deviation for the approximation.

    Examples
    --------
    >>> flat = [0.1] * 10
    >>> round(sampling_floor(flat, samples=20), 3), round(sampling_floor(flat, flat, samples=20), 3)
    (0.734, 1.055)
    >>> round(sampling_floor(flat, samples=20, exact=False), 3)
    0.757
    """
    if samples < 1 or not distributions:
        raise StatisticsError("at least one distribution and one sample are needed.")
    rows = [_distribution(d) for d in distributions]
    if len({row.size for row in rows}) > 1:
        raise StatisticsError("all distributions must be over the same outcomes.")
    probabilities = np.stack(rows, axis=-1)  # (outcome, distribution)
    if not exact:
        variance = 2.0 * (probabilities * (1.0 - probabilities)).sum(axis=-1) / samples
        return float(np.sqrt(2.0 * variance / np.pi).sum())
    return float(sum(_mean_size(each, samples) for each in probabilities))


def _mean_size(probabilities: FloatArray, samples: int) -> float:
    """Mean absolute value of a signed sum of frequencies, two of each probability."""
    counts = np.arange(samples + 1)
    weights = np.ones(1)
    for p in probabilities:
        pmf = binomial.pmf(counts, samples, p)
        weights = np.convolve(weights, np.convolve(pmf, pmf[::-1]))
    middle = weights.size // 2
    return float(weights @ np.abs(np.arange(weights.size) - middle)) / samples


@dataclass(frozen=True, slots=True)
class Bounds:
    """Lower and upper bound of a quantity."""

    low: float
    high: float


def l1_bounds(answers: Sequence[Mapping[Hashable, float]], *, signs: Sequence[int]) -> Bounds:
    """Bounds of the L1 norm of a signed sum of distributions known by their top-k only.

    Parameters
    ----------
    answers
        Of each call the probabilities of the outcomes that it gave, with a sum of at most 1.
    signs
        Of each call 1 or -1. ``(1, -1)``: distance of two distributions. ``(1, -1, -1, 1)`` for
        (m1 base, m1 changed, m2 base, m2 changed): the distance of Soft-SCoPE.

    Returns
    -------
    Bounds
        ``low``: the L1 norm after all outcomes that some call left out are put into one bin
        "other"; putting bins together cannot raise it. ``high``: the part that all calls gave,
        and all other mass as if none of it cancelled. Soft-SCoPE of ``low`` is an upper bound.

    **Measures**: the range that top-k log-probabilities leave open.

    **Misleads when**: outcomes that only some calls gave get a bin of their own with 0 for the
    others: that is no lower bound, as a probability below the k-th is not 0.

    **References**: Cover & Thomas (2006), Elements of Information Theory, section 11.6 (data
    processing of the L1 distance).

    Examples
    --------
    >>> l1_bounds([{"a": 0.6, "b": 0.3}, {"a": 0.5, "c": 0.3}], signs=(1, -1))
    Bounds(low=0.2, high=1.0)
    """
    if len(answers) != len(signs) or len(answers) < 2 or not set(signs) <= {1, -1}:
        raise StatisticsError("every answer needs a sign, 1 or -1, and two answers are the least.")
    known = set(answers[0]).intersection(*answers[1:])
    shared = np.array([[answer[k] for k in known] for answer in answers]).reshape(len(answers), -1)
    totals = np.array([sum(answer.values()) for answer in answers])
    if any(p < 0 for answer in answers for p in answer.values()) or (totals > 1.0 + 1e-6).any():
        raise StatisticsError("probabilities must be at least 0, with a sum of at most 1.")
    left = np.maximum(1.0 - shared.sum(axis=1), 0.0)
    sign = np.array(signs, dtype=np.float64)
    common = np.abs(sign @ shared).sum()
    low, high = common + abs(float(sign @ left)), common + float(left.sum())
    return Bounds(round(float(low), 12), round(float(high), 12))


def _distribution(values: ArrayLike) -> FloatArray:
    p = finite(values, "distribution", ndim=1)
    if (p < 0).any() or abs(float(p.sum()) - 1.0) > 1e-6:
        raise StatisticsError("a distribution must be at least 0, with sum 1.")
    return p


def counts_of(scores: Sequence[float], n_samples: int) -> IntArray | None:
    """Counts ``(label,)`` from shares of samples; `None` if they are not shares.

    Examples
    --------
    >>> counts_of((0.25, 0.75), 4), counts_of((0.3, 0.7), 4)
    (array([1, 3]), None)
    """
    exact = np.asarray(scores, dtype=np.float64) * n_samples
    counts = np.rint(exact).astype(np.int64)
    is_sound = bool((np.abs(exact - counts) < 1e-3).all()) and int(counts.sum()) == n_samples
    return counts if is_sound else None
