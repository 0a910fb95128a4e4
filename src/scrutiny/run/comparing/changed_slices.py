"""Changed inputs between two runs: overall and by slice, with one correction for all tests.

A slice is said to have changed where three tests agree, with a correction for all slices (Holm):
its own level changed, by exchanging the sides of its items (exact, of these models) and by a t that
speaks for new items and new replicates; and it changed otherwise than the rest.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import scipy
from numpy.typing import NDArray

from scrutiny.core.arrays import Floats
from scrutiny.core.randomness import generator
from scrutiny.data.slices import Slice
from scrutiny.diagnostics.similarity.side_by_side.sides import Sides
from scrutiny.stats.resampling.weights import Units
from scrutiny.stats.significance.combined_tests import holm
from scrutiny.stats.significance.exact_tests import mcnemar
from scrutiny.stats.significance.permutation_tests import sign_flip_test

ALPHA: Final = 0.05
_NOTHING: Final = 1e-12
#: Slices, each with the mask ``(item,)`` of those that belong to it.
Sliced = Sequence[tuple[Slice, NDArray[np.bool_]]]


@dataclass(frozen=True, slots=True)
class LevelChange:
    """Change of the level of some items from the first run to the second.

    Parameters
    ----------
    name, says
        Of the slice ("negation", "with a negation"); "all" for all items.
    n, n_moved
        Items, and those of which some replicate's level differs.
    before, after
        Mean level of either run.
    low, high
        Interval of the change at the level that all slices together need (Bonferroni).
    elsewhere
        Change of the other items.
    p, p_holm
        Largest p of the tests, and corrected for all slices.
    p_beyond
        One-sided p of a loss beyond the margin, corrected likewise; None without a margin.
    """

    name: str
    says: str
    n: int
    n_moved: int
    before: float
    after: float
    low: float
    high: float
    elsewhere: float | None
    p: float
    p_holm: float = 1.0
    p_beyond: float | None = None

    @property
    def value(self) -> float:
        """Change: second minus first."""
        return self.after - self.before

    @property
    def is_shown(self) -> bool:
        """Whether it is significant after the correction for all slices, as its interval prints it.

        Holm's correction alone is less strict than the interval that is printed.
        """
        return self.p_holm < ALPHA and not self.low <= 0.0 <= self.high

    def loses(self, margin: float, sign: int) -> bool:
        """Whether a loss beyond the margin is shown, and is all that the interval leaves open."""
        is_beyond = self.high < -margin if sign > 0 else self.low > margin
        return self.p_beyond is not None and self.p_beyond < ALPHA / 2.0 and is_beyond


def changes(
    sides: Sides, slices: Sliced, *, margin: float | None = None, family: int = 0
) -> list[LevelChange]:
    """Change of all items, then of every slice, with one correction over all.

    Parameters
    ----------
    sides
        The two runs.
    slices
        Slices with the items that belong to each.
    margin
        Largest tolerable loss, or None.
    family
        Number of tests elsewhere in the same family (other datasets).

    Returns
    -------
    list
        In the order given, all items first.
    """
    everything = Slice("all", "of all"), np.ones(len(sides.examples), dtype=np.bool_)
    parts = [everything, *slices]
    count = len(parts) + family
    tested = [_tested(sides, *part, margin=margin, family=count) for part in parts]
    adjusted = _holm([change.p for change, _ in tested], count)
    losses = _holm([loss for _, loss in tested], count)
    return [
        replace(change, p_holm=p, p_beyond=None if margin is None else loss)
        for (change, _), p, loss in zip(tested, adjusted, losses, strict=True)
    ]


def _holm(p_values: Sequence[float], count: int) -> list[float]:
    """Holm's p-values in a larger family whose other members have p = 1."""
    return [float(p) for p in holm([*p_values, *[1.0] * (count - len(p_values))])][: len(p_values)]


def _tested(
    sides: Sides, one: Slice, inside: NDArray[np.bool_], *, margin: float | None, family: int
) -> tuple[LevelChange, float]:
    """Change of some items, and the p-value of a loss beyond the margin."""
    part, outside = sides.part(np.flatnonzero(inside)), sides.change[~inside]
    most = 1.0 if sides.is_hit or sides.is_share else float("inf")
    gap = replace(change_of(sides, inside), most=most)
    p, exact = gap.p_value(), 1.0
    if p < ALPHA:  # what no correction can make significant is not tested further
        rng = generator(sides.seed, "compare", name="signs", item=one.name)
        exact = exact_p(part.change, part.units, rng=rng)
    rest = beside_rest(sides, inside).p_value() if outside.size else 0.0
    low, high = gap.limits(1.0 - ALPHA / family)
    change = LevelChange(
        name=one.name,
        says=one.says,
        n=part.first.shape[1],
        n_moved=int((np.abs(part.change) > _NOTHING).sum()),
        before=float(part.first.mean()),
        after=float(part.second.mean()),
        low=low,
        high=high,
        elsewhere=float(outside.mean()) if outside.size else None,
        p=min(1.0, max(p, rest, exact)),
    )
    gain = replace(gap, value=sides.sign * gap.value)
    is_loss = margin is not None and gain.value < -margin
    return change, max(gain.p_below(-(margin or 0.0)), exact / 2.0) if is_loss else 1.0


def shown(found: Sequence[LevelChange]) -> list[LevelChange]:
    """Slices with a significant change, clearest first: by p, then by number of changed items."""
    return sorted(
        (one for one in found if one.is_shown and one.name != "all"),
        key=lambda one: (one.p_holm, -one.n_moved),
    )


def independent(
    sides: Sides, slices: Sliced, ranked: Sequence[LevelChange]
) -> Iterator[tuple[LevelChange, str]]:
    """Slices with a significant change, each with the clearer one that explains it, or "".

    A slice goes back to another where nothing is shown of it on the items that the other leaves.
    """
    members = {one.name: inside for one, inside in slices}
    leading: list[LevelChange] = []
    for change in ranked:
        own = members[change.name]
        causes = (one.name for one in leading if _goes_back(sides, own, change, members[one.name]))
        cause = next(causes, "")
        if not cause:
            leading.append(change)
        yield change, cause


def _goes_back(
    sides: Sides, own: NDArray[np.bool_], change: LevelChange, clearer: NDArray[np.bool_]
) -> bool:
    """Whether a slice shows no change on the items outside of a clearer one."""
    rows = np.flatnonzero(~clearer)
    inside = own[rows]
    if not inside.any() or inside.all():
        return True
    rest = sides.part(rows)
    gaps = change_of(rest, inside), beside_rest(rest, inside)
    return not all(g.p_value() < ALPHA and g.value * change.value > 0 for g in gaps)


DRAWS = 20_000
_MOST_UNITS = 1000  # that moved and whose signs are drawn


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
