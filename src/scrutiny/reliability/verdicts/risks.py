"""Risks, whether a cost hurts, holds, or can't be told; and robustness checks of any finding.

A cost should be zero and may be as large as the tolerance. It *hurts* where its limits lie
above what is as good as no effect and reach beyond what is tolerable; it *holds* where they stay
within; anything else cannot be told yet. What touched too few texts to tell is *not tested*
(`scrutiny.reliability.verdicts.prerequisites`). That it is more than what a control does is a
question of its own, whose answer takes nothing from this one.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.claim import Check, Claim, Component, Finding, Risk, State
from scrutiny.core.estimate import Estimate, Spoken
from scrutiny.reliability.verdicts.limits import (
    ClaimCase,
    ClaimPart,
    Place,
    costs,
    is_on_one_unit,
    outcome_of,
)
from scrutiny.stats.intervals.interval import Scale

#: Datasets on which a claim has to be decided alike to speak of others.
FEWEST_DATASETS: Final = 3
#: Part of a tolerated share that counts for none: simulated in design/003-verdicts.md.
NEGLIGIBLE: Final = 0.5
#: Outcomes of comparing a cost with a control's.
_MORE: Final[Mapping[Place, str]] = {"beyond": "yes", "below": "no", "undecided": "undecided"}


def state_of(component: Component, ends: tuple[float, float], risk: Risk) -> State:
    """State of a risk from its limits.

    Parameters
    ----------
    component
        Its limit is no effect; its operator gives the direction of costs.
    ends
        Low and high.
    risk
        Risk with its tolerance.

    Examples
    --------
    >>> drop, risk = Component("drop", 0.0), Risk("typos", 0.02, "costs {} points")
    >>> [state_of(drop, ends, risk) for ends in ((0.013, 0.067), (-0.006, 0.006), (0.0, 0.08))]
    ['hurts', 'holds', "can't tell"]

    A share is above nothing by a single case, so a part of what is tolerable counts for none:

    >>> failing = Risk("negation", 0.05, "{} % fail", negligible=0.025)
    >>> [state_of(drop, ends, failing) for ends in ((0.001, 0.07), (0.026, 0.07))]
    ["can't tell", 'hurts']

    A number that is only the most that something can cost never hurts:

    >>> state_of(drop, (0.08, 0.12), Risk("labels", 0.05, "at most {} %", settled_by="look"))
    "can't tell"
    """
    least, most = costs(component, ends)
    if most <= risk.tolerance:
        return "holds"
    return "hurts" if least > risk.negligible and not risk.settled_by else "can't tell"


def with_negligible(claim: Claim, scale: Scale) -> Claim:
    """Claim whose risk says what counts for none, if its number can only lie on the side of harm.

    A drop may be a gain, and lies above nothing only if it is told from chance. A share cannot lie
    below nothing: a single case would be an alarm.

    Parameters
    ----------
    claim
        Any claim.
    scale
        Scale of the number of its first component, with its range.

    Examples
    --------
    >>> leaked = Claim("a", "", "", (Component("a", 0.0),), risk=Risk("leakage", 0.04, "{} %"))
    >>> [with_negligible(leaked, Scale.of(name)).risk.negligible for name in ("logit", "points")]
    [0.02, 0.0]
    """
    if claim.risk is None or not claim.components:
        return claim
    least, _ = sorted(costs(claim.components[0], (scale.low, scale.high)))
    part = NEGLIGIBLE if least >= 0.0 else 0.0
    negligible = max(claim.risk.negligible, part * claim.risk.tolerance)
    return replace(claim, risk=replace(claim.risk, negligible=negligible))


def is_beyond_tolerance(component: Component, ends: tuple[float, float], risk: Risk) -> bool:
    """Whether the limits lie wholly beyond the tolerance."""
    return costs(component, ends)[0] > risk.tolerance


def checks_of_risk(case: ClaimCase, state: str) -> Iterator[Check]:
    """Checks of a risk: more than each control, and seeds."""
    risk = case.claim.risk
    if risk is None or not case.deciding:
        return
    (main,) = case.deciding
    for name in case.claim.checks:
        if name == "items":
            is_open = _state_at(main, "checkpoints", risk) == "can't tell"
            yield Check(name, "undecided" if is_open else "yes")
        elif name == "seeds":
            yield _over_seeds(
                main.found.estimate,
                partial(_holds_alike, main.component, risk, is_held=state == "holds"),
                by_recipe=_state_at(main, "recipe", risk) != "can't tell",
                by_items=_state_at(main, "checkpoints", risk) != "can't tell",
            )
        else:
            yield Check(name, "not run", f"one {name.removesuffix('s')}")
    for part in case.parts:
        if part is not main:
            yield _more_than(part, risk)


def _over_seeds(
    found: Estimate, agrees: Callable[[float], bool], *, by_recipe: bool, by_items: bool
) -> Check:
    """Check of seeds: how many agree, and whether their spread overturns what the items decide.

    Parameters
    ----------
    found
        The number.
    agrees
        Whether the value of a replicate says the same.
    by_recipe, by_items
        Whether anything is decided over replicates, too, or over items alone.
    """
    if found.n_replicates < 2:
        return Check("seeds", "not run", "one replicate")
    if found.is_fixed:
        return Check("seeds", "not run", "held fixed")
    each = [agrees(value) for value in found.by_replicate.values()]
    detail = f"{sum(each)} of {len(each)}" if each else ""
    if by_recipe:
        return Check("seeds", "yes", detail)
    return Check("seeds", "no" if by_items and found.n_replicates > 2 else "undecided", detail)


def _holds_alike(component: Component, risk: Risk, value: float, *, is_held: bool) -> bool:
    """Whether the cost of a replicate alone is tolerable, or counts for some, as that of all."""
    cost, _ = costs(component, (value, value))
    return cost <= risk.tolerance if is_held else cost > risk.negligible


def _state_at(part: ClaimPart, spoken: Spoken, risk: Risk) -> State:
    ends = None if part.limits is None else part.limits.of(spoken)
    return "can't tell" if ends is None else state_of(part.component, ends, risk)


def _more_than(part: ClaimPart, risk: Risk) -> Check:
    """Whether a cost is larger than a control's: yes, no (at most tolerably), or undecided."""
    name = f"more than {part.component.against.removeprefix('control: ')}"
    if part.limits is None:
        return Check(name, "not run", "no value")
    ends = part.limits.widest
    if part.widest == "undecided" and costs(part.component, ends)[1] <= risk.tolerance:
        return Check(name, "no")
    return Check(name, _MORE[part.widest])


def over_datasets(findings: Sequence[Finding]) -> list[Finding]:
    """Findings; risks decided alike on three or more datasets get the scope beyond them."""
    alike: dict[Hashable, list[int]] = defaultdict(list)
    for i, one in enumerate(findings):
        if one.claim.risk is not None and one.estimate is not None:
            key = one.estimate.key
            alike[key.diagnostic, key.subject, key.metric, canonical_json(key.condition)].append(i)
    found = list(findings)
    for places in alike.values():
        states = [findings[i].verdict for i in places]
        if len(places) < 2:
            continue
        for i in places:
            # Finding with its scope, given those of the same risk on other datasets.
            finding = findings[i]
            scopes = [findings[j].scope for j in places]
            count = states.count(finding.verdict)
            is_told = finding.verdict in ("hurts", "holds")
            is_alike = is_told and count == len(states)
            is_open = not set(states) <= {"hurts", "holds"}  # nothing is shown on one of them
            outcome = "yes" if is_alike else "undecided" if is_open else "no"
            check = Check("datasets", outcome, f"{count} of {len(states)}")
            checks = tuple(check if c.name == "datasets" else c for c in finding.checks)
            is_wide = is_alike and len(states) >= FEWEST_DATASETS and set(scopes) == {"this recipe"}
            scope = "beyond this dataset" if is_wide else finding.scope
            found[i] = replace(finding, checks=checks, scope=scope)
    return found


#: Outcomes of checks, worst first: several checks of one kind are as good as their worst.
_OUTCOMES: Final = ("no", "undecided", "not run", "yes")


def checks_of(case: ClaimCase, verdict: str) -> tuple[Check, ...]:
    """Outcomes of all checks of a claim.

    Where a verdict was reached, a part survives if it says the same by itself. Where none was,
    the outcome says whether the parts agree with each other.
    """
    if case.claim.risk is not None and case.stop is None and verdict != "not tested":
        return tuple(checks_of_risk(case, verdict))
    main = case.parts[0].found if case.parts else None
    if verdict in ("refused", "not asked", "not tested"):
        why = "not tested" if verdict == "not tested" else "refused"
    elif main is None or main.interval is None:
        why = "one unit" if main is not None and is_on_one_unit(main) else "no value"
    else:
        return tuple(_check(name, case, verdict) for name in case.claim.checks)
    return tuple(Check(name, "not run", why) for name in case.claim.checks)


def _check(name: str, case: ClaimCase, verdict: str) -> Check:
    main = case.parts[0]
    if name == "seeds":
        found, is_denied = main.found.estimate, verdict == "not supported"
        return _over_seeds(
            found,
            lambda value: (costs(main.component, (value, value))[0] > 0.0) != is_denied,
            by_recipe=found.n_replicates > 2 and main.widest != "undecided",
            by_items=main.place("checkpoints") != "undecided",
        )
    if name == "items":
        if is_on_one_unit(main.found):
            return Check(name, "not run", "one unit")
        return _over_groups(name, [main.place("checkpoints")], verdict)
    kind = "dataset" if name.partition(":")[0] == "datasets" else "choice"
    groups = _groups(case.parts, kind)
    if len(groups) < 2:
        return Check(name, "not run", f"one {kind}")
    said = [outcome_of([part.widest for part in group]) for group in groups]
    return _over_groups(name, said, verdict)


def _groups(parts: Sequence[ClaimPart], kind: str) -> list[list[ClaimPart]]:
    """Components by dataset or choice; those without one belong to the first."""
    groups: dict[str, list[ClaimPart]] = {}
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


def worst_outcome(outcomes: Iterable[str]) -> str:
    """Worst outcome of several checks; "not run" for none."""
    rank = {outcome: i for i, outcome in enumerate(_OUTCOMES)}
    return min(outcomes, key=lambda outcome: rank.get(outcome, 1), default="not run")
