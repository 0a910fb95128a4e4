"""Studies of families of rows, simulated item by item, with what is true of them.

Items flip between right and wrong more easily or less, the same ones for every seed of a row; seeds
add a loss of their own. What a study may be on top of it: items in units that flip together, a
change drawn several times, an F1 instead of a share, seeds that now and then fail.
"""

from dataclasses import dataclass, replace

import numpy as np
from former_rule import outcomes
from scipy.special import ndtri

from family_rows import family_rows
from scrutiny.stats.arrays import FloatArray
from scrutiny.stats.intervals.families import (
    FamilyLimits,
    FamilyRows,
    checkpoint_limits,
    floored,
    recipe_limits,
)
from scrutiny.stats.intervals.share_limits import apart_of
from scrutiny.stats.resampling.weights import Units
from scrutiny.stats.significance.combined_tests import intersection_union

RECALL = 0.85  # and precision, before any change
NEAR_NORMAL = 50  # degrees of freedom of items from which a t is a normal


@dataclass(frozen=True)
class Design:
    """How studies are made: shares of one, never points.

    ``loss`` is the recipe's, one for each row or for all. ``shared`` is the share of the seeds'
    variance that all rows have in common, ``likeness`` the correlation of two items of a unit,
    ``uneven`` the spread of the units' sizes (of their logarithm). A seed has a fat tail of
    ``tails`` degrees of freedom, or fails with the chance and the loss of ``fails``, in all rows.
    Where it ``is_skewed``, right answers break and wrong ones are mended on the same difficult
    items, so that a few difficult units hold most of a loss (of accuracy, or of an F1); else one
    end breaks, the other mends.
    """

    loss: float | tuple[float, ...] = 0.0
    rows: int = 15
    replicates: int = 3
    items: int = 872
    seed_sd: float | tuple[float, ...] = 0.005
    shared: float = 0.0
    churn: float | tuple[float, ...] = 0.05
    draws: int = 1
    units: int | None = None
    likeness: float = 0.6
    uneven: float = 0.8
    positives: float | None = None
    tails: float | None = None
    fails: tuple[float, float] = (0.0, 0.0)
    is_skewed: bool = False


@dataclass(frozen=True)
class Seen:
    """What a study saw: values ``(row, replicate)``, and what each item adds to their error.

    ``truth`` is the recipe's, ``here`` that of these checkpoints ``(row,)``.
    """

    values: FloatArray
    noise: FloatArray
    flips: FloatArray | None
    step: FloatArray
    sizes: FloatArray
    truth: FloatArray
    here: FloatArray

    def __sub__(self, other: "Seen") -> "Seen":
        return replace(
            self,
            values=self.values - other.values,
            noise=self.noise - other.noise,
            truth=self.truth - other.truth,
            here=self.here - other.here,
        )

    @property
    def parts(self) -> tuple[FloatArray, FloatArray]:
        """Variances of items, and of what each replicate has of them for itself ``(row,)``."""
        starts = np.cumsum(self.sizes).astype(int) - self.sizes.astype(int)
        unit = np.add.reduceat(self.noise, starts, axis=2)
        items, each = (unit.mean(axis=1) ** 2).sum(axis=1), (unit**2).sum(axis=2).mean(axis=1)
        replicates = self.values.shape[1]
        if replicates == 1:
            return items, np.zeros_like(items)
        return items, np.maximum(0.0, each - items) / (replicates - 1)

    def rows(self) -> FamilyRows:
        """The family, as the rule wants it."""
        items, interaction = self.parts
        crowding = Units.crowding_of(self.sizes)
        is_counted = self.flips is not None
        items = floored(items, self.step, crowding=crowding, is_counted=is_counted)
        units = self.sizes.sum() / crowding
        freedom, bias = (np.inf, 1.0) if units > NEAR_NORMAL else (units - 1, units / (units - 1))
        found = family_rows(
            self.values,
            items * bias,
            interaction * bias,
            1 / self.step,
            self.flips,
            item_freedom=freedom,
            crowding=crowding,
        )
        if is_counted:
            return found
        return replace(found, apart=np.array([apart_of(noise) for noise in self.noise]))


def study(rng: np.random.Generator, design: Design) -> Seen:
    """One study."""
    truth, lost = _losses(rng, design)
    sizes = _sizes(rng, design)
    if design.positives is None:
        values, noise, flips, step = _shares(rng, design, lost, sizes)
    else:
        values, noise, step = _f1(rng, design, lost, sizes)
        flips = None
    return Seen(values, noise, flips, step, sizes, truth, lost.mean(axis=1))


def _losses(rng, design):
    """Loss of the recipe ``(row,)``, and of each seed ``(row, replicate)``."""
    shape = design.rows, design.replicates
    truth = np.broadcast_to(design.loss, design.rows).astype(float)
    if design.replicates == 1:
        return truth, truth[:, None]
    common, own = (_deviations(rng, design.tails, size) for size in ((1, shape[1]), shape))
    seeds = design.shared**0.5 * common + (1 - design.shared) ** 0.5 * own
    chance, more = design.fails
    failed = more * (rng.random((1, shape[1])) < chance)
    sd = np.broadcast_to(design.seed_sd, design.rows)[:, None]
    return truth + chance * more, truth[:, None] + sd * seeds + failed


def _deviations(rng, tails, size):
    """Seeds' deviations of variance 1 (of scale 1/2 where a t has no variance)."""
    if tails is None:
        return rng.standard_normal(size)
    return rng.standard_t(tails, size) * (((tails - 2) / tails) ** 0.5 if tails > 2 else 0.5)


def _sizes(rng, design):
    """Items of each unit."""
    if design.units is None:
        return np.ones(design.items)
    weight = rng.lognormal(0.0, design.uneven, design.units)
    more = rng.multinomial(design.items - design.units, weight / weight.sum())
    return 1.0 + more


def _ease(rng, design, sizes):
    """How hard an item is for a seed and a draw, ``(row, replicate, draw, item)``: standard normal.

    Half of the variance is the item's (with draws: a quarter, and a quarter the draw's).
    """
    rows, replicates, draws, items = design.rows, design.replicates, design.draws, design.items

    def normal(*shape):
        return rng.standard_normal((rows, *shape), dtype=np.float32)

    own, luck = normal(1, 1, items), normal(replicates, 1, items)
    if draws > 1:
        own = (own + normal(1, draws, items)) / 2**0.5
        luck = (luck + normal(replicates, draws, items)) / 2**0.5
    at = (own + luck) / 2**0.5
    if design.units is None:
        return at
    together = np.repeat(normal(1, 1, sizes.size), sizes.astype(int), axis=-1)
    return (1 - design.likeness) ** 0.5 * at + design.likeness**0.5 * together


def _rates(lost, churn):
    """Shares of items that break and that mend, for a loss ``(row, replicate)``."""
    flipped = np.maximum(np.reshape(churn, (-1, 1)), np.abs(lost) + 0.002)
    return (flipped + lost) / 2, (flipped - lost) / 2


def _shares(rng, design, lost, sizes):
    """Loss of accuracy: values, noise, flips, step."""
    broken, mended = (share[..., None, None] for share in _rates(lost, design.churn))
    at = _ease(rng, design, sizes)
    if design.is_skewed:
        was_wrong = _ease(rng, replace(design, units=None), sizes) < ndtri(
            mended / (broken + mended)
        )
        each = (at < ndtri(broken + mended)) * np.where(was_wrong, -1.0, 1.0)
    else:
        each = (at < ndtri(broken)).astype(float) - (at > -ndtri(mended))
    change = each.mean(axis=2)
    values = change.mean(axis=2)
    noise = (change - values[..., None]) / design.items
    flips = [np.maximum(sign * change, 0).sum(axis=2).mean(axis=1) for sign in (1, -1)]
    return values, noise, np.stack(flips, axis=1), np.full(design.rows, 1 / design.items)


def _f1(rng, design, lost, sizes):
    """Loss of F1 of a class: values, noise (the F1's derivative), step.

    The loss is one of recall; false alarms come and go.
    """
    share = design.positives
    alarms = share * (1 - RECALL) / (1 - share)
    gold = rng.random(design.items) < share
    whole = RECALL * share + (1 - share) * alarms + share
    aimed = 2 * share * RECALL / whole - lost
    recall = aimed * (share + (1 - share) * alarms) / (share * (2 - aimed))
    broken, mended = (part[..., None] for part in _rates(RECALL - recall, design.churn))
    turned = 0.2 * alarms
    at, place = (_ease(rng, design, sizes)[:, :, 0] for _ in range(2))
    if design.is_skewed:
        loses, finds = _both_ways(rng, design, sizes, at=at, rates=(broken, mended))
        starts, stops = _both_ways(rng, design, sizes, at=at, rates=(turned, turned))
    else:
        loses, finds = at < ndtri(broken), at > -ndtri(mended)
        starts, stops = at < ndtri(turned), at > -ndtri(turned)
    right = loses | (~finds & (place < ndtri((RECALL - broken) / (1 - broken - mended))))
    wrong = stops | (~starts & (place < ndtri((alarms - turned) / (1 - 2 * turned))))
    before = np.where(gold, right, wrong)
    after = np.where(gold, finds | (before & ~loses), starts | (before & ~stops))
    (first, own, counted), (then, other, then_counted) = (_f1_of(p, gold) for p in (before, after))
    return first - then, own - other, 4 / (counted + then_counted).mean(axis=1)


def _both_ways(rng, design, sizes, *, at, rates):
    """Items that turn one way, and the other, at these rates: both on the difficult ones."""
    one, other = rates
    is_other = _ease(rng, replace(design, units=None), sizes)[:, :, 0] < ndtri(
        other / (one + other)
    )
    turns = at < ndtri(one + other)
    return turns & ~is_other, turns & is_other


def _f1_of(predicted, gold):
    """F1 ``(row, replicate)``, its derivative by items, and predicted and true ones together."""
    hits, counted = predicted & gold, predicted.astype(float) + gold
    whole = np.maximum(counted.sum(axis=2, keepdims=True), 1.0)
    value = 2 * hits.sum(axis=2, keepdims=True) / whole
    return value[..., 0], (2 * hits - value * counted) / whole, whole[..., 0]


def limits(seen: Seen) -> FamilyLimits:
    """Limits by the rule: for the recipe from three replicates on, or for these checkpoints."""
    found = seen.rows()
    return recipe_limits(found) if seen.values.shape[1] >= 3 else checkpoint_limits(found)


@dataclass(frozen=True)
class Rates:
    """Share of studies with any wrong limit on a side, half-widths, and what was found.

    ``hurts`` and ``holds`` are ``(row,)`` shares of studies; ``half`` is the median of half-widths.
    """

    false_hurts: float
    false_holds: float
    half: float
    hurts: FloatArray
    holds: FloatArray


def rates(design: Design, *, studies: int, seed: int = 0, tolerance=0.02, by=limits) -> Rates:
    """Error rates and power of a rule, ``Seen`` to limits, over studies."""
    rng = np.random.default_rng(seed)
    wrong, half, hurts, holds = [], [], [], []
    for _ in range(studies):
        seen = study(rng, design)
        truth = seen.truth if design.replicates >= 3 else seen.here
        found = by(seen)
        wrong.append([(found.low > truth).any(), (found.high < truth).any()])
        half.append(np.median(found.high - found.low) / 2)
        hurts.append((found.low > 0) & (found.high > tolerance))
        holds.append(found.high <= tolerance)
    low, high = np.mean(wrong, axis=0)
    return Rates(low, high, float(np.median(half)), np.mean(hurts, axis=0), np.mean(holds, axis=0))


def old_verdicts(rng, drop: Seen, control: Seen, *, margin: float, draws: int = 4000) -> list[str]:
    """Verdicts as they were: drop and excess beyond the margin, t(R - 1), p-values, Holm."""
    replicates = drop.values.shape[1]
    normal, t = rng.standard_normal(draws), rng.standard_t(max(1, replicates - 1), draws)

    def p_values(seen):
        items, _ = seen.parts
        items = floored(items, seen.step)
        seeds = seen.values.var(axis=1, ddof=1) / replicates if replicates > 1 else 0 * items
        drawn = items[:, None] ** 0.5 * normal + seeds[:, None] ** 0.5 * t
        drawn = seen.values.mean(axis=1)[:, None] + drawn
        wrong = drawn <= margin, drawn >= margin
        return [(1 + np.count_nonzero(each, axis=1)) / (1 + draws) for each in wrong]

    (plus, minus), (more, less) = p_values(drop), p_values(drop - control)
    pairs = zip(plus, more, minus, less, strict=True)
    return outcomes([intersection_union([a, b], [c, d]) for a, b, c, d in pairs])
