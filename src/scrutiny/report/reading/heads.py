"""Estimates of single heads and layers: too many to be listed, so they are kept apart as maps.

A run has one estimate for every layer and head, metric, condition and dataset: hundreds or
thousands of rows. JSON and CSV hold them all; pages and terminals show maps and summaries.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from scrutiny.core.claim import Finding
from scrutiny.core.errors import PlanError
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.expressions import parse_expression
from scrutiny.report.reading.identity import grouped, identity
from scrutiny.report.wording.labels import unversioned

#: Scores of a head as a classifier; the best head is that of the first of them that a run has.
SCORES: Final = ("f1", "precision", "recall")
#: Layer, or layer and head, both counted from 1.
HeadPlace = tuple[int, ...]
_LAYER: Final = "layer"
_HEAD: Final = "head"
_PLACES: Final = (f"condition.{_LAYER}", f"condition.{_HEAD}")
AVERAGES: Final = ("mean_head", "mean_changed_head")
#: Level of the tests of single heads, adjusted for each other.
ALPHA: Final = 0.05
_FEWEST: Final = 3  # places of one kind; fewer were asked for one by one and are listed


@dataclass(frozen=True, slots=True)
class HeadValue:
    """Value at one place, and that of each replicate; ``estimate`` where the run has made one."""

    value: float | None
    by_replicate: Mapping[str, float]
    estimate: Estimate | None = None

    @classmethod
    def of(cls, estimate: Estimate) -> "HeadValue":
        """Cell of an estimate."""
        return cls(estimate.value, estimate.by_replicate, estimate)

    @classmethod
    def mean(cls, by_replicate: Mapping[str, float]) -> "HeadValue":
        """Cell that is the mean over replicates; without any it has no value."""
        values = list(by_replicate.values())
        return cls(sum(values) / len(values) if values else None, by_replicate)


@dataclass(frozen=True, slots=True)
class HeadMap:
    """One metric of one family on one dataset under one condition, place by place.

    Parameters
    ----------
    key
        What all cells share: the condition is without layer and head.
    cells
        By layer and head, or by layer.
    """

    key: EstimateKey
    cells: Mapping[HeadPlace, HeadValue] = field(default_factory=dict)

    @property
    def values(self) -> dict[HeadPlace, float]:
        """Values of the places that have one."""
        return {place: c.value for place, c in self.cells.items() if c.value is not None}

    @property
    def tests(self) -> dict[HeadPlace, float]:
        """P-values of the places that were tested together, adjusted for each other (max-T)."""
        made = {place: c.estimate.across for place, c in self.cells.items() if c.estimate}
        return {p: across["max_t_p"] for p, across in made.items() if "max_t_p" in across}

    @property
    def named(self) -> tuple[list[HeadPlace], list[HeadPlace]]:
        """Places above and below 0 by these tests at 5 %, the smallest p first."""
        tests, values = self.tests, self.values
        passed = sorted((p for p in tests if tests[p] <= ALPHA), key=lambda p: (tests[p], p))
        above = [place for place in passed if values.get(place, 0.0) > 0]
        return above, [place for place in passed if place not in above]

    @property
    def best(self) -> HeadPlace | None:
        """Place of the largest value, the first of equals."""
        found = self.values
        return max(found, key=lambda place: (found[place], [-n for n in place]), default=None)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of layers, and of heads in a layer (1 for maps of layers)."""
        return max(p[0] for p in self.cells), max(p[-1] if len(p) > 1 else 1 for p in self.cells)

    @property
    def replicates(self) -> list[str]:
        """Names of the replicates that any cell has."""
        return list(dict.fromkeys(name for c in self.cells.values() for name in c.by_replicate))


@lru_cache(maxsize=512)
def parts_of(metric: str) -> tuple[str, str]:
    """Name of a metric, and the score of a head that it is of, or nothing.

    Examples
    --------
    >>> parts_of("mean_head(f1)@1"), parts_of("f1_over_baseline@1")
    (('mean_head', 'f1'), ('f1_over_baseline', ''))
    """
    try:
        whole = parse_expression(metric)
    except PlanError:
        return unversioned(metric), ""
    return whole.name, ",".join(one.text for one in whole.arguments)


def place_of(key: EstimateKey) -> HeadPlace | None:
    """Layer and head of an estimate of one head, layer of an average over heads; else nothing.

    Examples
    --------
    >>> place_of(EstimateKey("d@1", "head(f1)@1", "m", "x", condition={"layer": 8, "head": 4}))
    (8, 4)
    >>> place_of(EstimateKey("d@1", "mean_head(f1)@1", "m", "x", condition={"layer": 8}))
    (8,)
    >>> place_of(EstimateKey("d@1", "accuracy@1", "m", "x", condition={"layer": 8})) is None
    True
    """
    layer, head = key.condition.get(_LAYER), key.condition.get(_HEAD)
    if not isinstance(layer, int):
        return None
    if isinstance(head, int):
        return layer, head
    return (layer,) if head is None and parts_of(key.metric)[0] in AVERAGES else None


def place_name(place: HeadPlace) -> str:
    """Layer and head as papers write them.

    Examples
    --------
    >>> place_name((8, 4)), place_name((8,))
    ('8-4', 'layer 8')
    """
    return "-".join(map(str, place)) if len(place) > 1 else f"layer {place[0]}"


def apart(
    estimates: Sequence[Estimate], findings: Iterable[Finding]
) -> tuple[list[Estimate], list[Estimate]]:
    """Estimates that are listed, and those of single heads and layers, both in order.

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
        is_single = place is not None and counts[_series(e.key)] >= _FEWEST
        if is_single and place in places and (place, identity(e.key)) in claimed:
            is_single = False
        (single if is_single else listed).append(e)
    return listed, single


def _series(key: EstimateKey) -> tuple[object, ...]:
    """What the estimates of one map share, roughly: cheap to compare thousands of times."""
    where = key.diagnostic, key.metric, key.subject, key.reference, key.dataset
    return *where, key.replicate, key.role, key.group, _HEAD in key.condition


def _claimed(findings: Iterable[Finding]) -> Iterator[EstimateKey]:
    """Identities of the estimates that findings rest on."""
    for finding in findings:
        yield from finding.evidence.values()
        yield from (e.key for e in (finding.estimate, finding.control) if e is not None)


def maps_of(estimates: Iterable[Estimate]) -> list[HeadMap]:
    """Maps of the estimates that are of single heads and layers, in the order of appearance."""
    placed = [(place, e) for e in estimates if (place := place_of(e.key)) is not None]
    found = grouped(
        (f"{len(place)} {identity(e.key, without=_PLACES)}", (place, e)) for place, e in placed
    )
    return [
        HeadMap(_anywhere(members[0][1].key), {place: HeadValue.of(e) for place, e in members})
        for members in found.values()
        if len(members) >= _FEWEST
    ]


def _anywhere(key: EstimateKey) -> EstimateKey:
    """Identity without layer and head."""
    return replace(
        key, condition={n: v for n, v in key.condition.items() if n not in (_LAYER, _HEAD)}
    )
