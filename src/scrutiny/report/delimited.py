"""CSV: one estimate a row, with the claim that rests on it."""

import csv
import io
from typing import Any, Final

from scrutiny.core.canonical import canonical_json
from scrutiny.core.claim import Finding
from scrutiny.report.ndjson import COLUMNS, estimate_object
from scrutiny.report.view import RunView

FINDING_COLUMNS: Final = ("claim", "verdict", "scope", "reason")


def render_csv(view: RunView) -> str:
    """Columns of ``estimates.parquet``, then claim, verdict, scope and reason where there are any.

    Every finding has a row: that of its estimate, or one of its own where it has none.
    """
    handle = io.StringIO(newline="")
    writer = csv.DictWriter(handle, (*COLUMNS, *FINDING_COLUMNS), lineterminator="\n")
    writer.writeheader()
    waiting = [(_finding_row(f), f) for f in view.findings]
    for estimate in view.estimates:
        row = _flat(estimate_object(estimate))
        claims = [f for f in waiting if f[1].estimate == estimate]
        waiting = [f for f in waiting if f[1].estimate != estimate]
        for extra, _ in claims:
            writer.writerow(row | extra)
        if not claims:
            writer.writerow(row)
    for extra, finding in waiting:
        own = {} if finding.estimate is None else _flat(estimate_object(finding.estimate))
        writer.writerow({"diagnostic": finding.claim.diagnostic} | own | extra)
    return handle.getvalue()


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"condition": canonical_json(row["condition"])}


def _finding_row(finding: Finding) -> dict[str, str]:
    says, verdict = finding.claim.says, finding.verdict
    values = says, verdict, finding.scope, finding.reason
    return dict(zip(FINDING_COLUMNS, values, strict=True))
