"""Estimates to a table and back."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, Final, TypeVar, cast

import pyarrow as pa

from scrutiny.core.boundary.canonical import canonical_json
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.record import Counts
from scrutiny.store.schemas import ESTIMATES

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
