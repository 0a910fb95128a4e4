"""Assertions for tests: no loss against an earlier version, and rules that a run has to obey.

They raise `AssertionError`, as ``assert`` does, with the first lines of what was found. What could
not be told is never hidden: it is said at the end of a pytest session, also where it passes.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Literal, get_args

from scrutiny._asserted import asserted
from scrutiny._comparison import Comparison, compare
from scrutiny._results import Run
from scrutiny.core.boundary.given import plain_given
from scrutiny.core.claim import Finding
from scrutiny.core.errors import PlanError
from scrutiny.report.wording import scope_words
from scrutiny.store.run_folder import RunFolder

Undecided = Literal["pass", "fail"]
_FAILED: Final = "FAIL"


def assert_no_loss(
    before: Any,
    after: Any,
    data: Any = None,
    *,
    margin: float,
    undecided: Undecided = "pass",
    **comparing: Any,
) -> Comparison:
    """Assert that no loss of more than a margin is shown; returns the comparison.

    Parameters
    ----------
    before, after, data
        As in `scrutiny.compare`: two runs or their folders, or two models with data.
    margin
        Largest accepted loss, in the unit of the score (0.02 is two points of accuracy).
    undecided
        What it means if a loss of the margin is neither shown nor ruled out. ``pass``, the usual:
        the test fails on a loss that is shown, and on nothing else, so that an unchanged system
        stays green. ``fail``: it passes only if the loss is ruled out, which needs enough items.
    **comparing
        Other parameters of `scrutiny.compare`, such as ``where`` or ``baseline_rerun``.

    Raises
    ------
    AssertionError
        If a loss is shown, or not ruled out with ``undecided="fail"``; or if the two share no score
        that could be judged.
    scrutiny.errors.ScrutinyError
        If they cannot be compared.

    Examples
    --------
    >>> seeds = "builtin:sentiment/seed-1", "builtin:sentiment/seed-2"
    >>> assert_no_loss(*seeds, data="builtin:reviews", margin=0.1).outcome
    'no regression'
    """
    __tracebackhide__ = True
    must_be_known(undecided)
    if isinstance(margin, bool) or not isinstance(plain_given(margin), int | float):
        raise PlanError(f"assert_no_loss: margin={margin!r} is no number, as in margin=0.02.")
    if not 0.0 <= margin < float("inf"):
        raise PlanError(
            f"assert_no_loss: margin={margin!r} is the largest accepted loss, a number from 0 on."
        )
    found = compare(before, after, data, margin=margin, **comparing)
    verdict = found.verdict or f"{_FAILED}  nothing was judged: the two share no score of items."
    asserted.add(verdict)
    is_lost = found.outcome is None or found.outcome == "regression"
    if is_lost or (found.outcome == "undecided" and undecided == "fail"):
        raise AssertionError(f"{verdict}\n{found.headline}")
    return found


def assert_holds(
    run: Run | str | Path, *rules: str, undecided: Undecided = "fail"
) -> Sequence[Finding]:
    """Assert that a run obeys rules, such as "accuracy > 0.8"; returns their findings.

    Parameters
    ----------
    run
        A finished run, or its folder.
    rules
        As in ``scrutiny gate --rule``. All must hold.
    undecided
        What it means if the interval holds the limit of a rule: ``fail``, the usual, since nothing
        shows that the rule holds; or ``pass``. What was refused or not tested never passes.

    Raises
    ------
    AssertionError
        If a rule does not hold: each with its number and the reason.
    scrutiny.errors.ScrutinyError
        If there is no such run, or a rule cannot be read.

    Examples
    --------
    >>> import scrutiny
    >>> run = scrutiny.run("performance", model="builtin:sentiment", data="builtin:reviews")
    >>> [finding.verdict for finding in assert_holds(run, "accuracy > 0.5")]
    ['supported']
    """
    __tracebackhide__ = True
    must_be_known(undecided)
    opened = run if isinstance(run, Run) else Run(RunFolder.open(run))
    findings = opened.gate(*rules)
    lines = [*_judged(findings, undecided)]
    for line in lines:
        asserted.add(line)
    failed = [line for line in lines if line.startswith(_FAILED)]
    if failed:
        raise AssertionError("\n".join(failed))
    return findings


def _judged(findings: Sequence[Finding], undecided: Undecided) -> Iterator[str]:
    """A line for each rule, which begins with PASS, UNDECIDED or FAIL."""
    for finding in findings:
        said = f"{finding.claim.says}: {scope_words(finding.scope)}: {finding.reason}"
        if finding.verdict == "supported":
            yield f"PASS  {said}"
        elif finding.verdict == "undecided":
            word = _FAILED if undecided == "fail" else "UNDECIDED"
            yield f"{word}  {said}"
        else:
            yield f"{_FAILED}  {said}"


def must_be_known(undecided: object) -> None:
    """Refuse another word for what is undecided.

    Raises
    ------
    PlanError
        With the two that are allowed.
    """
    if undecided not in get_args(Undecided):
        raise PlanError(
            f"undecided={undecided!r} says nothing: it is 'pass' or 'fail', for what these items "
            "neither show nor rule out."
        )
