"""Risks as lines of `run.risks` and tests of JUnit, and what would decide the undecided."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any, Final, Literal
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.numbers import interval, number
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import MOST_ROWS, Part, ReportPart, left_out
from scrutiny.core.boundary.json_text import plain
from scrutiny.core.boundary.printable import printable
from scrutiny.core.claim import Finding
from scrutiny.core.errors import ScrutinyError
from scrutiny.core.plugin_base import without_versions
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.statistics import measures_of
from scrutiny.reliability.verdicts.validity import models_part, part_in_words
from scrutiny.report.findings.audit_rows import audit_rows
from scrutiny.report.wording import STATES, context, scope_words

#: States of `run.risks`, the worst first.
_ORDER: Final = ("no skill", *STATES)


@dataclass(frozen=True, slots=True)
class RiskLine:
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
    own
        Least part of the cost that is the model's, as far as texts of the change were read; None
        where none was.
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
    own: float | None = None


def risks_of(findings: Sequence[Finding]) -> list[RiskLine]:
    """Risks of a finished run, from its findings: what hurts first, largest cost first.

    A finding is a risk where its claim declares one, or its number has a direction: of accuracy
    less is worse, of a drop more. One without a number, which was refused, is a risk where others
    of its diagnostic are.
    """
    worse = {finding.claim.id: _worse(finding) for finding in findings}
    known = {f.claim.diagnostic for f in findings if worse[f.claim.id]}
    found = []
    for finding in findings:
        claim, estimate = finding.claim, finding.estimate
        side = worse[claim.id]
        if not side and (estimate or claim.diagnostic not in known):
            continue
        # whether what the claim says is the loss
        is_bad = bool(claim.components) and claim.components[0].operator[0] == side
        shown, denied = ("hurts", "holds") if is_bad else ("holds", "hurts")
        states = {"supported": shown, "not supported": denied, "undecided": "can't tell"}
        state = finding.verdict if claim.risk else states.get(finding.verdict, "not asked")
        if claim.is_headline and finding.verdict != "supported":
            state = "no skill" if finding.lacks_skill else "not tested"
        change, part = without_versions(finding.change), part_in_words(finding)
        as_clause = part[:1].lower() + part[1:].rstrip(".")
        look = f'cases("{change}")' if change else f'records("{claim.diagnostic_name}")'
        found.append(
            RiskLine(
                what=claim.risk.what if claim.risk else claim.says,
                of=context(finding),
                state=state,
                cost=estimate.value if estimate else None,
                low=estimate.low if estimate else None,
                high=estimate.high if estimate else None,
                metric=estimate.key.metric_name if estimate else "",
                scope=finding.scope,
                reason=f"{finding.reason}; {as_clause}".rstrip("; "),
                look=f"run.{look}",
                changed=finding.touched.share if finding.touched else None,
                own=models_part(finding),
            )
        )
    return sorted(found, key=lambda risk: (_ORDER.index(risk.state), -abs(risk.cost or 0.0)))


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


Outcome = Literal["pass", "fail", "undecided", "accepted", "not tested", "refused"]
#: What a risk comes to where nothing of it is accepted.
OUTCOMES: Final[dict[str, Outcome]] = {
    "no skill": "fail",
    "hurts": "fail",
    "holds": "pass",
    "can't tell": "undecided",
    "not tested": "not tested",
    "not asked": "refused",
}


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """One test: the risk or rule, its context, and its outcome.

    ``says`` is why; a case that is undecided, accepted, not tested or refused was skipped. ``kind``
    is what a failure is: "hurts", or "no skill". ``cost`` is its number, ``line`` the object that
    programs read.
    """

    name: str
    of: str
    outcome: Outcome
    says: str
    kind: str = "hurts"
    cost: float | None = None
    line: Mapping[str, Any] = field(default_factory=dict)


def render_junit(view: RunView) -> str:
    """Return the risks of a run as a test suite."""
    return junit(view.facts.path, [case_of(risk) for risk in risks_of(view.findings)])


def case_of(risk: RiskLine) -> JudgedCase:
    """Return a risk as a test."""
    bounds = "" if risk.low is None else f" [{number(risk.low)}, {number(risk.high)}]"
    cost = "" if risk.cost is None else f"{risk.metric} {number(risk.cost)}{bounds}; "
    says = f"{cost}{scope_words(risk.scope)}: {risk.reason}"
    kind = risk.state if OUTCOMES[risk.state] == "fail" else "hurts"
    return JudgedCase(risk.what, risk.of, OUTCOMES[risk.state], says, kind, risk.cost, plain(risk))


def junit(name: str, cases: Sequence[JudgedCase]) -> str:
    """Return one test suite as XML.

    Parameters
    ----------
    name
        Of the suite: the folder of the run.
    cases
        In the order of the file.
    """
    failed = sum(case.outcome == "fail" for case in cases)
    skipped = sum(case.outcome not in ("fail", "pass") for case in cases)
    counts = {"tests": str(len(cases)), "failures": str(failed), "errors": "0"}
    suites = Element("testsuites", counts)  # which have no count of skipped ones for Jenkins
    own = {"name": printable(name), **counts, "skipped": str(skipped)}
    suite = SubElement(suites, "testsuite", own)
    for case in cases:
        said = {"classname": printable(case.of), "name": printable(case.name)}
        test, message = SubElement(suite, "testcase", said), printable(case.says)
        if case.outcome == "fail":
            SubElement(test, "failure", {"message": message, "type": case.kind})
        elif case.outcome == "pass":
            SubElement(test, "system-out").text = message
        else:
            said_why = message if message.startswith(case.outcome) else f"{case.outcome}: {message}"
            SubElement(test, "skipped", {"message": said_why})
    indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(suites, "unicode") + "\n"


_MOST_TIMES: Final = 100  # as many: beyond that the truth may as well lie at the limit
_NEVER: Final = "no number suffices"
_UNDECIDED_LEAD: Final = (
    "If the true value equals the estimate, this number of items, or of replicates, would show it "
    "with 80 % power. More items do not reduce the spread between replicates, and more replicates "
    "do not reduce that between items. This is a rough guide for planning the next run, which "
    "must use other items."
)


def undecided_part(view: RunView) -> Part | None:
    """Table of the claims that more data would decide."""
    rows = []
    for row in audit_rows(view):
        e, shown_from = row.finding.estimate, row.finding.minimum_detectable_effect
        components = row.finding.claim.components
        if row.finding.verdict != "undecided" or e is None or e.value is None or not components:
            continue
        off = abs(e.value - components[0].limit)
        if not shown_from or not 0 < off < shown_from or not e.variance:
            continue  # more data would not help
        wanted = sum(e.variance.values()) * (off / shown_from) ** 2
        items, seeds, both = (e.variance.get(name, 0.0) for name in ("items", "seeds", "both"))
        cells = (
            interval(e),
            number(components[0].limit),
            f"{e.n_units:,}",
            _needed(items + both, seeds, wanted, e.n_units),
            str(e.n_replicates),
            _needed(seeds + both, items, wanted, e.n_replicates),
        )
        rows.append((row.claim, *cells))
    if not rows:
        return None
    header = ("claim", "estimate", "limit", "items", "items needed", "replicates", "needed")
    chart = Chart(
        anchor="reliability-undecided-table",
        title="Claims that more data could decide",
        caption="This is for the comparison with the limit; controls may need more.",
        table=ChartTable(header, tuple(rows[:MOST_ROWS])),
        is_open=True,
        note=left_out(len(rows), MOST_ROWS, "claims"),
    )
    return Part("reliability-undecided", "What would decide it", _UNDECIDED_LEAD, (chart,))


def _needed(shrinks: float, stays: float, wanted: float, now: int) -> str:
    """Number that reduces a variance to the required value, instead of ``now``.

    Parameters
    ----------
    shrinks, stays
        Parts of the variance that shrink with their number, and that do not.
    wanted
        Variance at which the difference would be shown.
    now
        How many there are.
    """
    if wanted <= stays:
        return _NEVER
    times = shrinks / (wanted - stays)
    if times > _MOST_TIMES:
        return f"over {_MOST_TIMES * now:,}"
    return f"{max(now, ceil(now * times)):,}"


UNDECIDED: Final = ReportPart(
    "Data needed to decide: about how many items or replicates for each undecided claim.",
    undecided_part,
)
