"""Numbers and risks of a run as tables: one row each, one column for each varying field."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

import pyarrow as pa

from scrutiny.core.boundary.canonical import canonical_json
from scrutiny.core.claim import Finding
from scrutiny.core.estimate import Estimate
from scrutiny.core.plugin import without_versions
from scrutiny.parts.run.risks import risks_of
from scrutiny.parts.wording.labels import family_name, unversioned

#: Columns of the table of risks.
RISKS: Final = pa.schema(
    [
        (name, pa.float64() if name in ("cost", "low", "high") else pa.string())
        for name in (
            *("state", "what", "cost", "low", "high", "metric"),
            *("of", "scope", "look", "reason"),
        )
    ]
)


def risks_table(findings: Sequence[Finding]) -> pa.Table:
    """Table of `RISKS`, what hurts first."""
    return pa.Table.from_pylist([asdict(risk) for risk in risks_of(findings)], schema=RISKS)


def numbers_table(estimates: Sequence[Estimate]) -> pa.Table:
    """Estimates in plan order; varying fields have columns of their own.

    Values of one such column that are not of one type are written as JSON.
    """
    varying = dict.fromkeys(name for estimate in estimates for name in estimate.key.condition)
    columns = {name: _column(name, estimates) for name in varying}
    front = [_front(estimate) for estimate in estimates]
    back = [
        {
            "value": estimate.value,
            "low": estimate.low,
            "high": estimate.high,
            "level": estimate.level,
            "n": estimate.counts.n,
            "planned": estimate.counts.planned,
            "replicates": estimate.n_replicates,
            "status": estimate.status,
            "reason": estimate.reason,
        }
        for estimate in estimates
    ]
    return pa.table({**_columns(front), **columns, **_columns(back)})


def _front(estimate: Estimate) -> dict[str, str | None]:
    """Key columns of an estimate."""
    key = estimate.key
    return {
        "diagnostic": family_name(key.diagnostic),
        "metric": unversioned(key.metric),
        "model": key.subject,
        "reference": key.reference,
        "dataset": key.dataset,
        "replicate": key.replicate,
        "role": key.role,
        "group": key.group,
    }


def _columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}


def _column(name: str, estimates: Sequence[Estimate]) -> list[Any]:
    """Values of a condition, one for each estimate, versions left out."""
    values = [estimate.key.condition.get(name) for estimate in estimates]
    kinds = {type(value) for value in values if value is not None}
    if kinds == {str}:
        return [None if value is None else without_versions(str(value)) for value in values]
    if len(kinds) == 1 and kinds <= {int, float, bool}:
        return values
    return [None if value is None else canonical_json(value) for value in values]
