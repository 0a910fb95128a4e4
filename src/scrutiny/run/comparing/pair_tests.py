"""Tests of the parts of many pairs at once: t, Holm's correction, McNemar's mid-p."""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from scrutiny.core.arrays import Floats
from scrutiny.stats.significance.exact_tests import mcnemar_mid_p

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class PartSums:
    """Sums ``(pair, part)`` of the items' changes, and of their squares; all items come first."""

    change: Floats
    square: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Gaps:
    """Mean changes ``(pair, part)`` with their standard errors and degrees of freedom."""

    value: Floats
    error: Floats
    freedom: Floats

    def p_value(self) -> Floats:
        """Two-sided p-values of no change."""
        return 2.0 * tail_below(-np.abs(self.value), self)

    def limits(self, level: float, most: float) -> tuple[Floats, Floats]:
        """Intervals at a level, cut at the range of changes."""
        tail = 0.5 + level / 2.0
        finite = np.isfinite(self.freedom)
        t = scipy.special.ndtri(tail)
        if finite.any():
            of_t = scipy.special.stdtrit(np.where(finite, self.freedom, 1.0), tail)
            t = np.where(finite, of_t, t)
        half = t * self.error
        return np.maximum(self.value - half, -most), np.minimum(self.value + half, most)


def tail_below(distance: Floats, gap: Gaps) -> Floats:
    """Probability of a value so far below."""
    t = distance / gap.error
    finite = np.isfinite(gap.freedom)
    if not finite.any():
        return np.asarray(scipy.special.ndtr(t))
    of_t = scipy.special.stdtr(np.where(finite, gap.freedom, 1.0), t)
    return np.asarray(np.where(finite, of_t, scipy.special.ndtr(t)))


def holm_of_pairs(p: Floats, count: int) -> Floats:
    """Holm's p-values ``(pair, part)`` in a family whose other members have p = 1."""
    order = np.argsort(p, axis=1, kind="stable")
    times = count - np.arange(p.shape[1])
    stepped = np.maximum.accumulate(np.take_along_axis(p, order, axis=1) * times, axis=1)
    found = np.empty_like(p)
    np.put_along_axis(found, order, np.minimum(stepped, 1.0), axis=1)
    return found


def mid_p_where(asked: Bools, sums: PartSums) -> Floats:
    """McNemar's mid-p ``(pair, part)`` where it is asked for; 1 elsewhere."""
    found = np.ones(asked.shape)
    count = sums.square[asked].astype(np.intp)
    found[asked] = mcnemar_mid_p((count + sums.change[asked].astype(np.intp)) // 2, count)
    return found
