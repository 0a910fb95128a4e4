"""Paired tests: of a change, and of a slice against the rest."""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from scrutiny.core.arrays import Floats
from scrutiny.diagnostics.similarity.side_by_side.sides import Sides
from scrutiny.stats.resampling.weights import Units
from scrutiny.stats.significance.mcnemar import mcnemar
from scrutiny.stats.significance.permutation import sign_flip_test

DRAWS = 20_000
_MOST_UNITS = 1000  # that moved and whose signs are drawn
_NOTHING = 1e-12


def exact_p(change: NDArray[np.float64], units: Units, *, rng: np.random.Generator) -> float:
    """Two-sided p-value of no change, by flipping the signs of the units' changes.

    Where all changes are of one size (two single models) it is McNemar's mid-p; else signs are
    drawn; where very many units moved the normal approximation stands for the draws.

    Parameters
    ----------
    change
        ``(item,)`` second minus first, a mean over replicates.
    units
        Unit of resampling of each item.
    rng
        Source of the signs.

    Examples
    --------
    >>> lost = np.array([-1.0] * 9 + [1.0] + [0.0] * 40)
    >>> round(exact_p(lost, Units.of(50), rng=np.random.default_rng(0)), 4)
    0.0117
    """
    by_unit = np.bincount(units.code, weights=change, minlength=units.n_units)
    moved = by_unit[np.abs(by_unit) > _NOTHING]
    if moved.size == 0:
        return 1.0
    if np.unique(np.round(np.abs(moved), 9)).size == 1:
        gained = int((moved > 0).sum())
        return mcnemar(gained, moved.size - gained).p_value
    if moved.size > _MOST_UNITS:
        total = float(np.abs(moved.sum()))
        return float(2.0 * scipy.special.ndtr(-total / np.sqrt((moved**2).sum())))
    return sign_flip_test(moved, rng=rng, permutations=DRAWS).p_value


@dataclass(frozen=True, slots=True)
class Gap:
    """Mean change with its standard error, degrees of freedom and range.

    Examples
    --------
    >>> gap = Gap(-0.2, 0.05, float("inf"))
    >>> round(gap.p_value(), 5), [round(x, 2) for x in gap.limits(0.95)]
    (6e-05, [-0.3, -0.1])
    """

    value: float
    error: float
    df: float
    most: float = float("inf")

    def p_value(self) -> float:
        """Two-sided p-value of no change."""
        return 2.0 * self._tail(-abs(self.value))

    def p_below(self, limit: float) -> float:
        """One-sided p-value; small if the change lies below the limit."""
        return self._tail(self.value - limit)

    def limits(self, level: float) -> tuple[float, float]:
        """Interval at a level, cut at the range of changes."""
        tail = 0.5 + level / 2.0
        t = scipy.special.ndtri(tail) if np.isinf(self.df) else scipy.special.stdtrit(self.df, tail)
        half = float(t) * self.error
        return max(self.value - half, -self.most), min(self.value + half, self.most)

    def _tail(self, distance: float) -> float:
        t = distance / self.error
        return float(
            scipy.special.ndtr(t) if np.isinf(self.df) else scipy.special.stdtr(self.df, t)
        )


def change_of(sides: Sides, inside: NDArray[np.bool_]) -> Gap:
    """Mean change of some items, for new items and new replicates.

    The variance is that over items plus that over replicates, with Welch's and Satterthwaite's
    degrees of freedom; the former gets one change more than was seen, so that items of which none
    changed are not taken for ones that cannot.
    """
    return _gap(sides, [(1.0, inside)])


def beside_rest(sides: Sides, inside: NDArray[np.bool_]) -> Gap:
    """Mean change of some items minus that of the others."""
    return _gap(sides, [(1.0, inside), (-1.0, ~inside)])


def _gap(sides: Sides, parts: list[tuple[float, NDArray[np.bool_]]]) -> Gap:
    """Signed sum of the mean changes of parts of the items."""
    change, code = sides.change, sides.units.code
    total = sum(_variance(change[part], code[part]) for _, part in parts)
    levels = [
        np.asarray(sum(sign * side[:, part].mean(axis=1) for sign, part in parts))
        for side in (sides.first, sides.second)
    ]
    value = float(levels[1].mean() - levels[0].mean())
    if sides.is_paired:
        levels = [levels[1] - levels[0]]
    seeds = [(np.var(g, ddof=1) / g.size, g.size - 1) for g in levels if g.size > 1]
    total += sum(v for v, _ in seeds)
    below = sum(v**2 / k for v, k in seeds)
    df = float(total**2 / below) if below > 0 else float("inf")
    return Gap(value, float(total**0.5), df)


def _variance(change: Floats, units: NDArray[np.int64]) -> float:
    """Variance of a mean change, clustered by unit."""
    by_unit = np.bincount(units, weights=change - change.mean())
    return float(((by_unit**2).sum() + 1.0) / change.size**2)
