"""Comparisons that are planned: what a baseline, or stated numbers, say of designs to come."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from scrutiny.core.errors import PlanError
from scrutiny.core.randomness import generator
from scrutiny.run.comparing.certificate import SUPPOSED, rule_of
from scrutiny.run.comparing.comparison_results import CompareOptions
from scrutiny.run.comparing.many_comparisons import ComparisonRule
from scrutiny.run.comparing.paired_levels import PairedLevel, read_levels
from scrutiny.run.comparing.planned_power import MOST_ITEMS, DesignPower, power_of
from scrutiny.run.comparing.whole_comparison import slices_of
from scrutiny.stats.resampling.seed_spread import SeedSpread
from scrutiny.stats.resampling.unchanged import UnchangedSystem
from scrutiny.store.run_folder import RunFolder

_REPEATS: Final = (1, 3, 5, 10)
_TIMES: Final = (0.5, 1.0, 2.0, 4.0, 8.0)
_MOST_TIMES: Final = 12.0  # the texts at hand, for one design
_USUAL: Final = 1000  # items, where no data are given
_SLICES: Final = 20  # that are looked at, where no data are given


@dataclass(frozen=True, slots=True)
class PlannedLevel:
    """Designs of a comparison of one score.

    Parameters
    ----------
    dataset, metric
        Of the baseline; empty where its numbers were stated.
    level, noise
        Its score, and the share of items that flip from one run to the next.
    is_known
        Whether that was seen or stated, and not supposed.
    items, repeats
        What the baseline has.
    designs
        From the fewest items on.
    """

    dataset: str
    metric: str
    level: float
    noise: float
    is_known: bool
    items: int
    repeats: int
    designs: tuple[DesignPower, ...]

    def texts(self, design: DesignPower) -> int:
        """Texts that are still to be asked of both sides for a design."""
        kept = min(self.items, design.items) * min(self.repeats, design.repeats)
        return 2 * design.texts - kept


def plan_from_baseline(
    folder: RunFolder, options: CompareOptions, *, noise: float | None = None
) -> Iterator[PlannedLevel]:
    """Designs for each judged score of a baseline.

    Parameters
    ----------
    folder
        The baseline's run.
    options
        How it will be compared; its margin, its slices, and a second run of it.
    noise
        Stated share of items that flip; that of its replicates or second run unless given.

    Raises
    ------
    PlanError
        If the run has no score of single items.
    """
    levels = list(read_levels(folder, folder, options))
    hits = [one for one in levels if one.sides.is_hit] or levels
    if not hits:
        raise PlanError(
            f"{folder.path} has no accuracy or mean score of single items, so that no comparison "
            "can be planned from it. State its numbers: --accuracy 0.85 --noise 0.1."
        )
    for read in hits:
        yield _planned(read, options, noise, n_levels=len(levels))


def _planned(
    read: PairedLevel, options: CompareOptions, stated: float | None, *, n_levels: int
) -> PlannedLevel:
    sides, seen = read.sides, read.noise.share
    known = next((one for one in (stated, seen) if one is not None), None)
    noise = SUPPOSED if known is None else known
    slices = slices_of(sides, options)
    family = (n_levels - 1) * (1 + len(slices))
    rule = rule_of(sides, slices, margin=options.margin or 0.0, family=family)
    of = UnchangedSystem.of_hits if sides.is_hit else UnchangedSystem.of_scores
    system = of(sides.first, noise=noise, spread=SeedSpread.of([sides.first]))
    rng = generator(sides.seed, "compare", name="plan", item=read.dataset)
    repeats = len(sides.first)
    return PlannedLevel(
        dataset=read.dataset,
        metric=read.pair[0].metric,
        level=system.level,
        noise=noise,
        is_known=known is not None,
        items=system.n_items,
        repeats=repeats,
        designs=tuple(power_of(system, rule, _designs(system, repeats), rng=rng)),
    )


def plan_from_numbers(
    accuracy: float, *, margin: float, noise: float | None, items: int | None = None, seed: int = 0
) -> PlannedLevel:
    """Designs for a baseline of which nothing but numbers is known.

    Parameters
    ----------
    accuracy, noise
        Its accuracy, and the share of items that flip from one run to the next (0.05 unless
        stated).
    margin
        Largest loss that does not matter.
    items
        About how many there are to be.
    seed
        Of the draws.
    """
    own = SUPPOSED if noise is None else noise
    n = items or _USUAL
    system = UnchangedSystem.planned(accuracy, noise=own, items=n)
    rule = ComparisonRule(np.ones((1, n), dtype=np.bool_), np.arange(n), 1 + _SLICES, margin)
    rng = generator(seed, "compare", name="plan", item="")
    designs = tuple(power_of(system, rule, _designs(system, 1), rng=rng))
    return PlannedLevel("", "accuracy@1", accuracy, own, noise is not None, 0, 0, designs)


def _designs(system: UnchangedSystem, repeats: int) -> list[tuple[int, int]]:
    """Items and repeats around those at hand; without noise a repeat tells nothing more."""
    n = system.n_items
    is_exact = system.noise == 0.0 and system.spread.variance == 0.0
    many = [repeats] if is_exact else sorted({repeats, *_REPEATS})
    items = [round(times * n) for times in _TIMES]
    return [
        (k, r)
        for k in items
        for r in many
        if 0 < k <= max(n, MOST_ITEMS) and k * r <= _MOST_TIMES * n * repeats
    ]
