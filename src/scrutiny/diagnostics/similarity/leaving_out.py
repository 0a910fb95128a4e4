"""Similarity of two representations, the influence of each item, and permuted items."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import scipy

from scrutiny.core.arrays import Floats, Integers
from scrutiny.stats.errors import StatisticsError

Similarity = Callable[[Floats, Floats], float]
_USUAL: Final = 0.975  # the tail of a 95 % interval


@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """A similarity with the influence of each item.

    Parameters
    ----------
    value
        Of all items.
    influence
        ``(item,)``, with mean 0: value plus influence are pseudo-values whose mean over resampled
        items varies as the likeness would over other items.
    exchanged
        Mean over exchanges of the items of one side; 0 without any.
    """

    value: float
    influence: Floats = field(repr=False)
    exchanged: float


@dataclass(frozen=True, slots=True, eq=False)
class LeavingOut:
    """Groups to leave out and items to permute: the same for every pair of models.

    Parameters
    ----------
    group
        ``(item,)`` group that an item is left out with, 0 to the number of groups less one.
    unit
        ``(item,)`` unit that is resampled as a whole; each lies in one group.
    orders
        Permutations ``(item,)`` of the items.
    """

    group: Integers
    unit: Integers
    orders: tuple[Integers, ...]


def left_out_groups(unit: Integers, groups: int, rng: np.random.Generator) -> Integers:
    """Group ``(item,)`` that a similarity leaves each item out with: whole units, similar sizes."""
    known, code = np.unique(unit, return_inverse=True)
    of_unit = rng.permutation(np.arange(known.size) % min(groups, known.size))
    return np.asarray(of_unit[code].astype(np.int64))


def likeness(X: Floats, Y: Floats, similarity: Similarity, scheme: LeavingOut) -> Likeness:
    """Similarity of two representations ``(item, feature)`` of the same items.

    Leaving a group g out gives ``s_g``. Its influence is ``(G - 1) (mean(s) - s_g)``, and every
    item of a group has its group's, scaled so that the mean over resampled units has the variance
    of the grouped jackknife, ``(G - 1) / G * sum((s_g - mean(s)) ** 2)``, and a 95 % interval the
    width that t with G - 1 degrees of freedom gives.

    Raises
    ------
    StatisticsError
        If the likeness does not exist, with or without one of the groups.

    **References**: Efron & Stein (1981), The jackknife estimate of variance; Shao & Tu (1995), The
    Jackknife and Bootstrap, chapters 2 and 3 (pseudo-values).
    """
    value = similarity(X, Y)
    groups = np.unique(scheme.group)
    if groups.size < 2:
        raise StatisticsError("there is one group of items, and nothing to leave out.")
    without = np.array([similarity(X[scheme.group != g], Y[scheme.group != g]) for g in groups])
    of_group = (groups.size - 1) * (without.mean() - without)
    by_item = of_group[np.searchsorted(groups, scheme.group)]
    influence = _scale(scheme.unit, groups.size) * (by_item - by_item.mean())
    by_chance = [similarity(X, Y[order]) for order in scheme.orders]
    exchanged = float(np.mean(by_chance)) if by_chance else 0.0
    if not np.isfinite([value, exchanged, *influence]).all():
        raise StatisticsError("the likeness is no number.")
    return Likeness(value, influence, exchanged)


def _scale(unit: Integers, groups: int) -> float:
    """Factor from a group's influence to that of an item, for resampling by units.

    A resampled mean of a group's influence has the variance ``sum(size ** 2) / n ** 2`` of it,
    where the jackknife has ``1 / G`` with a denominator of G - 1.
    """
    sizes = np.bincount(np.unique(unit, return_inverse=True)[1])
    share = float(np.square(sizes).sum()) / float(sizes.sum()) ** 2
    wider = float(scipy.special.stdtrit(groups - 1, _USUAL) / scipy.special.ndtri(_USUAL))
    return wider * float(np.sqrt(1.0 / (share * (groups - 1))))
