"""Findings, and comparisons with published figures, to JSON and back."""

from collections.abc import Mapping
from typing import Any

from scrutiny.core.boundary.canonical import plain
from scrutiny.core.claim import Check, Claim, Component, Finding, Limits, Risk, Touched
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.published import PublishedPlan, Reproduction
from scrutiny.store.estimates import estimate_from_row, estimate_to_row


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
