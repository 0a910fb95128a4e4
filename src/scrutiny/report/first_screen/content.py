"""Content of the first screen: one value that every medium shows, and Python reads."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from scrutiny.blocks.cases import Turn
from scrutiny.blocks.charts import ChartTable
from scrutiny.blocks.labels import capitalized, short_names
from scrutiny.blocks.numbers import decimal_of, percent_of
from scrutiny.blocks.run_view import RunFacts, RunView
from scrutiny.blocks.scores import LabelLine, NoSkill, headline_of, label_lines, no_skill_in
from scrutiny.blocks.section import registered
from scrutiny.core.boundary.printable import percent, whole_percent
from scrutiny.core.estimate import Estimate
from scrutiny.core.record import grouped
from scrutiny.core.task import Task
from scrutiny.reliability.metrics import metric_of
from scrutiny.report.cases.changed_texts import (
    FAILED,
    CasesByTest,
    few_cases,
    outcome_of,
    outcomes_in_words,
)
from scrutiny.report.first_screen.decisions import counts_of, decision_of, held_words, rest_of
from scrutiny.report.first_screen.found_risks import (
    MORE_THAN_RANDOM,
    FoundRisk,
    found_risk,
    items_in_words,
    told_apart,
    worst_first,
)
from scrutiny.report.signs import Signs, signs_of
from scrutiny.report.wording import headline, mark, models_in_words, sentences, title_of

#: Headline of the mean over labels, which stands there where labels are unequal.
MACRO_F1: Final = "macro-F1"
#: Cases of a risk that each medium shows, and of each kind on a card of the page.
MOST_CASES: Final[Mapping[str, int]] = {"terminal": 1, "notebook": 2, "comment": 6}
ON_CARD: Final[Mapping[Turn, int]] = {"broken": 2, "failed": 2, "fixed": 1, "changed": 1}
#: States of a risk of which nothing is shown.
_OPEN: Final = ("can't tell", "not tested", "not asked")


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
class FirstScreen:
    """What a run found, as each medium shows it first.

    It is about risks where the run has any, about signs over seeds for an audit of language, and
    for other runs the sentences about their claims.

    Parameters
    ----------
    title
        What was examined, on which data.
    headline, sentences
        The first sentence about the claims, or that none was made; and all of them.
    facts
        What the run says of itself: warnings, matching of labels, what was left out.
    signs
        Signs over seeds; nothing for most runs.
    risks
        The worst first.
    numbers
        The numbers that people came for: "Accuracy 78.1 % [75.3, 80.8] on 872 items, 3 seeds".
    counts
        One sentence: how many risks hurt, hold, or cannot be told.
    decision
        What to do, in one sentence.
    rest
        What would decide what cannot be told yet; nothing where all is told.
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
    cases
        Cases of suites that are small enough to be read whole, by test and name.
    notes
        Sentences that parts of the page have for the first screen.
    """

    title: str
    headline: str
    sentences: tuple[str, ...]
    facts: RunFacts
    signs: Signs | None = None
    risks: tuple[FoundRisk, ...] = ()
    numbers: tuple[HeadNumber, ...] = ()
    counts: str = ""
    decision: str = ""
    rest: str = ""
    beside: tuple[str, ...] = ()
    intervals: str = ""
    skill: str = ""
    meanings: Mapping[str, str] = field(default_factory=dict)
    labels: tuple[LabelLine, ...] = ()
    class_words: tuple[str, str] = Task.class_words
    cases: CasesByTest = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def of(self, state: str) -> tuple[FoundRisk, ...]:
        """Risks of a state."""
        return tuple(risk for risk in self.risks if risk.state == state)

    @property
    def held(self) -> str:
        """What holds, in one sentence; nothing where nothing does."""
        held = self.of("holds")
        return f"{mark('holds')} {held_words(held)}" if held else ""

    @property
    def not_told(self) -> list[str]:
        """What was not tested or not asked, one sentence for each reason."""
        return [
            f"{mark(state)} {state}: {', '.join(names)}: {reason}"
            for state in ("not tested", "not asked")
            for reason, names in grouped(
                (risk.finding.reason, risk.spoken) for risk in self.of(state)
            ).items()
        ]

    @property
    def worst(self) -> FoundRisk | None:
        """The worst risk that hurts and has cases."""
        return next((risk for risk in self.of("hurts") if risk.cases), None)

    @property
    def open_table(self) -> ChartTable:
        """Table of the risks that hurt or can't be told: state, name, cost, random, scope."""
        shown = [*self.of("hurts"), *self.of("can't tell")]
        header = ("", "risk", "what it costs", MORE_THAN_RANDOM, "true of, or would decide")
        rows = ((f"{mark(risk.state)} {risk.state}", *risk.cells) for risk in shown)
        return ChartTable(header, tuple(rows), len(header))


@lru_cache(maxsize=1)
def first_screen_of(view: RunView) -> FirstScreen:
    """Content of the first screen of a run."""
    screen = FirstScreen(
        title=title_of(view),
        headline=headline(view.findings, view.families),
        sentences=sentences(view.findings, view.families),
        facts=view.facts,
        signs=signs_of(view),
        notes=tuple(said for part in registered(view.estimates) for said in part.first(view)),
    )
    findings = [finding for finding in view.findings if finding.claim.risk is not None]
    if not findings:
        return screen
    plain = {data.name for data in view.datasets}  # of a difference of two, the risk names both
    named = (f.estimate.key.dataset for f in findings if f.estimate)
    datasets = short_names([name for name in named if name in plain])
    where = datasets if len(datasets) > 1 else {}
    found = told_apart([found_risk(view, f, where) for f in findings])
    risks = tuple(sorted(found, key=worst_first))
    screen = _with_scores(replace(screen, risks=risks), view)
    return _with_cases(screen, few_cases(view), no_skill_in(view.findings))


def _with_scores(screen: FirstScreen, view: RunView) -> FirstScreen:
    """First screen with the scores that people came for, and what stands beside them."""
    numbers = tuple(_numbers(view))
    scored = [f for f in view.findings if f.claim.is_headline and f.estimate is not None]
    limits = {f.claim.components[0].limit for f in scored if f.claim.components}
    # the score of no skill, if the run has one score that is compared with it
    chance = [f"no skill {percent(limit)}" for limit in limits] if len(scored) == 1 else []
    heads = [f.estimate.key for f in scored if f.estimate]
    own = {key.diagnostic for key in heads}
    told = []
    for found in view.estimates:
        key = found.key
        is_plain = (key.role, key.group, key.replicate) == ("measured", "all", None)
        named = _named(found, view) if key.diagnostic in own else ""
        name = named or headline_of(key.metric)
        is_known = found.value is not None and key not in heads
        if name and is_plain and not key.condition and is_known:
            told.append((found, name))
    # with the limits that its finding has, if a verdict was made of it
    judged = [f.estimate for f in view.findings if f.estimate is not None]
    told = [(next((e for e in judged if e.key == found.key), found), name) for found, name in told]
    datasets, names = short_names([e.key.dataset for e, _ in told]), [name for _, name in told]
    beside = []
    for found, name in told:
        where = f" on {datasets[found.key.dataset]}" if names.count(name) > 1 else ""
        # those of the measurements of the scores are written like these
        written = percent_of if found.key.diagnostic in own else decimal_of
        beside.append(f"{name} {written(found)}{where}")
    has_any = any(n.low is not None for n in numbers) or any(risk.span for risk in screen.risks)
    lines = label_lines(view.estimates) if MACRO_F1 in names else {}
    says = {name: metric_of(found.key.metric).says for found, name in told}
    meanings = {name: said for name, said in says.items() if not name.startswith(said)}
    return replace(
        screen,
        title=title_of(view, is_short=bool(numbers)),
        numbers=numbers,
        intervals=f"{whole_percent(view.facts.level)} intervals" if has_any else "",
        beside=(*chance, *beside),
        labels=tuple(next(iter(lines.values()))) if len(lines) == 1 else (),
        class_words=next((data.class_words for data in view.datasets), Task.class_words),
        meanings=meanings | {risk.what: risk.meaning for risk in screen.risks if risk.meaning},
    )


def _numbers(view: RunView) -> Iterator[HeadNumber]:
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
            whole = sizes.get(dataset, 0)
            measured = found.counts.planned - found.counts.skipped
            size = f"{measured:,} of " * (measured < whole) + items_in_words(max(whole, measured))
            where = f"{names[dataset]} ({size})" if len(names) > 1 else size
            text += " on " + ", ".join(filter(None, [where, "" if said else models_in_words(view)]))
        said.add(dataset)
        least = claim.components[0].limit if claim.components else None
        yield HeadNumber(text, found.value or 0.0, found.low, found.high, least, claim.no_skill)


def _named(found: Estimate, view: RunView) -> str:
    """Name of a metric for its data ("BLEU (13a)", after a tokenizer); empty for most."""
    names = {data.name: data.metric_names for data in view.datasets}
    return names.get(found.key.dataset, {}).get(found.key.metric, "")


def _with_cases(screen: FirstScreen, cases: CasesByTest, lacking: NoSkill | None) -> FirstScreen:
    """First screen with what to do; of a suite of few cases, how many of each test failed."""
    risks = screen.risks
    counts, decision = counts_of(risks, lacking), decision_of(risks, lacking)
    if cases:
        outcomes = {test: [*map(outcome_of, own.values())] for test, own in cases.items()}
        every = [outcome for own in outcomes.values() for outcome in own]
        tests = Counter(risk.change for risk in risks)
        told = {test: outcomes_in_words(own) for test, own in outcomes.items() if tests[test] == 1}
        counts = f"{outcomes_in_words(every)}, {counts}"
        failed = every.count(FAILED)
        n = len(every)
        first = f"Read the {failed} cases that failed" if failed else "No case failed"
        first = "Read the case that failed" if failed == 1 else first
        if any(risk.state not in _OPEN or not risk.is_test for risk in risks):
            decision = f"{first}. {decision}" if failed else decision
        else:
            few = "one case does not say" if n == 1 else f"{n} cases are too few to say"
            decision = f"{first}; {few} how often others like them fail."
        shown = []
        for risk in risks:
            words, reason = told.get(risk.change, ""), risk.finding.reason
            is_bare = risk.is_test and risk.state in _OPEN and risk.costs == reason
            if words and is_bare:  # nothing is shown of it: how many of its cases failed is told
                is_open = risk.state == "can't tell"
                opened = replace(risk, costs=words, scope=reason)
                shown.append(opened if is_open else replace(risk, told=words))
            else:
                shown.append(risk)
        risks = tuple(shown)
    return replace(
        screen,
        skill=lacking.says if lacking else "",
        cases=cases,
        risks=risks,
        counts=counts,
        decision=decision,
        rest=rest_of([risk for risk in risks if risk.state == "can't tell"]),
    )
