"""From estimates to findings: the one function that audit, gate and compare share.

A claim is decided by all its components together (intersection-union), the claims of a family by
Holm, each direction at half of alpha. Gates come first: no skill, no value, too few replicates,
too much missing.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scrutiny.core.claim import Check, Claim, Component, Finding
from scrutiny.core.estimate import Estimate
from scrutiny.reliability.estimate import Estimated
from scrutiny.stats.interval import Direction, Interval
from scrutiny.stats.power import CrossedDesign, minimum_detectable_effect
from scrutiny.stats.verdict import ClaimTest, Judgment, intersection_union, judge

MISSING_LIMIT = 0.05
_NO_EVIDENCE = ClaimTest(1.0, 1.0, 0, 1)


@dataclass(frozen=True, slots=True)
class _Case:
    """A claim with what is known about it before the family is judged.

    ``stop`` is a verdict that a gate has reached already, with its reason.
    """

    claim: Claim
    parts: tuple[Estimated, ...]
    test: ClaimTest
    stop: tuple[str, str] | None


def decide(claims: Sequence[Claim], estimated: Mapping[str, Estimated]) -> list[Finding]:
    """Findings of all claims, in their order.

    Parameters
    ----------
    claims
        All claims of the run; those of one family share a Holm correction.
    estimated
        Estimates by the identifiers that the claims' components use.
    """
    cases = [_case(claim, estimated) for claim in claims]
    findings: dict[int, Finding] = {}
    for family in dict.fromkeys(c.claim.family or c.claim.id for c in cases):
        members = [i for i, c in enumerate(cases) if (c.claim.family or c.claim.id) == family]
        level = max(cases[i].claim.level for i in members)
        judged = judge([cases[i].test for i in members], alpha=1 - level)
        for i, judgment in zip(members, judged, strict=True):
            findings[i] = _finding(cases[i], judgment, n_family=len(members))
    return [findings[i] for i in range(len(cases))]


def _case(claim: Claim, estimated: Mapping[str, Estimated]) -> _Case:
    parts = tuple(estimated[c.estimate] for c in claim.components if c.estimate in estimated)
    stop = _gate(claim, parts, estimated)
    if stop is not None:
        return _Case(claim, parts, _NO_EVIDENCE, stop)
    return _Case(claim, parts, _test(claim.components, [p.interval for p in parts]), None)


def _test(components: Sequence[Component], intervals: Sequence[Interval | None]) -> ClaimTest:
    """Intersection-union test.

    A component without a value is no evidence either way: it keeps the claim from being supported,
    and leaves it to the others to deny it.
    """
    pairs = list(zip(components, intervals, strict=True))
    return intersection_union(
        [1.0 if i is None else i.p_value(c.limit, direction=_direction(c)) for c, i in pairs],
        [
            1.0 if i is None else i.p_value(c.limit, direction=_direction(c, reverse=True))
            for c, i in pairs
        ],
    )


def _direction(component: Component, *, reverse: bool = False) -> Direction:
    return "greater" if component.operator.startswith(">") != reverse else "less"


def _gate(
    claim: Claim, parts: Sequence[Estimated], estimated: Mapping[str, Estimated]
) -> tuple[str, str] | None:
    """Verdict that needs no test, with its reason; nothing if the test may decide."""
    if claim.competence is not None:
        name, chance = claim.competence
        skill = estimated[name].estimate
        if skill.low is None or skill.low <= chance:
            return "refused", (
                f"no skill: {_bounds(skill.value, skill.low, skill.high)} does not exceed the "
                f"{chance:.3g} of a model without any"
            )
    if len(parts) < len(claim.components):
        return "undecided", "an estimate that it needs was not computed"
    if all(part.interval is None for part in parts):
        return (
            "undecided",
            f"no value: {(parts[0].estimate.reason or 'undefined').replace('_', ' ')}",
        )
    if min(p.estimate.n_replicates for p in parts) == 2:
        return "undecided", "two replicates cannot carry a claim on the recipe; three can"
    return None


def _finding(case: _Case, judgment: Judgment, *, n_family: int) -> Finding:
    main = case.parts[0].estimate if case.parts else None
    verdict, reason = case.stop or _verdict(case, judgment, n_family)
    return Finding(
        claim=case.claim,
        estimate=main,
        verdict=verdict,
        scope=_scope(case),
        reason=reason,
        checks=_checks(case, verdict),
        control=_control(case),
        p_supported=None if case.stop else case.test.p_plus,
        p_not_supported=None if case.stop else case.test.p_minus,
        minimum_detectable_effect=_detectable(case, n_family),
        evidence={c.against: p.estimate.key for c, p in _pairs(case)},
    )


def _verdict(case: _Case, judgment: Judgment, n_family: int) -> tuple[str, str]:
    """Verdict of the family's test, unless too much is missing to keep it."""
    parts = [p for p in case.parts if p.interval is not None]
    missing = max(p.estimate.counts.missing_share for p in parts)
    if missing > MISSING_LIMIT and not _survives_imputation(case, judgment):
        return "undecided", f"{missing:.1%} of the rows are missing and could turn the verdict"
    reason = _reason(case, judgment, n_family)
    scope = _wider_scope(case)
    return judgment.outcome, f"{reason}; {scope}" if scope else reason


def _reason(case: _Case, judgment: Judgment, n_family: int) -> str:
    """One sentence: which comparison decided."""
    of_family = f", Holm over {n_family}" if n_family > 1 else ""
    if judgment.outcome == "not supported":
        p = f"p = {_p(judgment.p_minus)}{of_family}"
        return f"{_said(*_strongest_denial(case))} lies on the other side of its limit ({p})"
    weakest, found = _pairs(case)[case.test.weakest]
    part = found.estimate
    said = _said(weakest, found)
    held = f"limit {weakest.operator} {weakest.limit:.3g}"
    p = f"p = {_p(judgment.p_plus)}{of_family}"
    if part.value is None:
        return f"there is no value against {weakest.against}, so the claim cannot be supported"
    if judgment.outcome == "supported":
        return f"the weakest comparison still holds: {said}, {held} ({p})"
    detectable = _detectable(case, n_family)
    could = "" if detectable is None else f"; {detectable:.3f} beyond it could have been shown"
    return f"the interval does not clear its limit: {said}, {held} ({p}{could})"


def _said(component: Component, part: Estimated) -> str:
    found = part.estimate
    return f"{_bounds(found.value, found.low, found.high)} against {component.against}"


def _strongest_denial(case: _Case) -> tuple[Component, Estimated]:
    """Comparison that lies farthest on the other side, by its p."""
    decided = [(c, p) for c, p in _pairs(case) if p.interval is not None]

    def reverse_p(pair: tuple[Component, Estimated]) -> float:
        component, part = pair
        direction = _direction(component, reverse=True)
        return (
            1.0
            if part.interval is None
            else part.interval.p_value(component.limit, direction=direction)
        )

    return min(decided, key=reverse_p)


def _p(value: float) -> str:
    return "< .001" if value < 0.001 else f"{value:.3f}".lstrip("0") if value < 1 else "1"


def _bounds(value: float | None, low: float | None, high: float | None) -> str:
    if value is None or low is None or high is None:
        return "no value"
    return f"{value:.3f} [{low:.3f}, {high:.3f}]"


def _survives_imputation(case: _Case, judgment: Judgment) -> bool:
    """Whether the outcome stays when every missing row is given the worst value there could be.

    Only for measures in [-1, 1]: differences of shares and of F1.
    """
    sign = {"supported": 1.0, "not supported": -1.0}.get(judgment.outcome)
    if sign is None:
        return True
    p = []
    for component, part in _pairs(case):
        interval = part.interval
        if interval is None:
            continue
        if interval.draws is None or np.abs(interval.draws).max() > 1:
            return False
        share = part.estimate.counts.missing_share
        toward = sign if component.operator.startswith(">") else -sign
        draws = (1 - share) * interval.draws - toward * share
        wrong = draws <= component.limit if toward > 0 else draws >= component.limit
        p.append((1 + int(wrong.sum())) / (1 + draws.size))
    alpha = (1 - case.claim.level) / 2
    return (max(p) if sign > 0 else min(1.0, len(p) * min(p))) <= alpha


def _scope(case: _Case) -> str:
    if not case.parts or min(p.estimate.n_replicates for p in case.parts) < 3:
        return "this checkpoint"
    datasets = {p.estimate.key.dataset for p in case.parts}
    return "beyond this dataset" if len(datasets) > 1 else "this recipe"


def _wider_scope(case: _Case) -> str:
    """Why nothing wider may be said, or an empty text."""
    if min(p.estimate.n_replicates for p in case.parts) == 1:
        return "one replicate, so undecided for the recipe"
    return ""


def _control(case: _Case) -> Estimate | None:
    for component, part in _pairs(case):
        if "control" in component.against:
            return part.estimate
    return None


def _pairs(case: _Case) -> list[tuple[Component, Estimated]]:
    return list(zip(case.claim.components, case.parts, strict=False))


def _checks(case: _Case, verdict: str) -> tuple[Check, ...]:
    """Outcome of everything that the claim has to survive."""
    if not case.parts or case.parts[0].interval is None:
        return tuple(Check(name, "not run", "no value") for name in case.claim.checks)
    return tuple(_check(name, case, verdict) for name in case.claim.checks)


def _check(name: str, case: _Case, verdict: str) -> Check:
    if name == "seeds":
        return _over_seeds(case, verdict)
    if name == "items":
        return _over_groups(name, [_pairs(case)[:1]], verdict)
    kind = "dataset" if name.partition(":")[0] == "datasets" else "choice"
    groups = _groups(case, kind)
    if len(groups) < 2:
        return Check(name, "not run", f"one {kind}")
    return _over_groups(name, groups, verdict)


def _groups(case: _Case, kind: str) -> list[list[tuple[Component, Estimated]]]:
    """Components by dataset or choice; what names none belongs to the first."""
    groups: dict[str, list[tuple[Component, Estimated]]] = {}
    for component, part in _pairs(case):
        named = re.search(rf"\b{kind}:? ([^,:]+)", component.against)
        groups.setdefault(named[1] if named else "", []).append((component, part))
    return list(groups.values())


def _over_groups(
    name: str, groups: Sequence[Sequence[tuple[Component, Estimated]]], verdict: str
) -> Check:
    """Whether each group of components, by itself, says what the verdict says.

    All of a group must lie beyond their limits to support a claim; one on the other side denies
    it.
    """
    said = []
    for group in groups:
        sides = [_side(c, p.interval) for c, p in group]
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


def _side(component: Component, interval: Interval | None) -> str:
    """Where an interval lies: beyond the limit, below it, or across it."""
    if interval is None:
        return "undecided"
    above = interval.low > component.limit
    under = interval.high < component.limit
    if component.operator.startswith("<"):
        above, under = under, above
    return "beyond" if above else "below" if under else "undecided"


def _over_seeds(case: _Case, verdict: str) -> Check:
    """Whether replicates agree, and whether their spread overturns what items alone would say."""
    component, part = _pairs(case)[0]
    values = list(part.estimate.by_replicate.values())
    if len(values) < 2:
        return Check("seeds", "not run", "one replicate")
    beyond = [(v > component.limit) == component.operator.startswith(">") for v in values]
    agreeing = sum(beyond) if verdict != "not supported" else len(beyond) - sum(beyond)
    detail = f"{agreeing} of {len(values)}"
    with_seeds = _side(component, part.interval)
    if len(values) == 2:
        return Check("seeds", "undecided", detail)
    if with_seeds != "undecided":
        return Check("seeds", "yes", detail)
    return Check("seeds", "no" if _items_alone(component, part) else "undecided", detail)


def _items_alone(component: Component, part: Estimated) -> bool:
    """Whether the items alone would have decided."""
    if part.resampled is None:
        return False
    draws = part.resampled.draws.mean(axis=1)
    low, high = np.nanquantile(draws, [0.025, 0.975])
    return bool(low > component.limit or high < component.limit)


def _detectable(case: _Case, n_family: int) -> float | None:
    """Minimum detectable effect of the main component, at the family's first Holm step."""
    if not case.parts or case.parts[0].resampled is None:
        return None
    part = case.parts[0]
    resampled = part.resampled
    if resampled is None or resampled.n_units < 2:
        return None
    spread = float(resampled.point.std(ddof=1)) if resampled.point.size > 1 else 0.0
    of_items = float(np.nanstd(np.nanmean(resampled.draws, axis=1), ddof=1))
    design = CrossedDesign(
        replicates=resampled.point.size,
        items=resampled.n_units,
        seed_sd=spread,
        item_sd=max(of_items * resampled.n_units**0.5, resampled.n_units**-0.5),  # one flip
    )
    return minimum_detectable_effect(design, alpha=1 - case.claim.level, family=n_family)
