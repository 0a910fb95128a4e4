"""Suites that pytest collects: a file is a suite, and each of its tests a test."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from scrutiny._pytest_plugin import asserted
from scrutiny._results import Run
from scrutiny._suite_tests import asked_suite, suite_data, suite_lines
from scrutiny.core.errors import ScrutinyError


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
    def run(self) -> Run:
        """Run of the model on all cases."""
        return asked_suite(self.model, self.path, progress=False)

    def collect(self) -> Iterator[pytest.Item]:
        """A test for each of the suite."""
        try:
            names = [": ".join(filter(None, one)) for one in suite_data(self.path)]
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
        most = float(self.config.getini("scrutiny_most"))
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
