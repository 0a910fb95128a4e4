"""Families of numbers, and the limits that hold simultaneously for each family.

A number stands in the family in which the run planned it: the numbers that one measurement takes of
one model, on one dataset, by one metric. Whoever asks about one of them afterwards gets its limits
of that family.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import Final

from scrutiny.core.claim import Claim, Limits
from scrutiny.reliability.estimate import Estimated
from scrutiny.reliability.intervals import AS_PUBLISHED
from scrutiny.stats.errors import StatisticsError
from scrutiny.stats.intervals.rows import Row, row_of
from scrutiny.stats.intervals.simultaneous import (
    FEWEST_SEEDS,
    RowLimits,
    alone,
    simultaneous,
)

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
    found: dict[str, RowLimits] = {}
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
    return {
        name: Limits(
            one.checkpoints,
            one.recipe,
            n_rows,
            one.detectable,
            *(None if isnan(n) else int(n) for n in (one.items_needed, one.seeds_needed)),
        )
        for name, one in kept
        if one is not None
    }


def _row(one: Estimated) -> Row | None:
    """Family row of a number; None without an interval over items."""
    if one.interval is None or one.resampled is None or one.resampled.degrees < 1:
        return None
    return row_of(one.resampled, one.scale, flips=one.flips, apart=one.apart, step=one.step)


def _of_ends(one: Estimated, n_rows: int) -> RowLimits | None:
    """Limits of a number without variance over items that is known by its ends; else None."""
    if one.interval is None or one.interval.ends is None:
        return None
    wide = alone(one.interval, n_rows=n_rows)
    return wide if one.estimate.is_fixed else replace(wide, recipe=wide.checkpoints)


def _own(one: Estimated, limits: RowLimits, n_rows: int) -> RowLimits | None:
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
    return replace(
        limits,
        recipe=wide.checkpoints if count >= FEWEST_SEEDS else None,
        detectable=wide.detectable,
    )
