"""Designs of a comparison before it is run: items and repeats, and the chance that they decide."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from scrutiny.core.randomness import generator
from scrutiny.diagnostics.similarity.side_by_side.sides import Noise, Sides
from scrutiny.run.comparing.certificate import POWER, flips_between, rates
from scrutiny.run.comparing.many_comparisons import ComparisonRule
from scrutiny.stats.resampling.seed_spread import SeedSpread
from scrutiny.stats.resampling.unchanged import UnchangedSystem

#: Most items and repeats that are looked at.
MOST_ITEMS: Final = 20_000
REPEATS: Final = (2, 3, 4, 5, 6, 8, 10, 15, 20)
_PAIRS: Final = 200
_CELLS: Final = 2_500_000
_FEWEST: Final = 60
_TIMES: Final = (0.6, 0.8, 1.0, 1.25, 1.6, 2.0, 2.7, 4.0)
_NORMAL: Final = 1.96
_MOSTLY: Final = 1.5  # times the noise floor: flips that are little else than noise


@dataclass(frozen=True, slots=True)
class DesignPower:
    """Chances of one design.

    Parameters
    ----------
    items, repeats
        Its size; repeats of either side.
    same
        Chance that no regression is shown to be there, if nothing has changed.
    found
        Chance of a regression, if the loss is twice the margin.
    alarms
        Chance of a regression if nothing has changed.
    """

    items: int
    repeats: int
    same: float
    found: float
    alarms: float

    @property
    def texts(self) -> int:
        """Texts that the second side is asked."""
        return self.items * self.repeats


@dataclass(frozen=True, slots=True)
class DecidingSize:
    """What would decide an undecided comparison, if nothing has changed.

    Parameters
    ----------
    items, repeats
        The fewest items with the repeats at hand, and the fewest repeats of both with these items,
        with which 80 of 100 comparisons show that no loss as large as the margin is there; None
        where twenty thousand items, or twenty repeats, do not suffice.
    flips
        Share of the items that differ between the two runs.
    """

    items: int | None
    repeats: int | None
    flips: float


def power_of(
    system: UnchangedSystem,
    rule: ComparisonRule,
    designs: Sequence[tuple[int, int]],
    *,
    rng: np.random.Generator,
) -> Iterator[DesignPower]:
    """Power of each design ``(items, repeats)``, by simulation of the rule.

    Parameters
    ----------
    system
        From which pairs are drawn; its items stand for others of their kind.
    rule
        What decides, on the system's items.
    designs
        Numbers of items and of repeats.
    rng
        Source of the draws.
    """
    for items, repeats in designs:
        rows, counts = _rows(system.n_items, items, rng), (repeats, repeats)
        own, of_these = system.of_items(rows), rule.of_items(rows)
        pairs = _pairs(items * 2 * repeats)
        worse, same = rates(own, of_these, counts, rng=rng, pairs=pairs)
        found, _ = rates(own, of_these, counts, rng=rng, pairs=pairs, loss=2.0 * rule.margin)
        yield DesignPower(items, repeats, same / pairs, found / pairs, worse / pairs)


def needed(sides: Sides, rule: ComparisonRule, noise: Noise) -> DecidingSize | None:
    """What would decide: items or repeats; None where nothing does, as without a margin.

    The two runs differ on some items; which way is what the comparison asks about, so pairs are
    drawn that differ on as many by chance.

    Parameters
    ----------
    sides, rule
        The comparison.
    noise
        Of the first model against itself: repeats are of use where flips are noise.
    """
    if rule.margin <= 0.0:
        return None
    flips = flips_between(sides)
    spread = SeedSpread.of([sides.first, sides.second], is_paired=sides.is_paired)
    counts = len(sides.first), len(sides.second)
    of = UnchangedSystem.of_hits if sides.is_hit else UnchangedSystem.of_scores
    if sides.is_hit and max(counts) > 1 and noise.share is not None and noise.share < flips:
        # what is no noise comes again in every replicate, and more of them do not average it out
        system = of(sides.first, noise=noise.share, spread=spread).changed_in(flips)
    else:
        system = of(sides.first, noise=min(flips, 0.5), spread=spread)
    whole = replace(rule, members=rule.members[:1], code=np.arange(system.n_items))
    rng = generator(sides.seed, "compare", name="needed", item=sides.dataset)
    is_noise = noise.share is not None and 0.0 < flips <= _MOSTLY * noise.share
    return DecidingSize(
        _items(system, whole, counts, rng),
        _repeats(system, whole, min(counts), rng) if is_noise else None,
        flips,
    )


def _items(
    system: UnchangedSystem, rule: ComparisonRule, counts: tuple[int, int], rng: np.random.Generator
) -> int | None:
    """Fewest items, near to what the width of an interval says."""
    ((one, other), *_) = system.pairs(rng, 20, counts)
    low, high = rule.limits(one, other)
    error = float(np.median(high - low)) / 2.0 / _NORMAL
    guess = system.n_items * ((_NORMAL + 0.84) * error / rule.margin) ** 2
    for times in _TIMES:
        items = _rounded(times * guess)
        if items > MOST_ITEMS:
            return None
        if items > system.n_items and _decides(system, rule, items, counts, rng):
            return items
    return None


def _repeats(
    system: UnchangedSystem, rule: ComparisonRule, least: int, rng: np.random.Generator
) -> int | None:
    """Fewest repeats of both sides."""
    many = (count for count in REPEATS if count > least)
    whole = replace(rule, is_paired=False)
    found = (k for k in many if _decides(system, whole, system.n_items, (k, k), rng))
    return next(found, None)


def _decides(
    system: UnchangedSystem,
    rule: ComparisonRule,
    items: int,
    counts: tuple[int, int],
    rng: np.random.Generator,
) -> bool:
    """Whether a design shows in 80 of 100 comparisons that nothing is lost, if nothing is."""
    rows = _rows(system.n_items, items, rng)
    pairs = _pairs(items * sum(counts))
    _, same = rates(system.of_items(rows), rule.of_items(rows), counts, rng=rng, pairs=pairs)
    return same >= POWER * pairs


def _rows(n: int, items: int, rng: np.random.Generator) -> np.ndarray:
    """Items of a design: each as often as any other, the rest by chance."""
    whole = np.tile(np.arange(n), items // n)
    return np.concatenate([whole, rng.permutation(n)[: items - whole.size]])


def _pairs(cells: int) -> int:
    return int(np.clip(_CELLS // max(cells, 1), _FEWEST, _PAIRS))


def _rounded(items: float) -> int:
    """Number of items, to two figures, upward."""
    size = 10 ** max(0, len(str(int(items))) - 2)
    return int(-(-items // size) * size)
