"""A claim with the estimates that it rests on, before it is judged."""

from dataclasses import dataclass

import numpy as np

from scrutiny.core.claim import Claim, Component
from scrutiny.reliability.estimate import Estimated
from scrutiny.stats.arrays import has_value
from scrutiny.stats.interval import Direction, Interval
from scrutiny.stats.significance.power import CrossedDesign, minimum_detectable_effect
from scrutiny.stats.significance.verdict import ClaimTest

Part = tuple[Component, Estimated]


@dataclass(frozen=True, slots=True)
class ClaimCase:
    """A claim with what is known about it before its family is judged.

    Parameters
    ----------
    claim
        The claim.
    parts
        Its components with their estimates; those that were not computed are left out.
    test
        Intersection-union test of its components.
    stop
        Verdict that a gate has reached already, with its reason; or nothing.
    """

    claim: Claim
    parts: tuple[Part, ...]
    test: ClaimTest
    stop: tuple[str, str] | None


def is_fixed(part: Estimated) -> bool:
    """Whether an estimate of several replicates speaks of these very checkpoints only."""
    return part.estimate.n_replicates > 1 and part.estimate.method.startswith("items")


def is_of_recipe(part: Estimated) -> bool:
    """Whether an estimate speaks of the recipe: three replicates or more, drawn."""
    return part.estimate.n_replicates >= 3 and not is_fixed(part)


def is_on_one_unit(part: Estimated) -> bool:
    """Whether there was one unit to resample, or one in every stratum: none to compare it with.

    Its interval, if it has any, is over replicates on this one unit.
    """
    return part.resampled is not None and part.resampled.degrees < 1


def p_value(component: Component, interval: Interval | None, *, reverse: bool = False) -> float:
    """One-sided p that a component lies beyond its limit, or on the other side of it.

    A component without a value is no evidence either way.
    """
    if interval is None:
        return 1.0
    up = component.operator.startswith(">") != reverse
    direction: Direction = "greater" if up else "less"
    return interval.p_value(component.limit, direction=direction)


def side_of(component: Component, interval: Interval | None) -> str:
    """Where an interval lies: "beyond" the limit, "below" it, or "undecided" across it."""
    if interval is None:
        return "undecided"
    above, under = interval.low > component.limit, interval.high < component.limit
    if component.operator.startswith("<"):
        above, under = under, above
    return "beyond" if above else "below" if under else "undecided"


def detectable_effect(case: ClaimCase, *, n_family: int) -> float | None:
    """Minimum detectable effect of the main component, at the family's first Holm step."""
    if not case.parts:
        return None
    part = case.parts[0][1]
    resampled = part.resampled
    if resampled is None or resampled.degrees < 1:
        return None
    draws = resampled.draws[has_value(resampled.draws)].mean(axis=1)
    replicates = 1 if is_fixed(part) else part.estimate.n_replicates
    design = CrossedDesign(
        replicates=replicates,
        items=resampled.n_units,
        seed_sd=_seed_sd(part, replicates),
        item_sd=max(
            float(draws.std(ddof=1)) * resampled.n_units**0.5,
            part.whole * resampled.n_units**-0.5,  # one flip
        ),
    )
    return minimum_detectable_effect(design, alpha=1 - case.claim.level, family=n_family)


def _seed_sd(part: Estimated, replicates: int) -> float:
    """Standard deviation over replicates; of two unpaired sides, what gives the same variance."""
    if replicates == 1 or part.resampled is None:
        return 0.0
    point = part.resampled.point
    if point.size > 1:
        return float(np.std(point, ddof=1))
    return float((part.estimate.variance.get("seeds", 0.0) * replicates) ** 0.5)
