"""Decisions: from estimates to findings, by the one function that audit, gate and compare share.

A verdict compares the limits that are printed with the limits that a claim names. Those of a number
hold for its whole family at once, so nothing is corrected afterwards. Gates come first: no skill,
no value, too much missing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from scrutiny.core.boundary.printable import percent
from scrutiny.core.claim import HERE, OF_ITSELF, OPEN, Claim, Finding, State
from scrutiny.core.estimate import Estimate, Limits, Spoken
from scrutiny.reliability.estimate import Estimated
from scrutiny.reliability.verdicts.limits import (
    ClaimCase,
    ClaimPart,
    Place,
    RowFamily,
    costs,
    deciding,
    families_among,
    is_of_recipe,
    is_on_one_unit,
    limits_of,
    outcome_of,
    p_value,
    survives_imputation,
    worst_ends,
)
from scrutiny.reliability.verdicts.prerequisites import (
    gate,
    no_skill,
    over_touched,
    share_of,
    state_over_touched,
    too_few_touched,
    touched_of,
)
from scrutiny.reliability.verdicts.reasons import (
    bounds_in,
    could_be_shown,
    detectable_effect,
    limits_at_once,
    other_scope,
    telling_part,
    why,
)
from scrutiny.reliability.verdicts.risks import (
    FEWEST_DATASETS,
    checks_of,
    over_datasets,
    state_of,
    with_negligible,
)
from scrutiny.stats.significance.combined_tests import intersection_union

MISSING_LIMIT: Final = 0.05
_VERDICTS: Final[Mapping[Place, str]] = {"beyond": "supported", "below": "not supported"}
#: State of a risk that a gate stopped.
_STOPPED: Final[Mapping[str, State]] = {
    "no skill": "not tested",
    "not tested": "not tested",
    "refused": "not asked",
}
_WIDER_FIRST: Final[tuple[Spoken, ...]] = ("recipe", "checkpoints")


def decide(
    claims: Sequence[Claim],
    estimated: Mapping[str, Estimated],
    families: Mapping[str, RowFamily] | None = None,
) -> list[Finding]:
    """Findings of all claims, in their order.

    Parameters
    ----------
    claims
        All claims of the run.
    estimated
        Estimates by the identifiers that the claims' components use, and the others of their
        families where they are there.
    families
        Family of each estimate, with the number of rows that it was planned with; numbers of one
        metric, diagnostic, model and dataset unless given.
    """
    families = {**families_among(estimated), **(families or {})}
    claims = [
        with_negligible(claim, estimated[main].scale)
        if claim.components and (main := claim.components[0].estimate) in estimated
        else claim
        for claim in claims
    ]
    wanted = [component.estimate for claim in claims for component in claim.components]
    losses = {  # what a cost as large as the tolerance has to be told from
        c.components[0].estimate: c.risk.tolerance - c.risk.negligible for c in claims if c.risk
    }
    level = max((claim.level for claim in claims), default=0.95)
    limits = limits_of(estimated, families, wanted=wanted, level=level, losses=losses)
    shown = {name: _with_limits(one, limits.get(name)) for name, one in estimated.items()}
    return over_datasets([_finding(_case(claim, shown, limits)) for claim in claims])


def _with_limits(one: Estimated, limits: Limits | None) -> Estimated:
    """Number with the limits of its family, so that reasons and gates read those that are shown."""
    if limits is None or one.estimate.value is None:
        return one
    return replace(one, estimate=one.estimate.within(limits.widest))


def _case(
    claim: Claim, estimated: Mapping[str, Estimated], limits: Mapping[str, Limits]
) -> ClaimCase:
    there = [c for c in claim.components if c.estimate in estimated]
    is_told = {  # limits over replicates alone speak of these very items
        c.estimate: "items" not in claim.checks or not is_on_one_unit(estimated[c.estimate])
        for c in there
    }
    parts = tuple(
        ClaimPart(c, estimated[c.estimate], limits.get(c.estimate) if is_told[c.estimate] else None)
        for c in there
    )
    touched = touched_of(claim, estimated)
    stop = gate(claim, deciding(claim, parts), estimated, touched)
    return ClaimCase(claim, parts, stop, touched)


def _finding(case: ClaimCase) -> Finding:
    verdict, scope, reason = (_verdict if case.claim.risk is None else _state)(case)
    parts = case.deciding
    test = None
    if case.stop is None:
        test = intersection_union(
            [p_value(c, found.interval) for c, found, _ in parts],
            [p_value(c, found.interval, reverse=True) for c, found, _ in parts],
        )
    main = parts[0] if parts else None
    limited = partial(_limited, is_here=scope in HERE and verdict not in OPEN)
    return Finding(
        claim=case.claim,
        estimate=limited(main) if main else None,
        verdict=verdict,
        scope=scope,
        reason=reason,
        checks=checks_of(case, verdict),
        control=next((limited(p) for p in case.parts if "control" in p.component.against), None),
        p_supported=test.p_plus if test else None,
        p_not_supported=test.p_minus if test else None,
        minimum_detectable_effect=detectable_effect(main) if main else None,
        evidence={part.component.against: part.found.estimate.key for part in case.parts},
        limits=tuple(part.limits for part in case.parts),
        touched=case.touched,
    )


def _limited(part: ClaimPart, *, is_here: bool) -> Estimate:
    """Estimate of a component with the limits that decide."""
    found, limits = part.found.estimate, part.limits
    if limits is None:
        return found
    return found.within(limits.checkpoints if is_here else limits.widest)


def _verdict(case: ClaimCase) -> tuple[str, str, str]:
    """Verdict, scope, and reason: in the widest scope in which the claim is decided."""
    if case.stop:
        verdict, reason = case.stop
        verdict = "refused" if verdict in _STOPPED else verdict
        return verdict, _scope(case.parts, _widest(case.parts)), reason
    for spoken in _WIDER_FIRST:
        outcome = outcome_of([part.place(spoken) for part in case.parts])
        if outcome == "undecided":
            continue
        scope, missing = _scope(case.parts, spoken), _missing(case.parts)
        if missing > MISSING_LIMIT and not survives_imputation(case, outcome, spoken):
            reason = f"{percent(missing)} of the rows are missing and could turn the verdict"
            return "undecided", scope, reason
        return _VERDICTS[outcome], scope, _why(case, outcome, spoken)
    spoken = _widest(case.parts)
    return "undecided", _scope(case.parts, spoken), _why(case, "undecided", spoken)


def _why(case: ClaimCase, outcome: Place, spoken: Spoken) -> str:
    """Reason of a verdict; that of the main score says whether it exceeds that of no skill."""
    first = case.parts[0] if case.parts else None
    if not case.claim.is_headline or outcome == "beyond" or first is None or first.limits is None:
        # Reason in one sentence: the comparison that decided, and why the scope is not wider.
        telling = telling_part(case.parts, outcome, spoken)
        said = f"{_sentence(telling, outcome, spoken)}{limits_at_once(telling)}"
        narrow = _why_narrow(case.parts, spoken)
        return f"{said}; {narrow}" if narrow else said
    found = first.found.estimate.within(first.ends(spoken))
    return no_skill(found, first.component.limit, case.claim.no_skill)


def _state(case: ClaimCase) -> tuple[str, str, str]:
    """State of a risk, scope, and reason: in the widest scope in which it is decided."""
    risk, parts = case.claim.risk, case.deciding
    if case.stop or risk is None or parts[0].limits is None:
        verdict, reason = case.stop or ("undecided", _sentence(parts[0], "undecided", "recipe"))
        state = _STOPPED.get(verdict, "can't tell")
        if verdict == "refused" and any(part.found.estimate.value is not None for part in parts):
            state = "not tested"  # it was asked
        return state, _scope(parts, _widest(parts)), reason
    (main,) = parts
    for spoken in _WIDER_FIRST:
        ends = parts[0].limits.of(spoken)
        state = state_of(main.component, ends, risk) if ends else "can't tell"
        if state == "can't tell":
            continue
        if _missing(parts) > MISSING_LIMIT and not _stays(case, state, spoken):
            reason = f"{percent(_missing(parts))} of the rows are missing and could turn this"
            return "can't tell", _scope(parts, spoken), reason
        if state == "holds" and case.touched is not None:
            share, limits = share_of(case.touched, main), _costs(main, spoken)[1:]
            state = state_over_touched(share, limits, risk)
            if state == "not tested":
                return state, _scope(parts, spoken), too_few_touched(case.touched, risk)
        said = why(main, spoken, state, risk) + limits_at_once(main)
        aside = other_scope(main, spoken) or _why_narrow(parts, spoken)
        return state, _scope(parts, spoken), _joined(said, _alone(case, state, spoken), aside)
    spoken, state = _widest(parts), "can't tell"
    if case.touched is not None and share_of(case.touched, main) < risk.tolerance:
        # as many items more would hold such a share of touched ones again
        return "not tested", _scope(parts, spoken), too_few_touched(case.touched, risk)
    said = why(main, spoken, state, risk)
    both = _joined(said, _alone(case, state, spoken), other_scope(main, spoken))
    return state, _scope(parts, spoken), both


def _alone(case: ClaimCase, state: State, spoken: Spoken) -> str:
    """Cost over the texts alone that a change touched, in words."""
    (main,), risk = case.deciding, case.claim.risk
    if risk is None or risk.settled_by or case.touched is None:
        return ""
    share = share_of(case.touched, main)
    return over_touched(case.touched, share, _costs(main, spoken), state, risk)


def _costs(part: ClaimPart, spoken: Spoken) -> tuple[float, float, float]:
    """Value and limits of a number as costs: beyond no effect, on the side of harm."""
    assert part.limits is not None  # whoever asks has compared them
    value = part.found.estimate.value or part.component.limit
    least, most = costs(part.component, part.limits.of(spoken) or part.limits.widest)
    return costs(part.component, (value, value))[0], least, most


def _joined(*parts: str) -> str:
    return "; ".join(filter(None, parts))


def _stays(case: ClaimCase, state: State, spoken: Spoken) -> bool:
    """Whether a state stays under worst-case and best-case imputation of missing rows."""
    (main,), risk = case.deciding, case.claim.risk
    is_low = main.component.operator.startswith(">") == (state == "hurts")
    ends = worst_ends(main, spoken, is_low=is_low, level=case.claim.level)
    return ends is not None and risk is not None and state_of(main.component, ends, risk) == state


def _missing(parts: Sequence[ClaimPart]) -> float:
    """Largest share of missing rows among the numbers with limits."""
    shares = (p.found.estimate.counts.missing_share for p in parts if p.found.interval is not None)
    return max(shares, default=0.0)


def _sentence(part: ClaimPart, outcome: Place, spoken: Spoken) -> str:
    against = part.component.against
    if part.limits is None and part.found.interval is None:
        return f"there is no value against {against}, so the claim cannot be supported"
    if part.limits is None:
        return f"its draws are too few for limits against {against}; take more draws"
    of = against if against.startswith(OF_ITSELF) else f"against {against}"
    value = f"{bounds_in(part, spoken)} {of}"
    if outcome == "below":
        return f"{value} lies on the other side of its limit"
    limit = f"limit {part.component.operator} {part.component.limit:.3g}"
    if outcome == "beyond":
        return f"the weakest comparison still holds: {value}, {limit}"
    return f"the interval does not clear its limit: {value}, {limit}; {could_be_shown(part)}"


def _widest(parts: Sequence[ClaimPart]) -> Spoken:
    there = _with_value(parts)
    return "recipe" if there and all(map(is_of_recipe, there)) else "checkpoints"


def _scope(parts: Sequence[ClaimPart], spoken: Spoken) -> str:
    there = _with_value(parts)
    of_items = ", on these items" if any(is_on_one_unit(part.found) for part in there) else ""
    if not there or not all(map(is_of_recipe, there)) or spoken == "checkpoints":
        is_single = all(part.found.estimate.n_replicates == 1 for part in there)
        of_models = "this checkpoint" if is_single else "these checkpoints"
    else:
        datasets = {part.found.estimate.key.dataset for part in there}
        of_models = "beyond this dataset" if len(datasets) >= FEWEST_DATASETS else "this recipe"
    return of_models + of_items


def _why_narrow(parts: Sequence[ClaimPart], spoken: Spoken) -> str:
    """Why the scope is not the recipe; empty if it is."""
    there = _with_value(parts)
    if spoken == "recipe" or all(part.found.estimate.n_replicates == 1 for part in there):
        return ""
    if any(part.found.estimate.n_replicates == 1 for part in there):
        return "one replicate, so undecided for the recipe"
    if any(part.found.estimate.is_fixed for part in there):
        return "these replicates are held fixed, so undecided for the recipe"
    if any(part.found.estimate.n_replicates == 2 for part in there):
        return "two replicates, so undecided for the recipe; three can tell"
    wide = next((p for p in there if p.place("recipe") == "undecided"), None)
    return f"undecided for the recipe: {bounds_in(wide, 'recipe')}" if wide else ""


def _with_value(parts: Sequence[ClaimPart]) -> Sequence[ClaimPart]:
    return [part for part in parts if part.found.interval is not None]
