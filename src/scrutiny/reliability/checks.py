"""What a finding has to survive: items, seeds, choices, datasets."""

import re
from collections.abc import Sequence

import numpy as np

from scrutiny.core.claim import Check, Component
from scrutiny.reliability.cases import ClaimCase, Part, is_fixed, is_on_one_unit, side_of
from scrutiny.reliability.estimate import Estimated
from scrutiny.stats.arrays import has_value


def checks_of(case: ClaimCase, verdict: str) -> tuple[Check, ...]:
    """Outcome of everything that a claim has to survive.

    Where a verdict was reached, a part survives if it says the same by itself. Where none was,
    the outcome says whether the parts agree with each other.
    """
    if verdict == "refused":
        return tuple(Check(name, "not run", "refused") for name in case.claim.checks)
    if not case.parts or case.parts[0][1].interval is None:
        is_one = bool(case.parts) and is_on_one_unit(case.parts[0][1])
        why = "one unit" if is_one else "no value"
        return tuple(Check(name, "not run", why) for name in case.claim.checks)
    return tuple(_check(name, case, verdict) for name in case.claim.checks)


def _check(name: str, case: ClaimCase, verdict: str) -> Check:
    if name == "seeds":
        return _over_seeds(*case.parts[0], verdict=verdict)
    if name == "items" and is_on_one_unit(case.parts[0][1]):
        return Check(name, "not run", "one unit")
    if name == "items":
        return _over_groups(name, [case.parts[:1]], verdict)
    kind = "dataset" if name.partition(":")[0] == "datasets" else "choice"
    groups = _groups(case.parts, kind)
    if len(groups) < 2:
        return Check(name, "not run", f"one {kind}")
    return _over_groups(name, groups, verdict)


def _groups(parts: Sequence[Part], kind: str) -> list[list[Part]]:
    """Components by dataset or choice; what names none belongs to the first."""
    groups: dict[str, list[Part]] = {}
    for component, part in parts:
        named = re.search(rf"\b{kind}:? ([^,:]+)", component.against)
        groups.setdefault(named[1] if named else "", []).append((component, part))
    return list(groups.values())


def _over_groups(name: str, groups: Sequence[Sequence[Part]], verdict: str) -> Check:
    """Whether each group of components, by itself, says what the verdict says.

    All of a group must lie beyond their limits to support a claim; one on the other side denies
    it.
    """
    said = []
    for group in groups:
        sides = [side_of(component, part.interval) for component, part in group]
        denied = "below" in sides
        said.append("below" if denied else "beyond" if set(sides) == {"beyond"} else "undecided")
    if verdict not in ("supported", "not supported"):
        if "undecided" in said:
            return Check(name, "undecided")
        return Check(name, "yes" if len(set(said)) == 1 else "no")
    expected = "beyond" if verdict == "supported" else "below"
    detail = f"{said.count(expected)} of {len(said)}" if len(said) > 1 else ""
    if all(outcome == expected for outcome in said):
        return Check(name, "yes", detail)
    return Check(name, "undecided" if "undecided" in said else "no", detail)


def _over_seeds(component: Component, part: Estimated, *, verdict: str) -> Check:
    """Whether replicates agree, and whether their spread overturns what items alone would say."""
    count = part.estimate.n_replicates
    if count < 2:
        return Check("seeds", "not run", "one replicate")
    detail = _agreeing(component, list(part.estimate.by_replicate.values()), verdict=verdict)
    if is_fixed(part):
        return Check("seeds", "not run", "held fixed")
    if count == 2:
        return Check("seeds", "undecided", detail)
    if side_of(component, part.interval) != "undecided":
        return Check("seeds", "yes", detail)
    return Check("seeds", "no" if _items_decide(component, part) else "undecided", detail)


def _agreeing(component: Component, values: Sequence[float], *, verdict: str) -> str:
    """How many replicates say by themselves what the verdict says; unpaired sides have none."""
    up = component.operator.startswith(">")
    beyond = sum(v > component.limit if up else v < component.limit for v in values)
    agreeing = len(values) - beyond if verdict == "not supported" else beyond
    return f"{agreeing} of {len(values)}" if values else ""


def _items_decide(component: Component, part: Estimated) -> bool:
    """Whether the items alone would have decided."""
    if part.resampled is None or is_on_one_unit(part):
        return False
    draws = part.resampled.draws[has_value(part.resampled.draws)].mean(axis=1)
    tail = (1 - part.estimate.level) / 2
    low, high = np.quantile(draws, [tail, 1 - tail])
    return bool(low > component.limit or high < component.limit)
