"""Suites that pytest collects: a file is a suite, and each of its tests a test."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from scrutiny._asserted import asserted
from scrutiny._results import Run
from scrutiny._suite_tests import asked_suite, share_given, suite_data, suite_lines
from scrutiny.core.errors import ScrutinyError


def most_of(written: str) -> float:
    """Largest accepted share of failed cases, as the configuration of pytest states it.

    Raises
    ------
    PlanError
        If it is no share.
    """
    try:
        return share_given(float(written), "scrutiny_most")
    except ValueError:
        return share_given(written, "scrutiny_most")


class SuiteFile(pytest.File):
    """File of a suite, of which a model is asked once, when its first test runs."""

    model = ""

    @classmethod
    def of(cls, parent: pytest.Collector, path: Path, model: str) -> "SuiteFile":
        """Suite of a file for a model."""
        made: SuiteFile = cls.from_parent(parent, path=path)
        made.model = model
        return made

    @cached_property
    def _outcome(self) -> Run | ScrutinyError:
        """Run of the model on all cases, or why there is none: it is not asked for each test."""
        try:
            return asked_suite(self.model, self.path, progress=False)
        except ScrutinyError as error:
            return error

    @property
    def run(self) -> Run:
        """Run of the model on all cases."""
        if isinstance(self._outcome, ScrutinyError):
            raise self._outcome
        return self._outcome

    def collect(self) -> Iterator[pytest.Item]:
        """A test for each of the suite."""
        try:
            names = suite_data(self.path)
        except ScrutinyError as error:
            raise self.CollectError(str(error)) from None
        for name in names:
            yield SuiteTestItem.from_parent(self, name=name)


class SuiteTestItem(pytest.Item):
    """Test of a suite."""

    def runtest(self) -> None:
        """Ask the suite, if no test of it has run yet, and judge this one by its limits."""
        parent = self.parent
        assert isinstance(parent, SuiteFile)
        most = most_of(self.config.getini("scrutiny_most"))
        (line,) = suite_lines(parent.run, most=most, tests=[self.name])
        asserted.add(line.partition("\n")[0])
        if line.startswith("FAIL"):
            raise AssertionError(line)

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """The line and its first cases, without a traceback."""
        if excinfo.errisinstance(AssertionError) or excinfo.errisinstance(ScrutinyError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where it stands."""
        return self.path, None, self.name
