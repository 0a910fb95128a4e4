"""Estimates and claims of suites, and their statistics.

For each test of a suite, over its cases, each of which stands beside the item it was made of:

==================  =================================================================
failures            cases whose answer is not as expected
control             the same of matched random changes, where the suite has them
drop                score on the items minus score on the cases, where gold is known
excess              drop minus that of the matched random changes
coverage            cases that a change altered at all, and that can be asked
flips               cases whose answer is another one than that to the item
consistency         groups of which every answer is right
by chance           the same, if answers had nothing to do with their group
whole sets          groups of which every original, and every changed text, is right, where cases
                    do not say which original they change
==================  =================================================================

A model without skill passes tests of changed items, so these presuppose that its score on the items
is above chance; simple texts of their own (minimum functionality) presuppose nothing.

The risk of a test is its drop where every case is a changed item and its gold answer is what is
expected (a contrast set, a robustness suite), and the share of failures elsewhere. Tests of one
capability and kind are one more number, for the matrix of capabilities.

Statistics:

``share(failed)@1``
    **Measures**: cases whose answer is not as expected, of those that count. **Misleads when**: the
    cases are alike (frames filled with words): they are fewer observations than their number says.
``share(whole)@1``
    **Measures**: groups of which every answer is right, the item that the cases were made of
    included: the consistency of a contrast set. **Misleads when**: groups differ in size: a larger
    one is harder to get right.
``chance_consistency@1``
    **Measures**: what the consistency would be if whether an answer is right had nothing to do with
    its group: the mean over groups of the product of both accuracies. **Misleads when**: taken for
    a bound: a model that is right on the whole group or not at all lies above it, one that is
    right on every second text below.
``whole_originals@1``, ``whole_changed@1``
    **Measures**: groups of which every original, or every changed text, is right: the strict exact
    match of questions with several candidates (MC-TACO). **Misleads when**: groups differ in size.

**References**: Gardner et al. (2020), Evaluating models' local decision boundaries via contrast
sets; Ribeiro, Wu, Guestrin & Singh (2020), Beyond accuracy: behavioral testing of NLP models with
CheckList; the chance level is ours.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from scrutiny.core.boundary.parameters import shares
from scrutiny.core.claim import NO_PROBABILITIES, Claim, Component, Risk
from scrutiny.core.design import Design, EstimateSpec, Inputs, Selector
from scrutiny.core.errors import PlanError, UserError
from scrutiny.core.example import PERTURBATION, SuiteTest
from scrutiny.core.expectation import Expectation
from scrutiny.core.expressions import metric_of_metric
from scrutiny.core.slice_syntax import canonical, slice_of_values
from scrutiny.diagnostics.suites.expectations import Gold, parse_expectation
from scrutiny.reliability.row_statistics import Additive, Array, divide
from scrutiny.tasks.scores import score_of


@dataclass(frozen=True, slots=True)
class SuitesParams:
    """Shares and drops that can be lived with.

    Parameters
    ----------
    tolerance
        Share of the cases of a test that may fail.
    drop
        Drop of the task's score from the items to the texts made of them, where both have a gold
        answer; nothing takes the task's own.
    """

    tolerance: float = 0.05
    drop: float | None = None

    def __post_init__(self) -> None:
        shares(self, "tolerance", "drop")


#: Changed texts of a group that are told apart; larger groups count as this size.
_MOST_MEMBERS: Final = 12


def _parts(measures: Array) -> Array:
    """Groups, originals right, changed texts, those right, and groups by their number of texts."""
    is_group, base_right, members, members_right = np.moveaxis(measures, -1, 0)
    sizes = np.minimum(members, _MOST_MEMBERS)[..., None] == np.arange(1, _MOST_MEMBERS + 1)
    found = np.stack([is_group, base_right, members, members_right], axis=-1)
    return np.asarray(np.concatenate([found, sizes], axis=-1) * is_group[..., None])


def _by_chance(sums: Array) -> Array:
    """Mean over groups of the product of the accuracies of their texts."""
    groups, base_right, members, members_right = np.moveaxis(sums[..., :4], -1, 0)
    right = divide(members_right, members)[..., None] ** np.arange(1, _MOST_MEMBERS + 1)
    whole = (sums[..., 4:] * right).sum(axis=-1)
    return divide(base_right, groups) * divide(whole, groups)


CHANCE_CONSISTENCY: Final = Additive(
    "chance_consistency@1",
    "consistency if texts of a group had nothing to do with one another",
    ("groups", "base_right", "members", "members_right"),
    _parts,
    _by_chance,
    scale="logit",
    divisor=lambda sums: np.asarray(sums[..., 0]),
)


def _all_of(name: str, says: str, needs: tuple[str, ...]) -> Additive:
    """Share of groups whose texts of one side are all right: as many as there are."""

    def make(measures: Array) -> Array:
        is_group, right, *n = np.moveaxis(measures, -1, 0)
        whole = right == n[0] if n else right
        return np.asarray(np.stack([is_group, whole * is_group], axis=-1))

    def combine(sums: Array) -> Array:
        return np.asarray(divide(sums[..., 1], sums[..., 0]))

    return Additive(
        name,
        says,
        needs,
        make,
        combine,
        scale="logit",
        divisor=lambda sums: np.asarray(sums[..., 0]),
    )


WHOLE_ORIGINALS: Final = _all_of(
    "whole_originals@1", "groups whose originals are all right", ("groups", "base_right")
)
WHOLE_CHANGED: Final = _all_of(
    "whole_changed@1",
    "groups whose changed texts are all right",
    ("groups", "members_right", "members"),
)
_FAILED: Final = "share(failed)@1"
_CONTROL: Final = "control: random change"
#: Condition of the records of items as they are.
ORIGINALS: Final[Mapping[str, object]] = {"texts": "originals"}
#: Kind of tests whose cases expect things of several kinds.
MIXED: Final = "mixed"


def make_design(params: SuitesParams, inputs: Inputs) -> Design:
    """Design for one family on one suite."""
    tests = inputs.data.tests
    for test in tests:
        # raise for an expectation that cannot be read, with the test that has it
        for text in test.expects:
            try:
                parse_expectation(text)
            except UserError as error:
                what = f"The test {test.label!r} of the suite expects {text!r}"
                raise PlanError(f"{what}, which cannot be read. {error}") from None
    scored, has_level = score_of(inputs.task), any(test.has_level for test in tests)
    levels = {"level": scored.level, **{metric: metric for metric in scored.also}}
    cases = sum(test.n_cases for test in tests)
    notes = [f"The suite has {len(tests)} tests with {cases:,} cases; its texts are frozen."]
    if any(test.has_groups for test in tests):
        notes.append(
            "Consistency is the share of groups of which every answer is right, the original's "
            "included; beside it stands what it would be if answers had nothing to do with their "
            "group."
        )
    return Design(
        conditions=tuple(condition_of(test) for test in tests),
        estimates=(
            *(
                EstimateSpec(name, metric, ORIGINALS, role="baseline")
                for name, metric in levels.items()
                if has_level
            ),
            *(one for test in tests for one in _estimates(test, inputs)),
            *(
                EstimateSpec(f"all/{capability}/{kind}", _FAILED, condition)
                for (capability, kind), condition in cells_of(tests).items()
            ),
        ),
        claims=tuple(_claim(test, params, inputs) for test in tests),
        notes=tuple(notes),
        families={
            "suites": f"tests of {inputs.data.name} show that {inputs.subject.name} fails texts "
            "like theirs"
        },
    )


def kind_of(test: SuiteTest) -> str:
    """Kind of a behavioral test, as its estimates name it: by what its cases expect, or mixed."""
    kinds = {parse_expectation(text).test_kind for text in test.expects}
    return kinds.pop() if len(kinds) == 1 else MIXED


def condition_of(test: SuiteTest) -> dict[str, object]:
    """Condition of the records of a test."""
    capability = {"capability": test.capability} if test.capability else {}
    return {**capability, "kind": kind_of(test), "test": test.name}


def _is_by_drop(test: SuiteTest) -> bool:
    """Whether a test is told by what its changes cost: what is expected is the gold answer."""
    is_gold = all(type(parse_expectation(text)) is Gold for text in test.expects)
    return test.has_base and test.has_gold and is_gold


def _has_scores(test: SuiteTest) -> bool:
    """Whether right answers are expected of changed items, so that what is lost can be told."""
    is_right = all(isinstance(parse_expectation(text), Gold) for text in test.expects)
    return test.has_base and test.has_gold and is_right


def _estimates(test: SuiteTest, inputs: Inputs) -> Iterator[EstimateSpec]:
    """Specifications of one test."""
    name, condition = test.label, condition_of(test)
    of = partial(EstimateSpec, condition=condition)
    yield of(f"failures/{name}", _FAILED)
    if _is_by_drop(test):
        yield of(f"coverage/{name}", "coverage@1")
    if test.has_control:
        yield of(f"control/{name}", _FAILED, role="control")
    if _has_scores(test):
        scored = score_of(inputs.task)
        before = {"before": Selector("baseline", condition)}
        for metric in (scored.level, *scored.also):
            mark = "" if metric == scored.level else f"_{metric}"
            yield of(f"drop{mark}/{name}", metric_of_metric("drop", metric), sides=before)
            yield of(f"after{mark}/{name}", metric)
        if test.has_control:
            yield of(f"excess/{name}", metric_of_metric("excess", scored.level), sides=before)
        if inputs.task.gives_labels:
            yield of(f"flips/{name}", "flip_rate@1", sides=before, fallback={})
    if test.has_groups:
        yield of(f"consistency/{name}", "share(whole)@1")
        yield of(f"by_chance/{name}", "chance_consistency@1")
    if test.has_sets:
        yield of(f"whole_originals/{name}", "whole_originals@1")
        yield of(f"whole_changed/{name}", "whole_changed@1")
    for kind in test.perturbations:
        yield from _of_kind(test, kind, inputs)


def _of_kind(test: SuiteTest, kind: str, inputs: Inputs) -> Iterator[EstimateSpec]:
    """Specifications of the cases of a test to which one kind of change was made."""
    where = slice_of_values({PERTURBATION: kind})
    name, condition = f"{test.label}/{kind}", condition_of(test)
    of = partial(EstimateSpec, condition=condition, where=where, group=canonical(where))
    yield of(f"failures/{name}", _FAILED)
    if _has_scores(test):
        level = score_of(inputs.task).level
        before = {"before": Selector("baseline", condition)}
        yield of(f"drop/{name}", metric_of_metric("drop", level), sides=before)
        yield of(f"after/{name}", level)


def cells_of(tests: Sequence[SuiteTest]) -> dict[tuple[str, str], dict[str, object]]:
    """Condition of the tests of one capability and kind, where there are several."""
    counts = Counter((test.capability, kind_of(test)) for test in tests if test.capability)
    return {cell: {"capability": cell[0], "kind": cell[1]} for cell, n in counts.items() if n > 1}


def _claim(test: SuiteTest, params: SuitesParams, inputs: Inputs) -> Claim:
    """The risk of a test."""
    name = test.label
    what, says = name, f"fails cases of {name}"
    said = {parse_expectation(text).fails for text in test.expects}
    fails = said.pop() if len(said) == 1 else Expectation.fails  # cases expect different things
    tolerance, costs = params.tolerance, f"{{}} % {fails}"
    main = f"failures/{name}"
    if _is_by_drop(test):
        main, costs, says = f"drop/{name}", "costs {} points", f"{name} lowers the score"
        tolerance = score_of(inputs.task).tolerance if params.drop is None else params.drop
    has_excess = test.has_control and _has_scores(test)
    excess = [Component(f"excess/{name}", 0.0, _CONTROL)] * has_excess
    has_none = "no_probabilities" in inputs.subject.capabilities
    is_mute = all(parse_expectation(text).needs_probabilities for text in test.expects)
    return Claim(
        id=name,
        says=says,
        components=(Component(main, 0.0), *excess),
        family="suites",
        checks=("items", "seeds", "datasets"),
        competence=(("level", inputs.data.chance),) if test.has_level else (),
        needs_control=has_excess,
        refused=NO_PROBABILITIES if has_none and is_mute else "",
        risk=Risk(what, tolerance, costs),
        coverage=(f"coverage/{name}",) * _is_by_drop(test),
    )
