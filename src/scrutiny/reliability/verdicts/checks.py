"""Robustness checks of a finding: items, seeds, choices, datasets."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from scrutiny.core.claim import Check, Component
from scrutiny.reliability.verdicts.cases import ClaimCase, Part, Place, is_on_one_unit, outcome_of
from scrutiny.reliability.verdicts.risks import checks_of_risk

#: Outcomes of checks, worst first: several checks of one kind are as good as their worst.
_OUTCOMES: Final = ("no", "undecided", "not run", "yes")


def checks_of(case: ClaimCase, verdict: str) -> tuple[Check, ...]:
    """Outcomes of all checks of a claim.

    Where a verdict was reached, a part survives if it says the same by itself. Where none was,
    the outcome says whether the parts agree with each other.
    """
    if case.claim.risk is not None and case.stop is None and verdict != "not tested":
        return tuple(checks_of_risk(case, verdict))
    if verdict in ("refused", "not asked", "not tested"):
        why = "not tested" if verdict == "not tested" else "refused"
        return tuple(Check(name, "not run", why) for name in case.claim.checks)
    main = case.parts[0].found if case.parts else None
    if main is None or main.interval is None:
        why = "one unit" if main is not None and is_on_one_unit(main) else "no value"
        return tuple(Check(name, "not run", why) for name in case.claim.checks)
    return tuple(_check(name, case, verdict) for name in case.claim.checks)


def _check(name: str, case: ClaimCase, verdict: str) -> Check:
    main = case.parts[0]
    if name == "seeds":
        return _over_seeds(main, verdict=verdict)
    if name == "items" and is_on_one_unit(main.found):
        return Check(name, "not run", "one unit")
    if name == "items":
        return _over_groups(name, [main.place("checkpoints")], verdict)
    kind = "dataset" if name.partition(":")[0] == "datasets" else "choice"
    groups = _groups(case.parts, kind)
    if len(groups) < 2:
        return Check(name, "not run", f"one {kind}")
    said = [outcome_of([part.widest for part in group]) for group in groups]
    return _over_groups(name, said, verdict)


def _groups(parts: Sequence[Part], kind: str) -> list[list[Part]]:
    """Components by dataset or choice; those without one belong to the first."""
    groups: dict[str, list[Part]] = {}
    for part in parts:
        named = re.search(rf"\b{kind}:? ([^,:]+)", part.component.against)
        groups.setdefault(named[1] if named else "", []).append(part)
    return list(groups.values())


def _over_groups(name: str, said: Sequence[Place], verdict: str) -> Check:
    """Check: whether each group of components alone has the same verdict."""
    if verdict not in ("supported", "not supported"):
        if "undecided" in said:
            return Check(name, "undecided")
        return Check(name, "yes" if len(set(said)) == 1 else "no")
    expected = "beyond" if verdict == "supported" else "below"
    detail = f"{said.count(expected)} of {len(said)}" if len(said) > 1 else ""
    if all(outcome == expected for outcome in said):
        return Check(name, "yes", detail)
    return Check(name, "undecided" if "undecided" in said else "no", detail)


def _over_seeds(part: Part, *, verdict: str) -> Check:
    """Check: whether replicates agree, and whether their spread overturns the items' verdict."""
    found = part.found.estimate
    if found.n_replicates < 2:
        return Check("seeds", "not run", "one replicate")
    detail = _agreeing(part.component, list(found.by_replicate.values()), verdict=verdict)
    if found.is_fixed:
        return Check("seeds", "not run", "held fixed")
    if found.n_replicates == 2:
        return Check("seeds", "undecided", detail)
    if part.widest != "undecided":
        return Check("seeds", "yes", detail)
    is_overturned = part.place("checkpoints") != "undecided"
    return Check("seeds", "no" if is_overturned else "undecided", detail)


def _agreeing(component: Component, values: Sequence[float], *, verdict: str) -> str:
    """Number of replicates that agree with the verdict on their own, in words."""
    up = component.operator.startswith(">")
    beyond = sum(v > component.limit if up else v < component.limit for v in values)
    agreeing = len(values) - beyond if verdict == "not supported" else beyond
    return f"{agreeing} of {len(values)}" if values else ""


def worst_outcome(outcomes: Iterable[str]) -> str:
    """Worst outcome of several checks; "not run" for none."""
    rank = {outcome: i for i, outcome in enumerate(_OUTCOMES)}
    return min(outcomes, key=lambda outcome: rank.get(outcome, 1), default="not run")
