"""The worst of several: how far it lies below their mean, and how far chance alone puts it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import finite


@dataclass(frozen=True, slots=True)
class WorstOf:
    """The worst of several conditions beside its null.

    Parameters
    ----------
    place
        Index of the worst condition.
    below
        How far its mean lies below the mean of all, in units of the score.
    usual, most
        Median and 99 % point of the same, of conditions that are equal.
    p
        Share of such draws in which the worst lies as low.
    """

    place: int
    below: float
    usual: float
    most: float
    p: float

    @property
    def is_within_chance(self) -> bool:
        """Whether equal conditions have a worst one as low in more than 1 % of draws."""
        return self.below <= self.most + 1e-12


def worst_of_several(
    scores: ArrayLike, rng: np.random.Generator, *, draws: int = 4000
) -> WorstOf | None:
    """The worst of several conditions, with its null by resampling of items.

    The worst of k equal conditions lies below their mean by chance. The null: differences of each
    item from its own mean over conditions, centered to 0 in each condition; each draw weights items
    by Poisson counts of mean 1, and the lowest mean of each draw is kept. So what conditions have
    in common in an item, and how much each varies, stay as they are.

    Parameters
    ----------
    scores
        ``(item, condition)``, without gaps.
    rng
        Source of the draws.
    draws
        How many.

    Returns
    -------
    WorstOf
        None with fewer than two items or conditions.
    """
    if min(np.shape(scores)) < 2:
        return None
    values = finite(scores, "scores", ndim=2)
    n_items = len(values)
    apart = values - values.mean(axis=1, keepdims=True)
    means = apart.mean(axis=0)
    place = int(np.argmin(means))
    centered = (apart - means) * np.sqrt(n_items / (n_items - 1))
    lowest = np.concatenate(
        [
            (rng.poisson(1.0, (size, n_items)).astype(np.float64) @ centered).min(axis=1)
            for size in _sizes(draws, n_items)
        ]
    )
    null, below = -lowest / n_items, float(-means[place])
    usual, most = np.quantile(null, [0.5, 0.99])
    p = (1 + np.count_nonzero(null >= below - 1e-12)) / (draws + 1)
    return WorstOf(place, below, max(0.0, float(usual)), max(0.0, float(most)), float(p))


def _sizes(draws: int, n_items: int) -> list[int]:
    """Draws that are made at a time, some megabytes each."""
    most = max(1, 2_000_000 // n_items)
    whole, rest = divmod(draws, most)
    return [most] * whole + [rest] * (rest > 0)
