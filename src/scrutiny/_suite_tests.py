"""Suites as tests: each test of a suite passes, fails, or cannot be told, by its limits."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from scrutiny._api import run as ask
from scrutiny._assertions import Undecided, must_be_known
from scrutiny._pytest_plugin import asserted
from scrutiny._results import Run
from scrutiny.core.boundary.parameters import known
from scrutiny.core.errors import PlanError
from scrutiny.core.estimate import Estimate
from scrutiny.core.example import suite_tests
from scrutiny.data.dataset import load_dataset

_FAILED: Final = "FAIL"
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
        A model string or object, as in `scrutiny.run`.
    suite
        A file of cases or templates, a data string (``builtin:behavior_sentiment``), or a run that
        has asked one.
    most
        Largest accepted share of the cases of a test that fail. A test of the suite is broken where
        the lower 95 % limit of its share is above that, and holds where the upper one is not.
    tests
        Names of tests, of those of the suite; all by default.
    undecided
        What it means if the limits hold ``most``: ``pass``, the usual, so that a test is broken
        only where that is shown; or ``fail``, which needs some 75 cases without a failure.
    **running
        Other parameters of `scrutiny.run`, such as ``cache``.

    Raises
    ------
    AssertionError
        With a line for each test of the suite that is broken, and its first cases.
    scrutiny.errors.ScrutinyError
        If the suite cannot be read, the model cannot be asked, or a test is unknown.

    Examples
    --------
    >>> run = assert_suite("builtin:sentiment/seed-1", "builtin:behavior", most=0.9)
    """
    __tracebackhide__ = True
    must_be_known(undecided)
    if isinstance(most, bool) or not isinstance(most, int | float) or not 0 <= most <= 1:
        raise PlanError(f"assert_suite: most={most!r} is a share of cases, a number from 0 to 1.")
    run = suite if isinstance(suite, Run) else asked_suite(model, suite, **running)
    lines = [*suite_lines(run, most=most, tests=tests, undecided=undecided)]
    for line in lines:
        asserted.add(line.partition("\n")[0])
    failed = [line for line in lines if line.startswith(_FAILED)]
    if failed:
        raise AssertionError("\n".join(failed))
    return run


def asked_suite(model: Any, suite: str | Path, **running: Any) -> Run:
    """Run of a model on a suite, a data string or a file of cases or templates."""
    return ask("suites", model=model, data=_source(suite), **running)


def suite_data(suite: str | Path) -> list[tuple[str, str]]:
    """Capability and name of each test of a suite."""
    tests = suite_tests(load_dataset(_source(suite)).examples)
    return [(test.capability, test.name) for test in tests]


def _source(suite: str | Path) -> str:
    """Data string of a suite, which may be the name of its file."""
    return f"suite:{suite}" if Path(suite).is_file() else str(suite)


def tests_of(run: Run) -> Mapping[str, Estimate]:
    """Share of failures of each test of a suite, by its name."""
    found = {}
    for one in run.estimates:
        of = one.key.condition
        is_share = one.key.metric_name == "share(failed)" and one.key.role == "measured"
        if is_share and "test" in of and one.key.group == "all" and one.key.replicate is None:
            found[": ".join(filter(None, (str(of.get("capability", "")), str(of["test"]))))] = one
    return found


def suite_lines(
    run: Run, *, most: float, tests: Sequence[str] = (), undecided: Undecided = "pass"
) -> Iterator[str]:
    """A line for each test of a suite: PASS, UNDECIDED or FAIL, with its first failed cases."""
    found = tests_of(run)
    wanted = tests or list(found)
    known("test of the suite", wanted, found)
    for name in wanted:
        one = found[name]
        if one.value is None or one.low is None or one.high is None:
            yield f"{_FAILED}  {name}: not one case could be judged"
            continue
        limits = f"{100 * one.value:.1f} % [{100 * one.low:.1f}, {100 * one.high:.1f}]"
        said = f"{name}: {limits} of {one.counts.n:,} cases fail, {100 * most:g} % may"
        if one.high <= most:
            yield f"PASS  {said}"
        elif one.low <= most and undecided == "pass":
            yield f"UNDECIDED  {said}"
        else:
            yield "\n".join([f"{_FAILED}  {said}", *_first_failed(run, name)])


def _first_failed(run: Run, test: str) -> Iterator[str]:
    """Lines of the first cases of a test that failed."""
    rows = [row for row in run.cases(test) if row["outcome"] == "failed"]
    for row in rows[:_MOST_CASES]:
        yield f"    {row['after']!r:.100}: {row['said_before']}, said: {row['said_after']}"
