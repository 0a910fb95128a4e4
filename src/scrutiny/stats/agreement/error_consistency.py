"""Error consistency: whether two models are wrong on the same items, beyond chance."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.agreement.labels import paired_hits
from scrutiny.stats.arrays import FloatArray, StatisticsError
from scrutiny.stats.intervals.interval import Interval
from scrutiny.stats.intervals.one_factor import bootstrap
from scrutiny.stats.resampling.weights import Units


@dataclass(frozen=True, slots=True)
class ErrorConsistency:
    """Error consistency (kappa of two columns of right and wrong), with its bounds.

    Parameters
    ----------
    value
        None where it does not exist: both models right on all items, or both wrong on all.
    observed, expected
        Share of items on which both are right or both wrong, and what independent errors of the
        same accuracies would give.
    low_bound, high_bound
        Smallest and largest value that these two accuracies allow; None where there is no value.
    accuracies
        Of both models.
    n
        Items.
    reason
        "no_errors" or "only_errors" where there is no value.
    """

    value: float | None
    observed: float
    expected: float
    low_bound: float | None
    high_bound: float | None
    accuracies: tuple[float, float]
    n: int
    reason: str | None = None


def error_consistency(hits_a: ArrayLike, hits_b: ArrayLike) -> ErrorConsistency:
    """Agreement of two models' errors beyond what their accuracies give.

    Parameters
    ----------
    hits_a, hits_b
        ``(item,)`` 1 where the model is right.

    Returns
    -------
    ErrorConsistency
        ``(observed - expected) / (1 - expected)``. Where one model is right (or wrong) on all items
        and the other is not, it is 0: one side does not vary. Where both are, it is undefined;
        released code returns 1 (model-vs-human) or NaN (lm-sim).

    **Measures**: whether two models fail on the same items.

    **Misleads when**: accuracies differ: the bounds then exclude high values, and two pairs of
    models with other accuracies cannot be compared by it. Errors are few: its interval is wide,
    and many published differences lie inside it. It does not see *which* wrong answer was given.

    **References**: Geirhos, Meding & Wichmann (2020), Beyond accuracy: quantifying trial-by-trial
    behaviour; Klein et al. (2025), Quantifying uncertainty in error consistency.

    Examples
    --------
    >>> found = error_consistency([1, 1, 1, 0], [1, 1, 0, 0])
    >>> found.value, found.observed, found.high_bound
    (0.5, 0.75, 0.5)
    """
    first, second = paired_hits(hits_a, hits_b)
    a, b = float(first.mean()), float(second.mean())
    observed = float((first == second).mean())
    expected = a * b + (1.0 - a) * (1.0 - b)
    if a == b and a in (0.0, 1.0):
        reason = "no_errors" if a == 1.0 else "only_errors"
        return ErrorConsistency(None, observed, expected, None, None, (a, b), first.size, reason)
    low, high = consistency_bounds(a, b)
    value = 1.0 - (1.0 - observed) / (a * (1.0 - b) + b * (1.0 - a))
    return ErrorConsistency(value, observed, expected, low, high, (a, b), first.size)


def consistency_bounds(accuracy_a: float, accuracy_b: float) -> tuple[float, float]:
    """Smallest and largest error consistency that two accuracies allow.

    Raises
    ------
    StatisticsError
        Outside [0, 1], or where both are 0 or both 1 (there is no consistency then).

    **Measures**: how far a value can be read as high or low.

    **Misleads when**: taken for an interval: it says nothing about sampling.

    **References**: Geirhos, Meding & Wichmann (2020), Beyond accuracy.

    Examples
    --------
    >>> tuple(round(bound, 3) for bound in consistency_bounds(0.9, 0.6))
    (-0.19, 0.286)
    """
    a, b = _share(accuracy_a, "accuracy_a"), _share(accuracy_b, "accuracy_b")
    expected = a * b + (1.0 - a) * (1.0 - b)
    if a == b and a in (0.0, 1.0):
        raise StatisticsError("two models without errors, or without hits, have no consistency.")
    least, most = abs(a + b - 1.0), 1.0 - abs(a - b)
    return (least - expected) / (1.0 - expected), (most - expected) / (1.0 - expected)


def accuracy_bounds(accuracy_a: float, consistency: float) -> tuple[float, float]:
    """Smallest and largest accuracy of a second model that allow a positive consistency.

    Parameters
    ----------
    accuracy_a
        Of the first model, in [0, 1].
    consistency
        In [0, 1].

    **Measures**: what a wanted consistency demands of the second model's accuracy.

    **Misleads when**: consistency is negative: the bounds are other ones, and it is refused.

    **References**: Klein et al. (2025), Quantifying uncertainty in error consistency.

    Examples
    --------
    >>> tuple(round(bound, 3) for bound in accuracy_bounds(0.8, 0.5))
    (0.571, 0.923)
    """
    a, k = _share(accuracy_a, "accuracy_a"), _share(consistency, "consistency")
    least = k * a, 2.0 - 2.0 * a - k + 2.0 * k * a
    most = a * (2.0 - k), k + 2.0 * a * (1.0 - k)
    if not least[1] or not most[1]:
        return 0.0, 1.0  # no consistency with a model that is always right, or always wrong
    return least[0] / least[1], most[0] / most[1]


def copy_probability(accuracy_a: float, accuracy_b: float, *, consistency: float) -> float:
    """Share of items on which b copies a's correctness, if it guesses independently elsewhere.

    Parameters
    ----------
    accuracy_a
        Of the model that is copied from, strictly between 0 and 1.
    accuracy_b
        Of the model that copies.
    consistency
        Error consistency of both. The answer is ``consistency * (1 - sum_k a_k b_k) / (1 - sum_k
        a_k^2)`` over right and wrong; it equals the consistency where the accuracies are equal.

    **Measures**: the same dependence, as a share that is easy to read.

    **Misleads when**: no model copies: it is a way of speaking. Negative for errors that avoid
    each other. A released example (``EstimateCopyProb.py``) has ``sum ab / sum b^2`` as its factor,
    which does not recover the share under which it simulates; ``utils.py`` beside it does.

    **References**: Klein et al. (2025), Quantifying uncertainty in error consistency.

    Examples
    --------
    >>> round(copy_probability(0.6, 0.55, consistency=0.24 / 0.49), 6)
    0.5
    """
    a, b = _share(accuracy_a, "accuracy_a"), _share(accuracy_b, "accuracy_b")
    if a in (0.0, 1.0):
        raise StatisticsError("nobody can be seen to copy a model that is always right or wrong.")
    expected = a * b + (1.0 - a) * (1.0 - b)
    return consistency * (1.0 - expected) / (1.0 - a * a - (1.0 - a) * (1.0 - a))


def error_consistency_interval(
    hits_a: ArrayLike,
    hits_b: ArrayLike,
    *,
    rng: np.random.Generator,
    draws: int = 10_000,
    units: Units | None = None,
    level: float = 0.95,
) -> Interval:
    """Percentile interval of error consistency, from resampled items.

    Parameters
    ----------
    hits_a, hits_b
        As in `error_consistency`.
    rng, draws, units, level
        As in `scrutiny.stats.intervals.one_factor.bootstrap`. Draws without errors are left out and
        noted ("undefined_draws").

    **Measures**: what other items would have given these two models.

    **Misleads when**: it is stated of recipes: other seeds are not in it.

    **References**: Klein et al. (2025), Quantifying uncertainty in error consistency.

    Examples
    --------
    >>> a, b = [1, 1, 1, 0] * 50, [1, 1, 0, 0] * 50
    >>> found = error_consistency_interval(a, b, rng=np.random.default_rng(0))
    >>> found.point, round(found.low, 2), round(found.high, 2)
    (0.5, 0.4, 0.61)
    """
    first, second = paired_hits(hits_a, hits_b)
    X = np.stack([first, second, first == second, np.ones(first.size)], axis=-1)
    return bootstrap(
        X.astype(np.float64),
        lambda sums, _: consistency_of_sums(sums[..., 0, :]),
        rng=rng,
        draws=draws,
        units=units,
        level=level,
    )


def consistency_of_sums(sums: FloatArray) -> FloatArray:
    """Error consistency ``(...)`` from summed components ``(..., 4)``.

    NaN where it does not exist.
    """
    n = np.where(sums[..., 3] > 0, sums[..., 3], np.nan)
    a, b, observed = (sums[..., i] / n for i in range(3))
    # as products of errors and hits: exactly 0, not nearly, where neither model has any
    off = a * (1.0 - b) + b * (1.0 - a)
    return np.asarray(1.0 - (1.0 - observed) / np.where(off > 0, off, np.nan), dtype=np.float64)


def _share(value: float, name: str) -> float:
    if not 0.0 <= value <= 1.0:
        raise StatisticsError(f"{name} is {value}; it must lie in [0, 1].")
    return float(value)
