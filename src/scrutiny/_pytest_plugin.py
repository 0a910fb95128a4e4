"""pytest plug-in: shows what each test asserted of models, whether it passed or failed.

pytest loads it by itself where scrutiny is installed. It imports nothing heavy: a session whose
tests assert nothing here pays next to nothing. What a test asserted stands at the end of the
session, and as a property ``scrutiny`` of the test in JUnit XML.
"""

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import pytest

#: Property of a test's report that holds what it asserted.
PROPERTY: Final = "scrutiny"


class AssertedInTest:
    """Sentences on the assertions of the running test; none is kept for the next test."""

    def __init__(self) -> None:
        self._said: list[str] | None = None

    def begin(self) -> None:
        """Keep what is said from now on."""
        self._said = []

    def add(self, sentence: str) -> None:
        """Keep a sentence, while a test runs."""
        if self._said is not None:
            self._said.append(sentence)

    def end(self) -> list[str]:
        """Sentences on all assertions of the test so far."""
        said, self._said = self._said or [], None
        return said


asserted: Final = AssertedInTest()
#: What the tests of this session asserted: the name of the test, and a sentence.
_session: Final[list[tuple[str, str]]] = []


def pytest_configure() -> None:
    """Begin a session."""
    _session.clear()


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
