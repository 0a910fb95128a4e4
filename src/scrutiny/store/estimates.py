"""Estimates to a table and back."""

import json
from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from scrutiny.core.boundary.canonical import canonical_json
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.record import Counts
from scrutiny.store.schemas import ESTIMATES


def estimate_to_row(estimate: Estimate) -> dict[str, Any]:
    """Row of one estimate; ``condition`` is canonical JSON."""
    key, counts = estimate.key, estimate.counts
    return {
        "diagnostic": key.diagnostic,
        "metric": key.metric,
        "subject": key.subject,
        "reference": key.reference,
        "dataset": key.dataset,
        "replicate": key.replicate,
        "role": key.role,
        "condition": canonical_json(dict(key.condition)),
        "group": key.group,
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "level": estimate.level,
        "method": estimate.method,
        "n": counts.n,
        "n_units": estimate.n_units,
        "planned": counts.planned,
        "undefined": counts.undefined,
        "failed": counts.failed,
        "skipped": counts.skipped,
        "refused": counts.refused,
        "status": estimate.status,
        "reason": estimate.reason,
        "n_replicates": estimate.n_replicates,
        "variance": canonical_json(dict(estimate.variance)),
        "by_replicate": canonical_json(dict(estimate.by_replicate)),
        "across": canonical_json(dict(estimate.across)),
        "resample_id": estimate.resample_id,
        "denominator": estimate.denominator,
    }


def estimate_from_row(row: dict[str, Any]) -> Estimate:
    """Estimate from one row of the table."""
    key = EstimateKey(
        diagnostic=row["diagnostic"],
        metric=row["metric"],
        subject=row["subject"],
        dataset=row["dataset"],
        reference=row["reference"],
        replicate=row["replicate"],
        role=row["role"],
        condition=json.loads(row["condition"]),
        group=row["group"],
    )
    counts = Counts(
        row["n"], row["undefined"], row["failed"], skipped=row["skipped"], refused=row["refused"]
    )
    return Estimate(
        key=key,
        value=row["value"],
        low=row["low"],
        high=row["high"],
        level=row["level"],
        method=row["method"],
        counts=counts,
        n_units=row["n_units"],
        n_replicates=row["n_replicates"],
        variance=json.loads(row["variance"]),
        by_replicate=json.loads(row["by_replicate"]),
        across=json.loads(row["across"]),
        resample_id=row["resample_id"],
        status=row["status"],
        reason=row["reason"],
        denominator=row.get("denominator"),  # what no older version wrote
    )


def estimates_to_table(estimates: Iterable[Estimate]) -> pa.Table:
    """Table of all estimates, in their order."""
    return pa.Table.from_pylist([estimate_to_row(e) for e in estimates], schema=ESTIMATES)
