"""A score over buckets: limits for all at once, and the gap beside what chance alone would give."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrutiny.stats.arrays import FloatArray, finite

DRAWS = 20_000


class BucketScores(NamedTuple):
    """Scores of buckets, with what each unit of resampling adds to each of them.

    Parameters
    ----------
    values
        ``(bucket,)``.
    influence
        ``(unit, bucket)``: contributions to the error of each value, which sum to about 0.
    floor
        ``(bucket,)``: least variance of each value.
    """

    values: FloatArray
    influence: FloatArray
    floor: FloatArray

    def minus(self, other: "BucketScores") -> "BucketScores":
        """Difference of two systems on the same units."""
        return BucketScores(
            self.values - other.values,
            self.influence - other.influence,
            np.minimum(self.floor, other.floor),
        )


@dataclass(frozen=True, slots=True)
class OverBuckets:
    """A score over buckets.

    Parameters
    ----------
    values, low, high
        Of each bucket: the score, and limits that hold for all buckets at once.
    weakest, best
        Places of the lowest and the highest score.
    gap
        Highest minus lowest.
    usual, most
        Median and 95 % point of the gap of buckets that are equal: what chance alone would give.
    p
        Share of such draws with a gap as large.
    rho
        Spearman correlation of a bucket's place and its score; None where either is constant.
    spread
        Standard deviation of the scores over buckets, with n below the sum as in the papers.
    """

    values: FloatArray
    low: FloatArray
    high: FloatArray
    weakest: int
    best: int
    gap: float
    usual: float
    most: float
    p: float
    rho: float | None
    spread: float

    @property
    def is_within_chance(self) -> bool:
        """Whether equal buckets have a gap as large in 5 % of draws or more."""
        return self.p >= 0.05


def f1_of_buckets(counts: ArrayLike, units: NDArray[np.int64] | None = None) -> BucketScores:
    """F1 of buckets from counts, all of which have some.

    Parameters
    ----------
    counts
        ``(item, bucket, 3)``: found, given but wrong, missed; means over replicates are allowed.
    units
        Unit of resampling of each item, from 0; by default each item is one.

    Returns
    -------
    BucketScores
        The least variance is that of a share near it among as many parts, so that a bucket without
        failures is not taken for one that cannot have any.
    """
    values = finite(counts, "counts", ndim=3)
    found, of = 2.0 * values[..., 0], 2.0 * values[..., 0] + values[..., 1] + values[..., 2]
    total = of.sum(axis=0)
    score = found.sum(axis=0) / total
    near = (found.sum(axis=0) + 2.0) / (total + 4.0)
    influence = (found - score * of) / total
    if units is not None:
        by_unit = np.zeros((int(units.max()) + 1, influence.shape[1]))
        np.add.at(by_unit, units, influence)
        influence = by_unit
    return BucketScores(score, influence, near * (1.0 - near) / (total / 2.0 + 2.0))


def over_buckets(
    scores: BucketScores,
    rng: np.random.Generator,
    *,
    replicates: FloatArray | None = None,
    seeds: FloatArray | None = None,
    level: float = 0.95,
    draws: int = DRAWS,
) -> OverBuckets | None:
    """Buckets beside their null, which has the errors of these and equal scores.

    The largest of several equal scores lies above the smallest by chance, and the more so the more
    buckets there are and the smaller they are: draws of their errors, with the covariances of
    buckets that share items, say by how much.

    Parameters
    ----------
    scores
        Of two buckets or more.
    rng
        Source of the draws.
    replicates
        ``(replicate, bucket)`` scores of several seeds, whose variance is added; None for one.
    seeds
        ``(bucket, bucket)`` covariance over seeds of the values, where it is known already.
    level
        Share of cases in which all limits hold.
    draws
        How many.

    Returns
    -------
    OverBuckets
        None with fewer than two buckets or units.

    References
    ----------
    Fu, Liu & Neubig (2020), Interpretable multi-dataset evaluation for named entity recognition
    (self-diagnosis, Spearman and standard deviation over buckets); the null is ours.
    """
    n, k = scores.influence.shape
    if min(n, k) < 2:
        return None
    covariance = scores.influence.T @ scores.influence * (n / (n - 1.0))
    if replicates is not None and len(replicates) > 1:
        covariance = covariance + np.cov(replicates.T) / len(replicates)
    if seeds is not None:
        covariance = covariance + seeds
    lacking = np.maximum(scores.floor - np.diag(covariance), 0.0)
    covariance = covariance + np.diag(lacking)
    roots, vectors = np.linalg.eigh(covariance)
    noise = rng.standard_normal((draws, k)) @ (vectors * np.sqrt(np.maximum(roots, 0.0))).T
    errors = np.sqrt(np.diag(covariance))
    half = float(np.quantile(np.abs(noise / errors).max(axis=1), level)) * errors
    null = noise.max(axis=1) - noise.min(axis=1)
    values = scores.values
    gap = float(values.max() - values.min())
    usual, most = np.quantile(null, [0.5, 0.95])
    is_ordered = k > 2 and float(np.ptp(values)) > 0.0
    return OverBuckets(
        values=values,
        low=values - half,
        high=values + half,
        weakest=int(np.argmin(values)),
        best=int(np.argmax(values)),
        gap=gap,
        usual=float(usual),
        most=float(most),
        p=float((1 + np.count_nonzero(null >= gap - 1e-12)) / (draws + 1)),
        rho=float(np.corrcoef(np.arange(k), _ranks(values))[0, 1]) if is_ordered else None,
        spread=float(values.std()),
    )


def _ranks(values: FloatArray) -> FloatArray:
    """Ranks from 0, those of equal values their mean."""
    below = (values[:, None] > values).sum(axis=1)
    found: FloatArray = below + ((values[:, None] == values).sum(axis=1) - 1) / 2.0
    return found
