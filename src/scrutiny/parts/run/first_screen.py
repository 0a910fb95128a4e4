"""First screen of a report: scores, risks worst first with their certainty, and what to do next."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from scrutiny.core.claim import Finding
from scrutiny.core.estimate import Estimate
from scrutiny.core.grouping import grouped
from scrutiny.core.plugin import sentence_of
from scrutiny.core.registry import KINDS, registry
from scrutiny.parts.run.classes import LabelLine, decimal_of, headline_of, labels_of, percent_of
from scrutiny.parts.run.view import EvidenceItem, RunView, Turn
from scrutiny.parts.wording.labels import capitalized, short_names
from scrutiny.parts.wording.numbers import NO_VALUE, ends_of
from scrutiny.parts.wording.verdicts import STATES
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.verdicts.risk_words import Ways, hundred, in_words, rough, ways_to_tell
from scrutiny.reliability.verdicts.risks import costs

_MOST_NAMED: Final = 3
_MOST_HELD: Final = 8
#: Headline of the mean over labels, which stands there where labels are unequal.
MACRO_F1: Final = "macro-F1"
#: Of a risk that is told, whether it is more than what a control does.
_MORE: Final = {"yes": "yes", "no": "no", "undecided": "can't tell"}


@dataclass(frozen=True, slots=True)
class HeadNumber:
    """A number that people came for: in words, and as shares of 1."""

    says: str
    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Span:
    """Where a cost lies, in points or percent; more is worse.

    Parameters
    ----------
    value, low, high
        The cost and the limits that decide.
    tolerance
        What can be lived with.
    inner
        Limits for these checkpoints alone, where those that decide are wider.
    """

    value: float
    low: float
    high: float
    tolerance: float
    inner: tuple[float, float] | None = None


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
        hurts, holds, can't tell or not asked.
    costs
        What it costs with its limits: "costs 4.0 points [2.2, 6.2]".
    more
        Whether that is more than random change does, or a dash where nothing tells.
    scope
        Of what it is said; where it cannot be told, what would tell.
    unit
        What its cost is counted in: "points" or "%".
    part
        On how many of the items it was measured, if not on all: "126 of 2,000 items".
    span
        The cost as numbers, where there is one.
    ways
        More items or seeds that would tell, where it cannot be told.
    cases, n_cases
        Items whose answers it changed, the clearest first, and how many there are.
    n_turned
        How many are broken, mended, or changed in a way that nobody can judge.
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
    span: Span | None = None
    ways: Ways | None = None
    cases: tuple[EvidenceItem, ...] = ()
    n_cases: int = 0
    n_turned: Mapping[Turn, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name of the risk, with its dataset if there are several."""
        return f"{self.what} on {self.where}" if self.where else self.what

    @property
    def figures(self) -> str:
        """The cost in figures alone, as a table says it that names the unit."""
        span = self.span
        if span is None:
            return ""
        value, low, high = (hundred(x / 100) for x in (span.value, span.low, span.high))
        if self.state == "hurts":
            return f"{value} [{low}, {high}]"
        risk = self.finding.claim.risk
        is_most = self.state == "holds" or (risk is not None and bool(risk.settled_by))
        return f"at most {high}" if is_most else f"between {low} and {high}"

    @property
    def is_beyond(self) -> bool:
        """Whether the cost is shown to be more than is tolerable."""
        return self.span is not None and self.span.low > self.span.tolerance

    @property
    def verdict(self) -> str:
        """What a cost that hurts is to what is tolerable; empty for any other."""
        if self.state != "hurts" or self.span is None:
            return ""
        tolerable = f"the {self.span.tolerance:g} {self.unit} that are tolerable"
        return f"more than {tolerable}" if self.is_beyond else f"maybe within {tolerable}"

    @property
    def change(self) -> str:
        """Name by which its cases are asked for, as users type it; nothing where it has none."""
        found = self.finding.estimate
        named = found.key.condition.values() if found else ()
        return next((value for value in named if isinstance(value, str)), "")

    @property
    def meaning(self) -> str:
        """What an attack does, as it says itself; empty for a change, whose name says it."""
        names, (known, _, _) = registry(), self.change.partition("(")
        told = (kind for kind in KINDS if kind != "transformation" and known in names.names(kind))
        return next((sentence_of(names.load(kind, known)) for kind in told), "").removesuffix(".")


@dataclass(frozen=True, slots=True)
class Front:
    """The first screen of a report.

    Parameters
    ----------
    title
        What was examined, on which data.
    numbers
        The numbers that people came for: "Accuracy 78.1 % [75.3, 80.8] on 872 items, 3 seeds".
    counts
        One sentence: how many risks hurt, hold, or cannot be told.
    decision
        What to do, in one sentence.
    rest
        What would decide what cannot be told yet; nothing where all is told.
    risks
        The worst first.
    beside
        Numbers that stand beside the scores: "macro-F1 .951 [.934, .964]".
    meanings
        What short names of numbers and risks stand for, in one sentence each.
    labels
        Numbers of each label, the worst first, where labels are unequal and the run has one model
        on one dataset.
    """

    title: str
    numbers: tuple[HeadNumber, ...]
    counts: str
    decision: str
    rest: str
    risks: tuple[FoundRisk, ...]
    beside: tuple[str, ...] = ()
    labels: tuple[LabelLine, ...] = ()
    meanings: Mapping[str, str] = field(default_factory=dict)

    def of(self, state: str) -> tuple[FoundRisk, ...]:
        """Risks of a state."""
        return tuple(risk for risk in self.risks if risk.state == state)


def front_of(view: RunView) -> Front | None:
    """First screen of a run; nothing where it has no risks."""
    findings = [finding for finding in view.findings if finding.claim.risk is not None]
    if not findings:
        return None
    datasets = short_names([f.estimate.key.dataset for f in findings if f.estimate])
    where = datasets if len(datasets) > 1 else {}
    risks = [_found(view, finding, where) for finding in findings]
    ordered = tuple(sorted(risks, key=_worst_first))
    numbers = tuple(_scores(view))
    chance = _no_skill(view)
    beside = [(e, name) for e in view.estimates if (name := _headline(e))]
    return Front(
        title=title_of(view, is_short=bool(numbers)),
        numbers=numbers,
        counts=counts_of(ordered),
        decision=decision_of(ordered),
        rest=rest_of([risk for risk in ordered if risk.state == "can't tell"]),
        risks=ordered,
        beside=(*chance, *_beside(beside)),
        labels=_labels(view, [name for _, name in beside]),
        meanings={
            **{name: metric_of(found.key.metric).says for found, name in beside},
            **{risk.what: risk.meaning for risk in ordered if risk.meaning},
        },
    )


def title_of(view: RunView, *, is_short: bool = False) -> str:
    """What was examined on which data; unless short, with how many seeds and items."""
    subjects = ", ".join(short_names(view.facts.subjects).values())
    names = short_names([d.name for d in view.datasets])
    if is_short:
        parts = [subjects, *names.values()]
    else:
        parts = [subjects, _seeds(view)]
        parts += [f"{names[d.name]} ({_items(d.n_items)})" for d in view.datasets]
    return " \N{MIDDLE DOT} ".join(filter(None, parts))


def _seeds(view: RunView) -> str:
    """Of one seed, no word is said about seeds."""
    count = len(view.facts.replicates)
    return f"{count} seeds" if count > 1 else ""


def _items(count: int) -> str:
    return f"{count:,} item{'s' * (count != 1)}"


def _scores(view: RunView) -> Iterator[HeadNumber]:
    """Numbers that people came for, with their limits; what they are of is said with the first."""
    told = [f.estimate for f in view.findings if f.claim.is_headline and f.estimate is not None]
    shown = [found for found in told if found.value is not None]
    names = short_names([found.key.dataset for found in shown])
    sizes = {d.name: d.n_items for d in view.datasets}
    said: set[str] = set()
    for found in shown:
        dataset = found.key.dataset
        name = metric_of(found.key.metric).says
        text = f"{capitalized(name)} {percent_of(found)}"
        if dataset not in said:
            whole, measured = sizes.get(dataset, 0), found.counts.planned
            size = f"{measured:,} of {_items(whole)}" if measured < whole else _items(measured)
            where = f"{names[dataset]} ({size})" if len(names) > 1 else size
            text += " on " + ", ".join(filter(None, [where, "" if said else _seeds(view)]))
        said.add(dataset)
        yield HeadNumber(text, found.value or 0.0, found.low, found.high)


def _no_skill(view: RunView) -> tuple[str, ...]:
    """The score of no skill, if the run has one score that is compared with it."""
    told = [f for f in view.findings if f.claim.is_headline and f.estimate is not None]
    limits = {f.claim.components[0].limit for f in told if f.claim.components}
    return tuple(f"no skill {hundred(limit)} %" for limit in limits) if len(told) == 1 else ()


def _beside(told: Sequence[tuple[Estimate, str]]) -> Iterator[str]:
    """Numbers that stand beside the scores: macro-F1, calibration error."""
    names = Counter(name for _, name in told)
    datasets = short_names([found.key.dataset for found, _ in told])
    for found, name in told:
        where = f" on {datasets[found.key.dataset]}" if names[name] > 1 else ""
        yield f"{name} {decimal_of(found)}{where}"


def _headline(found: Estimate) -> str:
    """Name of a number on the first screen; empty where it does not stand there."""
    key = found.key
    is_plain = (key.role, key.group, key.replicate) == ("measured", "all", None)
    if not is_plain or key.condition or found.value is None:
        return ""
    return headline_of(key.metric)


def _labels(view: RunView, beside: Sequence[str]) -> tuple[LabelLine, ...]:
    """Numbers of each label, where their mean stands on the first screen."""
    found = labels_of(view.estimates) if MACRO_F1 in beside else {}
    (lines,) = found.values() if len(found) == 1 else ((),)
    return tuple(lines)


def _found(view: RunView, finding: Finding, where: Mapping[str, str]) -> FoundRisk:
    risk, found = finding.claim.risk, finding.estimate
    assert risk is not None  # the caller has looked
    limits = finding.limits[0] if finding.limits else None
    said, scope, ways = finding.reason, finding.scope, None
    is_asked = finding.verdict != "not asked"
    if is_asked and found is not None and found.value is not None and limits is not None:
        known = found.value, found.low or 0.0, found.high or 0.0
        said = in_words(finding.claim.components[0], known, risk, finding.verdict)
        if finding.verdict == "can't tell" and risk.settled_by:
            scope = risk.settled_by
        elif finding.verdict == "can't tell":
            ways = ways_to_tell(limits, found.n_units, found.n_replicates, risk)
            scope = ways.says()
    evidence = view.evidence.get(finding.claim.id)
    more = next((c.outcome for c in finding.checks if c.name.startswith("more than")), "")
    return FoundRisk(
        finding=finding,
        what=risk.what,
        where=where.get(found.key.dataset, "") if found else "",
        state=finding.verdict,
        costs=said,
        more=_MORE.get(more, NO_VALUE),
        scope=scope,
        unit="%" if "%" in risk.costs else "points",
        part=_part(found),
        span=None if finding.verdict == "not asked" else _span(finding),
        ways=ways,
        cases=evidence.cases if evidence else (),
        n_cases=evidence.n_cases if evidence else 0,
        n_turned=evidence.n_turned if evidence else {},
    )


def _part(found: Estimate | None) -> str:
    """On how many of the items a number was measured; empty if on all, or on things in them."""
    if found is None or found.value is None or found.divided_by >= found.counts.planned:
        return ""
    return f"{round(found.divided_by):,} of {_items(found.counts.planned)}"


def _span(finding: Finding) -> Span | None:
    """The cost of a risk as numbers."""
    risk, found = finding.claim.risk, finding.estimate
    if risk is None or found is None or found.value is None:
        return None
    component = finding.claim.components[0]

    def cost(ends: tuple[float, float]) -> tuple[float, float]:
        least, most = costs(component, ends)
        return 100 * least, 100 * most

    low, at, high = ends_of(found)
    value, _ = cost((at, at))
    limits = finding.limits[0] if finding.limits else None
    inner = cost(limits.checkpoints) if limits is not None and limits.recipe else None
    outer = cost((low, high))
    return Span(value, *outer, 100 * risk.tolerance, inner if inner != outer else None)


def _worst_first(risk: FoundRisk) -> tuple[int, bool, float, str]:
    """Order of risks: by state, what they cost as a multiple of what is tolerable, and name.

    The most that something can cost is less than a cost: it stands behind those of its state.
    """
    ratio = risk.span.value / max(risk.span.tolerance, 1e-9) if risk.span else 0.0
    stated = risk.finding.claim.risk
    is_most = stated is not None and bool(stated.settled_by)
    return STATES.index(risk.state), is_most, -ratio, risk.name


def counts_of(risks: Sequence[FoundRisk]) -> str:
    """How many risks hurt (and may be tolerable all the same), hold, or cannot be told."""
    n = Counter(risk.state for risk in risks)
    hurt = f"{n['hurts']} risk{'s' * (n['hurts'] != 1)} found" if n["hurts"] else "No risk found"
    perhaps = sum(risk.state == "hurts" and not risk.is_beyond for risk in risks)
    open_ones, holds = n["can't tell"], n["holds"]
    parts = [hurt, *[f"{perhaps} of them " * (n["hurts"] > 1) + "maybe tolerable"] * bool(perhaps)]
    parts += [f"{open_ones} can't be told yet"] * bool(open_ones)
    parts += [f"{holds} hold{'s' * (holds == 1)} within what is tolerable"] * bool(holds)
    parts += [f"{n['not asked']} not asked"] * bool(n["not asked"])
    return ", ".join(parts) + "."


def decision_of(risks: Sequence[FoundRisk]) -> str:
    """What to do: look at what hurts; or wait for what cannot be told."""
    hurt = [risk for risk in risks if risk.state == "hurts"]
    open_ones = [risk for risk in risks if risk.state == "can't tell"]
    if hurt:
        perhaps = names_of([risk for risk in hurt if not risk.is_beyond])
        names = [f"{n} (maybe tolerable)" if n in perhaps else n for n in names_of(hurt)]
        return f"Look at {len(hurt)} risk{'s' * (len(hurt) > 1)}: {listed(names)}."
    if open_ones:
        return f"Can't tell yet: {listed(names_of(open_ones))}."
    tolerable = {(r.span.tolerance, r.unit) for r in risks if r.span}
    if len(tolerable) == 1:
        ((most, unit),) = tolerable
        return f"Nothing found above {most:g} {unit}."
    return "Nothing found above what is tolerable."


def rest_of(open_ones: Sequence[FoundRisk]) -> str:
    """What would decide what cannot be told yet, the cheapest step first."""
    if not open_ones:
        return ""
    ways = [(r.ways, r) for r in open_ones if r.ways]
    by_items = [(way.items, risk) for way, risk in ways if way.items]
    by_seeds = [(way.seeds, risk) for way, risk in ways if way.seeds and not way.is_near]
    parts = [_step(by_items, "item", len(ways))] if by_items else []
    parts += [_step(by_seeds, "seed", len(ways))] if by_seeds else []
    near = names_of([risk for way, risk in ways if way.is_near])
    far = [(way, risk) for way, risk in ways if not (way.items or way.seeds or way.is_near)]
    if near:
        parts.append(f"too near what is tolerable to tell: {listed(near)}")
    if far:
        most, _ = max(far, key=lambda one: one[0].needed)
        names = names_of([risk for _, risk in far])
        each = " at most" * (len(far) > 1)
        parts.append(f"{listed(names)}: need{'s' * (len(far) == 1)}{each} {most.far()}")
    parts += [f"{risk.name}: {risk.scope}" for risk in open_ones if not risk.ways and risk.scope]
    return "; ".join(parts) + "."


def _step(needed: Sequence[tuple[int, FoundRisk]], unit: str, total: int) -> str:
    """How many are told by the fewest more items or seeds, and how many by the most."""
    least, most = min(count for count, _ in needed), max(count for count, _ in needed)
    first = names_of([risk for count, risk in needed if rough(count) == rough(least)])
    many = f"all {total}" if len(needed) == total else f"{len(needed)} of {total}"
    plural = "s" * (least > 1)
    said = f"about {rough(least)} more {unit}{plural} would tell {listed(first)}"
    if rough(most) != rough(least):
        said += f", about {rough(most)} tell {many}"
    return said


def held_words(risks: Sequence[FoundRisk]) -> str:
    """What holds, in one sentence: "6 hold: at most 1.9 points each: typos, OCR noise"."""
    told = [(risk.finding.claim.risk, risk) for risk in risks]
    by_cost = grouped((declared.costs, risk) for declared, risk in told if declared)
    said = [_held_alike(costs, own) for costs, own in by_cost.items()]
    return f"{len(risks)} hold{'s' * (len(risks) == 1)}: {'; '.join(said)}"


def _held_alike(said: str, risks: Sequence[FoundRisk]) -> str:
    """Risks that cost in one way, with the largest of their upper limits."""
    if len(risks) == 1:
        return f"{risks[0].name} {risks[0].costs}"
    most = hundred(max(risk.span.high for risk in risks if risk.span) / 100)
    words = f"{said.removeprefix('costs ').format(f'at most {most}')} each"
    names = names_of(risks)
    more = f" and {len(names) - _MOST_HELD} more" if len(names) > _MOST_HELD else ""
    return f"{words}: {', '.join(names[:_MOST_HELD])}{more}"


def names_of(risks: Sequence[FoundRisk]) -> list[str]:
    """Names of risks; one that is found alike on several datasets is named once."""
    by_what = grouped((risk.what, risk) for risk in risks)
    return [
        own[0].name if len(own) == 1 else f"{what} on {len(own)} datasets"
        for what, own in by_what.items()
    ]


def listed(names: Sequence[str]) -> str:
    """The first names of a list, and how many more there are.

    Examples
    --------
    >>> listed(["typos", "OCR noise"]), listed(["a", "b", "c", "d"]), listed(list("abcdef"))
    ('typos and OCR noise', 'a, b, c and d', 'a, b, c and 3 more')
    """
    shown = [*names[:_MOST_NAMED]]
    if len(names) == _MOST_NAMED + 1:
        shown = [*names]
    elif len(names) > _MOST_NAMED:
        shown.append(f"{len(names) - _MOST_NAMED} more")
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))
