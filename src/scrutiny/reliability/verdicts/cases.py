"""Claim cases: a claim with its numbers and their limits, before the verdict."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from scrutiny.core.claim import Claim, Component, Limits, Spoken, Touched
from scrutiny.reliability.estimate import Estimated
from scrutiny.stats.intervals.interval import Direction, Interval

#: Position of limits relative to a threshold: beyond it, on the other side, or across.
Place = Literal["beyond", "below", "undecided"]


#: Part of a share's range that says nothing of the share.
_EVERYTHING: Final = 0.98
#: Distance from the bound of a share that is printed as none.
_PRINTED: Final = 0.0005


class Part(NamedTuple):
    """Comparison with its number, and the limits of the number that hold for its family."""

    component: Component
    found: Estimated
    limits: Limits | None

    def place(self, spoken: Spoken) -> Place:
        """Position of the limits in a scope; "undecided" without limits."""
        ends = None if self.limits is None else self.limits.of(spoken)
        return "undecided" if ends is None else self._place(ends)

    @property
    def widest(self) -> Place:
        """Position of the widest available limits."""
        return "undecided" if self.limits is None else self._place(self.limits.widest)

    def _place(self, ends: tuple[float, float]) -> Place:
        """Position of limits; those of a share never reach its bound, and so don't clear it."""
        scale, limit = self.found.scale, self.component.limit
        if scale.is_bounded and limit in (scale.low, scale.high):
            near = min(abs(end - limit) for end in ends) / (scale.high - scale.low)
            is_everything = ends[1] - ends[0] >= _EVERYTHING * (scale.high - scale.low)
            if is_everything or near < _PRINTED:
                return "undecided"
        return place_of(self.component, ends)


@dataclass(frozen=True, slots=True)
class ClaimCase:
    """Claim with everything known about it before the verdict.

    Parameters
    ----------
    claim
        The claim.
    parts
        Its components with their estimates; those that were not computed are left out.
    stop
        Verdict that a gate has set, with its reason; or None.
    touched
        On how many of the items a change or attack had anything to do; None of other claims.
    """

    claim: Claim
    parts: tuple[Part, ...]
    stop: tuple[str, str] | None
    touched: Touched | None = None

    @property
    def deciding(self) -> tuple[Part, ...]:
        """Comparisons that decide: for a risk, the first alone."""
        return deciding(self.claim, self.parts)


def deciding(claim: Claim, parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Comparisons that decide a claim: for a risk, the first alone.

    What a risk is held against takes nothing from it, be it there or not.
    """
    if claim.risk is None:
        return parts
    return tuple(part for part in parts if part.component == claim.components[0])


def is_of_recipe(part: Part) -> bool:
    """Whether a number has limits for the recipe: three or more drawn replicates."""
    return part.found.estimate.n_replicates >= 3 and not part.found.estimate.is_fixed


def is_on_one_unit(found: Estimated) -> bool:
    """Whether a case of a verdict has a single unit of resampling, overall or in every stratum.

    Its interval, if it has any, is over replicates on this one unit.
    """
    return found.resampled is not None and found.resampled.degrees < 1


def place_of(component: Component, ends: tuple[float, float]) -> Place:
    """Position of limits relative to a component's limit."""
    above, under = ends[0] > component.limit, ends[1] < component.limit
    if component.operator.startswith("<"):
        above, under = under, above
    return "beyond" if above else "below" if under else "undecided"


def outcome_of(places: Sequence[Place]) -> Place:
    """Outcome of several comparisons: all beyond supports, one on the other side denies."""
    if "below" in places:
        return "below"
    return "beyond" if set(places) == {"beyond"} else "undecided"


def p_value(component: Component, interval: Interval | None, *, reverse: bool = False) -> float:
    """One-sided p-value that a component lies beyond its limit, or on the other side of it.

    A component without a value is no evidence either way.
    """
    if interval is None:
        return 1.0
    up = component.operator.startswith(">") != reverse
    direction: Direction = "greater" if up else "less"
    return interval.p_value(component.limit, direction=direction)
