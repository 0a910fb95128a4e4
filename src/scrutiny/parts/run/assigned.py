"""Keys of the estimates from specifications and contrasts of a manifest."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from scrutiny.core.estimate import EstimateKey

Assigned = Mapping[str, Any]


def key_of(assigned: Assigned) -> EstimateKey:
    """Key of the estimate of a specification in the manifest."""
    spec = assigned["spec"]
    return EstimateKey(
        diagnostic=assigned["kind"],
        metric=spec["metric"],
        subject=assigned["subject"],
        reference=assigned.get("reference"),
        dataset="+".join([assigned["dataset"], *spec["beside"]]),
        role=spec["role"],
        condition={**spec["condition"], **assigned["within"], **spec["at"]},
        group=spec["group"],
    )


def contrast_key_of(pair: Assigned) -> EstimateKey:
    """Key of a difference: conditions that differ are written ``x - y``."""
    one, other = key_of(pair["a"]), key_of(pair["b"])
    mine, theirs = _with_reference(one), _with_reference(other)
    condition = {
        name: mine[name]
        if name in mine and mine[name] == theirs.get(name)
        else f"{mine.get(name, 'none')} - {theirs.get(name, 'none')}"
        for name in dict.fromkeys([*mine, *theirs])
    }
    return replace(one, reference=other.subject, role="contrast", condition=condition)


def _with_reference(key: EstimateKey) -> dict[str, object]:
    """Condition of one side, with the reference family."""
    beside = {} if key.reference is None else {"reference": key.reference}
    return {**key.condition, **beside}


def restrictions(manifest: Assigned) -> Iterator[tuple[EstimateKey, str]]:
    """Slice of each estimate, by the estimate's key."""
    for assigned in manifest.get("specs", ()):
        yield key_of(assigned), assigned["spec"].get("where") or ""
    for pair in manifest.get("contrasts", ()):
        yield contrast_key_of(pair), pair["a"]["spec"].get("where") or ""
