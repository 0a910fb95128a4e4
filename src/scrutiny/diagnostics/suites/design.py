"""Estimates and claims of suites.

For each test of a suite, over its cases, each of which stands beside the item it was made of:

==================  =================================================================
failures            cases whose answer is not as expected
control             the same of matched random changes, where the suite has them
drop                score on the items minus score on the cases, where gold is known
excess              drop minus that of the matched random changes
flips               cases whose answer is another one than that to the item
consistency         groups of which every answer is right
by chance           the same, if answers had nothing to do with their group
==================  =================================================================

The risk of a test is its drop where every case is a changed item and its gold answer is what is
expected (a contrast set, a robustness suite), and the share of failures elsewhere. Tests of one
capability and kind are one more number, for the matrix of capabilities.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from scrutiny.core.claim import Claim, Component, Risk
from scrutiny.core.diagnostic import Design, EstimateSpec, Inputs, Selector
from scrutiny.core.expressions import made_of
from scrutiny.core.grouping import grouped
from scrutiny.core.suites.expectation import Expectation
from scrutiny.core.suites.tests import SuiteTest
from scrutiny.core.task import score_of
from scrutiny.diagnostics.suites.expectations import Gold, parse_expectation
from scrutiny.diagnostics.suites.params import SuitesParams

_FAILED: Final = "share(failed)@1"
_STAYS: Final = {"after": "before"}
_BOTH_STAY: Final = {"after": "before", "control": "before"}
_CONTROL: Final = "control: random change"
#: Kind of tests whose cases expect things of several kinds.
MIXED: Final = "mixed"


def make_design(params: SuitesParams, inputs: Inputs) -> Design:
    """Design for one family on one suite."""
    tests = inputs.data.tests
    has_level = any(test.has_gold for test in tests)
    has_labels = inputs.task.gives_labels
    return Design(
        conditions=tuple(condition_of(test) for test in tests),
        estimates=(
            *_level(inputs) * has_level,
            *(one for test in tests for one in _estimates(test, inputs, has_labels=has_labels)),
            *_by_capability(tests),
        ),
        claims=tuple(_claim(test, params, inputs, has_level=has_level) for test in tests),
        notes=tuple(_notes(tests)),
        families={"suites": f"{inputs.subject.name} fails tests of {inputs.data.name}"},
    )


def kind_of(test: SuiteTest) -> str:
    """Kind of a test, by what its cases expect."""
    kinds = {parse_expectation(text).test_kind for text in test.expects}
    return kinds.pop() if len(kinds) == 1 else MIXED


def condition_of(test: SuiteTest) -> dict[str, object]:
    """Condition of the records of a test."""
    capability = {"capability": test.capability} if test.capability else {}
    return {**capability, "kind": kind_of(test), "test": test.name}


def label_of(test: SuiteTest) -> str:
    """Name of a test, unique within its suite."""
    return f"{test.capability}: {test.name}" if test.capability else test.name


def is_by_drop(test: SuiteTest) -> bool:
    """Whether a test is told by what its changes cost: what is expected is the gold answer."""
    return test.has_base and test.has_gold and all(map(_is_gold, test.expects))


def _is_gold(expect: str) -> bool:
    return type(parse_expectation(expect)) is Gold


def _is_scored(expect: str) -> bool:
    """Whether an expectation is about right answers, so that the score of its cases is known."""
    return isinstance(parse_expectation(expect), Gold)


def _level(inputs: Inputs) -> tuple[EstimateSpec, ...]:
    """Score on all items that cases were made of, and on cases with a text of their own."""
    scored = score_of(inputs.task)
    names = {"level": scored.level, **{metric: metric for metric in scored.also}}
    baseline = {"": Selector(role="baseline")}
    return tuple(EstimateSpec(n, metric, baseline, role="baseline") for n, metric in names.items())


def _estimates(test: SuiteTest, inputs: Inputs, *, has_labels: bool) -> Iterator[EstimateSpec]:
    """Specifications of one test."""
    name, condition = label_of(test), condition_of(test)
    after, control, before = (
        Selector(role, condition) for role in ("measured", "control", "baseline")
    )
    stated = {"condition": condition}
    yield EstimateSpec(f"failures/{name}", _FAILED, {"": after}, **stated)
    if test.has_control:
        yield EstimateSpec(f"control/{name}", _FAILED, {"": control}, role="control", **stated)
    if test.has_base and test.has_gold and all(map(_is_scored, test.expects)):
        scored = score_of(inputs.task)
        pair = {"before": before, "after": after}
        for metric in (scored.level, *scored.also):
            mark = "" if metric == scored.level else f"_{metric}"
            yield EstimateSpec(
                f"drop{mark}/{name}", made_of("drop", metric), pair, fallback=_STAYS, **stated
            )
            yield EstimateSpec(f"after{mark}/{name}", metric, {"": after}, **stated)
        if test.has_control:
            yield EstimateSpec(
                f"excess/{name}",
                made_of("excess", scored.level),
                {**pair, "control": control},
                fallback=_BOTH_STAY,
                **stated,
            )
        if has_labels:
            yield EstimateSpec(f"flips/{name}", "flip_rate@1", pair, **stated)
    if test.has_groups:
        for what, metric in (
            ("consistency", "share(whole)@1"),
            ("by_chance", "chance_consistency@1"),
        ):
            yield EstimateSpec(f"{what}/{name}", metric, {"": after}, **stated)


def _by_capability(tests: tuple[SuiteTest, ...]) -> Iterator[EstimateSpec]:
    """Failures of each capability and kind with several tests."""
    groups = grouped(((t.capability, kind_of(t)), t) for t in tests if t.capability)
    for (capability, kind), members in groups.items():
        if len(members) > 1:
            condition: Mapping[str, object] = {"capability": capability, "kind": kind}
            sides = {"": Selector("measured", condition)}
            yield EstimateSpec(f"all/{capability}/{kind}", _FAILED, sides, condition=condition)


def _claim(
    test: SuiteTest, params: SuitesParams, inputs: Inputs, *, has_level: bool
) -> Claim:
    """The risk of a test."""
    name = label_of(test)
    what, says = name, f"fails cases of {name}"
    tolerance, costs = params.tolerance, f"{{}} % {_fails(test)}"
    components = [Component(f"failures/{name}", 0.0)]
    if is_by_drop(test):
        scored = score_of(inputs.task)
        tolerance = scored.tolerance if params.drop is None else params.drop
        components = [Component(f"drop/{name}", 0.0)]
        components += [Component(f"excess/{name}", 0.0, _CONTROL)] * test.has_control
        costs, says = "costs {} points", f"{name} lowers the score"
    return Claim(
        id=name,
        says=says,
        components=tuple(components),
        family="suites",
        checks=("items", "seeds", "datasets"),
        competence=(("level", inputs.data.chance),) if has_level else (),
        needs_control=test.has_control,
        risk=Risk(what, tolerance, costs),
    )


def _fails(test: SuiteTest) -> str:
    """What fails in a test, in words; in general if its cases expect different things."""
    said = {parse_expectation(text).fails for text in test.expects}
    return said.pop() if len(said) == 1 else Expectation.fails


def _notes(tests: tuple[SuiteTest, ...]) -> Iterator[str]:
    """Sentences about what is in the suite."""
    cases = sum(test.n_cases for test in tests)
    yield f"The suite has {len(tests)} tests with {cases:,} cases; its texts are frozen."
    if any(test.has_groups for test in tests):
        yield (
            "Consistency is the share of groups of which every answer is right, the original's "
            "included; beside it stands what it would be if answers had nothing to do with their "
            "group."
        )
