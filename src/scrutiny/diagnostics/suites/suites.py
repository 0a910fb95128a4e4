"""Suites: answers to cases compared with what is expected of them, and the cases kept to be read.

Each shard keeps them as JSON in an array of bytes named ``cases``.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from scrutiny.blocks.cases import SearchedText
from scrutiny.core.design import Design, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.example import GROUP, Case, Example, originals, suite_tests
from scrutiny.core.expectation import Asked, Seen
from scrutiny.core.record import Measure, Row, grouped
from scrutiny.core.task import Prediction, Task
from scrutiny.diagnostics.suites.expectations import WAS_WRONG, Gold, parse_expectation
from scrutiny.diagnostics.suites.suite_claims import (
    ORIGINALS,
    SuitesParams,
    cells_of,
    condition_of,
    kind_of,
    make_design,
)
from scrutiny.store.stored_forms import edits_of, packed, packed_in
from scrutiny.text.edits import edits_of_fields

Outcome = bool | Failure
_Base = tuple[Example, Prediction | Failure | None]
_OF_CASES: Final = (
    Measure(
        "failed",
        among=("counts",),
        says="cases failed",
        scale="logit",
        higher_is="worse",
        tolerance=0.05,
    ),
    Measure("counts"),
    Measure("whole", among=("groups",), says="consistency", higher_is="better", tolerance=0.02),
    Measure("groups"),
    Measure("base_right"),
    Measure("members"),
    Measure("members_right"),
)
_LEFT_OUT: Final = Failure("item_left_out", status="skipped")  # by a limit of the items
_LEVEL: Final = RowKind.of(ORIGINALS, "baseline")
#: Measures of a group in the rows of all cases but its first.
_NO_GROUP: Final = (0.0,) * 5


class _Case(NamedTuple):
    """An item with its case and the item that it was made of, and both answers."""

    case: Case
    asked: Example
    answer: Prediction | Failure
    base: Example | None
    before: Prediction | Failure | None


class Suites(Diagnostic[SuitesParams]):
    """Share of cases that a model fails, and what changed texts cost, by test of a suite.

    Each case states what it expects: the gold answer, the answer to the text it was made of, a
    label, a probability that moves. Behavioral tests (minimum functionality, invariance,
    directional), contrast sets, frozen robustness texts and the texts that an attack found for
    another model are one measurement of different suites.

    **Measures**: how often the answer is not as expected, for each test; for texts that were
    changed, what the change costs, beside a random change where the suite has one; for groups,
    how often all of them are right.

    **Misleads when**: the cases do not stand for what users write (they are few, or alike: frames
    filled with words); an expectation is wrong for some of its cases; a model that always gives one
    answer passes every invariance test.

    **References**: Ribeiro, Wu, Guestrin & Singh (2020), CheckList; Gardner et al. (2020), contrast
    sets; the intervals and the level by chance are ours.
    """

    id = "suites@1"
    needs = frozenset({"predict"})
    tolerates = MappingProxyType({"tolerance": "share(failed)@1", "drop": ""})
    measures = _OF_CASES
    scope = "dataset"  # a case and its item, or its group, may stand anywhere
    of_suites = True

    def measured(self, task: Task) -> tuple[Measure, ...]:
        """Measures of the task; behind them those of cases and of groups."""
        return (*task.measures, *self.measures)

    def design(self, params: SuitesParams, inputs: Inputs) -> Design:
        """Conditions, estimates and claims for one family on one suite."""
        return make_design(params, inputs)

    def measure(
        self, params: SuitesParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """A row for each case, one for what it was made of, and one for its control."""
        asked = [e for e in batch.examples if e.case is None or e.case.status == "ok"]
        answers = dict(zip([e.id for e in asked], ctx.predict(asked), strict=True))
        found = _joined(batch.examples, answers)
        outcomes: dict[str, Outcome] = {}  # whether each is as expected, or why it cannot be told
        for name, one in found.items():
            sides, expected = _sides(one), parse_expectation(one.case.expect)
            if isinstance(sides, Failure):
                outcomes[name] = sides
            else:
                outcomes[name] = expected.is_met(Seen(*sides, ctx.task, ctx.labels))
        loose = _loose(batch.examples, answers)
        groups = _groups([*found.values()], outcomes, loose, ctx)
        told = _told(found, outcomes, cell, ctx)
        ctx.array(CASES, packed([{**one._asdict(), "facts": dict(one.facts)} for one in told]))
        tests = {(test.capability, test.name): test for test in suite_tests(batch.examples)}
        cells = cells_of([*tests.values()])
        for name, one in found.items():
            is_control = one.case.role == "control"
            beside = found.get(one.case.twin_of) if is_control else one
            if beside is None or (one.case.of and one.base is None):
                continue  # a limit of the items has left out what it stands beside
            test = tests[beside.case.capability, beside.case.test]
            condition, values = condition_of(test), _values(one, outcomes[name], groups, ctx)
            yield RowKind.of(condition, one.case.role).row(beside.asked.id, values)
            if is_control:
                continue
            if of_cell := cells.get((test.capability, kind_of(test))):
                yield RowKind.of(of_cell).row(name, values)
            if one.base is not None:
                before = _widened(_score(one.base, one.before, ctx))
                yield RowKind.of(condition, "baseline").row(name, before)
        for example in originals(batch.examples):
            if example.gold is not None:
                scored = _score(example, answers.get(example.id, _LEFT_OUT), ctx)
                yield _LEVEL.row(example.id, _widened(scored))


def _joined(
    examples: Sequence[Example], answers: Mapping[str, Prediction | Failure]
) -> dict[str, _Case]:
    """Each case by its name, beside the item that it was made of."""
    by_name = {example.id: example for example in examples}
    found = {}
    for example in examples:
        if (case := example.case) is not None:
            missing = Failure(case.reason or case.status, status=case.status)
            base = by_name.get(case.of)
            before = answers.get(case.of, _LEFT_OUT) if case.of else None
            answer = answers.get(example.id, missing)
            found[example.id] = _Case(case, example, answer, base, before)
    return found


def _told(
    found: Mapping[str, _Case], outcomes: Mapping[str, Outcome], cell: Cell, ctx: Context
) -> list[SearchedText]:
    """Cases with their answers, controls and those that do not count aside."""
    return [
        _case_told(one, outcomes[name], cell, ctx)
        for name, one in found.items()
        if one.case.role == "measured" and one.case.status == "ok" and outcomes[name] != WAS_WRONG
    ]


def _sides(one: _Case) -> tuple[Asked, Asked | None] | Failure:
    """A case with its answer, and the item that it was made of with that to it."""
    if isinstance(one.answer, Failure):
        return one.answer
    if isinstance(one.before, Failure):
        return one.before
    base = None if one.base is None or one.before is None else Asked(one.base, one.before)
    return Asked(one.asked, one.answer), base


def _values(
    one: _Case, outcome: Outcome, groups: Mapping[str, tuple[float, ...]], ctx: Context
) -> tuple[float, ...] | Failure:
    """Measures of a case: its score, whether it failed, and its group's where it is the first."""
    if isinstance(outcome, Failure) and outcome != WAS_WRONG:
        return outcome
    scored = _score(one.asked, one.answer, ctx)
    if isinstance(scored, Failure):
        return scored
    counts = isinstance(outcome, bool)
    own = (float(outcome is False), float(counts))
    return (*scored, *own, *groups.get(one.asked.id, _NO_GROUP))


def _score(
    example: Example, answer: Prediction | Failure | None, ctx: Context
) -> tuple[float, ...] | Failure:
    """Score of an answer; zeros, which no estimate reads, where nobody knows the right one."""
    if not isinstance(answer, Prediction):
        return answer or Failure("not_asked")
    if example.gold is None:
        return (0.0,) * sum(measure.size for measure in ctx.task.measures)
    return ctx.task.score(example.gold, answer, labels=ctx.labels)


def _widened(scored: tuple[float, ...] | Failure) -> tuple[float, ...] | Failure:
    """Measures of a text that is no case: those of the task alone."""
    return scored if isinstance(scored, Failure) else (*scored, 0.0, 0.0, *_NO_GROUP)


def _loose(
    examples: Sequence[Example], answers: Mapping[str, Prediction | Failure]
) -> Mapping[object, Sequence[_Base]]:
    """Items that are no cases, with their answers, by their group."""
    return grouped(
        (e.attributes.get(GROUP), (e, answers.get(e.id))) for e in examples if e.case is None
    )


def _groups(
    cases: Sequence[_Case],
    outcomes: Mapping[str, Outcome],
    loose: Mapping[object, Sequence[_Base]],
    ctx: Context,
) -> dict[str, tuple[float, ...]]:
    """Measures of each group of a test, by its first case; none where an answer is missing.

    The originals of a group are those that its cases change; where they name none, all items of
    the group that are no cases.
    """
    together = grouped(
        ((one.case.capability, one.case.test, one.asked.attributes[GROUP]), one)
        for one in cases
        if one.case.role == "measured"
    )
    found: dict[str, tuple[float, ...]] = {}
    for (*_, group), members in together.items():
        passed = [outcomes[one.asked.id] for one in members]
        beside = [(one.base, one.before, one.case) for one in members if one.base is not None]
        if not any(one.case.of for one in members):
            beside = [(e, answer, members[0].case) for e, answer in loose.get(group, ())]
        bases = {e.id: _is_right(e, said, case.expect, ctx) for e, said, case in beside}
        if not all(isinstance(is_met, bool) for is_met in (*passed, *bases.values())):
            continue
        base_right = all(bases.values())
        found[members[0].asked.id] = (
            float(base_right and all(passed)),
            1.0,
            float(base_right),
            float(len(members)),
            float(sum(map(bool, passed))),
        )
    return found


def _is_right(
    base: Example, said: Prediction | Failure | None, expect: str, ctx: Context
) -> Outcome:
    """Whether the answer to what a case was made of is right, where that is known."""
    if not isinstance(said, Prediction):
        return said or Failure("not_asked")
    if base.gold is None:
        return True
    expected = parse_expectation(expect)
    by = expected if isinstance(expected, Gold) else Gold()
    asked = Asked(base, said)
    return by.is_right(asked, Seen(asked, None, ctx.task, ctx.labels))


CASES: Final = "cases"


def _case_told(one: _Case, outcome: Outcome, cell: Cell, ctx: Context) -> SearchedText:
    """A case with its answers: what was changed, and what was said before and after.

    Of a text of its own, what was expected stands for what was said before; no answers are told
    that could not be judged. A search for failures would have found those that failed.
    """
    expected, sides = parse_expectation(one.case.expect), _sides(one)
    right = expected.wanted(one.asked)
    before = after = None
    if isinstance(outcome, bool) and not isinstance(sides, Failure):
        asked, base = sides
        before = f"{right} expected" if base is None else expected.told(base, ctx.labels)
        after = expected.told(asked, ctx.labels)
    return SearchedText(
        model=cell.subject,
        replicate=cell.replicate,
        dataset=cell.dataset,
        item=(one.base or one.asked).id,
        change=one.case.test,
        draw=0,
        edits=[edit[:4] for edit in _edits_of(one)],
        before=before,
        after=after,
        is_success=outcome is False,
        right=right,
        name=one.asked.id,
        capability=one.case.capability,
    )


def _edits_of(one: _Case) -> Sequence[Sequence[Any]]:
    """Edits that made a case, as stated, or those that differ in whole words."""
    if one.base is None:
        return ()
    if one.case.edits:
        return edits_of([one.case.edits])[0]
    return edits_of_fields(one.base, one.asked)


def cases_in(folder: Path) -> Iterator[SearchedText]:
    """Cases of suites in a run folder, shard by shard in the order of their names."""
    return (SearchedText(**row) for row in packed_in(folder, CASES))
