"""pytest plug-in: suites as tests, and what each test asserted of models, passed or failed.

With ``--scrutiny-model`` (or ``scrutiny_model`` in the configuration of pytest), files named
``*.suite.toml`` and ``*.suite.jsonl`` are collected: each test of a suite is one of pytest, which
fails where the lower limit of the share of its cases that fail is above ``scrutiny_most``, and
where it was not tested: a model without skill passes nothing.

pytest loads it by itself where scrutiny is installed. It imports nothing heavy: a session whose
tests assert nothing here pays next to nothing. What a test asserted stands at the end of the
session, and as a property ``scrutiny`` of the test in JUnit XML.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from scrutiny._asserted import asserted

if TYPE_CHECKING:
    import pytest

#: Property of a test's report that holds what it asserted.
PROPERTY: Final = "scrutiny"


_MOST: Final = "0.05"
#: What the tests of this session asserted: the name of the test, and a sentence.
_session: Final[list[tuple[str, str]]] = []


def pytest_addoption(parser: "pytest.Parser") -> None:
    """Options and settings of suites as tests."""
    group = parser.getgroup("scrutiny")
    group.addoption(
        "--scrutiny-model",
        default=None,
        metavar="MODEL",
        help="Model that the suites (*.suite.toml, *.suite.jsonl) are asked of.",
    )
    parser.addini("scrutiny_model", "Model that suites are asked of.", default="")
    parser.addini("scrutiny_most", "Largest accepted share of failed cases.", default=_MOST)


def pytest_collect_file(parent: "pytest.Collector", file_path: Path) -> "pytest.Collector | None":
    """Tests of a suite, where a model is stated."""
    stated = parent.config.getoption("--scrutiny-model") or parent.config.getini("scrutiny_model")
    if not stated or not file_path.name.endswith((".suite.toml", ".suite.jsonl")):
        return None
    suites = import_module("scrutiny._pytest_suites")  # only now: it imports all of scrutiny
    found: pytest.Collector = suites.SuiteFile.of(parent, file_path, str(stated))
    return found


def pytest_configure(config: "pytest.Config") -> None:
    """Begin a session; what is stated beside the usual is checked."""
    _session.clear()
    stated = str(config.getini("scrutiny_most"))
    if stated != _MOST:
        import pytest

        from scrutiny.core.errors import ScrutinyError

        try:
            import_module("scrutiny._pytest_suites").most_of(stated)
        except ScrutinyError as error:
            raise pytest.UsageError(str(error)) from None


def pytest_runtest_setup() -> None:
    """Begin to listen, before fixtures of the test are made."""
    asserted.begin()


def pytest_runtest_teardown(item: "pytest.Item") -> None:
    """Hand on what the test asserted; its last report brings it, from a worker process, too."""
    item.user_properties += [(PROPERTY, said) for said in asserted.end()]


def pytest_runtest_logreport(report: "pytest.TestReport") -> None:
    """Take what a test asserted, once."""
    if report.when == "teardown":
        said = [str(value) for name, value in report.user_properties if name == PROPERTY]
        _session.extend((report.nodeid, one) for one in said)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print one line for each assertion, if there are any."""
    if _session:
        terminalreporter.write_sep("=", "scrutiny")
        for test, said in _session:
            terminalreporter.write_line(f"{said}  ({test})")
