"""Reasons in words: what decided a claim, what a risk costs, what would decide an open one."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from scrutiny.core.boundary.printable import hundred
from scrutiny.core.claim import Component, Risk, State
from scrutiny.core.estimate import Estimate, Limits, Spoken
from scrutiny.reliability.verdicts.limits import ClaimPart, Place, costs
from scrutiny.reliability.verdicts.prerequisites import bounds, costing, figures
from scrutiny.reliability.verdicts.risks import is_beyond_tolerance
from scrutiny.stats.intervals.rows import MOST_ITEMS
from scrutiny.stats.intervals.simultaneous import FEWEST_SEEDS

#: Times the items at hand up to which their variance says how many it takes.
_MOST_FORESEEN: Final = MOST_ITEMS**2


def why(part: ClaimPart, spoken: Spoken, state: State, risk: Risk) -> str:
    """Reason in one sentence: the cost relative to the tolerance, or what would decide."""
    limits, ends, value = part.limits, part.ends(spoken), part.found.estimate.value
    if limits is None or ends is None or value is None:
        return "there is no value"
    said = in_words(part.component, (value, *ends), risk, state)
    tolerable = f"the {hundred(risk.tolerance, 0)} that are tolerable"
    if state == "holds":
        return f"{said}: within {tolerable}"
    if state == "can't tell":
        found = part.found.estimate
        return (
            f"{said}: {risk.settled_by or _needed(limits, found.n_units, found.n_replicates, risk)}"
        )
    if is_beyond_tolerance(part.component, ends, risk):
        return f"{said}: more than {tolerable}"
    if costs(part.component, ends)[1] <= risk.tolerance:  # it hurts those that it touched
        return f"{said}: within {tolerable} over all texts"
    least = f"the {hundred(risk.negligible)} that count for none" * (risk.negligible > 0)
    return f"{said}: more than {least or 'nothing'}, and maybe more than {tolerable}"


def other_scope(part: ClaimPart, spoken: Spoken) -> str:
    """Limits of a risk in the scope that does not decide, in words, if there are two scopes."""
    limits = part.limits
    if limits is None or limits.recipe is None:
        return ""
    if spoken == "recipe":
        return f"of these models alone {_bracketed(part.component, limits.checkpoints)}"
    return f"of the recipe {_bracketed(part.component, limits.recipe)}, so undecided there"


def _bracketed(component: Component, ends: tuple[float, float]) -> str:
    """Limits of a cost in points, in brackets."""
    least, most = costs(component, ends)
    return f"[{hundred(least)}, {hundred(most)}]"


class Ways(NamedTuple):
    """Ways to decide on a cost as large as the tolerance: more items or seeds.

    Parameters
    ----------
    items, seeds
        So many more of them; 0 where no number within reach would.
    is_near
        Whether there are items enough, and the cost lies too near the tolerance.
    needed
        About how many items it takes in all, where that is many times as many; 0 where so few
        items don't tell how many it takes.
    at_hand
        Items and seeds that there are.
    """

    items: int = 0
    seeds: int = 0
    is_near: bool = False
    needed: int = 0
    at_hand: tuple[int, int] = (0, 1)

    @property
    def is_far(self) -> bool:
        """Whether it takes many times as many items as there are."""
        return not (self.items or self.seeds or self.is_near) and self.needed > 0

    @property
    def is_few(self) -> bool:
        """Whether there are too few items to say how many it takes."""
        return not (self.items or self.seeds or self.is_near or self.needed)

    def says(self) -> str:
        """The ways as a sentence."""
        if self.is_few:
            items, _ = self.at_hand
            return f"{items:,} item{'s are' if items != 1 else ' is'} too few to say more"
        if self.is_near:
            return "so many items decide most costs: this one lies near the tolerance"
        ways = [f"{rough(self.items)} more items"] if self.items else []
        ways += [f"{self.seeds} more seed{'s' * (self.seeds > 1)}"] if self.seeds else []
        if not ways:
            return f"needs {self.far()}"
        return f"about {' or '.join(ways)} would decide"

    def far(self) -> str:
        """Number of items that are needed, where it is many times what there is."""
        items, seeds = self.at_hand
        if seeds < FEWEST_SEEDS:
            return f"about {rough(self.needed)} items; you have {items:,}"
        return f"about {rough(self.needed)} items and more seeds; you have {items:,} and {seeds}"

    def short(self) -> str:
        """The ways in a few words: "~1,900 more items", "near the tolerance"."""
        if self.is_few:
            return "too few to say more"
        if self.is_near:
            return "near the tolerance"
        seeds = f"{self.seeds} seed{'s' * (self.seeds > 1)}"
        if self.items and self.seeds:
            return f"~{rough(self.items)} items / {seeds}"
        if self.seeds:
            return f"~{seeds} more"
        more = f"~{rough(self.items)} more items"
        return more if self.items else f"needs ~{rough(self.needed)} items"


def _needed(limits: Limits, n_items: int, n_seeds: int, risk: Risk) -> str:
    """Sentence: what would decide the risk, on a cost as large as the tolerance.

    Examples
    --------
    >>> told = Limits((-0.01, 0.04), (-0.02, 0.05), 15, 0.03, items_needed=2745, seeds_needed=5)
    >>> _needed(told, 872, 3, Risk("typos", 0.02, "costs {} points"))
    'about 1,900 more items or 2 more seeds would decide'
    """
    return ways_to_tell(limits, n_items, n_seeds, risk).says()


def ways_to_tell(limits: Limits, n_items: int, n_seeds: int, risk: Risk) -> Ways:
    """More items or seeds that would decide on a cost as large as the tolerance.

    Parameters
    ----------
    limits
        What was planned for.
    n_items, n_seeds
        How many there are.
    risk
        What is tolerable.

    Examples
    --------
    >>> told = Limits((-0.01, 0.04), (-0.02, 0.05), 15, 0.03, items_needed=2745, seeds_needed=5)
    >>> ways_to_tell(told, 872, 3, Risk("typos", 0.02, "costs {} points")).short()
    '~1,900 items / 2 seeds'
    >>> few = Limits((-0.2, 0.2), None, 15, 0.11)
    >>> ways_to_tell(few, 40, 1, Risk("typos", 0.02, "costs {} points")).says()
    'needs about 1,200 items; you have 40'

    What two items vary by says nothing of how many it takes:

    >>> ways_to_tell(Limits((-1.0, 1.0), None, 1, 1.006), 2, 1, Risk("negation", 0.05, "")).says()
    '2 items are too few to say more'
    """
    items = 0 if limits.items_needed is None else limits.items_needed - n_items
    seeds = 0 if limits.seeds_needed is None else limits.seeds_needed - n_seeds
    is_near = limits.items_needed is not None and items <= 0
    # limits shrink with the root of the number of items
    times = (limits.detectable / max(risk.tolerance, 1e-3)) ** 2
    most = max(round(n_items * times), MOST_ITEMS * n_items)
    most = most if most <= _MOST_FORESEEN * n_items else 0
    return Ways(max(0, items), max(0, seeds), is_near, most, (n_items, n_seeds))


def rough(count: int) -> str:
    """Count that a risk speaks of, rounded to two digits.

    Examples
    --------
    >>> rough(1873), rough(7), rough(430)
    ('1,900', '7', '430')
    """
    digits = max(0, len(str(count)) - 2)
    return f"{round(count, -digits):,}"


def in_words(
    component: Component, found: tuple[float, float, float], risk: Risk, state: str
) -> str:
    """Cost in words: "costs 4.0 points [1.3, 6.7]", "costs at most 0.6 points".

    Parameters
    ----------
    component
        Where no effect lies.
    found
        Value, low and high.
    risk
        What it costs, in words.
    state
        What is found of it: what holds is told by its upper limit, what cannot be told by both.

    Examples
    --------
    >>> drop, risk = Component("drop", 0.0), Risk("typos", 0.02, "costs {} points")
    >>> in_words(drop, (0.04, 0.013, 0.067), risk, "hurts")
    'costs 4.0 points [1.3, 6.7]'
    >>> in_words(drop, (0.04, 0.0, 0.08), risk, "can't tell")
    'costs between 0.0 and 8.0 points'
    """
    value, low, high = found
    cost = costs(component, (value, value))[0], *costs(component, (low, high))
    return costing(risk, figures(cost, "holds" if risk.settled_by else state))


def few_in_words(found: Estimate, risk: Risk) -> str:
    """Share of so few items that only their count says anything: "0 of 2 fail".

    Of a number that is no share of items, the limits are said as ever.
    """
    if not is_count(found, risk):
        low, high = found.low or 0.0, found.high or 0.0
        return risk.costs.format(f"between {hundred(low)} and {hundred(high)}")
    bare = risk.costs.replace("{} % of ", "{} ").replace("{} %", "{}")
    count = round((found.value or 0.0) * found.divided_by)
    return bare.format(f"{count:,} of {round(found.divided_by):,}")


def is_count(found: Estimate, risk: Risk) -> bool:
    """Whether a number is a share of items that can be counted: not so a mean over models."""
    count = (found.value or 0.0) * found.divided_by
    return "{} %" in risk.costs and found.value is not None and abs(count - round(count)) <= 1e-6


def could_be_shown(part: ClaimPart) -> str:
    """What could have been shown: a distance beyond the limit that the number can have."""
    effect = detectable_effect(part)
    if effect is None:
        return f"{part.found.estimate.n_units:,} items could have shown none beyond it"
    return f"{effect:.3f} beyond it could have been shown"


def detectable_effect(part: ClaimPart) -> float | None:
    """Distance from the limit that 80 % of studies show; None where no number lies so far off."""
    if part.limits is None:
        return None
    scale, component = part.found.scale, part.component
    is_up = component.operator.startswith(">")
    room = scale.high - component.limit if is_up else component.limit - scale.low
    effect = part.limits.detectable
    return None if round(effect, 3) >= round(room, 3) else effect


def telling_part(parts: Sequence[ClaimPart], outcome: Place, spoken: Spoken) -> ClaimPart:
    """Comparison that decided: the clearest denial, else the one with the smallest clearance."""
    if outcome == "below":
        return min(parts, key=lambda part: _clearance(part, spoken))
    open_ones = [part for part in parts if part.place(spoken) != "beyond"] or parts
    return min(open_ones, key=lambda part: _clearance(part, spoken))


def _clearance(part: ClaimPart, spoken: Spoken) -> float:
    """Distance of a value beyond its limit, in half-widths; lowest without a value."""
    ends, value = part.ends(spoken), part.found.estimate.value
    if not ends or value is None:
        return float("-inf")
    off, _ = costs(part.component, (value, value))
    return off / max((ends[1] - ends[0]) / 2.0, 1e-12)


def bounds_in(part: ClaimPart, spoken: Spoken) -> str:
    """Value with its limits, in words for a reason."""
    return bounds(part.found.estimate.within(part.ends(spoken)))


def limits_at_once(part: ClaimPart) -> str:
    """Note that the limits hold simultaneously for a family."""
    count = part.limits.n_rows if part.limits else 1
    return f" (limits that hold for {count:,} numbers at once)" if count > 1 else ""
