"""Maps of heads grouped by family, base family, dataset and score."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product
from math import isfinite
from typing import TYPE_CHECKING, Final, cast

from scrutiny.blocks.labels import key_parts
from scrutiny.blocks.run_estimates import (
    FEWEST,
    HEAD,
    LAYER,
    HeadPlace,
    identity,
    place_of,
    single_estimates,
)
from scrutiny.blocks.run_view import Records, RunView
from scrutiny.blocks.section import Chapter
from scrutiny.core.errors import ScrutinyError
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.expressions import name_and_arguments
from scrutiny.core.record import grouped
from scrutiny.reliability.assignment import Assignment, assignments_in

if TYPE_CHECKING:
    from scrutiny.diagnostics.attention.head_counts import Kind

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


_AXES: Final = (LAYER, HEAD)
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
        kind = cast("Kind", name_and_arguments(assigned.metric)[1])
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


_ROLES: Final = ("measured", "control", "null")
HEADS: Final = Chapter(
    "heads",
    "Heads",
    "Single attention heads: maps, changes, layers, rankings and example sentences.",
    charts=2,
    rows=12,
)


@dataclass(frozen=True, slots=True)
class Block:
    """Maps of one family and condition, by dataset and score: the content of one chart."""

    key: EstimateKey
    maps: Mapping[tuple[str, str], HeadMap]

    @property
    def datasets(self) -> list[str]:
        """Names of the datasets, in order of appearance."""
        return list(dict.fromkeys(dataset for dataset, _ in self.maps))

    @property
    def scores(self) -> list[str]:
        """Names of the scores, F1 first."""
        return sorted(dict.fromkeys(score for _, score in self.maps), key=score_rank)

    @property
    def main(self) -> str:
        """Main score of a block."""
        return self.scores[0]


def score_rank(score: str) -> int:
    """Sort position of a score of heads: F1, precision, recall, then others."""
    return SCORES.index(score) if score in SCORES else len(SCORES)


@dataclass(frozen=True, slots=True)
class HeadStudy:
    """All maps of a run.

    Parameters
    ----------
    maps
        Of single heads; of families whose heads the run did not estimate, from its records.
    layers
        Averages over the heads of each layer that the run has estimated, and their differences.
    bases
        Family that each one was trained from, where there is one.
    tested
        Maps whose heads were tested together.
    """

    maps: tuple[HeadMap, ...] = ()
    layers: tuple[HeadMap, ...] = ()
    bases: Mapping[str, str] = field(default_factory=dict)
    tested: tuple[HeadMap, ...] = ()

    def blocks(self) -> list[Block]:
        """Maps by family and condition; metrics other than head scores have blocks of their own.

        All families under the first condition come before those under the second.
        """
        apart = (
            ("dataset", "metric") if score_of(m.key) in SCORES else ("dataset",) for m in self.maps
        )
        pairs = zip(apart, self.maps, strict=True)
        found = grouped((identity(m.key, without=without), m) for without, m in pairs)
        blocks = [
            Block(members[0].key, {(m.key.dataset, score_of(m.key)): m for m in members})
            for members in found.values()
        ]
        conditions = list(dict.fromkeys(condition_words(b.key) for b in blocks))
        order = {words: i for i, words in enumerate(conditions)}
        return sorted(blocks, key=lambda b: (order[condition_words(b.key)], rank_of(b.key)))

    def base_of(self, one: HeadMap) -> HeadMap | None:
        """Map of the base family on the same data."""
        base = self.bases.get(one.key.subject)
        same = replace(one.key, subject=base or "", role="", condition={}, reference=None)
        for other in self.maps if base else ():
            is_within = other.key.condition.items() <= one.key.condition.items()
            bare = replace(other.key, role="", condition={})
            if is_within and bare == same and other.key.role in _ROLES:
                return other
        return None

    def change(self, one: HeadMap) -> HeadMap | None:
        """Change by training: a family minus its base, cell by cell."""
        base = self.base_of(one)
        if base is None:
            return None
        cells = {}
        for place in (place for place in one.cells if place in base.cells):
            cell, before = one.cells[place], base.cells[place].value
            if before is None or cell.value is None:  # there is no difference
                cells[place] = HeadValue(None, {})
            else:
                each = {name: value - before for name, value in cell.by_replicate.items()}
                cells[place] = HeadValue(cell.value - before, each)
        return HeadMap(replace(one.key, reference=base.key.subject), cells)


@lru_cache(maxsize=1)  # each part on heads asks for it
def head_study(view: RunView) -> HeadStudy:
    """Maps of a run's heads; empty for runs without any."""
    estimated = maps_of(single_estimates(view))
    heads = [m for m in estimated if _is_of_heads(m) and m.key.role in _ROLES]
    known = {_identity(m) for m in heads}
    heads += [m for m in maps_of_controls(view) if _identity(m) not in known]
    models = view.manifest.get("plan", {}).get("models", ())
    return HeadStudy(
        # a head's F1 minus a constant: its tests are listed, and its map would be that of F1
        maps=tuple(m for m in heads if m.values and score_of(m.key) != "f1_over_baseline"),
        tested=tuple(m for m in estimated if m.tests),
        layers=tuple(m for m in estimated if not _is_of_heads(m)),
        bases={model["name"]: model["base"] for model in models if model.get("base")},
    )


def by_layer(one: HeadMap) -> HeadMap:
    """Mean over the heads of each layer, for each replicate; its cells are layers."""
    means = {}
    layers = grouped((place[:1], cell) for place, cell in one.cells.items())
    for place, cells in layers.items():
        each = grouped(pair for cell in cells for pair in cell.by_replicate.items())
        means[place] = HeadValue.mean({n: sum(values) / len(values) for n, values in each.items()})
    return HeadMap(one.key, means)


def score_of(key: EstimateKey) -> str:
    """Score of a single head; for other metrics their name without the version."""
    name, score = name_and_arguments(key.metric)
    return score if name == "head" else key.metric_name


def rank_of(key: EstimateKey) -> int:
    """Sort position of a family in a head study: measured ones, controls, untrained ones."""
    return _ROLES.index(key.role) if key.role in _ROLES else len(_ROLES)


def condition_words(key: EstimateKey) -> str:
    """Condition of a head study's estimate in words: "default", "distance log"."""
    parts = [v for n, v in key_parts(key).items() if n.startswith("condition.") and v]
    return " \N{MIDDLE DOT} ".join(parts)


def short_names(datasets: Sequence[str]) -> dict[str, str]:
    """Names of the datasets of a head study without folders and suffixes, if they stay distinct.

    Examples
    --------
    >>> short_names(["negation:../data/story.json", "sfu"])
    {'negation:../data/story.json': 'story', 'sfu': 'sfu'}
    """
    files = (name.rpartition("/")[2].partition("#")[0] for name in datasets)
    short = [
        file.partition(".")[0] or name if "/" in name else name
        for name, file in zip(datasets, files, strict=True)
    ]
    is_distinct = len(set(short)) == len(set(datasets))
    return dict(zip(datasets, short if is_distinct else datasets, strict=True))


def _identity(one: HeadMap) -> str:
    return identity(one.key, without=("role",))


def _is_of_heads(one: HeadMap) -> bool:
    return all(len(place) > 1 for place in one.cells)
