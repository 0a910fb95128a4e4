"""The rule of a comparison on many pairs of runs at once: levels, slices, corrections, outcome.

It is the rule of `scrutiny.run.comparing.changed_slices` and of the outcome, written for arrays of
pairs, so that it can be tried on thousands of simulated ones; tests hold both equal. Two things
are computed where the rule draws: the exact test of units that changed by different amounts is its
normal form, and limits come from variances instead of bootstrap draws.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
import scipy
from numpy.typing import NDArray

from scrutiny.core.arrays import Floats
from scrutiny.run.comparing.changed_slices import ALPHA
from scrutiny.run.comparing.pair_tests import (
    Gaps,
    PartSums,
    holm_of_pairs,
    mid_p_where,
    tail_below,
)
from scrutiny.stats.intervals.components import FEW_FLIPS, item_degrees
from scrutiny.stats.intervals.families import FamilyRows, checkpoint_limits, floored, tail_of
from scrutiny.stats.intervals.seed_error import critical_distance
from scrutiny.stats.intervals.simultaneous import FEWEST_SEEDS
from scrutiny.stats.significance.exact_tests import mcnemar_mid_p

_NOTHING: Final = 1e-12
_ALIKE: Final = 1e-9  # changes nearer than this are of one size
_DRAWS: Final = 2000  # of seed error
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class ComparisonRule:
    """What a comparison decides by, apart from the values.

    Parameters
    ----------
    members
        ``(part, item)`` who belongs to all items, and to each slice.
    code
        ``(item,)`` unit that an item is drawn with.
    family
        Number of tests corrected for: those of the parts, and those elsewhere.
    margin
        Largest tolerable loss.
    sign
        1 where more is better, -1 where less is.
    is_paired
        Whether replicate k of one belongs to replicate k of the other.
    is_hit
        Whether items are right or wrong.
    most
        Largest possible change.
    n_rows, level
        Of the limits of the whole.
    """

    members: Bools
    code: NDArray[np.int64]
    family: int
    margin: float
    sign: int = 1
    is_paired: bool = False
    is_hit: bool = True
    most: float = 1.0
    n_rows: int = 1
    level: float = 0.95

    @cached_property
    def sizes(self) -> Floats:
        """Items ``(unit,)`` of each unit."""
        return np.unique(self.code, return_counts=True)[1].astype(np.float64)

    @property
    def is_apart(self) -> bool:
        """Whether each item is a unit of its own."""
        return self.sizes.size == self.code.size

    @cached_property
    def inside(self) -> Floats:
        """``(part, item)`` 1 for members."""
        return self.members.astype(np.float64)

    @cached_property
    def _inside_short(self) -> NDArray[np.float32]:
        """``inside`` in single precision, in which whole numbers of this size are exact."""
        return self.members.astype(np.float32)

    def of_items(self, rows: NDArray[np.int64]) -> "ComparisonRule":
        """The rule on some items, each a unit of its own, as often as they are named."""
        members = self.members[:, rows]
        inside = members.sum(axis=1)
        is_part = (inside > 0) & (inside < rows.size)
        is_part[0] = True
        return replace(self, members=members[is_part], code=np.arange(rows.size))

    def regressions(self, first: Floats, second: Floats) -> Bools:
        """Pairs ``(pair,)`` whose second run is called worse.

        Parameters
        ----------
        first, second
            ``(pair, replicate, item)`` of either run.
        """
        found = self.tested(first, second)
        is_beyond = found.high < -self.margin if self.sign > 0 else found.low > self.margin
        loses = is_beyond & (found.p_beyond < ALPHA / 2.0)
        is_shown = (found.p_holm < ALPHA) & ~((found.low <= 0.0) & (found.high >= 0.0))
        is_shown[:, 0] = True  # all items together need no change beside the rest
        return np.asarray((loses & is_shown).any(axis=1))

    def tested(self, first: Floats, second: Floats) -> "TestedParts":
        """Tests of every part of every pair, with one correction over the parts of a pair."""
        size = self.members.sum(axis=1)
        n = self.code.size
        change = _mean(second) - _mean(first)  # (pair, item)
        sums = self._summed(change)
        noise, rest_noise = self._variances(change, sums)
        if first.shape[1] == second.shape[1] == 1:  # one change takes the place of two levels
            each = [np.zeros((len(change), 1, 1)), sums.change[:, None]]
            whole = [np.zeros((len(change), 1, 1)), sums.change[:, None, :1]]
        else:
            each = [side @ self.inside.T for side in (first, second)]
            whole = [side.sum(axis=2, keepdims=True) for side in (first, second)]
        levels = [one / size for one in each]  # (pair, replicate, part)
        outside = np.maximum(n - size, 1)
        beside = [
            level - (all_items - one) / outside
            for level, one, all_items in zip(levels, each, whole, strict=True)
        ]
        gap, beside_gap = self._gap(levels, noise), self._gap(beside, noise + rest_noise)
        p = gap.p_value()
        if self._is_counted(first, second):
            exact = mid_p_where(p < ALPHA, sums)
        else:
            # hits over replicates change by multiples of this, and sums by two of them
            step = 1.0 / np.lcm(first.shape[1], second.shape[1]) if self.is_hit else 0.0
            exact = self._exact(change, step, p < ALPHA)
        rest = np.where(size < n, beside_gap.p_value(), 0.0)
        low, high = gap.limits(1.0 - ALPHA / self.family, self.most)
        is_loss = self.sign * gap.value < -self.margin
        below = np.maximum(tail_below(self.sign * gap.value + self.margin, gap), exact / 2.0)
        holm = [
            holm_of_pairs(one, self.family)
            for one in (
                np.clip(np.maximum(np.maximum(p, rest), exact), 0.0, 1.0),
                np.where(is_loss, below, 1.0),
            )
        ]
        return TestedParts(gap.value, low, high, *holm)

    def _is_counted(self, first: Floats, second: Floats) -> bool:
        """Whether all that decides are counts of gained and lost items."""
        return self.is_hit and self.is_apart and first.shape[1] == second.shape[1] == 1

    def _summed(self, change: Floats) -> PartSums:
        """Sums of the changes of each part, and of their squares."""
        inside = self._inside_short if change.dtype == np.float32 else self.inside
        found = (np.asarray(one @ inside.T, dtype=np.float64) for one in (change, change**2))
        return PartSums(*found)

    def _gap(self, levels: Sequence[Floats], noise: Floats) -> Gaps:
        """Mean changes ``(pair, part)`` with their errors and degrees of freedom."""
        value = levels[1].mean(axis=1) - levels[0].mean(axis=1)
        if self.is_paired:
            levels = [levels[1] - levels[0]]
        total, below = noise, np.zeros(noise.shape)
        for level in levels:
            count = level.shape[1]
            if count > 1:
                seeds = level.var(axis=1, ddof=1) / count
                total = total + seeds
                below = below + seeds**2 / (count - 1)
        freedom = np.divide(total**2, below, out=np.full(noise.shape, np.inf), where=below > 0)
        return Gaps(value, np.sqrt(total), freedom)

    def _variances(self, change: Floats, sums: PartSums) -> tuple[Floats, Floats]:
        """Variances of mean changes ``(pair, part)``, of the parts and of what they leave.

        They are clustered by unit, with one change more than was seen.
        """
        size = self.members.sum(axis=1)
        rest = np.maximum(self.code.size - size, 1)
        beyond = sums.change[:, :1] - sums.change
        if self.is_apart:
            others = sums.square[:, :1] - sums.square
            both = sums.square - sums.change**2 / size, others - beyond**2 / rest
        else:
            both = (
                self._clustered(change, self.inside, sums.change / size),
                self._clustered(change, 1.0 - self.inside, beyond / rest),
            )
        first, second = ((np.maximum(one, 0.0) + 1.0) for one in both)
        return first / size**2, np.where(size < self.code.size, second / rest**2, 0.0)

    def _clustered(self, change: Floats, inside: Floats, mean: Floats) -> Floats:
        """Sums of squares ``(pair, part)`` of the units' deviations."""
        parts = (
            (self._by_unit((change - mean[:, [k]]) * one) ** 2).sum(axis=1)
            for k, one in enumerate(inside)
        )
        return np.stack([*parts], axis=1)

    def _by_unit(self, change: Floats) -> Floats:
        """Sums ``(pair, unit)`` over the items of each unit."""
        order = np.argsort(self.code, kind="stable")
        starts = np.flatnonzero(np.diff(self.code[order], prepend=-1))
        return np.asarray(np.add.reduceat(change[:, order], starts, axis=1))

    def _exact(self, change: Floats, step: float, asked: Bools) -> Floats:
        """P-values ``(pair, part)`` of exchanging the sides of the units that changed.

        1 where the part's own change is not significant, which no correction can make so.
        """
        found = np.ones(asked.shape)
        for k, inside in enumerate(self.members):
            rows = np.flatnonzero(asked[:, k])
            if not rows.size:
                continue
            own = change[rows]
            by_unit = own[:, inside] if self.is_apart else self._by_unit(own * inside)
            size = np.abs(by_unit)
            moved = size > _NOTHING
            largest = size.max(axis=1)
            is_alike = ~(moved & (np.abs(size - largest[:, None]) > _ALIKE)).any(axis=1)
            gained, count = (by_unit > _NOTHING).sum(axis=1), moved.sum(axis=1)
            total = np.maximum(np.abs(by_unit.sum(axis=1)) - step, 0.0)
            z = total / np.sqrt(np.maximum((by_unit**2).sum(axis=1), _NOTHING))
            wide = 2.0 * scipy.special.ndtr(-z)
            found[rows, k] = np.where(is_alike, mcnemar_mid_p(gained, count), wide)
        return found

    def outcomes(self, first: Floats, second: Floats) -> tuple[Bools, Bools]:
        """Pairs ``(pair,)`` with a regression, and those in which none is shown to be there."""
        worse = self.regressions(first, second)
        low, high = self.limits(first, second)
        loss = -low if self.sign > 0 else high
        return worse, ~worse & (loss < self.margin)

    def limits(self, first: Floats, second: Floats) -> tuple[Floats, Floats]:
        """Limits ``(pair,)`` of the change of all items, second minus first, as tables print them.

        Each method of the printed interval has its own: those of a family where replicates are
        paired or there is one, else those of its draws.
        """
        tail = tail_of(self.n_rows, self.level)
        fewest = min(first.shape[1], second.shape[1])
        freedom = item_degrees(self.sizes.size, 1) if self.sizes.size > 1 else 1.0
        noise = self._item_noise(_mean(second) - _mean(first))
        if np.isfinite(freedom):
            noise = noise * self.sizes.size / freedom
        if not self.is_paired and fewest == 1:
            low, high = self._of_draws(first, second, noise, freedom, tail)
            return np.maximum(low, -self.most), np.minimum(high, self.most)
        low, high = self._of_family(first, second, noise, freedom)
        if fewest >= FEWEST_SEEDS:
            of_recipe = self._of_recipe if self.is_paired else self._of_draws
            wide = of_recipe(first, second, noise, freedom, tail)
            if self.is_paired:  # at least as wide as of these checkpoints
                wide = np.minimum(wide[0], low), np.maximum(wide[1], high)
            # a difference that is shown of these checkpoints alone is printed with their limits
            is_here = ((low > 0.0) | (high < 0.0)) & (wide[0] <= 0.0) & (wide[1] >= 0.0)
            low, high = np.where(is_here, low, wide[0]), np.where(is_here, high, wide[1])
        return np.maximum(low, -self.most), np.minimum(high, self.most)

    def _item_noise(self, change: Floats) -> Floats:
        """Variances ``(pair,)`` of the mean change from drawing units."""
        n = change.shape[1]
        if self.is_apart:
            total, square = _total(change), _total(change**2)
            return np.asarray(np.maximum(0.0, square - total**2 / n) / n**2)
        apart = self._by_unit(change) - (_total(change) / n)[:, None] * self.sizes
        return np.asarray((apart**2).sum(axis=1) / n**2)

    def _of_draws(
        self, first: Floats, second: Floats, noise: Floats, freedom: float, tail: float
    ) -> tuple[Floats, Floats]:
        """Limits from item error and one t a side, as an unpaired contrast draws them."""
        change = _mean(second) - _mean(first)
        n = change.shape[1]
        mean, step = _total(change) / n, 1.0 / self.sizes.size
        is_few = noise < FEW_FLIPS * step**2
        still = noise <= _NOTHING * step**2
        noise = np.where(still | (is_few & self.is_hit), noise + step**2, noise)
        seeds, own = [], np.zeros(len(mean))
        for side in (first, second):
            count = side.shape[1]
            if count > 1:
                seeds.append((side.mean(axis=2).var(axis=1, ddof=1) / count, count - 1))
                each = side.var(axis=2).mean(axis=1) / n
                both = side.mean(axis=1).var(axis=1) / n
                own += np.maximum(0.0, (each - both) / (count - 1))
        if not seeds:
            times = -float(
                scipy.special.ndtri(tail)
                if np.isinf(freedom)
                else scipy.special.stdtrit(freedom, tail)
            )
            reach = times * np.sqrt(noise)
            return mean - reach, mean + reach
        rng = np.random.default_rng(0)
        drawn = np.sqrt(np.maximum(0.0, noise - own))[:, None] * rng.standard_normal(_DRAWS)
        for variance, degrees in seeds:
            drawn = drawn + np.sqrt(variance)[:, None] * rng.standard_t(degrees, size=_DRAWS)
        low, high = np.quantile(drawn, [tail, 1.0 - tail], axis=1)
        return mean + low, mean + high

    def _of_family(
        self, first: Floats, second: Floats, noise: Floats, freedom: float
    ) -> tuple[Floats, Floats]:
        """Limits of a family's row for these checkpoints."""
        apart = second - first if first.shape == second.shape else None
        step = np.full(len(noise), 1.0 / first.shape[2])
        flips = np.full((len(noise), 2), np.nan)
        if self.is_hit:
            noise = floored(noise, step, is_counted=apart is not None)
        if self.is_hit and apart is not None:
            flips = np.stack([(apart > 0).sum(axis=2), (apart < 0).sum(axis=2)], axis=-1).mean(1)
        mean = _total(_mean(second) - _mean(first)) / first.shape[2]
        found = checkpoint_limits(
            FamilyRows(mean[:, None], noise, np.zeros(len(noise)), step, flips, freedom),
            level=self.level,
            n_rows=self.n_rows,
        )
        return found.low, found.high

    def _of_recipe(
        self, first: Floats, second: Floats, noise: Floats, freedom: float, tail: float
    ) -> tuple[Floats, Floats]:
        """Limits of a family's row of paired replicates, for other seeds, too."""
        apart, (count, n) = second - first, first.shape[1:]
        each = apart.var(axis=2).mean(axis=1) / n
        own = np.maximum(0.0, (each - noise) / (count - 1))
        items = np.maximum(0.0, floored(noise, 1.0 / n) - own if self.is_hit else noise - own)
        seeds = apart.mean(axis=2).var(axis=1, ddof=1) / count
        reach = critical_distance(items, seeds, count - 1, tail=tail, item_freedom=freedom)
        mean = apart.mean(axis=(1, 2))
        return mean - reach, mean + reach


@dataclass(frozen=True, slots=True, eq=False)
class TestedParts:
    """Tests of the parts of many pairs, ``(pair, part)`` each: as `LevelChange` has them."""

    __test__ = False  # no test of pytest's

    value: Floats
    low: Floats
    high: Floats
    p_holm: Floats
    p_beyond: Floats


def _mean(side: Floats) -> Floats:
    """Mean over replicates ``(pair, item)``."""
    return side[:, 0] if side.shape[1] == 1 else np.asarray(side.mean(axis=1))


def _total(values: Floats) -> Floats:
    """Sums over items ``(pair,)``, in double precision."""
    return np.asarray(values.sum(axis=1, dtype=np.float64))
