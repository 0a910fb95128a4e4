"""The first screen: scores, risks worst first with their certainty, and what to do next."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from scrutiny.blocks.labels import capitalized, short_names
from scrutiny.blocks.numbers import decimal_of, percent_of
from scrutiny.blocks.run_view import DatasetLine, RunView
from scrutiny.blocks.scores import LabelLine, headline_of, label_lines, no_skill_in
from scrutiny.core.boundary.printable import percent, whole_percent
from scrutiny.core.estimate import Estimate
from scrutiny.core.languages import is_english
from scrutiny.core.task import Task
from scrutiny.reliability.metrics import metric_of
from scrutiny.report.cases.changed_texts import FAILED, few_cases, outcome_of, outcomes_in_words
from scrutiny.report.first_screen.decisions import counts_of, decision_of, rest_of
from scrutiny.report.first_screen.found_risks import (
    FoundRisk,
    found_risk,
    items_in_words,
    worst_first,
)

#: Headline of the mean over labels, which stands there where labels are unequal.
MACRO_F1: Final = "macro-F1"


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
    risks = [found_risk(view, finding, where) for finding in findings]
    ordered = tuple(sorted(risks, key=worst_first))
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
            size = (
                f"{measured:,} of {items_in_words(whole)}"
                if measured < whole
                else items_in_words(measured)
            )
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


#: States of a risk of which nothing is shown.
_OPEN: Final = ("can't tell", "not tested", "not asked")


def front_with_cases(view: RunView) -> Front | None:
    """First screen of a run; of a suite of few cases, with how many of each test failed."""
    front, cases = front_of(view), few_cases(view)
    if front is None or not cases:
        return front
    outcomes = {test: [*map(outcome_of, own.values())] for test, own in cases.items()}
    every = [outcome for own in outcomes.values() for outcome in own]
    tests = Counter(risk.change for risk in front.risks)
    told = {test: outcomes_in_words(own) for test, own in outcomes.items() if tests[test] == 1}
    risks = tuple(_told(risk, told.get(risk.change, "")) for risk in front.risks)
    return replace(
        front,
        risks=risks,
        rest=rest_of([risk for risk in risks if risk.state == "can't tell"]),
        counts=f"{outcomes_in_words(every)}, {front.counts}",
        decision=_decision(front, every.count(FAILED), len(every)),
    )


def _told(risk: FoundRisk, said: str) -> FoundRisk:
    """A test of which nothing is shown, with how many of its cases failed; others as they are."""
    reason = risk.finding.reason
    if not said or not risk.is_test or risk.state not in _OPEN or risk.costs != reason:
        return risk
    if risk.state == "can't tell":
        return replace(risk, costs=said, scope=reason)
    return replace(risk, told=said)


def _decision(front: Front, failed: int, n: int) -> str:
    """What to do about cases: read what failed; of so few alone, nothing follows for others."""
    first = f"Read the {failed} cases that failed" if failed else "No case failed"
    first = "Read the case that failed" if failed == 1 else first
    if any(risk.state not in _OPEN or not risk.is_test for risk in front.risks):
        return f"{first}. {front.decision}" if failed else front.decision
    few = "one case does not say" if n == 1 else f"{n} cases are too few to say"
    return f"{first}; {few} how often others like them fail."
