"""Distances between two models' output distributions: given in full, as samples, or by top-k.

Item by item; with temperatures that match, floors of sampling, and bounds.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, IntArray, StatisticsError, finite
from scrutiny.stats.distributions.divergence import tvd
from scrutiny.stats.significance import binomial

#: Probabilities below this count as this in `kl_divergence`; 0 gives infinity as the formula does.
KL_FLOOR: Final = 1e-9
_ATOL: Final = 1e-4  # of sums: answers are stored as float32
_TEMPERATURES: Final = (1e-2, 1e2)


def js_divergence(p: ArrayLike, q: ArrayLike) -> FloatArray:
    """Jensen-Shannon divergence ``(...)`` in bits of distributions ``(..., outcome)``.

    **Measures**: how far two distributions lie apart, symmetrically: 0 equal, 1 without an outcome
    in common.

    **Misleads when**: read as a change of behavior: it may be large where the label stays, and
    small where two nearly equal labels change places. Its square root is the metric.

    **References**: Lin (1991), Divergence measures based on the Shannon entropy.

    Examples
    --------
    >>> js_divergence([[1.0, 0.0], [0.5, 0.5]], [[0.0, 1.0], [0.5, 0.5]]).tolist()
    [1.0, 0.0]
    """
    first, second = distributions(p, q)
    middle = (first + second) / 2.0
    nats = (scipy.special.rel_entr(first, middle) + scipy.special.rel_entr(second, middle)).sum(
        axis=-1
    ) / 2.0
    return np.asarray(np.clip(nats / np.log(2.0), 0.0, 1.0), dtype=np.float64)


def kl_divergence(p: ArrayLike, q: ArrayLike, *, floor: float = KL_FLOOR) -> FloatArray:
    """Kullback-Leibler divergence KL(p || q) ``(...)`` in nats of ``(..., outcome)``.

    Parameters
    ----------
    p, q
        Distributions.
    floor
        Smallest probability; smaller ones are raised to it and all rescaled. 0: as the formula
        has it, infinite where q excludes what p allows.

    **Measures**: the extra nats that q needs for what p says. Both ways differ: KL(reference ||
    copy) weighs what the reference finds likely.

    **Misleads when**: the tail decides: one tiny probability of q can outweigh all else, and the
    floor is then the result. Different vocabularies: there is no value.

    **References**: Kullback & Leibler (1951), On information and sufficiency.

    Examples
    --------
    >>> kl_divergence([[0.5, 0.5]], [[0.25, 0.75]]).round(4).tolist()
    [0.1438]
    >>> kl_divergence([[1.0, 0.0]], [[0.0, 1.0]], floor=0.0).tolist()
    [inf]
    """
    first, second = distributions(p, q)
    if not 0.0 <= floor < 1.0 / first.shape[-1]:
        raise StatisticsError(f"floor is {floor}; it lies between 0 and 1 / number of outcomes.")
    first, second = _floored(first, floor), _floored(second, floor)
    nats = scipy.special.rel_entr(first, second).sum(axis=-1)
    return np.asarray(np.maximum(nats, 0.0), dtype=np.float64)


def total_variation(p: ArrayLike, q: ArrayLike) -> FloatArray:
    """Total variation ``(...)`` of distributions ``(..., outcome)``: half their L1 distance.

    **Measures**: the largest difference in probability that the two give any set of outcomes. One
    minus it is ``sum_k min(p_k, q_k)``, the rate at which a sample of one is accepted for the
    other in speculative decoding.

    **Misleads when**: outcomes are many and differences small: the sum hides where they are.

    **References**: Levin, Peres & Wilmer (2009), Markov Chains and Mixing Times, chapter 4.

    Examples
    --------
    >>> total_variation([[0.5, 0.5]], [[0.25, 0.75]]).tolist()
    [0.25]
    """
    return tvd(*distributions(p, q))


def collision(p: ArrayLike, q: ArrayLike) -> FloatArray:
    """Collision probability ``(...)``: samples of both are equal, ``sum_k p_k q_k``.

    **Measures**: the observed agreement of CAPA.

    **Misleads when**: p is not certain: with itself it is ``sum_k p_k^2``, below 1.

    **References**: Goel et al. (2025), Great models think alike and this undermines AI oversight.

    Examples
    --------
    >>> collision([[0.5, 0.5]], [[0.25, 0.75]]).tolist()
    [0.5]
    """
    first, second = distributions(p, q)
    return np.asarray((first * second).sum(axis=-1), dtype=np.float64)


def tempered(p: ArrayLike, temperature: float) -> FloatArray:
    """Distributions ``(..., outcome)`` at another temperature: ``p ** (1 / T)``, normalized.

    **Measures**: what softmax of the logits divided by T gives.

    **Misleads when**: probabilities were rounded to 0: they stay 0.

    **References**: Guo et al. (2017), On calibration of modern neural networks.

    Examples
    --------
    >>> tempered([[0.2, 0.8]], 2.0).round(4).tolist()
    [[0.3333, 0.6667]]
    """
    if not temperature > 0.0:
        raise StatisticsError(f"temperature is {temperature}; it must be above 0.")
    first, _ = distributions(p, p)
    with np.errstate(divide="ignore"):
        logits = np.log(first) / temperature
    return np.asarray(scipy.special.softmax(logits, axis=-1), dtype=np.float64)


def matching_temperature(p: ArrayLike, q: ArrayLike) -> float:
    """Temperature at which the mean entropy of q equals that of p.

    Parameters
    ----------
    p, q
        ``(item, outcome)`` of the reference and of the model to be brought to it.

    Raises
    ------
    StatisticsError
        If no temperature between 0.01 and 100 does it.

    **Measures**: how much sharper or flatter q is than p as a whole. Soft-SCoPE after matching
    tells shared invariance from shared calibration; the option is ours, not the paper's.

    **Misleads when**: the models differ in what they are unsure about: one number cannot match
    that.

    **References**: Guo et al. (2017), On calibration of modern neural networks.

    Examples
    --------
    >>> p = np.array([[0.2, 0.8], [0.6, 0.4]])
    >>> round(matching_temperature(p, tempered(p, 0.5)), 4)
    2.0
    """
    first, second = distributions(p, q)
    wanted = float(scipy.special.entr(first).sum(axis=-1).mean())

    def gap(log_temperature: float) -> float:
        return (
            float(scipy.special.entr(tempered(second, np.exp(log_temperature))).sum(axis=-1).mean())
            - wanted
        )

    if abs(gap(0.0)) < 1e-12:  # as sure as p already; of certain or flat answers any would do
        return 1.0
    low, high = (float(np.log(t)) for t in _TEMPERATURES)
    if gap(low) * gap(high) > 0:
        raise StatisticsError(
            f"no temperature between {_TEMPERATURES[0]} and {_TEMPERATURES[1]} brings q to the"
            f" mean entropy {wanted:.4g} nats of p."
        )
    return float(np.exp(scipy.optimize.brentq(gap, low, high, xtol=1e-12)))


def distributions(p: ArrayLike, q: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Both arrays as float64, checked: same shape, non-negative, normalized to sum 1."""
    first, second = finite(p, "p"), finite(q, "q")
    if first.shape != second.shape or first.ndim < 1:
        raise StatisticsError(
            f"p has shape {first.shape}, q {second.shape}; the same items and outcomes needed."
        )
    return _normalized(first, "p"), _normalized(second, "q")


def _normalized(rows: FloatArray, name: str) -> FloatArray:
    total = rows.sum(axis=-1, keepdims=True)
    if (rows < 0).any() or (np.abs(total - 1.0) > _ATOL).any():
        raise StatisticsError(f"every row of {name} must be a distribution: at least 0, sum 1.")
    return np.asarray(rows / total, dtype=np.float64)


def _floored(rows: FloatArray, floor: float) -> FloatArray:
    raised = np.maximum(rows, floor)
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True), dtype=np.float64)


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
