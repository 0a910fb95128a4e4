"""Tests of a paired change: of the change itself, and of a slice against the rest."""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from scrutiny.stats.resampling.weights import Units
from scrutiny.stats.significance.mcnemar import mcnemar

DRAWS = 20_000
_MOST_SIZES = 64  # different sizes of change that are drawn size by size
_NOTHING = 1e-12


def exact_p(change: NDArray[np.float64], units: Units, *, rng: np.random.Generator) -> float:
    """Two-sided p of no change, by flipping the signs of the units' changes.

    Where all changes are of one size (two single models) it is McNemar's mid-p; else signs are
    drawn; with changes of very many sizes the normal approximation stands for the draws.

    Parameters
    ----------
    change
        ``(item,)`` second minus first, a mean over replicates.
    units
        What flips together.
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
    sizes, code = np.unique(np.round(np.abs(moved), 9), return_inverse=True)
    if sizes.size == 1:
        gained = int((moved > 0).sum())
        return mcnemar(gained, moved.size - gained).p_value
    total = float(np.abs(moved.sum()))
    if sizes.size > _MOST_SIZES:
        return float(2.0 * scipy.special.ndtr(-total / np.sqrt((moved**2).sum())))
    counts = np.bincount(code, minlength=sizes.size)
    ups = rng.binomial(counts, 0.5, size=(DRAWS, sizes.size))
    drawn = np.abs((2.0 * ups - counts) @ sizes)
    return float((1 + np.count_nonzero(drawn >= total - 1e-9)) / (1 + DRAWS))


@dataclass(frozen=True, slots=True)
class Gap:
    """A mean change with its standard error, its degrees of freedom and how large one can be.

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
        """Two-sided p of no change."""
        return 2.0 * self.p_below(0.0) if self.value < 0 else 2.0 * self._tail(-self.value)

    def p_below(self, limit: float) -> float:
        """One-sided p that shows, if small, that the change lies below a limit."""
        return self._tail(self.value - limit)

    def limits(self, level: float) -> tuple[float, float]:
        """Interval at a level, cut where no change can lie."""
        tail = 0.5 + level / 2.0
        t = scipy.special.ndtri(tail) if np.isinf(self.df) else scipy.special.stdtrit(self.df, tail)
        half = float(t) * self.error
        return max(self.value - half, -self.most), min(self.value + half, self.most)

    def _tail(self, distance: float) -> float:
        t = distance / self.error
        return float(
            scipy.special.ndtr(t) if np.isinf(self.df) else scipy.special.stdtr(self.df, t)
        )


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """Two sides of a comparison.

    Parameters
    ----------
    first, second
        ``(replicate, item)``.
    units
        ``(item,)`` code of what is resampled together.
    is_paired
        Whether replicate k of one belongs to replicate k of the other.
    """

    first: NDArray[np.float64]
    second: NDArray[np.float64]
    units: NDArray[np.int64]
    is_paired: bool = False

    @property
    def change(self) -> NDArray[np.float64]:
        """Change of each item ``(item,)``: second minus first, a mean over replicates."""
        found: NDArray[np.float64] = self.second.mean(axis=0) - self.first.mean(axis=0)
        return found


def change_of(values: Values, inside: NDArray[np.bool_]) -> Gap:
    """Mean change of some items, for new items and new replicates.

    The variance is that over items plus that over replicates, with Welch's and Satterthwaite's
    degrees of freedom; the former gets one change more than was seen, so that items of which none
    changed are not taken for ones that cannot.

    Examples
    --------
    >>> before, after = np.ones((1, 60)), np.ones((1, 60))
    >>> after[0, :9] = 0
    >>> whole = Values(before, after, np.arange(60))
    >>> round(change_of(whole, np.arange(60) < 60).value, 3)
    -0.15
    """
    return _gap(values, inside, None)


def beside_rest(values: Values, inside: NDArray[np.bool_]) -> Gap:
    """Mean change of some items minus that of the others."""
    return _gap(values, inside, ~inside)


def _gap(values: Values, inside: NDArray[np.bool_], outside: NDArray[np.bool_] | None) -> Gap:
    parts = [inside] if outside is None else [inside, outside]
    signs = (1.0, -1.0)
    items = sum(_variance(values, part) for part in parts)
    levels = [
        sum(sign * side[:, part].mean(axis=1) for sign, part in zip(signs, parts, strict=False))
        for side in (values.first, values.second)
    ]
    value = float(np.mean(levels[1]) - np.mean(levels[0]))
    if values.is_paired:
        levels = [levels[1] - levels[0]]
    seeds = [
        (np.var(g, ddof=1) / g.size, g.size - 1) for g in map(np.asarray, levels) if g.size > 1
    ]
    total = items + sum(v for v, _ in seeds)
    below = sum(v**2 / k for v, k in seeds)
    df = float(total**2 / below) if below > 0 else float("inf")
    return Gap(value, float(total**0.5), df)


def _variance(values: Values, part: NDArray[np.bool_]) -> float:
    """Variance of the mean change of some items, by unit."""
    change = values.change[part]
    by_unit = np.bincount(values.units[part], weights=change - change.mean())
    return float(((by_unit**2).sum() + 1.0) / change.size**2)
