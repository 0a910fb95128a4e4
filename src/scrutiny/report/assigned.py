"""Estimates that the specifications and contrasts of a manifest make."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from scrutiny.core.estimate import EstimateKey

Assigned = Mapping[str, Any]


def key_of(assigned: Assigned) -> EstimateKey:
    """Identity of the estimate that a specification of the manifest makes."""
    spec = assigned["spec"]
    return EstimateKey(
        diagnostic=assigned["kind"],
        metric=spec["metric"],
        subject=assigned["subject"],
        dataset="+".join([assigned["dataset"], *spec["beside"]]),
        role=spec["role"],
        condition={**spec["condition"], **assigned["within"], **spec["at"]},
        group=spec["group"],
    )


def contrast_key_of(pair: Assigned) -> EstimateKey:
    """Identity of a difference: conditions that differ are written ``x - y``."""
    one, other = key_of(pair["a"]), key_of(pair["b"])
    condition = {
        name: one.condition[name]
        if name in one.condition and one.condition[name] == other.condition.get(name)
        else f"{one.condition.get(name, 'none')} - {other.condition.get(name, 'none')}"
        for name in dict.fromkeys([*one.condition, *other.condition])
    }
    return replace(one, reference=other.subject, role="contrast", condition=condition)


def restrictions(manifest: Assigned) -> Iterator[tuple[EstimateKey, Mapping[str, str]]]:
    """Columns that restrict the items of each estimate, by the estimate's identity."""
    for assigned in manifest.get("specs", ()):
        yield key_of(assigned), assigned["spec"].get("where") or {}
    for pair in manifest.get("contrasts", ()):
        yield contrast_key_of(pair), pair["a"]["spec"].get("where") or {}
