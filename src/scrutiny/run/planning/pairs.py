"""Pairing of a family's replicates with those of the reference."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scrutiny.core.boundary.canonical import canonical_json
from scrutiny.core.boundary.listing import and_more
from scrutiny.core.diagnostic import OwnPairs
from scrutiny.core.errors import PlanError
from scrutiny.core.model import Family, Replicate

_SHOWN = 8


@dataclass(frozen=True, slots=True)
class ReplicatePair:
    """Indices of a replicate and its reference, and the name of the pair.

    ``replicate`` is the canonical JSON of the random factors that the records carry.
    """

    position: int
    reference: int | None
    replicate: str | None


def pairs_of(
    family: Family, reference: Family | None, *, own: OwnPairs = "itself"
) -> tuple[ReplicatePair, ...]:
    """Pairs of replicates and reference replicates, in the family's order.

    A single model stands beside every replicate of the other side; otherwise those with equal
    random factors are paired, and captures that are not random have to be equal or the target's
    alone. Untrained and other null replicates belong to none of the reference's, so they take them
    in turn.

    Parameters
    ----------
    family, reference
        Both sides; without a reference every replicate is alone.
    own
        What each replicate of a family that is its own reference stands beside: itself; the next
        one, the last beside the first: what another run of the same recipe gives, and of two there
        is one pair; or the one before it, by whose name the pair goes, as where texts of each are
        asked of the next.

    Raises
    ------
    PlanError
        With both lists, where neither is so.
    """
    ours = family.replicates
    if reference is None:
        return tuple(ReplicatePair(i, None, r.key) for i, r in enumerate(ours))
    others = reference.replicates
    if own != "itself" and family.name == reference.name:
        return tuple(_runs(ours, turned=own == "before"))
    if len(others) == 1:
        return tuple(ReplicatePair(i, 0, r.key) for i, r in enumerate(ours))
    if len(ours) == 1 and not any(r.condition for r in others):
        return tuple(ReplicatePair(0, i, r.key) for i, r in enumerate(others))
    if family.role == "null" and not any(r.condition for r in others):
        return tuple(ReplicatePair(i, i % len(others), r.key) for i, r in enumerate(ours))
    found = [[i for i, other in enumerate(others) if _belong(r, other)] for r in ours]
    used = {i for places in found for i in places}
    if any(len(places) != 1 for places in found) or len(used) < len(others):
        raise PlanError(
            f"The replicates of {family.name!r} and of its reference {reference.name!r} do not "
            f"pair: {family.name!r} has {_listed(ours)}; {reference.name!r} has {_listed(others)}. "
            "Give both the same random factors and values (seeds = [...]), or make one of them a "
            "single model, which is held against every replicate of the other."
        )
    return tuple(ReplicatePair(i, places[0], ours[i].key) for i, places in enumerate(found))


def _runs(own: Sequence[Replicate], *, turned: bool) -> Iterator[ReplicatePair]:
    """Each replicate with the next of its condition; unless turned, two make one pair."""
    for i, one in enumerate(own):
        alike = [j for j, other in enumerate(own) if other.condition == one.condition]
        place = alike.index(i)
        following = alike[(place + 1) % len(alike)]
        if turned:
            yield ReplicatePair(following, i, one.key)
        elif len(alike) != 2 or place == 0:
            yield ReplicatePair(i, following, one.key)


def _belong(own: Replicate, other: Replicate) -> bool:
    """Whether two replicates have the same factors."""
    same = dict(own.random) == dict(other.random)
    return same and (not other.condition or dict(own.condition) == dict(other.condition))


def _listed(replicates: Sequence[Replicate]) -> str:
    """Factors of the first replicates."""
    return and_more([canonical_json({**r.condition, **r.random}) for r in replicates], _SHOWN)
