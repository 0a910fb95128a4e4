"""Risks: changes that cost the model something, or were tested and cost nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from scrutiny.core.claim import Finding
from scrutiny.core.errors import ScrutinyError
from scrutiny.core.plugin import without_versions
from scrutiny.parts.wording.verdicts import STATES, context
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.of_measures import measures_of

#: States of `run.risks`, the worst first.
_ORDER: Final = ("no skill", *STATES)


@dataclass(frozen=True, slots=True)
class Risk:
    """One line of `run.risks`.

    Parameters
    ----------
    state
        ``no skill``: the main score is not shown to exceed that of no skill. ``hurts``: the loss is
        shown. ``can't tell``: these items and seeds do not decide it. ``not tested``: asked, and
        nothing can be told of it: the change altered (next to) no text, or the model has no skill.
        ``holds``: the loss is shown not to be there. ``not asked``: refused, the reason says why.
    what
        What may hurt: ``typos``; of a claim that declares no risk, the claim.
    cost, low, high
        The number that decided and its interval; nothing where there is none.
    metric
        What the number is: of accuracy less is worse, of a drop more.
    of
        Model and dataset.
    scope
        Of what the state may be said: this checkpoint, this recipe, beyond this dataset.
    look
        Where its items are.
    reason
        The comparison that decided.
    changed
        Share of the items that the change altered, or the attack had candidates for; None where the
        risk is of no change.
    """

    state: str
    what: str
    cost: float | None
    low: float | None
    high: float | None
    metric: str
    of: str
    scope: str
    look: str
    reason: str
    changed: float | None = None


def risks_of(findings: Sequence[Finding]) -> list[Risk]:
    """Risks of a finished run, from its findings: what hurts first, largest cost first.

    A finding is a risk where its claim declares one, or its number has a direction: of accuracy
    less is worse, of a drop more. One without a number, which was refused, is a risk where others
    of its diagnostic are.
    """
    worse = {finding.claim.id: _worse(finding) for finding in findings}
    known = {f.claim.diagnostic for f in findings if worse[f.claim.id]}
    found = [
        _risk(finding, worse[finding.claim.id])
        for finding in findings
        if worse[finding.claim.id] or (not finding.estimate and finding.claim.diagnostic in known)
    ]
    return sorted(found, key=lambda risk: (_ORDER.index(risk.state), -abs(risk.cost or 0.0)))


def _risk(finding: Finding, worse: str) -> Risk:
    claim, estimate = finding.claim, finding.estimate
    # whether what the claim says is the loss
    is_bad = bool(claim.components) and claim.components[0].operator[0] == worse
    shown, denied = ("hurts", "holds") if is_bad else ("holds", "hurts")
    states = {"supported": shown, "not supported": denied, "undecided": "can't tell"}
    state = finding.verdict if claim.risk else states.get(finding.verdict, "not asked")
    if claim.is_headline and finding.verdict != "supported":
        state = "no skill" if finding.lacks_skill else "not tested"
    return Risk(
        what=claim.risk.what if claim.risk else claim.says,
        of=context(finding),
        state=state,
        cost=estimate.value if estimate else None,
        low=estimate.low if estimate else None,
        high=estimate.high if estimate else None,
        metric=estimate.key.metric_name if estimate else "",
        scope=finding.scope,
        reason=finding.reason,
        look=_look(finding),
        changed=finding.touched.share if finding.touched else None,
    )


def _worse(finding: Finding) -> str:
    """Side of a limit on which a finding's number is worse; `None` if on neither."""
    if finding.claim.risk:
        return finding.claim.components[0].operator[0]
    if finding.estimate is None:
        return ""
    key = finding.estimate.key
    try:
        direction = metric_of(key.metric, measures_of(key.diagnostic)).higher_is
    except ScrutinyError:  # of a plug-in that is not here, or of no single metric
        return ""
    return {"worse": ">", "better": "<"}.get(direction, "")


def _look(finding: Finding) -> str:
    """Call that shows the items of a finding."""
    if changed := finding.change:
        return f'run.cases("{without_versions(changed)}")'
    return f'run.records("{finding.claim.diagnostic_name}")'
