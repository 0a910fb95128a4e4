"""Risks that a run found: each in words and figures, with what would decide it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from scrutiny.blocks.cases import EvidenceItem, Turn
from scrutiny.blocks.drawings import CostSpan
from scrutiny.blocks.numbers import NO_VALUE
from scrutiny.blocks.run_view import RunView
from scrutiny.core.claim import CHANGED, Finding, State
from scrutiny.core.plugin_base import sentence_of
from scrutiny.core.registry import KINDS, registry
from scrutiny.reliability.verdicts.limits import costs
from scrutiny.reliability.verdicts.prerequisites import (
    figures,
    figures_over,
    over_touched,
    share_in_words,
)
from scrutiny.reliability.verdicts.reasons import (
    Ways,
    few_in_words,
    in_words,
    is_count,
    ways_to_tell,
)
from scrutiny.reliability.verdicts.validity import part_in_words
from scrutiny.report.wording import STATES, scope_words

#: What a cost is compared with, as tables and sentences call it.
MORE_THAN_RANDOM: Final = "more than random change"


@dataclass(frozen=True, slots=True)
class FoundRisk:
    """One risk in words: its state, cost, scope and cases.

    Parameters
    ----------
    finding
        What it is of.
    what, where
        What may hurt; on which data, where the run has several.
    state
        hurts, can't tell, not tested, holds or not asked.
    costs
        What it costs with its limits: "costs 4.0 points [2.2, 6.2]".
    more
        Whether that is more than random change does, or a dash where nothing tells.
    scope
        Of what it is said; where it cannot be told, what would decide, if anything would.
    unit
        What its cost is counted in: "points" or "%".
    part
        On how many of the items it was measured, if not on all: "126 of 2,000 items".
    touched
        How many of the texts the change altered, and what it costs over those alone: "changed 253
        of 872 texts, and costs at most 4.8 points over these alone"; empty where it is of no
        change.
    share, alone
        The same in figures: "changed 29 %", and "at most 4.8" where it altered few enough to tell.
    is_rare
        Whether that matters: the change altered so few that the cost is much larger over those.
    span
        The cost as numbers, where there is one.
    ways
        More items or seeds that would decide, where it cannot be told.
    cases, n_cases
        Items whose answers it changed, the clearest first, and how many there are.
    n_turned
        How many are broken, fixed, or changed in a way that nobody can judge.
    own
        How much of a cost that hurts is the model's, as far as changed texts were read.
    told
        What is known of a test that is not told: how many of its few cases failed.
    """

    finding: Finding
    what: str
    where: str
    state: str
    costs: str
    more: str
    scope: str
    unit: str = "points"
    part: str = ""
    touched: str = ""
    share: str = ""
    alone: str = ""
    is_rare: bool = False
    span: CostSpan | None = None
    ways: Ways | None = None
    cases: tuple[EvidenceItem, ...] = ()
    n_cases: int = 0
    n_turned: Mapping[Turn, int] = field(default_factory=dict)
    own: str = ""
    told: str = ""

    @property
    def name(self) -> str:
        """Name of the risk, with its dataset if there are several."""
        return f"{self.what} on {self.where}" if self.where else self.what

    @property
    def is_test(self) -> bool:
        """Whether it is of a test of a suite, whose name is its author's."""
        found = self.finding.estimate
        return found is not None and "test" in found.key.condition

    @property
    def spoken(self) -> str:
        """Name within a sentence, with what is told of it; that of a test stands in quotes."""
        said = in_sentence(self) + f" on {self.where}" * bool(self.where)
        return f"{said} ({self.told})" if self.told else said

    @property
    def figures(self) -> str:
        """The cost in figures alone, as a table says it that names the unit."""
        span = self.span
        if span is None:
            return ""
        risk, cost = self.finding.claim.risk, (span.value, span.low, span.high)
        is_most = self.state != "hurts" and risk is not None and bool(risk.settled_by)
        return figures([x / 100 for x in cost], "holds" if is_most else self.state)

    @property
    def is_beyond(self) -> bool:
        """Whether the cost is shown to be more than is tolerable."""
        return self.span is not None and self.span.low > self.span.tolerance

    @property
    def verdict(self) -> str:
        """Size of a cost that hurts against what is tolerable, in words; empty for any other."""
        if self.state != "hurts" or self.span is None:
            return ""
        tolerable = f"the {self.span.tolerance:g} {self.unit} that are tolerable"
        if self.span.high <= self.span.tolerance:
            return f"within {tolerable} over all texts, maybe most of those that it changed break"
        return f"more than {tolerable}" if self.is_beyond else f"maybe within {tolerable}"

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """Its row of a table in words: name, cost, whether more than random change, scope."""
        return self.name, self.costs, self.more, self.scope

    @property
    def against_random(self) -> str:
        """Whether it costs more than random change does, as part of a sentence; or nothing."""
        return {"yes": MORE_THAN_RANDOM, "no": f"no {MORE_THAN_RANDOM}"}.get(self.more, "")

    @property
    def decides(self) -> str:
        """What would decide it, in few words; where nothing is open, of what it is true."""
        return self.ways.short() if self.ways else self.scope

    @property
    def turned(self) -> str:
        """How many cases are broken, fixed or changed: "12 broken, 3 fixed"."""
        return ", ".join(f"{n:,} {turn}" for turn, n in self.n_turned.items() if n)

    @property
    def change(self) -> str:
        """Name by which its cases are asked for, as users type it; nothing where it has none."""
        return self.finding.change

    @property
    def meaning(self) -> str:
        """Description of an attack, from its docstring; empty for a change, whose name says it."""
        names, (known, _, _) = registry(), self.change.partition("(")
        told = (kind for kind in KINDS if kind != "transformation" and known in names.names(kind))
        return next((sentence_of(names.load(kind, known)) for kind in told), "").removesuffix(".")


def in_sentence(risk: FoundRisk) -> str:
    """Name of a risk without its data; the name of a test stands in quotes."""
    return f"'{risk.what}'" if risk.is_test else risk.what


#: Share of items below which it is said what a change costs over those that it altered.
_RARE: Final = 0.1
#: Share of items from which on the page does not say so.
_NEARLY_ALL: Final = 0.95
_TOLD: Final[Mapping[str, State]] = {
    state: state
    for state in ("hurts", "can't tell", "holds")  # of a risk that was tested
}
#: Of a risk that is told, whether it is more than what a control does.
_MORE: Final = {"yes": "yes", "no": "no", "undecided": "can't tell"}


def items_in_words(count: int) -> str:
    """Number of items in words."""
    return f"{count:,} item{'s' * (count != 1)}"


def found_risk(view: RunView, finding: Finding, where: Mapping[str, str]) -> FoundRisk:
    """Risk of a finding, in words and figures."""
    risk, found = finding.claim.risk, finding.estimate
    assert risk is not None  # the caller has looked
    limits = finding.limits[0] if finding.limits else None
    said, scope, ways = finding.reason, scope_words(finding.scope), None
    is_told = finding.verdict not in ("not tested", "not asked")
    if is_told and found is not None and found.value is not None and limits is not None:
        known = found.value, found.low or 0.0, found.high or 0.0
        said = in_words(finding.claim.components[0], known, risk, finding.verdict)
        if finding.verdict == "can't tell" and risk.settled_by:
            scope = risk.settled_by
        elif finding.verdict == "can't tell":
            ways = ways_to_tell(limits, found.n_units, found.n_replicates, risk)
            scope = ways.says()
            said = few_in_words(found, risk) if ways.is_few else said
    elif finding.verdict == "can't tell":
        scope = ""  # the reason says why, and nothing is known that would tell
        if found is not None and is_count(found, risk):
            said, scope = few_in_words(found, risk), finding.reason
    evidence = view.evidence.get(finding.claim.id)
    more = next((c.outcome for c in finding.checks if c.name.startswith("more than")), "")
    part = ""
    if found and found.value is not None and found.divided_by < found.counts.planned:
        part = f"{round(found.divided_by):,} of {items_in_words(found.counts.planned)}"
    return FoundRisk(
        finding=finding,
        what=risk.what,
        where=where.get(found.key.dataset, "") if found else "",
        state=finding.verdict,
        costs=said,
        more=_MORE.get(more, NO_VALUE),
        scope=scope,
        unit="%" if "%" in risk.costs else "points",
        part=part,
        **_touched(finding),
        is_rare=is_told and finding.touched is not None and finding.touched.share < _RARE,
        span=_span(finding) if is_told else None,
        ways=ways,
        cases=evidence.cases if evidence else (),
        n_cases=evidence.n_cases if evidence else 0,
        n_turned=evidence.n_turned if evidence else {},
        own=part_in_words(finding),
    )


def _touched(finding: Finding) -> dict[str, str]:
    """How many texts a change altered, and what it costs over those alone."""
    risk, touched, found = finding.claim.risk, finding.touched, finding.estimate
    if risk is None or touched is None:
        return {}
    said = {"touched": touched.says(risk.touches)}
    if touched.items < touched.of or risk.touches == CHANGED:  # attacks try most texts
        said["share"] = f"{risk.touches} {share_in_words(touched)}"
    state = _TOLD.get(finding.verdict)
    if found is None or found.value is None or state is None or found.key.group == "changed":
        return said
    component, (low, at, high) = finding.claim.components[0], found.ends
    cost = (costs(component, (at, at))[0], *costs(component, (low, high)))
    if alone := over_touched(touched, touched.share, cost, state, risk):
        said["touched"] = alone
    if touched.share < _NEARLY_ALL:
        said["alone"] = figures_over(touched.share, cost, state)
    return said


def _span(finding: Finding) -> CostSpan | None:
    """The cost of a risk as numbers."""
    risk, found = finding.claim.risk, finding.estimate
    is_open = finding.verdict == "can't tell" and not any(finding.limits)  # one unit has none
    if risk is None or found is None or found.value is None or is_open:
        return None
    component = finding.claim.components[0]

    def cost(ends: tuple[float, float]) -> tuple[float, float]:
        least, most = costs(component, ends)
        return 100 * least, 100 * most

    low, at, high = found.ends
    value, _ = cost((at, at))
    limits = finding.limits[0] if finding.limits else None
    inner = cost(limits.checkpoints) if limits is not None and limits.recipe else None
    outer = cost((low, high))
    return CostSpan(value, *outer, 100 * risk.tolerance, inner if inner != outer else None)


def told_apart(risks: Sequence[FoundRisk]) -> list[FoundRisk]:
    """Risks; those of one name on one of several datasets say of which model, or measurement."""
    apart = []
    for risk in risks:
        own = [places_of(one) for one in risks if one.where and one.name == risk.name]
        names = zip(places_of(risk), zip(*own, strict=True), strict=False)
        of = ", ".join(name for name, all_of in names if len(set(all_of)) > 1)
        apart.append(replace(risk, where=f"{risk.where} ({of})") if of else risk)
    return apart


def places_of(risk: FoundRisk) -> tuple[str, str]:
    """Model and measurement of a risk."""
    found = risk.finding.estimate
    return found.key.subject if found else "", risk.finding.claim.id.partition("/")[0]


def worst_first(risk: FoundRisk) -> tuple[int, bool, float, str]:
    """Order of risks: by state, what they cost as a multiple of what is tolerable, and name.

    The most that something can cost is less than a cost: it stands behind those of its state.
    """
    ratio = risk.span.value / max(risk.span.tolerance, 1e-9) if risk.span else 0.0
    stated = risk.finding.claim.risk
    is_most = stated is not None and bool(stated.settled_by)
    return STATES.index(risk.state), is_most, -ratio, risk.name
