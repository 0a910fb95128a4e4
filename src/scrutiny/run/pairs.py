"""Which replicate of a family is measured beside which one of the reference."""

from collections.abc import Sequence
from dataclasses import dataclass

from scrutiny.core.canonical import canonical_json
from scrutiny.core.errors import PlanError
from scrutiny.core.model import Family, Replicate

_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Pair:
    """Positions of a replicate and of the reference's beside it, and what the pair is called.

    ``replicate`` is the canonical JSON of the random factors that the records carry.
    """

    position: int
    reference: int | None
    replicate: str | None


def pairs_of(family: Family, reference: Family | None) -> tuple[Pair, ...]:
    """Pairs of a family's replicates with the reference's, in the family's order.

    A single model stands beside every replicate of the other side; otherwise those with equal
    random factors are paired, and captures that are not random have to be equal or the target's
    alone.

    Raises
    ------
    PlanError
        With both lists, where neither is so.
    """
    own = family.replicates
    if reference is None:
        return tuple(Pair(i, None, r.key) for i, r in enumerate(own))
    others = reference.replicates
    if len(others) == 1:
        return tuple(Pair(i, 0, r.key) for i, r in enumerate(own))
    if len(own) == 1 and not any(r.condition for r in others):
        return tuple(Pair(0, i, r.key) for i, r in enumerate(others))
    found = [[i for i, other in enumerate(others) if _belong(r, other)] for r in own]
    used = {i for places in found for i in places}
    if any(len(places) != 1 for places in found) or len(used) < len(others):
        raise PlanError(
            f"The replicates of {family.name!r} and of its reference {reference.name!r} do not "
            f"pair: {family.name!r} has {_listed(own)}; {reference.name!r} has {_listed(others)}. "
            "Give both the same random factors and values (seeds = [...]), or make one of them a "
            "single model, which is held against every replicate of the other."
        )
    return tuple(Pair(i, places[0], own[i].key) for i, places in enumerate(found))


def _belong(own: Replicate, other: Replicate) -> bool:
    """Whether two replicates have the same factors."""
    same = dict(own.random) == dict(other.random)
    return same and (not other.condition or dict(own.condition) == dict(other.condition))


def _listed(replicates: Sequence[Replicate]) -> str:
    """Factors of the first replicates."""
    shown = [canonical_json({**r.condition, **r.random}) for r in replicates[:_SHOWN]]
    more = len(replicates) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
