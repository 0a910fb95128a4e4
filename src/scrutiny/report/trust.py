"""Which findings can be reported: one table of all claims, by one rule.

A control is no condition of a cost, and stands beside it; a small cost needs none at all.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rich.text import Text

from scrutiny.blocks.numbers import NO_VALUE, decimals_for, mean_and_sd, number
from scrutiny.blocks.run_estimates import identity, main_estimates
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import ColumnsBlock
from scrutiny.blocks.terminal_and_markdown import block_lines, wrapped
from scrutiny.core.boundary.printable import and_more
from scrutiny.core.claim import Component, Finding
from scrutiny.core.estimate import Estimate
from scrutiny.core.record import grouped
from scrutiny.reliability.verdicts.limits import place_of
from scrutiny.reliability.verdicts.prerequisites import SKILL_NOT_COMPUTED
from scrutiny.reliability.verdicts.risks import worst_outcome
from scrutiny.report.findings.audit_rows import AuditRow, audit_rows
from scrutiny.report.wording import mark

RULE: Final = (
    "A finding can be reported if its interval decides it with every declared choice, all "
    "replicates are on the same side, the model has the skill that the diagnostic presupposes, and "
    "the controls that it needs are passed. A cost can be reported whatever its control shows, but "
    "with it: only with “yes” under "
    "controls does it cost more than random changes of the same amount. "
    "“None needed”: that a cost is "
    "small, or that there is skill, is compared with nothing else. All of this was fixed before "
    "the first query unless marked post hoc."
)
CONDITIONS: Final = ("interval", "choices", "seeds", "controls", "skill")
NONE_DECLARED: Final = "none declared"
NO_CONTROL: Final = "no control declared"
NOT_NEEDED: Final = "none needed"
NOT_TESTED: Final = "not tested"
#: How the outcome of a control begins that a cost is not shown to exceed.
_BESIDE: Final = ("not shown ", "not yet shown ")
_HOLDS: Final = frozenset({"yes", NONE_DECLARED, NOT_NEEDED})
_CONTROLS: Final = frozenset({"control", "null", "baseline"})  # roles of a family
_FEWEST: Final = 3
#: Verdicts and states that can be reported.
DECIDED: Final = ("supported", "hurts", "holds")


@dataclass(frozen=True, slots=True)
class TrustedRow:
    """One claim and the rule's outcome.

    Parameters
    ----------
    row
        Its line of the audit table.
    outcomes
        What became of each of `CONDITIONS`: "yes", "none declared", "none needed", or what failed
        in words.
    """

    row: AuditRow
    outcomes: Mapping[str, str]

    @property
    def failed(self) -> tuple[str, ...]:
        """Names of the conditions that are not met."""
        return tuple(
            name
            for name, outcome in self.outcomes.items()
            if outcome not in _HOLDS and not outcome.startswith(_BESIDE)
        )

    @property
    def is_trusted(self) -> bool:
        """Whether every condition is met."""
        return not self.failed

    @property
    def standing(self) -> str:
        """Verdict by the rule: "trusted", with what its control shows, or "not trusted"."""
        if not self.is_trusted:
            return "not trusted"
        return f"trusted; {self.beside}" if self.beside else "trusted"

    @property
    def beside(self) -> str:
        """Outcome of a control that is no condition and is not passed; empty for any other."""
        outcome = self.outcomes["controls"]
        return outcome if outcome.startswith(_BESIDE) else ""

    @property
    def why(self) -> str:
        """First failed condition, in words; empty for a trusted claim.

        Where a gate decided and nothing was tested, the gate's own reason: conditions that fail
        for want of a test are none.
        """
        if self.is_trusted:
            return ""
        if self.row.finding.is_stopped:
            return self.outcomes["interval"]
        return f"{self.failed[0]}: {self.outcomes[self.failed[0]]}"


@dataclass(frozen=True, slots=True)
class TrustedTable:
    """All claims of a run and the rule's outcomes, in the order of the audit table."""

    rows: tuple[TrustedRow, ...]

    @property
    def n_trusted(self) -> int:
        """Number of trusted claims."""
        return sum(row.is_trusted for row in self.rows)

    @property
    def sentence(self) -> str:
        """Sentence on how many findings can be reported, and which controls are not passed."""
        said = f"{self.n_trusted} of {len(self.rows)} findings can be reported by this rule"
        beside = [row.beside for row in self.rows if row.is_trusted and row.beside]
        counted = [f"{beside.count(one)} of them {one}" for one in dict.fromkeys(beside)]
        return f"{said}; {', '.join(counted)}." if counted else f"{said}."


def trusted_table(view: RunView) -> TrustedTable | None:
    """Return the table; `None` for runs without claims or with single checkpoints."""
    if not any(f.estimate and f.estimate.n_replicates > 1 for f in view.findings):
        return None
    known = {identity(e.key): e for e in main_estimates(view)}
    families = {
        name
        for name, model in view.manifest.get("models", {}).items()
        if model.get("role") in _CONTROLS
    }
    rows = []
    for row in audit_rows(view):
        finding = row.finding
        parts = [(c, known.get(identity(key))) for c, key in finding.comparisons]
        controls = [
            (c, e)
            for c, e in parts
            if "control" in c.against or (e and e.key.reference in families)
        ]
        interval = "yes" if finding.verdict in DECIDED else finding.verdict
        if finding.is_stopped:
            interval = f"{NOT_TESTED}: {finding.reason}"
        skill = "yes" if finding.claim.competence or finding.claim.gates else NONE_DECLARED
        if finding.verdict in ("refused", "not asked") or finding.lacks_skill:
            skill = "refused"  # only a missing skill is
        elif finding.reason == SKILL_NOT_COMPUTED:
            skill = "not computed"
        checks = [c for c in finding.checks if c.name.partition(":")[0] == "choices"]
        run = [c for c in checks if not c.detail.startswith("one ")]  # one choice holds by itself
        choices = NONE_DECLARED
        if run:
            outcome = worst_outcome(c.outcome for c in run)
            detail = next((c.detail for c in run if c.outcome == outcome and c.detail), "")
            choices = "yes" if outcome == "yes" else f"{outcome} ({detail})" if detail else outcome
        outcomes = interval, choices, _seeds(finding), _controls(finding, controls), skill
        rows.append(TrustedRow(row, dict(zip(CONDITIONS, outcomes, strict=True))))
    return TrustedTable(tuple(rows))


def _seeds(finding: Finding) -> str:
    """Whether all replicates lie on the same side, three of them at least, and their check."""
    estimate = finding.estimate
    if estimate is None or estimate.value is None:
        return "no value"
    if estimate.n_replicates < _FEWEST:
        return f"{estimate.n_replicates} replicate" + "s" * (estimate.n_replicates > 1)
    values = list(estimate.by_replicate.values())
    agreeing, share = len(values), estimate.across.get("sign_agreement")
    if share is not None:
        agreeing = round(share * len(values))
    elif finding.claim.components:
        main = finding.claim.components[0]
        agreeing = sum(place_of(main, (v, v)) == "beyond" for v in values)
    if agreeing < len(values) and finding.verdict != "holds":
        return f"{agreeing} of {len(values)} agree"
    outcome = worst_outcome(c.outcome for c in finding.checks if c.name == "seeds")
    declared = any(c.name == "seeds" for c in finding.checks)
    return "yes" if outcome == "yes" or not declared else outcome


def _controls(finding: Finding, controls: Sequence[tuple[Component, Estimate | None]]) -> str:
    """First control that is not passed, by its name; or that there is none.

    A difference to a family that is there as a control is a control itself. Of a cost, what was
    found beside its controls.
    """
    named = [c for c in finding.claim.components if "control" in c.against]
    declared = list(dict.fromkeys([*named, *(component for component, _ in controls)]))
    if finding.claim.risk is not None:
        if finding.verdict == "holds":
            return NOT_NEEDED
        more = [check for check in finding.checks if check.name.startswith("more than ")]
        if not more:
            return NOT_NEEDED
        open_ones = [check for check in more if check.outcome != "yes"]
        if not open_ones:
            return "yes"
        exceeded = open_ones[0].name.removeprefix("more than ")
        words = {"no": f"not shown to exceed {exceeded}", "not run": f"{exceeded} not run"}
        return words.get(open_ones[0].outcome, f"not yet shown to exceed {exceeded}")
    if not declared:
        return NO_CONTROL if finding.claim.needs_control else NOT_NEEDED
    found = dict(controls)
    passed = [
        c
        for c, e in found.items()
        if e is not None and e.low is not None and e.high is not None
        if place_of(c, (e.low, e.high)) == "beyond"
    ]
    failed = [c for c in declared if c not in passed]
    if not failed:
        return "yes"
    ran = found.get(failed[0]) is not None
    name = failed[0].against.removeprefix("control: ")
    return f"{name} not passed" if ran else f"{name} not run"


_MOST_NAMES: Final = 8
_MOST_SEEDS: Final = 12
_MOST_TRUSTED: Final = 20
_MOST_REASONS: Final = 8
_WHAT: Final = {
    "interval": "interval",
    "choices": "analysis choices",
    "seeds": "seeds",
    "controls": "validity control",
    "skill": "skill",
}


def trusted_lines(view: RunView) -> Iterator[Text]:
    """Claims that can be reported, reasons for the others, and results by seed.

    Nothing for runs of single checkpoints.
    """
    table = trusted_table(view)
    if table is None:
        return
    yield Text()
    yield Text("Which findings can I report?", style="bold")
    yield from wrapped(table.sentence)
    trusted = [row for row in table.rows if row.is_trusted]
    for row in trusted[:_MOST_TRUSTED]:
        beside = f"; {row.beside}" if row.beside else ""
        said = f"{mark('supported')} {row.row.found} ({row.row.context}{beside})"
        yield from wrapped(said, hanging=2)
    if len(trusted) > _MOST_TRUSTED:
        yield Text(f"  … and {len(trusted) - _MOST_TRUSTED} more")
    tested = [row for row in table.rows if not (row.is_trusted or row.row.finding.is_stopped)]
    for name in CONDITIONS:
        rows = [row for row in tested if row.failed[0] == name]
        if rows:
            yield from _listed(f"condition not met, {_WHAT[name]}", rows)
    stopped = grouped((row.why, row) for row in table.rows if row.row.finding.is_stopped)
    for why, rows in list(stopped.items())[:_MOST_REASONS]:
        yield from _listed(why, rows)
    if len(stopped) > _MOST_REASONS:
        count = sum(len(rows) for rows in list(stopped.values())[_MOST_REASONS:])
        yield from wrapped(f"  not tested for other reasons: {count} more", hanging=4)
    yield from _seed_lines(table)


def _listed(why: str, rows: Sequence[TrustedRow]) -> Iterator[Text]:
    """A reason, the number of claims with it, and the first of their names."""
    who = and_more([row.row.label for row in rows], _MOST_NAMES)
    yield from wrapped(f"  {why} ({len(rows)}): {who}", hanging=4)


def _seed_lines(table: TrustedTable) -> Iterator[Text]:
    """Mean and standard deviation over replicates, trusted claims first."""
    ordered = sorted(table.rows, key=lambda row: not row.is_trusted)
    found = [(row, row.row.finding.estimate) for row in ordered]
    shown = [(row, e) for row, e in found if e is not None and len(e.by_replicate) > 1]
    if not shown:
        return
    yield Text()
    yield Text("Results by seed", style="bold")
    rows = []
    for row, e in shown[:_MOST_SEEDS]:
        decimals = decimals_for(e.low, e.high, e.value)
        values = list(e.by_replicate.values())
        span = f"{number(min(values), decimals)} … {number(max(values), decimals)}"
        share = e.across.get("sign_agreement")
        sign = NO_VALUE if share is None else f"{round(share * len(values))}/{len(values)}"
        rows.append((row.row.label, mean_and_sd(e.by_replicate, decimals), span, sign))
    header = ("claim", "mean \N{PLUS-MINUS SIGN} sd", "min\N{EN DASH}max", "sign")
    yield from block_lines([ColumnsBlock(header, (34, 17, 17, 6), tuple(rows))])
    if len(shown) > _MOST_SEEDS:
        rest = f"… and {len(shown) - _MOST_SEEDS} more; `-o report.html` has every seed."
        yield from wrapped(rest)
