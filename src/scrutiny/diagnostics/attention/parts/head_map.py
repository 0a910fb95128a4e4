"""Maps of attention heads: one metric of one family on one dataset, by layer and head."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.grouping import grouped
from scrutiny.parts.run.estimates import FEWEST, HEAD, LAYER, HeadPlace, place_of
from scrutiny.parts.run.identity import identity

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
    return [
        HeadMap(_anywhere(members[0][1].key), {place: HeadValue.of(e) for place, e in members})
        for members in found.values()
        if len(members) >= FEWEST
    ]


def _anywhere(key: EstimateKey) -> EstimateKey:
    """Key without layer and head."""
    return replace(
        key, condition={n: v for n, v in key.condition.items() if n not in (LAYER, HEAD)}
    )
