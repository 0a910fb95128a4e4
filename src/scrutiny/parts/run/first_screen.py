"""First screen of a report: scores, risks worst first with their certainty, and what to do next."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from scrutiny.core.claim import CHANGED, Finding, State
from scrutiny.core.estimate import Estimate
from scrutiny.core.languages import is_english
from scrutiny.core.shares import percent, whole_percent
from scrutiny.core.task import Task
from scrutiny.parts.run.found_risks import FoundRisk, Span, counts_of, decision_of, rest_of
from scrutiny.parts.run.label_lines import LabelLine, headline_of, label_lines
from scrutiny.parts.run.skill import no_skill_in
from scrutiny.parts.run.view import DatasetLine, RunView
from scrutiny.parts.wording.labels import capitalized, short_names
from scrutiny.parts.wording.numbers import NO_VALUE, decimal_of, percent_of
from scrutiny.parts.wording.verdicts import STATES, scope_words
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.verdicts.risk_words import few_in_words, in_words, is_count, ways_to_tell
from scrutiny.reliability.verdicts.risks import costs
from scrutiny.reliability.verdicts.touched import figures_over, over_touched, share_in_words

#: Headline of the mean over labels, which stands there where labels are unequal.
MACRO_F1: Final = "macro-F1"
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


@dataclass(frozen=True, slots=True)
class HeadNumber:
    """A number that people came for: in words, and as shares of 1.

    ``no_skill`` is the score of no skill, and ``who`` gets it: "always answering 'spam'".
    """

    says: str
    value: float
    low: float | None
    high: float | None
    no_skill: float | None = None
    who: str = ""


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
    intervals
        What stands in brackets: "95 % intervals"; empty where nothing has any.
    skill
        That a model is not shown to be better than no skill, with the figures: the first line of
        the report; empty where all are.
    meanings
        What short names of numbers and risks stand for, in one sentence each.
    labels
        Numbers of each label, the worst first, where labels are unequal and the run has one model
        on one dataset.
    class_words
        What such a label is called, and what is counted of it.
    """

    title: str
    numbers: tuple[HeadNumber, ...]
    counts: str
    decision: str
    rest: str
    risks: tuple[FoundRisk, ...]
    beside: tuple[str, ...] = ()
    labels: tuple[LabelLine, ...] = ()
    class_words: tuple[str, str] = Task.class_words
    meanings: Mapping[str, str] = field(default_factory=dict)
    skill: str = ""
    intervals: str = ""

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
    chance, lacking = _no_skill(view), no_skill_in(view.findings)
    beside = [(_shown(e, view), name) for e in view.estimates if (name := _headline(e, view))]
    return Front(
        title=title_of(view, is_short=bool(numbers)),
        numbers=numbers,
        skill=lacking.says if lacking else "",
        intervals=_intervals(view, numbers, ordered),
        counts=counts_of(ordered, lacking),
        decision=decision_of(ordered, lacking),
        rest=rest_of([risk for risk in ordered if risk.state == "can't tell"]),
        risks=ordered,
        beside=(*chance, *_beside(beside, view)),
        labels=_labels(view, [name for _, name in beside]),
        class_words=next((data.class_words for data in view.datasets), Task.class_words),
        meanings={
            **{
                name: says
                for found, name in beside
                if not name.startswith(says := metric_of(found.key.metric).says)
            },
            **{risk.what: risk.meaning for risk in ordered if risk.meaning},
        },
    )


def _intervals(view: RunView, numbers: Sequence[HeadNumber], risks: Sequence[FoundRisk]) -> str:
    """Confidence level of what stands in brackets; nothing where nothing does."""
    has_any = any(number.low is not None for number in numbers) or any(risk.span for risk in risks)
    return f"{whole_percent(view.facts.level)} intervals" if has_any else ""


def title_of(view: RunView, *, is_short: bool = False) -> str:
    """What was examined on which data; unless short, with how many seeds and items."""
    subjects = ", ".join(short_names(view.facts.subjects).values())
    names = short_names([d.name for d in view.datasets])
    if is_short:
        parts = [subjects, *(names[d.name] + _language(d) for d in view.datasets)]
    else:
        parts = [subjects, _seeds(view)]
        parts += [f"{names[d.name]} ({d.size}{_language(d)})" for d in view.datasets]
    return " \N{MIDDLE DOT} ".join(filter(None, parts))


def _language(data: DatasetLine) -> str:
    """Language of a dataset behind its name; of English no word is said."""
    return "" if all(map(is_english, data.languages)) else f", {data.language}"


def _seeds(view: RunView) -> str:
    """Number of models, one of each seed; of one, no word is said about it."""
    count = len(view.facts.replicates)
    return f"{count} models" if count > 1 else ""


def _items(count: int) -> str:
    return f"{count:,} item{'s' * (count != 1)}"


def _scores(view: RunView) -> Iterator[HeadNumber]:
    """Numbers that people came for, with their limits; what they are of is said with the first."""
    told = [(f.estimate, f.claim) for f in view.findings if f.claim.is_headline and f.estimate]
    shown = [(found, claim) for found, claim in told if found.value is not None]
    names = short_names([found.key.dataset for found, _ in shown])
    sizes = {d.name: d.n_items for d in view.datasets}
    said: set[str] = set()
    for found, claim in shown:
        dataset = found.key.dataset
        name = _named(found, view) or metric_of(found.key.metric).says
        text = f"{capitalized(name)} {percent_of(found)}"
        if dataset not in said:
            whole, measured = sizes.get(dataset, 0), found.counts.planned
            size = f"{measured:,} of {_items(whole)}" if measured < whole else _items(measured)
            where = f"{names[dataset]} ({size})" if len(names) > 1 else size
            text += " on " + ", ".join(filter(None, [where, "" if said else _seeds(view)]))
        said.add(dataset)
        least = claim.components[0].limit if claim.components else None
        ends = found.low, found.high
        yield HeadNumber(text, found.value or 0.0, *ends, least, claim.no_skill)


def _no_skill(view: RunView) -> tuple[str, ...]:
    """The score of no skill, if the run has one score that is compared with it."""
    told = [f for f in view.findings if f.claim.is_headline and f.estimate is not None]
    limits = {f.claim.components[0].limit for f in told if f.claim.components}
    return tuple(f"no skill {percent(limit)}" for limit in limits) if len(told) == 1 else ()


def _beside(told: Sequence[tuple[Estimate, str]], view: RunView) -> Iterator[str]:
    """Numbers that stand beside the scores: macro-F1, calibration error.

    Scores of the same measurement are written alike.
    """
    main = {f.estimate.key.diagnostic for f in view.findings if f.claim.is_headline and f.estimate}
    names = Counter(name for _, name in told)
    datasets = short_names([found.key.dataset for found, _ in told])
    for found, name in told:
        where = f" on {datasets[found.key.dataset]}" if names[name] > 1 else ""
        written = percent_of if found.key.diagnostic in main else decimal_of
        yield f"{name} {written(found)}{where}"


def _shown(found: Estimate, view: RunView) -> Estimate:
    """Number with the limits that its finding has, if a verdict was made of it."""
    told = (f.estimate for f in view.findings if f.estimate is not None)
    return next((one for one in told if one.key == found.key), found)


def _named(found: Estimate, view: RunView) -> str:
    """Name of a metric for its data ("BLEU (13a)", after a tokenizer); empty for most."""
    names = {data.name: data.metric_names for data in view.datasets}
    return names.get(found.key.dataset, {}).get(found.key.metric, "")


def _headline(found: Estimate, view: RunView) -> str:
    """Name of a number on the first screen; empty where it does not stand there."""
    key = found.key
    is_plain = (key.role, key.group, key.replicate) == ("measured", "all", None)
    if not is_plain or key.condition or found.value is None:
        return ""
    name = headline_of(key.metric)
    return (_named(found, view) or name) if name else ""


def _labels(view: RunView, beside: Sequence[str]) -> tuple[LabelLine, ...]:
    """Numbers of each label, where their mean stands on the first screen."""
    found = label_lines(view.estimates) if MACRO_F1 in beside else {}
    (lines,) = found.values() if len(found) == 1 else ((),)
    return tuple(lines)


def _found(view: RunView, finding: Finding, where: Mapping[str, str]) -> FoundRisk:
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
        **_touched(finding),
        is_rare=is_told and finding.touched is not None and finding.touched.share < _RARE,
        span=_span(finding) if is_told else None,
        ways=ways,
        cases=evidence.cases if evidence else (),
        n_cases=evidence.n_cases if evidence else 0,
        n_turned=evidence.n_turned if evidence else {},
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


def _part(found: Estimate | None) -> str:
    """On how many of the items a number was measured; empty if on all, or on things in them."""
    if found is None or found.value is None or found.divided_by >= found.counts.planned:
        return ""
    return f"{round(found.divided_by):,} of {_items(found.counts.planned)}"


def _span(finding: Finding) -> Span | None:
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
    return Span(value, *outer, 100 * risk.tolerance, inner if inner != outer else None)


def _worst_first(risk: FoundRisk) -> tuple[int, bool, float, str]:
    """Order of risks: by state, what they cost as a multiple of what is tolerable, and name.

    The most that something can cost is less than a cost: it stands behind those of its state.
    """
    ratio = risk.span.value / max(risk.span.tolerance, 1e-9) if risk.span else 0.0
    stated = risk.finding.claim.risk
    is_most = stated is not None and bool(stated.settled_by)
    return STATES.index(risk.state), is_most, -ratio, risk.name
