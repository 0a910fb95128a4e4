"""Maps of attention heads: one metric of one family on one dataset, by layer and head.

They are made of a run's estimates; of control families, whose heads it does not estimate one by
one, of its records.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from math import isfinite
from typing import Final

from scrutiny.blocks.run_estimates import FEWEST, HEAD, LAYER, HeadPlace, identity, place_of
from scrutiny.blocks.run_view import Records, RunView
from scrutiny.core.errors import ScrutinyError
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.expressions import name_and_arguments
from scrutiny.core.record import HEADS, LAYERS, grouped
from scrutiny.reliability.assignment import Assignment, assignments_in

#: Scores of a head as a classifier; the best head is that of the first of them that a run has.
SCORES: Final = ("f1", "precision", "recall")
#: Level of the tests of single heads, adjusted for each other.
ALPHA: Final = 0.05
_PLACES: Final = (f"condition.{LAYER}", f"condition.{HEAD}")


def place_name(place: HeadPlace) -> str:
    """Name of a head, or of a layer, on a map of attention: the usual notation.

    Examples
    --------
    >>> place_name((8, 4)), place_name((8,))
    ('8-4', 'layer 8')
    """
    return "-".join(map(str, place)) if len(place) > 1 else f"layer {place[0]}"


@dataclass(frozen=True, slots=True)
class HeadValue:
    """Value of a cell and of each replicate; ``estimate`` if the run has one."""

    value: float | None
    by_replicate: Mapping[str, float]
    estimate: Estimate | None = None

    @classmethod
    def of(cls, estimate: Estimate) -> "HeadValue":
        """Cell of an estimate."""
        return cls(estimate.value, estimate.by_replicate, estimate)

    @classmethod
    def mean(cls, by_replicate: Mapping[str, float]) -> "HeadValue":
        """Mean over replicates; without any it has no value."""
        values = list(by_replicate.values())
        return cls(sum(values) / len(values) if values else None, by_replicate)


@dataclass(frozen=True, slots=True)
class HeadMap:
    """One metric of one family on one dataset and condition, cell by cell.

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
        """Values of the cells that have one."""
        return {place: c.value for place, c in self.cells.items() if c.value is not None}

    @property
    def tests(self) -> dict[HeadPlace, float]:
        """Max-T adjusted p-values of cells that were tested together."""
        made = {place: c.estimate.across for place, c in self.cells.items() if c.estimate}
        return {p: across["max_t_p"] for p, across in made.items() if "max_t_p" in across}

    @property
    def named(self) -> tuple[list[HeadPlace], list[HeadPlace]]:
        """Cells significantly above and below 0 at 5 % in these tests, smallest p first."""
        tests, values = self.tests, self.values
        passed = sorted((p for p in tests if tests[p] <= ALPHA), key=lambda p: (tests[p], p))
        above = [place for place in passed if values.get(place, 0.0) > 0]
        return above, [place for place in passed if place not in above]

    @property
    def best(self) -> HeadPlace | None:
        """Cell with the largest value, the first of equal ones."""
        found = self.values
        return max(found, key=lambda place: (found[place], [-n for n in place]), default=None)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of layers, and of heads in a layer (1 for maps of layers)."""
        return max(p[0] for p in self.cells), max(p[-1] if len(p) > 1 else 1 for p in self.cells)

    @property
    def replicates(self) -> list[str]:
        """Names of the replicates in any cell."""
        return list(dict.fromkeys(name for c in self.cells.values() for name in c.by_replicate))


def maps_of(estimates: Iterable[Estimate]) -> list[HeadMap]:
    """Maps of the estimates of single heads and layers, in order of appearance."""
    placed = [(place, e) for e in estimates if (place := place_of(e.key)) is not None]
    found = grouped(
        (f"{len(place)} {identity(e.key, without=_PLACES)}", (place, e)) for place, e in placed
    )
    maps = []
    for members in found.values():
        if len(members) >= FEWEST:
            key = members[0][1].key
            rest = {n: v for n, v in key.condition.items() if n not in (LAYER, HEAD)}
            cells = {place: HeadValue.of(e) for place, e in members}
            maps.append(HeadMap(replace(key, condition=rest), cells))
    return maps


_AXES: Final = (LAYERS[0], HEADS[0])
_COUNTS: Final = ("tp", "predicted", "gold")


def maps_of_controls(view: RunView) -> Iterator[HeadMap]:
    """Scores of every head of control families, computed from the records.

    A run computes of its controls what is subtracted; their heads, one by one, are not.
    """
    manifest = view.manifest
    models = manifest.get("models", {})
    controls = [name for name, model in models.items() if model.get("role") == "control"]
    known: set[str] = set()
    for assigned in assignments_in(manifest) if controls else ():
        is_plain = not (assigned.at or assigned.beside or assigned.where)
        is_own = all(selector.of == "own" for selector in assigned.sides.values())
        is_of_heads = assigned.along == _AXES and is_plain and is_own
        name, score = name_and_arguments(assigned.metric)
        if not (is_of_heads and name == "head" and score in SCORES):
            continue  # no score of every head, from records of one dataset
        for control in controls:
            mine = replace(assigned, subject=control, within={})
            name = identity(mine.key)
            # a family of another size has other measures: then its records do not fit
            found = None if name in known else _map(mine, view.records)
            if found is not None:
                known.add(name)
                yield found


def _map(assigned: Assignment, records: Records) -> HeadMap | None:
    """Map of one score of one control family; `None` if it has no such records."""
    from scrutiny.diagnostics.attention.head_counts import KINDS
    from scrutiny.diagnostics.attention.head_metrics import HEAD
    from scrutiny.reliability.joining import join

    found = records.recorded(assigned)
    if found is None:
        return None
    try:
        sides = {n: found.select(one, assigned.within) for n, one in assigned.sides.items()}
        joined = join(found.panel, sides, needs=_COUNTS)
        names = [name or "{}" for name in joined.names]
        if not names or not joined.rows.size:
            return None
        kind = next(kind for kind in KINDS if kind == name_and_arguments(assigned.metric)[1])
        sums = joined.values.sum(axis=1)  # (replicate, count)
        scores = HEAD.of(kind).sides(sums)[0].score(kind)  # (replicate, head)
        lengths = {axis: n for measure in assigned.measures for axis, n in measure.axes}
        places = product(*(range(1, lengths[axis] + 1) for axis in _AXES))
        cells = {}
        for place, values in zip(places, scores.T, strict=True):
            own = zip(names, values.tolist(), strict=True)
            cells[place] = HeadValue.mean({name: v for name, v in own if isfinite(v)})
    except ScrutinyError:
        return None
    return HeadMap(replace(assigned.key, role="control"), cells)
