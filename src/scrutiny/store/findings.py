"""Findings, and comparisons with published figures, to JSON and back."""

from collections.abc import Mapping
from typing import Any

from scrutiny.core.boundary.canonical import plain
from scrutiny.core.claim import Check, Claim, Component, Finding, Limits, Risk
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
    }


def finding_from_json(data: Mapping[str, Any]) -> Finding:
    """Finding from `finding_to_json`."""
    return Finding(
        claim=claim_from_json(data["claim"]),
        estimate=None if data["estimate"] is None else estimate_from_row(data["estimate"]),
        verdict=data["verdict"],
        scope=data["scope"],
        reason=data["reason"],
        checks=tuple(Check(**check) for check in data["checks"]),
        control=None if data["control"] is None else estimate_from_row(data["control"]),
        p_supported=data["p_supported"],
        p_not_supported=data["p_not_supported"],
        minimum_detectable_effect=data["minimum_detectable_effect"],
        evidence={name: EstimateKey(**key) for name, key in data["evidence"].items()},
        limits=tuple(_limits(one) for one in data["limits"]),
    )


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
    """Claim from plain JSON."""
    return Claim(
        id=data["id"],
        says=data["says"],
        diagnostic=data["diagnostic"],
        components=tuple(Component(**c) for c in data["components"]),
        family=data["family"],
        level=data["level"],
        checks=tuple(data["checks"]),
        competence=tuple((name, chance) for name, chance in data["competence"]),
        gates=tuple(data.get("gates", ())),
        refused=data.get("refused", ""),
        needs_control=data.get("needs_control", True),
        post_hoc=data["post_hoc"],
        is_headline=data.get("is_headline", False),
        risk=Risk(**data["risk"]) if data.get("risk") else None,
    )


def _row(estimate: Estimate | None) -> dict[str, Any] | None:
    return None if estimate is None else estimate_to_row(estimate)


def reproduction_from_json(data: Mapping[str, Any]) -> Reproduction:
    """Published figure with ours, from plain JSON."""
    return Reproduction(**{**data, "figure": PublishedPlan(**data["figure"])})
