"""Distances between two models' output distributions, item by item, and matching temperatures."""

from typing import Final

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, finite
from scrutiny.stats.distributions.unchecked import tvd
from scrutiny.stats.errors import StatisticsError

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
