"""CSV: one estimate on each row, with its claim."""

import csv
import io
from collections.abc import Mapping
from typing import Any, Final

from scrutiny.core.boundary.canonical import canonical_json
from scrutiny.core.boundary.storable import printable
from scrutiny.core.claim import Finding
from scrutiny.core.estimate import Estimate
from scrutiny.parts.run.view import RunView
from scrutiny.report.formats.ndjson import COLUMNS, estimate_object
from scrutiny.report.table.trusted import trusted_table

REPLICATE_COLUMNS: Final = ("n_replicates", "divided_by", "by_replicate", "across", "variance")
FINDING_COLUMNS: Final = ("claim", "verdict", "scope", "reason", "trusted", "why_not")
#: How a formula of a spreadsheet begins, also in the wide letters of Chinese and Japanese.
_FORMULA: Final = (*"=+-@", "\t", "\r", "\n", *"\uff1d\uff0b\uff0d\uff20")
_HEADER: Final = (*COLUMNS, *REPLICATE_COLUMNS, *FINDING_COLUMNS)


def render_csv(view: RunView) -> str:
    """Columns of ``estimates.parquet``, then those of the claim if there is one.

    ``divided_by`` is the denominator of the value; ``by_replicate``, ``across`` and ``variance``
    are JSON. ``trusted`` is yes or no by the rule of `scrutiny.report.table.trusted`, and empty
    where there are no replicates to trust. Every finding has a row: that of its estimate, or one
    of its own where it has none.
    """
    handle = io.StringIO(newline="")
    writer = csv.DictWriter(handle, _HEADER, lineterminator="\n")
    writer.writeheader()
    rule = _rule(view)
    waiting = [(_finding_row(f, rule), f) for f in view.all_findings]
    for estimate in view.all_estimates:
        row = _flat(estimate)
        claims = [f for f in waiting if f[1].estimate == estimate]
        waiting = [f for f in waiting if f[1].estimate != estimate]
        for extra, _ in claims:
            writer.writerow(_safe(row | extra))
        if not claims:
            writer.writerow(_safe(row))
    for extra, finding in waiting:
        own = {} if finding.estimate is None else _flat(finding.estimate)
        writer.writerow(_safe({"diagnostic": finding.claim.diagnostic} | own | extra))
    return handle.getvalue()


def _safe(row: Mapping[str, Any]) -> dict[str, Any]:
    """Cells of a row that neither steer a terminal nor are formulas of a spreadsheet.

    A text that a spreadsheet would take for a formula begins with an apostrophe; numbers stay.
    """
    return {name: cell(value) if isinstance(value, str) else value for name, value in row.items()}


def cell(text: str) -> str:
    """Text of somebody else as a cell.

    Examples
    --------
    >>> cell("=1+1"), cell("-0.5"), cell("a=b"), cell("@name")
    ("'=1+1", "'-0.5", 'a=b', "'@name")
    """
    shown = printable(text)
    return f"'{shown}" if shown.startswith(_FORMULA) else shown


def _flat(estimate: Estimate) -> dict[str, Any]:
    row = estimate_object(estimate)
    return row | {
        "condition": canonical_json(row["condition"]),
        "n_replicates": estimate.n_replicates,
        "divided_by": estimate.divided_by,
        "by_replicate": canonical_json(dict(estimate.by_replicate)),
        "across": canonical_json(dict(estimate.across)),
        "variance": canonical_json(dict(estimate.variance)),
    }


def _rule(view: RunView) -> dict[str, tuple[str, str]]:
    """Whether each claim can be reported, and the reason if not, by its id."""
    table = trusted_table(view)
    rows = () if table is None else table.rows
    return {row.row.finding.claim.id: ("yes" if row.is_trusted else "no", row.why) for row in rows}


def _finding_row(finding: Finding, rule: dict[str, tuple[str, str]]) -> dict[str, str]:
    says, verdict = finding.claim.says, finding.verdict
    trusted = rule.get(finding.claim.id, ("", ""))
    values = says, verdict, finding.scope, finding.reason, *trusted
    return dict(zip(FINDING_COLUMNS, values, strict=True))
