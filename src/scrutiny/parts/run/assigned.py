"""Keys of the estimates from specifications and contrasts of a manifest."""

from collections.abc import Iterator, Mapping
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
    """Key of a difference or a ratio in the manifest."""
    one, other = (pair[side]["spec"].get("where") or "" for side in ("a", "b"))
    mine, theirs = key_of(pair["a"]), key_of(pair["b"])
    return mine.beside(theirs, how=pair.get("how", ""), is_of_slices=one != other)


def restrictions(manifest: Assigned) -> Iterator[tuple[EstimateKey, str]]:
    """Slice of each estimate, by the estimate's key."""
    for assigned in manifest.get("specs", ()):
        yield key_of(assigned), assigned["spec"].get("where") or ""
    for pair in manifest.get("contrasts", ()):
        yield contrast_key_of(pair), pair["a"]["spec"].get("where") or ""
