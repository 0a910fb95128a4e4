"""Claims with their numbers, and the limits of these: of a whole family, and with missing rows.

A number stands in the family in which the run planned it: the numbers that one measurement takes of
one model, on one dataset, by one metric. Whoever asks about one of them afterwards gets its limits
of that family.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Final, Literal, NamedTuple

import scipy

from scrutiny.core.claim import Claim, Component, Touched
from scrutiny.core.estimate import Limits, Spoken
from scrutiny.reliability.estimate import Estimated
from scrutiny.reliability.intervals import AS_PUBLISHED
from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.intervals.families import tail_of
from scrutiny.stats.intervals.interval import Direction, Interval
from scrutiny.stats.intervals.rows import FamilyRow, row_of
from scrutiny.stats.intervals.simultaneous import FEWEST_SEEDS, alone, simultaneous

#: Position of limits relative to a threshold: beyond it, on the other side, or across.
Place = Literal["beyond", "below", "undecided"]
#: Part of a share's range that says nothing of the share.
_EVERYTHING: Final = 0.98
#: Distance from the bound of a share that is printed as none.
_PRINTED: Final = 0.0005


class ClaimPart(NamedTuple):
    """Comparison with its number, and the limits of the number that hold for its family."""

    component: Component
    found: Estimated
    limits: Limits | None

    def ends(self, spoken: Spoken) -> tuple[float, float] | None:
        """Limits in a scope, else the widest there are; None without any."""
        return None if self.limits is None else self.limits.of(spoken) or self.limits.widest

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


def place_of(component: Component, ends: tuple[float, float]) -> Place:
    """Position of limits relative to a component's limit."""
    least, most = costs(component, ends)
    return "beyond" if least > 0.0 else "below" if most < 0.0 else "undecided"


def costs(component: Component, ends: tuple[float, float]) -> tuple[float, float]:
    """Limits as costs: distance beyond no effect, on the side of harm."""
    low, high = ends[0] - component.limit, ends[1] - component.limit
    return (low, high) if component.operator.startswith(">") else (-high, -low)


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
    parts: tuple[ClaimPart, ...]
    stop: tuple[str, str] | None
    touched: Touched | None = None

    @property
    def deciding(self) -> tuple[ClaimPart, ...]:
        """Comparisons that decide: for a risk, the first alone."""
        return deciding(self.claim, self.parts)


def deciding(claim: Claim, parts: tuple[ClaimPart, ...]) -> tuple[ClaimPart, ...]:
    """Comparisons that decide a claim: for a risk, the first alone.

    What a risk is held against takes nothing from it, be it there or not.
    """
    if claim.risk is None:
        return parts
    return tuple(part for part in parts if part.component == claim.components[0])


def is_of_recipe(part: ClaimPart) -> bool:
    """Whether a number has limits for the recipe: three or more drawn replicates."""
    return part.found.estimate.n_replicates >= 3 and not part.found.estimate.is_fixed


def is_on_one_unit(found: Estimated) -> bool:
    """Whether a case of a verdict has a single unit of resampling, overall or in every stratum.

    Its interval, if it has any, is over replicates on this one unit.
    """
    return found.resampled is not None and found.resampled.degrees < 1


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


#: How what a comparison guards against begins, where it is another choice of the same number.
CHOICE: Final = "choice"
#: Methods of intervals that a family does not make.
_OF_ITS_OWN: Final = (AS_PUBLISHED, "crossed_unpaired")


@dataclass(frozen=True, slots=True)
class RowFamily:
    """Key of a family, and the number of rows it was planned with."""

    name: Hashable
    n_rows: int


def families_among(estimated: Mapping[str, Estimated]) -> dict[str, RowFamily]:
    """Families of numbers without a plan: by diagnostic, models, dataset and metric."""
    names = {}
    for name, one in estimated.items():
        key = one.estimate.key
        about = (key.diagnostic, key.subject, key.reference, key.dataset)
        names[name] = (*about, key.metric, key.role)
    return counted(names)


def counted(names: Mapping[str, Hashable], claims: Iterable[Claim] = ()) -> dict[str, RowFamily]:
    """Families by key, with their planned sizes.

    Numbers of which a plan claims something are a family; whoever asks about one of the others has
    chosen it among all that were planned. Another choice of the same numbers is a family beside
    theirs: a claim has to hold in each, so that one more takes nothing from the others.

    Parameters
    ----------
    names
        Family keys of all planned numbers.
    claims
        The plan's claims.
    """
    claimed = {
        component.estimate: component.against if component.against.startswith(CHOICE) else ""
        for claim in claims
        for component in claim.components
    }
    keys = {n: (family, claimed.get(n)) for n, family in names.items()}
    sizes, everything = Counter(keys.values()), Counter(names.values())
    return {
        name: RowFamily(keys[name], sizes[keys[name]] if name in claimed else everything[family])
        for name, family in names.items()
    }


def limits_of(
    estimated: Mapping[str, Estimated],
    families: Mapping[str, RowFamily],
    *,
    wanted: Iterable[str],
    level: float = 0.95,
    losses: Mapping[str, float] | None = None,
) -> dict[str, Limits]:
    """Limits of the wanted numbers, simultaneous over their families; omitted without interval.

    Parameters
    ----------
    estimated
        Numbers by their identifiers; members of a family share their seed variances (moderation).
    families
        Family of each.
    wanted
        Identifiers of the wanted numbers.
    level
        Probability that the limits of a whole family hold.
    losses
        Costs that risks have to show, by number.
    """
    members: dict[RowFamily, list[str]] = defaultdict(list)
    for name in estimated:
        members[families[name]].append(name)
    found: dict[str, Limits] = {}
    for family in dict.fromkeys(families[name] for name in wanted if name in estimated):
        own = {n: estimated[n] for n in members[family]}
        found |= _of_family(own, family.n_rows, level, losses or {})
    return found


def _of_family(
    members: Mapping[str, Estimated], n_rows: int, level: float, losses: Mapping[str, float]
) -> dict[str, Limits]:
    """Limits of the members of one family that have an interval."""
    found: dict[str, Limits] = {}
    for held in (False, True):
        rows = {
            name: row
            for name, one in members.items()
            if one.estimate.is_fixed == held and (row := _row(one)) is not None
        }
        each = simultaneous(
            [*rows.values()],
            n_rows=n_rows,
            level=level,
            is_fixed=held,
            losses=[losses.get(name, nan) for name in rows],
        )
        found |= dict(zip(rows, each, strict=True))
    kept = [(name, _own(members[name], limits, n_rows)) for name, limits in found.items()]
    kept += [(n, _of_ends(one, n_rows)) for n, one in members.items() if n not in found]
    return {name: one for name, one in kept if one is not None}


def _row(one: Estimated) -> FamilyRow | None:
    """Family row of a number; None without an interval over items."""
    if one.interval is None or one.resampled is None or one.resampled.degrees < 1:
        return None
    return row_of(one.resampled, one.scale, flips=one.flips, apart=one.apart, step=one.step)


def _of_ends(one: Estimated, n_rows: int) -> Limits | None:
    """Limits of a number without variance over items that is known by its ends; else None."""
    if one.interval is None or one.interval.ends is None:
        return None
    wide = alone(one.interval, n_rows=n_rows)
    return wide if one.estimate.is_fixed else replace(wide, recipe=wide.checkpoints)


def _own(one: Estimated, limits: Limits, n_rows: int) -> Limits | None:
    """Limits of a number from its own interval, if the family cannot give any.

    For intervals that are exact, that were requested by name, or that are of two sides with
    replicates of their own. None if it has too few draws for the family's level.
    """
    interval, count = one.interval, one.estimate.n_replicates
    if interval is None or (interval.ends is None and interval.method not in _OF_ITS_OWN):
        return limits
    try:
        wide = alone(interval, n_rows=n_rows)
    except StatisticsError:
        return None
    if count == 1:
        return wide
    if count < FEWEST_SEEDS:  # its draws speak for other seeds, the family's limits for these
        return replace(limits, recipe=None)
    return replace(limits, recipe=wide.checkpoints, detectable=wide.detectable)


def survives_imputation(case: ClaimCase, outcome: Place, spoken: Spoken) -> bool:
    """Whether the outcome of a claim stays under worst-case imputation."""
    there = [part for part in case.parts if part.found.interval is not None]
    if any(part.found.row_range is None for part in there):
        return False
    places = []
    for part in there:
        is_low = part.component.operator.startswith(">") == (outcome == "beyond")
        ends = worst_ends(part, spoken, is_low=is_low, level=case.claim.level)
        places.append("undecided" if ends is None else place_of(part.component, ends))
    return outcome_of(places) == outcome


def worst_ends(
    part: ClaimPart, spoken: Spoken, *, is_low: bool, level: float
) -> tuple[float, float] | None:
    """Limits if all missing rows had the lowest, or the highest, possible value.

    Only a mean over rows can be imputed (`Additive.row_range`): one missing row may hold any share
    of the entities that an F1 counts, so an F1 has none. Other items would have other gaps: the
    share of worst values is binomial, which widens the limits. Without this, 23 right answers of
    23, and 17 missing, would pass for 23 of 40 known exactly.
    """
    found, span, limits = part.found.estimate, part.found.row_range, part.limits
    ends = None if limits is None else limits.of(spoken)
    if ends is None or span is None or limits is None or found.value is None:
        return None
    worst, share = span[0 if is_low else 1], found.counts.missing_share
    asked = found.counts.n + found.counts.undefined + found.counts.failed
    spread = abs(found.value - worst) * (share * (1 - share) / max(1, asked)) ** 0.5
    times = -float(scipy.special.ndtri(tail_of(limits.n_rows, level)))
    middle = (1 - share) * found.value + share * worst
    low, high = (
        middle + sign * (((1 - share) * (end - found.value)) ** 2 + (times * spread) ** 2) ** 0.5
        for sign, end in zip((-1, 1), ends, strict=True)
    )
    return low, high
