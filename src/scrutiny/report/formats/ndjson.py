"""NDJSON: one object on each line: estimates, then findings, then published figures."""

from collections.abc import Mapping
from typing import Any, Final

from scrutiny.core.boundary.canonical import plain
from scrutiny.core.boundary.json_text import json_line
from scrutiny.core.claim import Finding
from scrutiny.core.estimate import Estimate
from scrutiny.core.published import Reproduction
from scrutiny.parts.run.view import RunView
from scrutiny.store.estimates import estimate_to_row
from scrutiny.store.schemas import ESTIMATES

#: First columns of ``estimates.parquet``, in their order: what every reader may rely on.
COLUMNS: Final = tuple(ESTIMATES.names[: ESTIMATES.names.index("status") + 1])

#: Further keys of a line of its own: permutation tests and Holm's correction stand in ``across``.
DETAILS: Final = ("across", "variance", "by_replicate", "n_replicates", "divided_by", "reason")


def render_ndjson(view: RunView) -> str:
    """Estimates, then findings, then published figures, one on each line; never NaN."""
    objects = [estimate_object(e) | _details(e) for e in view.all_estimates]
    objects += [_finding_object(f) for f in view.all_findings]
    objects += [_published_object(p) for p in view.published]
    return "".join(f"{json_line(one)}\n" for one in objects)


def estimate_object(estimate: Estimate) -> dict[str, Any]:
    """Columns of one estimate; ``condition`` is an object, and no value is null."""
    row = estimate_to_row(estimate)
    row["condition"] = plain(dict(estimate.key.condition))
    return {name: row[name] for name in COLUMNS}


def _details(estimate: Estimate) -> dict[str, Any]:
    """Values of `DETAILS`; the first three are objects."""
    found = {name: getattr(estimate, name) for name in DETAILS}
    return {name: dict(v) if isinstance(v, Mapping) else v for name, v in found.items()}


def _finding_object(finding: Finding) -> dict[str, Any]:
    """Claim, its estimate, verdict, scope, reason and checks."""
    claim = finding.claim
    return {
        "claim": claim.says,
        "estimate": None if finding.estimate is None else estimate_object(finding.estimate),
        "verdict": finding.verdict,
        "scope": finding.scope,
        "reason": finding.reason,
        "checks": plain(finding.checks),
        "control": None if finding.control is None else estimate_object(finding.control),
        "claim_id": claim.id,
        "diagnostic": claim.diagnostic,
        "family": claim.family,
        "post_hoc": claim.post_hoc,
        "p_supported": finding.p_supported,
        "p_not_supported": finding.p_not_supported,
        "minimum_detectable_effect": finding.minimum_detectable_effect,
    }


def _published_object(found: Reproduction) -> dict[str, Any]:
    """A published figure or finding, our value, and the outcome."""
    figure = plain(found.figure)
    return {
        "published": figure.pop("id"),
        "outcome": found.outcome,
        "printed": figure.pop("printed"),
        "ours": found.ours or None,
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "reason": found.reason,
        **figure,
    }
