"""Suites of few cases: each with its outcome, and what the first screen says of them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from scrutiny.core.estimate import Estimate
from scrutiny.core.grouping import grouped
from scrutiny.parts.run.first_screen import Front, front_of
from scrutiny.parts.run.found_risks import FoundRisk, rest_of
from scrutiny.parts.run.view import RunView
from scrutiny.report.reading.cases import FAILED, OUTCOMES, UNANSWERED, suite_cases
from scrutiny.report.reading.found import found_texts

#: Cases of suites that are told one by one without being asked for.
MOST_TOLD: Final = 24
#: What the tests of such a suite are judged by, beside the outcomes of their cases.
OTHERS: Final = (
    "Each case is one text. Below, test by test: how often would other texts like its cases fail? "
    "To tell that takes many more cases."
)
#: States of a risk of which nothing is shown.
_OPEN: Final = ("can't tell", "not tested", "not asked")
#: Rows of each case, by the test and its name.
Cases = Mapping[str, Mapping[str, Sequence[Mapping[str, Any]]]]


@lru_cache(maxsize=1)
def few_cases(view: RunView) -> Cases:
    """Rows of each case, by test and name, of suites that are small enough to be read whole."""
    folder = view.records.folder
    has_tests = any("test" in e.key.condition for e in view.estimates)
    if not has_tests or folder is None or not view.has_texts:
        return {}
    rows = suite_cases(folder, found_texts(folder.path, view.estimates))
    if len({(row["dataset"], row["case"]) for row in rows}) > MOST_TOLD:
        return {}
    tests = grouped((row["change"], row) for row in rows)
    return {test: grouped((row["case"], row) for row in own) for test, own in tests.items()}


def suite_sizes(estimates: Iterable[Estimate]) -> dict[str, int]:
    """Number of cases of each suite, without controls, by the name of its data."""
    tests = {
        (e.key.dataset, e.key.subject, str(e.key.condition["test"])): e.counts.planned
        for e in estimates
        if "test" in e.key.condition and e.key.metric_name == "share(failed)"
        if (e.key.role, e.key.replicate) == ("measured", None)
    }
    by_suite = grouped(((data, subject), n) for (data, subject, _), n in tests.items())
    return {data: sum(sizes) for (data, _), sizes in by_suite.items()}


def outcome_of(rows: Iterable[Mapping[str, Any]]) -> str:
    """Outcome of a case over models: failed where any of them fails it."""
    told = {row["outcome"] for row in rows}
    return next(outcome for outcome in OUTCOMES if outcome in told)


def outcomes_in_words(outcomes: Iterable[str]) -> str:
    """How many cases failed, or have no answer.

    Examples
    --------
    >>> outcomes_in_words(["failed", "passed", "no answer"])
    '1 of 3 cases failed, 1 without an answer'
    """
    count = Counter(outcomes)
    said = [f"{count[FAILED]:,} of {count.total():,} cases failed"]
    said += [f"{count[UNANSWERED]:,} without an answer"] * bool(count[UNANSWERED])
    return ", ".join(said)


def rule_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """When a case counts as failed that several models were asked; empty for a single model."""
    n = len(rows)
    return f"A case failed if any of the {n} models fails it." if n > 1 else ""


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
