"""Estimates of a run: which belong together, which are listed, what each is held against.

A run has one estimate for every layer and head, metric, condition and dataset: hundreds or
thousands of rows. JSON and CSV hold them all; pages and terminals show maps and summaries.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final

from scrutiny.blocks.run_view import RunView
from scrutiny.core.boundary.json_text import canonical_json, value_digest
from scrutiny.core.claim import Component, Finding
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.expressions import name_and_arguments
from scrutiny.core.record import grouped
from scrutiny.reliability.assignment import assignments_in, differences_in
from scrutiny.reliability.metrics import no_effect_of

FIELDS: Final = tuple(field.name for field in fields(EstimateKey))
#: `identity` is asked thousands of times: no frills, and one encoder for all.
_encode: Final = json.JSONEncoder(sort_keys=True, default=str).encode


def identity(key: EstimateKey, *, without: Iterable[str] = ()) -> str:
    """Text by which parts of a page tell estimates apart: the key, without some fields.

    ``condition`` leaves the whole condition out, ``condition.step`` that part of it.

    Examples
    --------
    >>> key = EstimateKey("d@1", "m@1", "s", "data", condition={"step": 1, "draw": 0})
    >>> identity(key, without=["condition.step"]) == identity(key)
    False
    """
    left_out = set(without)
    parts: dict[str, Any] = {name: getattr(key, name) for name in FIELDS if name not in left_out}
    if "condition" in parts:
        parts["condition"] = {
            name: value
            for name, value in key.condition.items()
            if f"condition.{name}" not in left_out
        }
    return _encode(parts)


def by_identity(
    estimates: Iterable[Estimate], *, without: Iterable[str]
) -> dict[str, list[Estimate]]:
    """Estimates that differ only in these fields, grouped."""
    left_out = tuple(without)
    return grouped((identity(e.key, without=left_out), e) for e in estimates)


def varying(keys: Sequence[EstimateKey]) -> list[str]:
    """Conditions by which estimates of a run differ: their names, sorted."""
    names = sorted({name for key in keys for name in key.condition})
    conditions = [key.condition for key in keys]
    return [
        name
        for name in names
        if len({canonical_json(one[name]) if name in one else "" for one in conditions}) > 1
    ]


def anchor(part: str, key: EstimateKey, *, without: Sequence[str] = ()) -> str:
    """Anchor of a chart of a run's estimates: its part, and a digest of their key."""
    return f"reliability-{part}-{value_digest(identity(key, without=without), size=4)}"


def slug(text: str) -> str:
    """Anchor from a name of a run, in lower-case ASCII; the same text always gives the same.

    Examples
    --------
    >>> slug("robustness@1#5f3a9c"), slug("Does a < b?")
    ('robustness-1-5f3a9c', 'does-a-b')
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "x"


def restrictions(manifest: Mapping[str, Any]) -> Iterator[tuple[EstimateKey, str]]:
    """Slice of each estimate, by the estimate's key."""
    for assigned in assignments_in(manifest):
        yield assigned.key, assigned.where
    for pair in differences_in(manifest):
        yield pair.key, pair.a.where


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
    is_average = head is None and _AVERAGE.fullmatch(name_and_arguments(key.metric)[0])
    return (layer,) if is_average else None


def _apart(
    estimates: Sequence[Estimate], findings: Sequence[Finding]
) -> tuple[list[Estimate], list[Estimate]]:
    """Estimates for lists, and those of single heads and layers, both in order.

    A head that a claim names is listed, and so are heads that were asked for one by one.
    """
    counts = Counter(_series(e.key) for e in estimates if place_of(e.key) is not None)
    if not counts:
        return list(estimates), []
    keys = [key for finding in findings for key in finding.evidence.values()]
    told = [e for finding in findings for e in (finding.estimate, finding.control)]
    keys += [e.key for e in told if e is not None]
    claimed = {(place_of(key), identity(key)) for key in keys}
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


Claimed = tuple[Finding, Component]


class References:
    """Claims of a run by their estimates."""

    def __init__(self, view: RunView) -> None:
        self._mains = {identity(f.estimate.key) for f in view.findings if f.estimate is not None}
        self._claims = grouped(
            (identity(key), (finding, component))
            for finding in view.findings
            for component, key in finding.comparisons
        )

    def claims_on(self, estimate: Estimate) -> Sequence[Claimed]:
        """Claims about an estimate, each with its comparison."""
        return self._claims.get(identity(estimate.key), ())

    def is_claimed(self, estimate: Estimate) -> bool:
        """Whether there is any claim about it."""
        return identity(estimate.key) in self._claims

    def rank(self, estimates: Iterable[Estimate]) -> int:
        """Sort position of estimates: 0 for a claim's own, 1 if any claim uses them."""
        known = list(estimates)
        if any(identity(e.key) in self._mains for e in known):
            return 0
        return 1 if any(self.is_claimed(e) for e in known) else 2

    def of(self, estimate: Estimate) -> float | None:
        """Reference value of an estimate; `None` if there is none.

        The statistic's "no effect" where it has one, zero for a difference, else the limit of the
        claims on it if they have one in common.
        """
        stated = no_effect_of(estimate.key.metric, estimate.key.diagnostic)
        if stated is not None:
            return stated
        if estimate.key.role == "contrast":
            return 0.0
        limits = {component.limit for _, component in self.claims_on(estimate)}
        return limits.pop() if len(limits) == 1 else None

    def shared(self, estimates: Iterable[Estimate]) -> float | None:
        """Common reference value of these; `None` if there are none, or several.

        Neighbors of a claimed estimate (other conditions, other groups) are held against its limit.
        """
        known = {reference for e in estimates if (reference := self.of(e)) is not None}
        return known.pop() if len(known) == 1 else None


def own_subjects(view: RunView) -> set[str]:
    """Subjects that a run measures; not its untrained networks and other controls."""
    measured = {e.key.subject for e in view.estimates if e.key.role == "measured"}
    return measured or {e.key.subject for e in view.estimates}


def settled(view: RunView) -> list[Estimate]:
    """Main estimates that have a value."""
    return [e for e in main_estimates(view) if e.status == "ok" and e.value is not None]


def replicated(view: RunView, *, least: int = 2) -> list[Estimate]:
    """Estimates of a run over at least this number of replicates, with a value and an interval."""
    return [e for e in settled(view) if e.key.replicate is None and len(e.by_replicate) >= least]


class Questions:
    """Question that each estimate of a run answers, whatever the analysis choices.

    Two estimates answer the same question if they differ in choices alone: in conditions other
    than those that say what is measured, over the same items. Items of another kind (a gap to
    fill, a text to continue) are another question, even where the group has the same name.
    """

    def __init__(self, view: RunView) -> None:
        self._items = {identity(key): where for key, where in restrictions(view.manifest)}

    def of(self, estimate: Estimate, *, without: Iterable[str] = ()) -> str:
        """Name of the question; ``without`` are additional fields to ignore.

        Without the group, the items say nothing either: each group has its own.
        """
        left_out = ("condition", *without)
        key = estimate.key
        items = "" if "group" in left_out else self._items.get(identity(key), "")
        return f"{identity(key, without=left_out)} {canonical_json(key.measured_condition)} {items}"

    def grouped(
        self, estimates: Iterable[Estimate], *, without: Iterable[str] = ()
    ) -> dict[str, list[Estimate]]:
        """Estimates by question, both in order of appearance."""
        left_out = tuple(without)
        return grouped((self.of(e, without=left_out), e) for e in estimates)
