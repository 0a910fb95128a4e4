"""Suites as tests: each test of a suite passes, fails, or cannot be told, by its limits."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

from scrutiny._api import run as ask
from scrutiny._asserted import asserted
from scrutiny._assertions import Undecided, must_be_known
from scrutiny._results import Run
from scrutiny.core.boundary.given import path_given, plain_given
from scrutiny.core.boundary.parameters import known
from scrutiny.core.boundary.printable import percent
from scrutiny.core.claim import Finding
from scrutiny.core.errors import PlanError
from scrutiny.core.example import suite_tests
from scrutiny.data.dataset import load_dataset
from scrutiny.reliability.verdicts.claims import MISSING_LIMIT

_FAILED: Final = "FAIL"
#: States of a test that say nothing of the model.
_NEVER_ASKED: Final = ("not tested", "not asked")
#: Failed cases that a message shows of each test.
_MOST_CASES: Final = 3


def assert_suite(
    model: Any,
    suite: str | Path | Run,
    *,
    most: float = 0.05,
    tests: Sequence[str] = (),
    undecided: Undecided = "pass",
    **running: Any,
) -> Run:
    """Assert that a model fails few cases of each test of a suite; returns the run.

    Parameters
    ----------
    model
        A model string or object, as in `scrutiny.run`; None where the suite is a run.
    suite
        A file of cases or templates, a data string (``builtin:behavior_sentiment``), or a run that
        has asked one.
    most
        Largest accepted share of the cases of a test that fail; of a test that an audit tells by
        the score lost (a contrast set), the largest accepted loss. A test of the suite is broken
        where the lower 95 % limit is above that, and holds where the upper one is not; the limits
        are those of the audit, which hold for all tests at once.
    tests
        Names of tests, of those of the suite; all by default.
    undecided
        What it means if the limits hold ``most``: ``pass``, the usual, so that a test is broken
        only where that is shown; or ``fail``, which needs some 75 cases without a failure. What was
        refused, or not tested (the model has no skill on the originals), never passes.
    **running
        Other parameters of `scrutiny.run`, such as ``cache``.

    Raises
    ------
    AssertionError
        With a line for each test of the suite that is broken, and its first cases.
    scrutiny.errors.ScrutinyError
        If the suite cannot be read or none was asked, the model cannot be asked, or a test is
        unknown.

    Examples
    --------
    >>> run = assert_suite("builtin:sentiment/seed-1", "builtin:behavior", most=0.9)
    """
    __tracebackhide__ = True
    must_be_known(undecided)
    most = share_given(most, "most")
    if isinstance(tests, str) or not all(isinstance(one, str) for one in tests):
        raise PlanError(f"tests = {tests!r:.60} is a list of names of tests of the suite.")
    if isinstance(suite, Run) and (model is not None or running):
        stated = "model" if model is not None else next(iter(running))
        raise PlanError(
            f"The suite is a run, whose model has answered already: leave {stated}= out, or give "
            "the suite itself."
        )
    run = suite if isinstance(suite, Run) else asked_suite(model, suite, **running)
    lines = [*suite_lines(run, most=most, tests=tests, undecided=undecided)]
    for line in lines:
        asserted.add(line.partition("\n")[0])
    failed = [line for line in lines if line.startswith(_FAILED)]
    if failed:
        raise AssertionError("\n".join(failed))
    return run


def share_given(most: object, name: str) -> float:
    """Largest accepted share, checked to be a number from 0 to 1.

    Raises
    ------
    PlanError
        If it is none.
    """
    given = plain_given(most)
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given <= 1:
        raise PlanError(f"{name} = {most!r} is no share of cases: it is a number from 0 to 1.")
    return float(given)


def asked_suite(model: Any, suite: str | Path, **running: Any) -> Run:
    """Run of a model on a suite, a data string or a file of cases or templates."""
    return ask("suites", model=model, data=_source(suite), **running)


def suite_data(suite: str | Path) -> list[str]:
    """Name of each test of a suite, as `suite_lines` takes it."""
    return [test.label for test in suite_tests(load_dataset(_source(suite)).examples)]


def _source(suite: str | Path) -> str:
    """Data string of a suite, which may be the name of its file."""
    given = path_given(suite, "suite")
    is_file = Path(given).is_file()
    return f"suite:{given}".replace("#", "%23") if is_file else str(given)


def suite_lines(
    run: Run, *, most: float, tests: Sequence[str] = (), undecided: Undecided = "pass"
) -> Iterator[str]:
    """A line for each test of a suite: PASS, UNDECIDED or FAIL, with its first failed cases.

    Each claim of the run is judged by its own number, with the limits that decide in an audit. A
    run of several models, or suites, has a line for each of them.

    Raises
    ------
    PlanError
        If the run has asked no suite.
    UnknownNameError
        If the suite has no such test.
    """
    found = [
        (finding.claim.risk.what, finding)
        for finding in run.findings
        if finding.claim.diagnostic_name == "suites" and finding.claim.risk is not None
    ]
    if not found:
        raise PlanError(f"The run in {run.path} has asked no suite, so no test can be judged.")
    known("test of the suite", tests, {name for name, _ in found})
    places = {_place(finding) for _, finding in found}
    for name, finding in found:
        if tests and name not in tests:
            continue
        outcome, said = _judged(finding, most)
        if outcome == "UNDECIDED" and undecided == "fail":
            outcome = _FAILED
        of = f" ({' on '.join(_place(finding))})" if len(places) > 1 else ""
        line = f"{outcome:<4}  {name}{of}: {said}"
        yield "\n".join([line, *_first_failed(run, finding)]) if outcome == _FAILED else line


def _place(finding: Finding) -> tuple[str, ...]:
    """Model and suite of a finding."""
    return (finding.estimate.key.subject, finding.estimate.key.dataset) if finding.estimate else ()


def _judged(finding: Finding, most: float) -> tuple[str, str]:
    """Outcome of a test and what it rests on; what was not tested or refused never passes."""
    one, reason = finding.estimate, finding.reason
    if finding.verdict in _NEVER_ASKED:
        return _FAILED, f"{finding.verdict}: {reason}"
    if one is None or one.value is None:
        return _FAILED, f"not one case could be judged: {reason}"
    if finding.is_stopped or one.low is None or one.high is None or not any(finding.limits[:1]):
        return "UNDECIDED", reason
    is_share = one.key.metric_name == "share(failed)"
    limits = f"[{100 * one.low:.1f}, {100 * one.high:.1f}]"
    said = f"{100 * one.value:.1f} % {limits} of {one.counts.n:,} cases fail, {100 * most:g} % may"
    if not is_share:
        cost = f"costs {100 * one.value:.1f} points {limits}"
        said = f"{cost} on {one.counts.n:,} cases, {100 * most:g} may be lost"
        if finding.control is not None and finding.control.value is not None:
            low, value, high = (100 * end for end in finding.control.ends)
            said += f"; {value:.1f} [{low:.1f}, {high:.1f}] more than random changes"
    # what cases without an answer would make of it, at best and at worst
    missing = one.counts.missing_share if one.counts.missing_share > MISSING_LIMIT else 0.0
    low, high = ((1 - missing) * end for end in (one.low, one.high))
    low, high = (low if is_share else low - missing), high + missing
    if missing and low <= most < high:
        return "UNDECIDED", f"{said}; {percent(missing)} of the rows are missing"
    return "PASS" if high <= most else _FAILED if low > most else "UNDECIDED", said


def _first_failed(run: Run, finding: Finding) -> Iterator[str]:
    """Lines of the first cases of a test that failed."""
    if not finding.change:
        return
    failed = (
        row
        for row in run.cases(finding.change)
        if (row["model"], row["dataset"]) == _place(finding) and row["outcome"] == "failed"
    )
    for row in islice(failed, _MOST_CASES):
        yield f"    {row['after']!r:.100}: {row['said_before']}, said: {row['said_after']}"
