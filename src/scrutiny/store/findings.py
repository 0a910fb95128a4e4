"""Estimates and findings in stored form, and back: rows of a table, and JSON.

What an older version did not write of an estimate is left to its default.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, Final, TypeVar, cast

import pyarrow as pa

from scrutiny.core.boundary.json_text import canonical_json, plain
from scrutiny.core.claim import Check, Claim, Component, Finding, Risk, Touched
from scrutiny.core.estimate import Estimate, EstimateKey, Limits
from scrutiny.core.published import PublishedPlan, Reproduction
from scrutiny.core.record import Counts
from scrutiny.store.run_tables import ESTIMATES

#: Columns that hold an object, as canonical JSON.
_OBJECTS: Final = ("condition", "variance", "by_replicate", "across")
T = TypeVar("T")


def estimate_to_row(estimate: Estimate) -> dict[str, Any]:
    """Row of one estimate: members of it, of its key and of its counts."""
    parts = (estimate.key, estimate.counts, estimate)
    members = {f.name: getattr(part, f.name) for part in parts for f in fields(part)}
    members |= {name: canonical_json(dict(members[name])) for name in _OBJECTS}
    members["planned"] = estimate.counts.planned
    return {name: members[name] for name in ESTIMATES.names}


def estimate_from_row(row: Mapping[str, Any]) -> Estimate:
    """Estimate from one row of the table."""
    members = {**row, **{name: json.loads(row[name]) for name in _OBJECTS}}
    parts = {"key": _made(EstimateKey, members), "counts": _made(Counts, members)}
    return _made(Estimate, {**members, **parts})


def _made(kind: type[T], members: Mapping[str, Any]) -> T:
    """Dataclass of those members that it has; what no older version wrote is left out."""
    names = (f.name for f in fields(cast("Any", kind)))
    return kind(**{name: members[name] for name in names if name in members})


def estimates_to_table(estimates: Iterable[Estimate]) -> pa.Table:
    """Table of all estimates, in their order."""
    return pa.Table.from_pylist([estimate_to_row(e) for e in estimates], schema=ESTIMATES)


def finding_to_json(finding: Finding) -> dict[str, Any]:
    """Finding as plain JSON."""
    return {
        "claim": plain(finding.claim),
        "estimate": _row(finding.estimate),
        "control": _row(finding.control),
        "verdict": finding.verdict,
        "scope": finding.scope,
        "reason": finding.reason,
        "checks": plain(finding.checks),
        "p_supported": finding.p_supported,
        "p_not_supported": finding.p_not_supported,
        "minimum_detectable_effect": finding.minimum_detectable_effect,
        "evidence": {name: plain(key) for name, key in finding.evidence.items()},
        "limits": plain(finding.limits),
        "touched": None if finding.touched is None else list(finding.touched),
    }


def finding_from_json(data: Mapping[str, Any]) -> Finding:
    """Finding from `finding_to_json`."""
    own = {
        "claim": claim_from_json(data["claim"]),
        "checks": tuple(Check(**check) for check in data["checks"]),
        "evidence": {name: EstimateKey(**key) for name, key in data["evidence"].items()},
        "limits": tuple(map(_limits, data["limits"])),
        "touched": Touched(*data["touched"]) if data.get("touched") else None,
    }
    rows = {name: data[name] and estimate_from_row(data[name]) for name in ("estimate", "control")}
    return Finding(**{**data, **own, **rows})


def _limits(data: Mapping[str, Any] | None) -> Limits | None:
    """Limits from plain JSON."""
    if data is None:
        return None
    recipe = data["recipe"]
    pairs = {
        "checkpoints": tuple(data["checkpoints"]),
        "recipe": None if recipe is None else tuple(recipe),
    }
    return Limits(**{**data, **pairs})


def claim_from_json(data: Mapping[str, Any]) -> Claim:
    """Claim read back from a run's stored findings."""
    tuples = {name: tuple(data.get(name, ())) for name in ("checks", "gates", "coverage")}
    own = {
        "components": tuple(Component(**c) for c in data["components"]),
        "competence": tuple((name, chance) for name, chance in data["competence"]),
        "risk": Risk(**data["risk"]) if data.get("risk") else None,
    }
    return Claim(**{**data, **tuples, **own})


def _row(estimate: Estimate | None) -> dict[str, Any] | None:
    return None if estimate is None else estimate_to_row(estimate)


def reproduction_from_json(data: Mapping[str, Any]) -> Reproduction:
    """Reproduction of a published figure, read back from a run's stored JSON."""
    return Reproduction(**{**data, "figure": PublishedPlan(**data["figure"])})
