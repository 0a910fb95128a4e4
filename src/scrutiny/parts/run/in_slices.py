"""Numbers in slices, separated from the main numbers of a run."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrutiny.core.claim import IN_SLICES, Finding
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.slice_syntax import complement


@dataclass(frozen=True, slots=True)
class InSlices:
    """Numbers inside slices, the requested slices, and the claims about them.

    Parameters
    ----------
    sizes
        Each slice of each dataset: ``dataset``, ``where``, items ``inside`` and ``elsewhere``.
    estimates
        Inside of slices, and inside minus elsewhere.
    findings
        Whether a number is worse in a slice than elsewhere.
    """

    sizes: tuple[Mapping[str, Any], ...] = ()
    estimates: tuple[Estimate, ...] = ()
    findings: tuple[Finding, ...] = ()


def without_slices(
    manifest: Mapping[str, Any], estimates: Sequence[Estimate], findings: Sequence[Finding]
) -> tuple[tuple[Estimate, ...], tuple[Finding, ...], InSlices]:
    """Main numbers and findings of a run, and those of its slices.

    Of the findings on the slices of one number, the clearest stands among the main ones.
    """
    sizes = tuple(manifest.get("slices", ()))
    groups = {group for size in sizes for group in _groups_of(size["where"])}
    own = tuple(f for f in findings if f.claim.family.endswith(IN_SLICES))
    clearest = {id(one) for one in _clearest(own)}
    return (
        tuple(e for e in estimates if e.key.group not in groups),
        tuple(f for f in findings if f not in own or id(f) in clearest),
        InSlices(sizes, tuple(e for e in estimates if e.key.group in groups), own),
    )


def _groups_of(where: str) -> tuple[str, str]:
    """Groups of the estimates of a slice: inside, and inside minus elsewhere."""
    return where, f"{where} - {complement(where)}"


def gap_key(inside: EstimateKey) -> dict[str, Any]:
    """Key that pairs the difference from elsewhere with the number inside a slice."""
    return {"role": "contrast", "group": _groups_of(inside.group)[1], "reference": inside.subject}


def _clearest(findings: Iterable[Finding]) -> list[Finding]:
    """Finding with the smallest p of each number."""
    best: dict[str, Finding] = {}
    for one in findings:
        known = best.get(one.claim.family)
        if known is None or _p(one) < _p(known):
            best[one.claim.family] = one
    return list(best.values())


def _p(finding: Finding) -> float:
    return 2.0 if finding.p_supported is None else finding.p_supported
