"""JUnit XML for continuous integration: one test for each risk or rule."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from scrutiny.core.boundary.storable import printable
from scrutiny.parts.run.risks import Risk, risks_of
from scrutiny.parts.run.view import RunView
from scrutiny.parts.wording.numbers import number
from scrutiny.parts.wording.verdicts import scope_words

Outcome = Literal["pass", "fail", "undecided", "accepted", "not tested", "refused"]
#: What a risk comes to where nothing of it is accepted.
OUTCOMES: Final[dict[str, Outcome]] = {
    "no skill": "fail",
    "hurts": "fail",
    "holds": "pass",
    "can't tell": "undecided",
    "not tested": "not tested",
    "not asked": "refused",
}


@dataclass(frozen=True, slots=True)
class Case:
    """One test: the risk or rule, its context, and its outcome.

    ``says`` is why; a case that is undecided, accepted, not tested or refused was skipped. ``kind``
    is what a failure is: "hurts", or "no skill".
    """

    name: str
    of: str
    outcome: Outcome
    says: str
    kind: str = "hurts"


def render_junit(view: RunView) -> str:
    """Return the risks of a run as a test suite."""
    return junit(view.facts.path, [case_of(risk) for risk in risks_of(view.findings)])


def case_of(risk: Risk) -> Case:
    """Return a risk as a test."""
    bounds = "" if risk.low is None else f" [{number(risk.low)}, {number(risk.high)}]"
    cost = "" if risk.cost is None else f"{risk.metric} {number(risk.cost)}{bounds}; "
    says = f"{cost}{scope_words(risk.scope)}: {risk.reason}"
    kind = risk.state if OUTCOMES[risk.state] == "fail" else "hurts"
    return Case(risk.what, risk.of, OUTCOMES[risk.state], says, kind)


def junit(name: str, cases: Sequence[Case]) -> str:
    """Return one test suite as XML.

    Parameters
    ----------
    name
        Of the suite: the folder of the run.
    cases
        In the order of the file.
    """
    failed = sum(case.outcome == "fail" for case in cases)
    skipped = sum(case.outcome not in ("fail", "pass") for case in cases)
    counts = {"tests": str(len(cases)), "failures": str(failed), "skipped": str(skipped)}
    suites = Element("testsuites", counts)
    suite = SubElement(suites, "testsuite", {"name": printable(name), **counts, "errors": "0"})
    for case in cases:
        said = {"classname": printable(case.of), "name": printable(case.name)}
        test, message = SubElement(suite, "testcase", said), printable(case.says)
        if case.outcome == "fail":
            SubElement(test, "failure", {"message": message, "type": case.kind})
        elif case.outcome == "pass":
            SubElement(test, "system-out").text = message
        else:
            said_why = message if message.startswith(case.outcome) else f"{case.outcome}: {message}"
            SubElement(test, "skipped", {"message": said_why})
    indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(suites, "unicode") + "\n"
