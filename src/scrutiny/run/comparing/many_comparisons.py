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
from scrutiny.stats.intervals.components import FEW_FLIPS, item_degrees
from scrutiny.stats.intervals.families import FamilyRows, checkpoint_limits, floored, tail_of
from scrutiny.stats.intervals.seed_error import critical_distance
from scrutiny.stats.intervals.simultaneous import FEWEST_SEEDS

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
        inside = self.inside
        size, n = inside.sum(axis=1), inside.shape[1]
        change = _mean(second) - _mean(first)  # (pair, item)
        noise, rest_noise = self._variances(change, inside)
        outside = np.maximum(n - size, 1)
        if first.shape[1] == second.shape[1] == 1:  # one change takes the place of two levels
            first, second = np.zeros((*first.shape[:2], 1)), change[:, None]
        sums = [side @ inside.T if side.shape[2] > 1 else side for side in (first, second)]
        levels = [one / size for one in sums]  # (pair, replicate, part)
        beside = [
            level - (side.sum(axis=2, keepdims=True) - one) / outside
            for level, one, side in zip(levels, sums, (first, second), strict=True)
        ]
        gap, beside_gap = self._gap(levels, noise), self._gap(beside, noise + rest_noise)
        p = gap.p_value()
        # hits over replicates change by multiples of this, and sums by two of them
        step = 1.0 / np.lcm(first.shape[1], second.shape[1]) if self.is_hit else 0.0
        exact = self._exact(change, step, p < ALPHA)
        rest = np.where(size < n, beside_gap.p_value(), 0.0)
        low, high = gap.limits(1.0 - ALPHA / self.family, self.most)
        is_loss = self.sign * gap.value < -self.margin
        below = np.maximum(_tail(self.sign * gap.value + self.margin, gap), exact / 2.0)
        holm = [
            _holm(one, self.family)
            for one in (
                np.clip(np.maximum(np.maximum(p, rest), exact), 0.0, 1.0),
                np.where(is_loss, below, 1.0),
            )
        ]
        return TestedParts(gap.value, low, high, *holm)

    def _gap(self, levels: Sequence[Floats], noise: Floats) -> "Gaps":
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

    def _variances(self, change: Floats, inside: Floats) -> tuple[Floats, Floats]:
        """Variances of mean changes ``(pair, part)``, of the parts and of what they leave.

        They are clustered by unit, with one change more than was seen.
        """
        size = inside.sum(axis=1)
        rest = change.shape[1] - size
        within = change @ inside.T
        beyond = change.sum(axis=1)[:, None] - within
        if self.is_apart:
            squares = change**2
            all_squares, own = squares.sum(axis=1)[:, None], squares @ inside.T
            both = own - within**2 / size, all_squares - own - beyond**2 / np.maximum(rest, 1.0)
        else:
            both = (
                self._clustered(change, inside, within / size),
                self._clustered(change, 1.0 - inside, beyond / np.maximum(rest, 1.0)),
            )
        first, second = ((np.maximum(one, 0.0) + 1.0) for one in both)
        return first / size**2, np.where(rest > 0, second / np.maximum(rest, 1.0) ** 2, 0.0)

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
            found[rows, k] = np.where(is_alike, _mid_p(gained, count), wide)
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
        change = _mean(second) - _mean(first)
        n, tail = change.shape[1], tail_of(self.n_rows, self.level)
        units = change if self.is_apart else self._by_unit(change)
        freedom = item_degrees(units.shape[1], 1) if units.shape[1] > 1 else 1.0
        mean = change.mean(axis=1)
        apart = units - mean[:, None] * self.sizes
        noise = (apart**2).sum(axis=1) / n**2
        short = units.shape[1] / freedom if np.isfinite(freedom) else 1.0
        fewest = min(first.shape[1], second.shape[1])
        low, high = self._of_family(first, second, noise * short, freedom, tail)
        if not self.is_paired and fewest == 1:
            low, high = self._of_draws(first, second, noise * short, freedom, tail)
        elif fewest >= FEWEST_SEEDS:
            of_recipe = self._of_recipe if self.is_paired else self._of_draws
            wide = of_recipe(first, second, noise * short, freedom, tail)
            if self.is_paired:  # at least as wide as of these checkpoints
                wide = np.minimum(wide[0], low), np.maximum(wide[1], high)
            # a difference that is shown of these checkpoints alone is printed with their limits
            is_here = ((low > 0.0) | (high < 0.0)) & (wide[0] <= 0.0) & (wide[1] >= 0.0)
            low, high = np.where(is_here, low, wide[0]), np.where(is_here, high, wide[1])
        return np.maximum(low, -self.most), np.minimum(high, self.most)

    def _of_draws(
        self, first: Floats, second: Floats, noise: Floats, freedom: float, tail: float
    ) -> tuple[Floats, Floats]:
        """Limits from item error and one t a side, as an unpaired contrast draws them."""
        change = _mean(second) - _mean(first)
        mean, n = change.mean(axis=1), change.shape[1]
        step = 1.0 / self.sizes.size
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
        self, first: Floats, second: Floats, noise: Floats, freedom: float, tail: float
    ) -> tuple[Floats, Floats]:
        """Limits of a family's row for these checkpoints."""
        apart = second - first if first.shape == second.shape else None
        step = np.full(len(noise), 1.0 / first.shape[2])
        flips = np.full((len(noise), 2), np.nan)
        if self.is_hit:
            noise = floored(noise, step, is_counted=apart is not None)
        if self.is_hit and apart is not None:
            flips = np.stack([(apart > 0).sum(axis=2), (apart < 0).sum(axis=2)], axis=-1).mean(1)
        mean = (second.mean(axis=1) - first.mean(axis=1)).mean(axis=1)
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


@dataclass(frozen=True, slots=True, eq=False)
class Gaps:
    """Mean changes ``(pair, part)`` with their standard errors and degrees of freedom."""

    value: Floats
    error: Floats
    freedom: Floats

    def p_value(self) -> Floats:
        """Two-sided p-values of no change."""
        return 2.0 * _tail(-np.abs(self.value), self)

    def limits(self, level: float, most: float) -> tuple[Floats, Floats]:
        """Intervals at a level, cut at the range of changes."""
        tail = 0.5 + level / 2.0
        finite = np.isfinite(self.freedom)
        t = np.where(
            finite,
            scipy.special.stdtrit(np.where(finite, self.freedom, 1.0), tail),
            scipy.special.ndtri(tail),
        )
        half = t * self.error
        return np.maximum(self.value - half, -most), np.minimum(self.value + half, most)


def _mean(side: Floats) -> Floats:
    """Mean over replicates ``(pair, item)``."""
    return side[:, 0] if side.shape[1] == 1 else np.asarray(side.mean(axis=1))


def _tail(distance: Floats, gap: Gaps) -> Floats:
    """Probability of a value so far below."""
    t = distance / gap.error
    finite = np.isfinite(gap.freedom)
    of_t = scipy.special.stdtr(np.where(finite, gap.freedom, 1.0), t)
    return np.asarray(np.where(finite, of_t, scipy.special.ndtr(t)))


def _holm(p: Floats, count: int) -> Floats:
    """Holm's p-values ``(pair, part)`` in a family whose other members have p = 1."""
    order = np.argsort(p, axis=1, kind="stable")
    times = count - np.arange(p.shape[1])
    stepped = np.maximum.accumulate(np.take_along_axis(p, order, axis=1) * times, axis=1)
    found = np.empty_like(p)
    np.put_along_axis(found, order, np.minimum(stepped, 1.0), axis=1)
    return found


def _mid_p(gained: NDArray[np.intp], count: NDArray[np.intp]) -> Floats:
    """McNemar's two-sided mid-p of so many gained among so many changed; 1 without any."""
    at = scipy.special.bdtr(gained.astype(np.float64), count, 0.5)
    fewer = np.maximum(gained - 1.0, 0.0)
    before = np.where(gained > 0, scipy.special.bdtr(fewer, count, 0.5), 0.0)
    half = (at - before) / 2.0
    lower, upper = at - half, 1.0 - before - half
    return np.where(count > 0, np.minimum(1.0, 2.0 * np.minimum(lower, upper)), 1.0)
