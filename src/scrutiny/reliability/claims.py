"""From estimates to findings: the one function that audit, gate and compare share.

A claim is decided by all its components together (intersection-union), the claims of a family by
Holm, each direction at half of alpha. Gates come first: no skill, no value, too few replicates,
too much missing.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from scrutiny.core.claim import Claim, Finding
from scrutiny.core.estimate import Estimate
from scrutiny.reliability.cases import (
    ClaimCase,
    Part,
    detectable_effect,
    is_fixed,
    is_of_recipe,
    p_value,
    side_of,
)
from scrutiny.reliability.checks import checks_of
from scrutiny.reliability.estimate import Estimated
from scrutiny.reliability.imputation import survives_imputation
from scrutiny.reliability.prerequisites import bounds, gate
from scrutiny.stats.significance.verdict import ClaimTest, Judgment, intersection_union, judge

MISSING_LIMIT: Final = 0.05
_NO_EVIDENCE: Final = ClaimTest(1.0, 1.0, 0, 1)


def decide(claims: Sequence[Claim], estimated: Mapping[str, Estimated]) -> list[Finding]:
    """Findings of all claims, in their order.

    Parameters
    ----------
    claims
        All claims of the run; those of one family share a Holm correction, and stay in it where a
        gate has decided them.
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


def _case(claim: Claim, estimated: Mapping[str, Estimated]) -> ClaimCase:
    known = [c for c in claim.components if c.estimate in estimated]
    parts = tuple((c, estimated[c.estimate]) for c in known)
    stop = gate(claim, parts, estimated)
    if stop is not None:
        return ClaimCase(claim, parts, _NO_EVIDENCE, stop)
    test = intersection_union(
        [p_value(c, part.interval) for c, part in parts],
        [p_value(c, part.interval, reverse=True) for c, part in parts],
    )
    return ClaimCase(claim, parts, test, None)


def _finding(case: ClaimCase, judgment: Judgment, *, n_family: int) -> Finding:
    detectable = detectable_effect(case, n_family=n_family)
    verdict, reason = case.stop or _verdict(case, judgment, n_family, detectable=detectable)
    return Finding(
        claim=case.claim,
        estimate=case.parts[0][1].estimate if case.parts else None,
        verdict=verdict,
        scope=_scope(case.parts),
        reason=reason,
        checks=checks_of(case, verdict),
        control=_control(case.parts),
        p_supported=None if case.stop else case.test.p_plus,
        p_not_supported=None if case.stop else case.test.p_minus,
        minimum_detectable_effect=detectable,
        evidence={c.against: part.estimate.key for c, part in case.parts},
    )


def _verdict(
    case: ClaimCase, judgment: Judgment, n_family: int, *, detectable: float | None
) -> tuple[str, str]:
    """Verdict of the family's test, unless too much is missing to keep it."""
    missing = max(
        part.estimate.counts.missing_share for _, part in case.parts if part.interval is not None
    )
    is_decided = judgment.outcome != "undecided"
    if missing > MISSING_LIMIT and is_decided:
        if not survives_imputation(case, judgment, n_family=n_family):
            return "undecided", f"{missing:.1%} of the rows are missing and could turn the verdict"
    reason = _reason(case, judgment, n_family, detectable=detectable)
    narrow = _why_narrow(case.parts)
    return judgment.outcome, f"{reason}; {narrow}" if narrow else reason


def _reason(case: ClaimCase, judgment: Judgment, n_family: int, *, detectable: float | None) -> str:
    """One sentence: which comparison decided."""
    of_family = f", Holm over {n_family}" if n_family > 1 else ""
    if judgment.outcome == "not supported":
        p = f"{_p(judgment.p_minus)}{of_family}"
        return f"{_said(_strongest_denial(case.parts))} lies on the other side of its limit ({p})"
    weakest = case.parts[case.test.weakest]
    component, part = weakest
    if part.interval is None:
        return f"there is no value against {component.against}, so the claim cannot be supported"
    said = f"{_said(weakest)}, limit {component.operator} {component.limit:.3g}"
    p = f"{_p(judgment.p_plus)}{of_family}"
    if judgment.outcome == "supported":
        return f"the weakest comparison still holds: {said} ({p})"
    if case.test.p_plus == part.interval.smallest_p:
        return (
            f"every draw clears the limit, but {part.interval.smallest_p:.2g} is the smallest p "
            f"that so few draws can give: {said} ({p}); take more draws"
        )
    if side_of(component, part.interval) == "beyond":
        return f"the interval clears its limit, but not with the family's correction: {said} ({p})"
    could = "" if detectable is None else f"; {detectable:.3f} beyond it could have been shown"
    return f"the interval does not clear its limit: {said} ({p}{could})"


def _said(part: Part) -> str:
    return f"{bounds(part[1])} against {part[0].against}"


def _strongest_denial(parts: Sequence[Part]) -> Part:
    """Comparison that lies farthest on the other side, by its p."""
    return min(parts, key=lambda part: p_value(part[0], part[1].interval, reverse=True))


def _p(value: float) -> str:
    """``p = .031``, or ``p < .001``."""
    if value < 0.001:
        return "p < .001"
    return f"p = {value:.3f}".replace("= 0", "= ") if round(value, 3) < 1 else "p = 1"


def _scope(parts: Sequence[Part]) -> str:
    parts = _with_value(parts)
    if not parts or not all(is_of_recipe(part) for _, part in parts):
        return "this checkpoint"
    datasets = {part.estimate.key.dataset for _, part in parts}
    return "beyond this dataset" if len(datasets) > 1 else "this recipe"


def _why_narrow(parts: Sequence[Part]) -> str:
    """Why nothing may be said of the recipe, or an empty text."""
    parts = _with_value(parts)
    if any(part.estimate.n_replicates == 1 for _, part in parts):
        return "one replicate, so undecided for the recipe"
    if any(is_fixed(part) for _, part in parts):
        return "these replicates are held fixed, so undecided for the recipe"
    return ""


def _with_value(parts: Sequence[Part]) -> Sequence[Part]:
    return [part for part in parts if part[1].interval is not None]


def _control(parts: Sequence[Part]) -> Estimate | None:
    return next((p.estimate for c, p in parts if "control" in c.against), None)
