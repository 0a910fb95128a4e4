"""Rows of the audit table, the same for all formats, and a run divided by diagnostic."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from scrutiny.blocks.labels import distinct_labels, numbered, shared_words
from scrutiny.blocks.numbers import interval, out_of
from scrutiny.blocks.run_estimates import main_estimates, single_estimates, slug
from scrutiny.blocks.run_view import DiagnosticNotes, Missing, RunView
from scrutiny.core.claim import IN_SLICES, Finding
from scrutiny.core.estimate import Estimate
from scrutiny.core.plugin_base import family_name
from scrutiny.core.record import grouped
from scrutiny.reliability.verdicts.reasons import in_words
from scrutiny.reliability.verdicts.risks import worst_outcome
from scrutiny.report.wording import OUTCOME_MARKS, VERDICTS, context, scope_words

COLUMNS: Final = (
    "diagnostic",
    "claim",
    "estimate",
    "against control",
    "survives seeds",
    "choices",
    "datasets",
    "n/planned",
    "verdict and scope",
)
#: What is shown of a claim beside risks, which hold or can't be told.
_BESIDE_RISKS: Final = {"supported": "holds", "undecided": "can't tell", "refused": "not asked"}
_SHARED: Final = 3  # a frame is printed once where it saves at least this many rows a repetition


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One line of the front page, in words.

    Parameters
    ----------
    finding
        What it is a line of.
    anchor
        Stable name within the page.
    diagnostic, context
        Name without version; what the claim is of ("sentiment on reviews").
    frame, label
        The claim in two parts: what the neighbors share, with a gap, and what fills the gap. The
        frame is empty where the label is the whole claim. A risk is named, not claimed: beside
        "holds", a claim that it hurts would read as if that held.
    estimate, control, denominator
        Numbers as texts.
    seeds, choices, datasets
        Outcome of each kind of check.
    is_beside_risks
        Whether other claims of its diagnostic are risks: one word then means one thing.
    """

    finding: Finding
    anchor: str
    diagnostic: str
    context: str
    frame: str
    label: str
    estimate: str
    control: str
    denominator: str
    seeds: str
    choices: str
    datasets: str
    is_beside_risks: bool = False

    @property
    def claim(self) -> str:
        """The claim as written."""
        return self.finding.claim.says

    @property
    def found(self) -> str:
        """What was found, in words: a claim that was shown not to be so is not repeated bare."""
        return found_words(self.finding)

    @property
    def verdict(self) -> str:
        """The verdict; beside risks, in their words."""
        own, found = self.finding.verdict, self.finding.estimate
        if not self.is_beside_risks:
            return own
        is_asked = found is not None and found.value is not None
        return _BESIDE_RISKS.get(own if is_asked else "refused", own)

    @property
    def scope(self) -> str:
        """Scope of the verdict, in words."""
        return scope_words(self.finding.scope)

    @property
    def survived(self) -> str:
        """Outcomes of the checks that were run: "seeds yes, choices ?"."""
        outcomes = {"seeds": self.seeds, "choices": self.choices, "datasets": self.datasets}
        run = {name: outcome for name, outcome in outcomes.items() if outcome != "not run"}
        return ", ".join(f"{name} {OUTCOME_MARKS.get(one, '?')}" for name, one in run.items())

    @property
    def title(self) -> str:
        """Heading of the row's group."""
        place = f" \N{MIDDLE DOT} {self.context}" if self.context else ""
        return f"{self.diagnostic}{place}" + (f": {self.frame}" if self.frame else "")

    def cells(self) -> tuple[str, ...]:
        """Texts of `COLUMNS`, in their order."""
        return (
            self.diagnostic,
            f"{self.claim} ({self.context})" if self.context else self.claim,
            self.estimate,
            self.control,
            self.seeds,
            self.choices,
            self.datasets,
            self.denominator,
            f"{self.verdict}: {self.scope}",
        )


@lru_cache(maxsize=1)
def audit_rows(view: RunView) -> tuple[AuditRow, ...]:
    """Rows by diagnostic, family and context; then by verdict and size of the estimate."""
    findings = view.findings
    names = [f.claim.diagnostic_name for f in findings]
    families = {_family(f): context(f) for f in reversed(findings) if context(f)}
    families.pop("", None)
    places = [(_family(f), context(f) or families.get(_family(f), "")) for f in findings]
    groups = [(name, *place) for name, place in zip(names, places, strict=True)]
    first: dict[object, int] = {}
    for i, group in enumerate(groups):
        first.setdefault(group[0], i)
        first.setdefault(group, i)

    def rank(i: int) -> tuple[float, ...]:
        verdict, found = findings[i].verdict, findings[i].estimate
        worst = VERDICTS.index(verdict) if verdict in VERDICTS else len(VERDICTS)
        size = abs(found.value or 0.0) if found else 0.0
        return first[names[i]], first[groups[i]], worst, -size

    anchors = numbered((f"claim-{slug(f.claim.id)}" for f in findings), "{}-{}")
    frames = _frames(findings)
    risky = {f.claim.diagnostic_name for f in findings if f.claim.risk is not None}
    return tuple(
        AuditRow(
            finding=findings[i],
            anchor=anchors[i],
            diagnostic=names[i],
            context=places[i][1],
            frame=frames[i][0],
            label=frames[i][1],
            estimate=interval(findings[i].estimate),
            control=interval(findings[i].control, signed=True),
            denominator=out_of(findings[i].estimate),
            seeds=_outcome(findings[i], "seeds"),
            choices=_outcome(findings[i], "choices"),
            datasets=_outcome(findings[i], "datasets"),
            is_beside_risks=findings[i].claim.risk is None and names[i] in risky,
        )
        for i in sorted(range(len(findings)), key=rank)
    )


def _family(finding: Finding) -> str:
    """Family of a finding; the clearest slices of all numbers of a diagnostic stand together."""
    family = finding.claim.family
    return IN_SLICES if family.endswith(IN_SLICES) else family


def _frames(findings: Sequence[Finding]) -> list[tuple[str, str]]:
    """Frame and label of each claim, family by family."""
    by_family = grouped(
        ((finding.claim.diagnostic_name, _family(finding)), i) for i, finding in enumerate(findings)
    )
    risks = [finding.claim.risk for finding in findings]
    frames = [
        ("", finding.claim.says if risk is None else risk.what)
        for finding, risk in zip(findings, risks, strict=True)
    ]
    for places in by_family.values():
        if any(risks[i] for i in places):
            continue
        frame, labels = shared_words([findings[i].claim.says for i in places])
        if frame and len(places) >= _SHARED:
            for i, label in zip(places, labels, strict=True):
                frames[i] = (frame, label)
    return frames


def found_words(finding: Finding) -> str:
    """What was found of a claim, in words: "typos cost at most 1.3 points".

    Examples
    --------
    >>> from scrutiny.core.claim import Claim, Component
    >>> claim = Claim("c", "gold labels are wrong", "labels", (Component("e", 0.0),))
    >>> found_words(Finding(claim, None, "not supported", "", ""))
    'shown not to be so: gold labels are wrong'
    """
    risk, found = finding.claim.risk, finding.estimate
    if risk is None:
        known = {"supported": "", "not supported": "shown not to be so: "}
        return known.get(finding.verdict, f"{finding.verdict}: ") + finding.claim.says
    if finding.verdict not in ("hurts", "holds", "can't tell"):
        return f"{risk.what}: {finding.verdict}"
    if found is None or found.value is None or found.low is None or found.high is None:
        return f"{risk.what}: {finding.verdict}, without a value"
    ends = (found.value, found.low, found.high)
    return f"{risk.what} {in_words(finding.claim.components[0], ends, risk, finding.verdict)}"


def _outcome(finding: Finding, kind: str) -> str:
    """Worst outcome of the checks of one kind; "not run" if there was none."""
    return worst_outcome(c.outcome for c in finding.checks if c.name.partition(":")[0] == kind)


@dataclass(frozen=True, slots=True)
class NumberRow:
    """A number of a run without claims, in words: its label, value, denominator and status."""

    estimate: Estimate
    label: str

    @property
    def value(self) -> str:
        """Value with its interval, or why there is none."""
        e = self.estimate
        return interval(e) if e.status == "ok" else e.status

    @property
    def n(self) -> str:
        """``n/planned``."""
        return out_of(self.estimate)


def number_rows(estimates: Sequence[Estimate]) -> list[NumberRow]:
    """Rows of estimates, labeled by what tells them apart."""
    keys = [e.key for e in estimates]
    labels = distinct_labels(keys, without=frozenset()) if keys else []
    return [NumberRow(e, label) for e, label in zip(estimates, labels, strict=True)]


@dataclass(frozen=True, slots=True)
class Section:
    """Section of one diagnostic.

    Parameters
    ----------
    name, anchor
        Name without version, and its stable place in the page.
    kinds
        Versions with the digests of their parameters, as they ran.
    notes
        What the diagnostic says of itself.
    rows
        Its lines of the audit table.
    estimates
        Its numbers over all replicates.
    n_single
        Further numbers, of single heads and layers, which stand in maps.
    missing
        Its variants that could not be asked.
    """

    name: str
    anchor: str
    kinds: tuple[str, ...]
    notes: DiagnosticNotes
    rows: tuple[AuditRow, ...]
    estimates: tuple[Estimate, ...]
    missing: tuple[Missing, ...]
    n_single: int = 0

    def shared_limit(self, metric: str) -> float | None:
        """Common limit of the claims about one metric, if there is one."""
        limits = {
            row.finding.claim.components[0].limit
            for row in self.rows
            if row.finding.claim.components
            and row.finding.estimate is not None
            and row.finding.estimate.key.metric == metric
        }
        return limits.pop() if len(limits) == 1 else None


def sections(view: RunView) -> tuple[Section, ...]:
    """Sections in plan order: of every diagnostic that has a claim or an estimate."""
    rows = audit_rows(view)
    listed, single = main_estimates(view), single_estimates(view)
    diagnostics = [r.finding.claim.diagnostic for r in rows]
    diagnostics += dict.fromkeys(e.key.diagnostic for e in (*listed, *single))
    names = dict.fromkeys(family_name(d) for d in diagnostics)
    found = []
    for name in names:
        own, of_heads = (
            tuple(e for e in some if e.key.diagnostic_name == name) for some in (listed, single)
        )
        section = Section(
            name=name,
            anchor=f"diagnostic-{slug(name)}",
            kinds=tuple(dict.fromkeys(e.key.diagnostic for e in (*own, *of_heads))),
            notes=view.notes.get(name, DiagnosticNotes()),
            rows=tuple(r for r in rows if r.diagnostic == name),
            estimates=own,
            missing=tuple(m for m in view.missing if family_name(m.diagnostic) == name),
            n_single=len(of_heads),
        )
        found.append(section)
    return tuple(found)
