"""SARIF 2.1.0 of what a gate judged, for services that collect findings of many tools.

A failure is a result of kind ``fail``. SARIF has a word for what was evaluated and not decided,
``open``, and for what somebody answered for, a suppression with its justification.
"""

import json
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from scrutiny.blocks.run_view import RunView
from scrutiny.core.boundary.printable import printable
from scrutiny.report.findings.risks import JudgedCase, case_of, risks_of

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
#: Kind of a result; every kind but ``fail`` has the level ``none``, as the standard asks.
_KINDS: Final = {
    "fail": "fail",
    "accepted": "fail",
    "pass": "pass",
    "undecided": "open",
    "not tested": "open",
    "refused": "open",
}
_LEVELS: Final = {"fail": "error", "accepted": "warning"}


def render_sarif(view: RunView) -> str:
    """Return the risks of a run as SARIF."""
    return sarif(view.facts.path, [case_of(risk) for risk in risks_of(view.findings)])


def sarif(run: str, cases: Sequence[JudgedCase]) -> str:
    """Return one run of SARIF 2.1.0 as JSON.

    Parameters
    ----------
    run
        Folder of the run; each result is located in its manifest, since no line of code is at
        fault.
    cases
        In the order of the results.
    """
    names = list(dict.fromkeys(case.name for case in cases))
    rules = [
        {"id": printable(name), "shortDescription": {"text": printable(name)}} for name in names
    ]
    driver = {"name": "scrutiny", "version": version("scrutiny"), "rules": rules}
    place = {"artifactLocation": {"uri": _uri(run)}, "region": {"startLine": 1}}
    results = [_result(case, names.index(case.name), place) for case in cases]
    whole = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def _result(case: JudgedCase, rule: int, place: dict[str, Any]) -> dict[str, Any]:
    """One result: outcome, reason, and which model on which data."""
    of = printable(case.of)
    found: dict[str, Any] = {
        "ruleId": printable(case.name),
        "ruleIndex": rule,
        "kind": _KINDS[case.outcome],
        "level": _LEVELS.get(case.outcome, "none"),
        "message": {"text": printable(f"{case.name}: {case.says}")},
        "locations": [
            {"physicalLocation": place, "logicalLocations": [{"fullyQualifiedName": of}]}
        ],
        "partialFingerprints": {"risk/v1": f"{printable(case.name)} / {of}"},
        "properties": {"outcome": case.outcome},
    }
    if case.outcome == "accepted":
        why = printable(case.says)
        found["suppressions"] = [{"kind": "external", "status": "accepted", "justification": why}]
    return found


def _uri(run: str) -> str:
    """Manifest of a run as a reference; an absolute path begins with its scheme."""
    path = Path(run) / "manifest.json"
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
