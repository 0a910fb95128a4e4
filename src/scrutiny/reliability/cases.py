"""A claim with the numbers that it rests on and their limits, before it is judged."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from scrutiny.core.claim import Claim, Component, Limits, Spoken
from scrutiny.reliability.estimate import Estimated
from scrutiny.reliability.families import is_fixed
from scrutiny.stats.interval import Direction, Interval

#: Where limits lie: beyond what a comparison asks for, on the other side of it, or across.
Place = Literal["beyond", "below", "undecided"]


class Part(NamedTuple):
    """A comparison with its number, and the limits of it that hold for its whole family."""

    component: Component
    found: Estimated
    limits: Limits | None

    def place(self, spoken: Spoken) -> Place:
        """Where the limits lie; "undecided" where there are none."""
        ends = None if self.limits is None else self.limits.of(spoken)
        return "undecided" if ends is None else place_of(self.component, ends)

    @property
    def widest(self) -> Place:
        """Where the widest limits lie that there are."""
        return "undecided" if self.limits is None else place_of(self.component, self.limits.widest)


@dataclass(frozen=True, slots=True)
class ClaimCase:
    """A claim with what is known about it before it is judged.

    Parameters
    ----------
    claim
        The claim.
    parts
        Its components with their estimates; those that were not computed are left out.
    stop
        Verdict that a gate has reached already, with its reason; or nothing.
    """

    claim: Claim
    parts: tuple[Part, ...]
    stop: tuple[str, str] | None

    @property
    def deciding(self) -> tuple[Part, ...]:
        """Comparisons that the verdict rests on: of a risk, the first alone."""
        return deciding(self.claim, self.parts)


def deciding(claim: Claim, parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Comparisons that a verdict rests on: of a risk, the first alone.

    What a risk is held against takes nothing from it, be it there or not.
    """
    if claim.risk is None:
        return parts
    return tuple(part for part in parts if part.component == claim.components[0])


def is_of_recipe(part: Part) -> bool:
    """Whether a number speaks of the recipe: three replicates or more, drawn."""
    return part.found.estimate.n_replicates >= 3 and not is_fixed(part.found.estimate)


def is_on_one_unit(found: Estimated) -> bool:
    """Whether there was one unit to resample, or one in every stratum: none to compare it with.

    Its interval, if it has any, is over replicates on this one unit.
    """
    return found.resampled is not None and found.resampled.degrees < 1


def place_of(component: Component, ends: tuple[float, float]) -> Place:
    """Where limits lie from what a comparison asks for."""
    above, under = ends[0] > component.limit, ends[1] < component.limit
    if component.operator.startswith("<"):
        above, under = under, above
    return "beyond" if above else "below" if under else "undecided"


def outcome_of(places: Sequence[Place]) -> Place:
    """What comparisons say together: all must lie beyond, one on the other side denies it."""
    if "below" in places:
        return "below"
    return "beyond" if set(places) == {"beyond"} else "undecided"


def p_value(component: Component, interval: Interval | None, *, reverse: bool = False) -> float:
    """One-sided p that a component lies beyond its limit, or on the other side of it.

    A component without a value is no evidence either way.
    """
    if interval is None:
        return 1.0
    up = component.operator.startswith(">") != reverse
    direction: Direction = "greater" if up else "less"
    return interval.p_value(component.limit, direction=direction)
