"""Estimates of a run: those for its lists, and those of single heads and layers, for maps.

A run has one estimate for every layer and head, metric, condition and dataset: hundreds or
thousands of rows. JSON and CSV hold them all; pages and terminals show maps and summaries.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from scrutiny.core.claim import Finding
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.expressions import name_and_arguments
from scrutiny.parts.run.identity import identity
from scrutiny.parts.run.view import RunView

#: Layer, or layer and head, both counted from 1.
HeadPlace = tuple[int, ...]
LAYER: Final = "layer"
HEAD: Final = "head"
#: Averages over the heads of a layer are called so: "mean_head", "mean_changed_head".
_AVERAGE: Final = re.compile(r"mean_(\w+_)?head")
FEWEST: Final = 3  # places of one kind; fewer were asked for one by one and are listed


def main_estimates(view: RunView) -> tuple[Estimate, ...]:
    """Estimates over all replicates, and those of findings that are not in the run's list.

    An estimate of one replicate is left out where its value stands in another's ``by_replicate``;
    so are those of single heads and layers, which stand in maps.
    """
    listed, _ = _apart(view.estimates, view.findings)
    known = {identity(e.key) for e in listed}
    for finding in view.findings:
        for estimate in (finding.estimate, finding.control):
            if estimate is not None and identity(estimate.key) not in known:
                known.add(identity(estimate.key))
                listed.append(estimate)
    of_all = ("replicate",)
    whole = {identity(e.key, without=of_all) for e in listed if e.key.replicate is None}
    return tuple(
        e for e in listed if e.key.replicate is None or identity(e.key, without=of_all) not in whole
    )


def single_estimates(view: RunView) -> tuple[Estimate, ...]:
    """Estimates of a run that its lists leave out: those of single heads and layers."""
    _, single = _apart(view.estimates, view.findings)
    return tuple(e for e in single if e.key.replicate is None)


def place_of(key: EstimateKey) -> HeadPlace | None:
    """Layer and head, or layer alone, that an estimate of a run belongs to; `None` for most.

    Examples
    --------
    >>> place_of(EstimateKey("d@1", "head(f1)@1", "m", "x", condition={"layer": 8, "head": 4}))
    (8, 4)
    >>> place_of(EstimateKey("d@1", "mean_head(f1)@1", "m", "x", condition={"layer": 8}))
    (8,)
    >>> place_of(EstimateKey("d@1", "accuracy@1", "m", "x", condition={"layer": 8})) is None
    True
    """
    layer, head = key.condition.get(LAYER), key.condition.get(HEAD)
    if not isinstance(layer, int):
        return None
    if isinstance(head, int):
        return layer, head
    return (layer,) if head is None and _is_average(key.metric) else None


def _is_average(metric: str) -> bool:
    """Whether a metric is an average over the heads of a layer."""
    return _AVERAGE.fullmatch(name_and_arguments(metric)[0]) is not None


def _apart(
    estimates: Sequence[Estimate], findings: Iterable[Finding]
) -> tuple[list[Estimate], list[Estimate]]:
    """Estimates for lists, and those of single heads and layers, both in order.

    A head that a claim names is listed, and so are heads that were asked for one by one.
    """
    counts = Counter(_series(e.key) for e in estimates if place_of(e.key) is not None)
    if not counts:
        return list(estimates), []
    claimed = {(place_of(key), identity(key)) for key in _claimed(findings)}
    places = {place for place, _ in claimed}
    listed: list[Estimate] = []
    single: list[Estimate] = []
    for e in estimates:
        place = place_of(e.key)
        is_single = place is not None and counts[_series(e.key)] >= FEWEST
        if is_single and place in places and (place, identity(e.key)) in claimed:
            is_single = False
        (single if is_single else listed).append(e)
    return listed, single


def _series(key: EstimateKey) -> tuple[object, ...]:
    """Approximate common key of the estimates of one map, cheap to compare."""
    where = key.diagnostic, key.metric, key.subject, key.reference, key.dataset
    return *where, key.replicate, key.role, key.group, HEAD in key.condition


def _claimed(findings: Iterable[Finding]) -> Iterator[EstimateKey]:
    """Keys of the estimates in findings."""
    for finding in findings:
        yield from finding.evidence.values()
        yield from (e.key for e in (finding.estimate, finding.control) if e is not None)
