"""The plan's own claims, with the estimates that they name looked up."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from scrutiny.core.claim import Claim, Component
from scrutiny.core.errors import PlanError, UnknownNameError


def plan_claims(
    claims: Sequence[Claim],
    *,
    full: Sequence[str],
    own: Mapping[str, Sequence[tuple[str, str]]],
) -> list[Claim]:
    """Claims whose components name estimates in full.

    Parameters
    ----------
    claims
        As the plan has them: an estimate is named in full, by the end of its full name where that
        is unique, or by an estimate of the plan's own.
    full
        Full names of all estimates of the run.
    own
        Full name and dataset of each, by the plan's own identifier; a claim on several datasets
        has to hold on each.

    Raises
    ------
    PlanError
        For a name that is unknown (near ones are given) or means several estimates.
    """
    named = []
    for claim in claims:
        found = [_components(claim, one, full=full, own=own) for one in claim.components]
        named.append(replace(claim, components=tuple(c for part in found for c in part)))
    return named


def _components(
    claim: Claim,
    component: Component,
    *,
    full: Sequence[str],
    own: Mapping[str, Sequence[tuple[str, str]]],
) -> list[Component]:
    name = component.estimate
    if name in own and len(own[name]) > 1:
        return [
            replace(component, estimate=one, against=f"dataset {dataset}: {component.against}")
            for one, dataset in own[name]
        ]
    if name in own:
        return [replace(component, estimate=own[name][0][0])]
    ending = [one for one in full if one == name] or [one for one in full if _ends(one, name)]
    if len(ending) == 1:
        return [replace(component, estimate=ending[0])]
    if ending:
        raise PlanError(
            f"claim {claim.id!r}: {name!r} means several estimates: {', '.join(ending[:8])}. "
            "Name one of them in full, or claim something of each."
        )
    short = {ending for one in full for ending in _endings(one)}
    unknown = UnknownNameError("estimate", name, [*own, *short])
    raise PlanError(f"claim {claim.id!r}: {unknown}")


def _ends(full: str, name: str) -> bool:
    return full.endswith(f"/{name}")


def _endings(full: str) -> list[str]:
    """A full name, and what is left behind each of its slashes."""
    parts = full.split("/")
    return ["/".join(parts[i:]) for i in range(len(parts))]
