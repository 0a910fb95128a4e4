"""What a reader needs first: how good it is, what hurts and how sure that is, what to do."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from scrutiny.core.claim import Finding
from scrutiny.core.errors import ScrutinyError
from scrutiny.core.estimate import Estimate
from scrutiny.parts.run.classes import LabelLine, decimal_of, labels_of, percent_of
from scrutiny.parts.run.view import EvidenceItem, RunView
from scrutiny.parts.wording.numbers import NO_VALUE
from scrutiny.parts.wording.verdicts import STATES
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.risk_words import in_words, needed
from scrutiny.reliability.risks import costs

_MOST_NAMED: Final = 3
#: Headline of the mean over labels, which stands there where labels are unequal.
MACRO_F1: Final = "macro-F1"
#: Of a risk that is told, whether it is more than what a control does.
_MORE: Final = {"yes": "yes", "no": "no", "undecided": "can't tell"}


@dataclass(frozen=True, slots=True)
class FoundRisk:
    """What is found of one risk, in words.

    Parameters
    ----------
    finding
        What it is of.
    what, where
        What may hurt; on which data, where the run has several.
    state
        hurts, holds, can't tell or not asked.
    costs
        What it costs with its limits: "costs 4.0 points [2.2, 6.2]".
    more
        Whether that is more than random change does, or a dash where nothing tells.
    scope
        Of what it is said; where it cannot be told, what would tell.
    cases
        Items whose answers it changed, the clearest first.
    n_cases
        How many there are.
    """

    finding: Finding
    what: str
    where: str
    state: str
    costs: str
    more: str
    scope: str
    cases: tuple[EvidenceItem, ...] = ()
    n_cases: int = 0


@dataclass(frozen=True, slots=True)
class Front:
    """The first screen of a report.

    Parameters
    ----------
    title
        What was examined, with how many seeds, on which data.
    numbers
        The numbers that people came for: "accuracy 78.1 % [75.3, 80.8]".
    labels
        Numbers of each label, the worst first, where labels are unequal and the run has one model
        on one dataset.
    decision
        One sentence: how many risks hurt, hold, or cannot be told.
    advice
        What to do next, in one sentence.
    risks
        The worst first.
    """

    title: str
    numbers: tuple[str, ...]
    decision: str
    advice: str
    risks: tuple[FoundRisk, ...]
    labels: tuple[LabelLine, ...] = ()

    def of(self, state: str) -> tuple[FoundRisk, ...]:
        """Risks of a state."""
        return tuple(risk for risk in self.risks if risk.state == state)


def front_of(view: RunView) -> Front | None:
    """First screen of a run; nothing where it has no risks."""
    findings = [finding for finding in view.findings if finding.claim.risk is not None]
    if not findings:
        return None
    is_single = len({f.estimate.key.dataset for f in findings if f.estimate}) < 2
    risks = [_found(view, finding, is_single=is_single) for finding in findings]
    ordered = tuple(sorted(risks, key=_worst_first))
    beside = [(e, name) for e in view.estimates if (name := _headline(e))]
    return Front(
        title=title_of(view),
        numbers=(*_scores(view.findings), *_beside(beside)),
        decision=decision_of(ordered),
        advice=_advice(ordered),
        risks=ordered,
        labels=_labels(view, [name for _, name in beside]),
    )


def title_of(view: RunView) -> str:
    """What was examined, with how many seeds, on which data."""
    seeds = len(view.facts.replicates)
    parts = [", ".join(view.facts.subjects), f"{seeds} seeds" if seeds > 1 else "one checkpoint"]
    parts += [f"{d.name} ({d.n_items:,} items)" for d in view.datasets]
    return " \N{MIDDLE DOT} ".join(filter(None, parts))


def _scores(findings: Sequence[Finding]) -> Iterator[str]:
    """Scores that people came for, with their limits."""
    told = [f for f in findings if f.claim.is_headline and f.estimate is not None]
    for finding in told:
        found = finding.estimate
        if found is None or found.value is None:
            continue
        where = f" on {found.key.dataset}" if len(told) > 1 else ""
        yield f"{metric_of(found.key.metric).says} {percent_of(found)}{where}"


def _beside(told: Sequence[tuple[Estimate, str]]) -> Iterator[str]:
    """Numbers that stand beside the scores: macro-F1, calibration error."""
    names = Counter(name for _, name in told)
    for found, name in told:
        where = f" on {found.key.dataset}" if names[name] > 1 else ""
        yield f"{name} {decimal_of(found)}{where}"


def _headline(found: Estimate) -> str:
    """Name of a number on the first screen; empty where it does not stand there."""
    key = found.key
    is_plain = (key.role, key.group, key.replicate) == ("measured", "all", None)
    if not is_plain or key.condition or found.value is None:
        return ""
    try:
        return metric_of(key.metric).headline
    except ScrutinyError:  # of a plug-in that is not here
        return ""


def _labels(view: RunView, beside: Sequence[str]) -> tuple[LabelLine, ...]:
    """Numbers of each label, where their mean stands on the first screen."""
    found = labels_of(view.estimates) if MACRO_F1 in beside else {}
    (lines,) = found.values() if len(found) == 1 else ((),)
    return tuple(lines)


def _found(view: RunView, finding: Finding, *, is_single: bool) -> FoundRisk:
    risk, found = finding.claim.risk, finding.estimate
    assert risk is not None  # the caller has looked
    limits = finding.limits[0] if finding.limits else None
    said, scope = finding.reason, finding.scope
    if found is not None and found.value is not None and limits is not None:
        known = found.value, found.low or 0.0, found.high or 0.0
        said = in_words(finding.claim.components[0], known, risk, finding.verdict)
        if finding.verdict == "can't tell":
            scope = risk.settled_by or needed(limits, found.n_units, found.n_replicates)
    evidence = view.evidence.get(finding.claim.id)
    more = next((c.outcome for c in finding.checks if c.name.startswith("more than")), "")
    return FoundRisk(
        finding=finding,
        what=risk.what,
        where="" if is_single or found is None else found.key.dataset,
        state=finding.verdict,
        costs=said,
        more=_MORE.get(more, NO_VALUE),
        scope=scope,
        cases=evidence.cases if evidence else (),
        n_cases=evidence.n_cases if evidence else 0,
    )


def _worst_first(risk: FoundRisk) -> tuple[int, float]:
    """Order of risks: by state, then by what they cost as a multiple of what is tolerable."""
    found = risk.finding.estimate
    if found is None or found.value is None or risk.finding.claim.risk is None:
        return STATES.index(risk.state), 0.0
    cost, _ = costs(risk.finding.claim.components[0], (found.value, found.value))
    return STATES.index(risk.state), -cost / max(risk.finding.claim.risk.tolerance, 1e-9)


def decision_of(risks: Sequence[FoundRisk]) -> str:
    """How many risks hurt, hold, or cannot be told."""
    n = Counter(risk.state for risk in risks)
    hurt = f"{n['hurts']} risk{'s' * (n['hurts'] != 1)} found" if n["hurts"] else "No risk found"
    parts = [hurt]
    parts += [f"{n['holds']} hold within what is tolerable"] * bool(n["holds"])
    open_ones = n["can't tell"]
    parts += [f"{open_ones} can't be told yet"] * bool(open_ones)
    parts += [f"{n['not asked']} not asked"] * bool(n["not asked"])
    return ", ".join(parts) + "."


def _advice(risks: Sequence[FoundRisk]) -> str:
    """What to do next."""
    hurt = [risk.what for risk in risks if risk.state == "hurts"]
    open_ones = [risk for risk in risks if risk.state == "can't tell"]
    if hurt:
        return f"Look at {_listed(hurt)} first."
    if open_ones:
        return f"Can't tell yet: {open_ones[0].what}: {open_ones[0].scope}."
    return "Nothing found beyond what is tolerable."


def _listed(names: Sequence[str]) -> str:
    """The first names of a list."""
    shown = [*names[:_MOST_NAMED]]
    if len(names) > _MOST_NAMED:
        shown.append(f"{len(names) - _MOST_NAMED} more")
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))
