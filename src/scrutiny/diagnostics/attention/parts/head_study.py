"""Maps of heads grouped by family, base family, dataset and score."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from scrutiny.blocks.labels import key_parts
from scrutiny.blocks.run_estimates import identity, single_estimates
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import Chapter
from scrutiny.core.estimate import EstimateKey
from scrutiny.core.expressions import name_and_arguments
from scrutiny.core.record import grouped
from scrutiny.diagnostics.attention.parts.head_values import (
    SCORES,
    HeadMap,
    HeadValue,
    maps_of,
    maps_of_controls,
)

_ROLES: Final = ("measured", "control", "null")
HEADS: Final = Chapter(
    "heads",
    "Heads",
    "Single attention heads: maps, changes, layers, rankings and example sentences.",
    charts=2,
    rows=12,
)
#: A head's F1 minus a constant: its tests are listed, and its map would be that of F1.
OVER_BASELINE: Final = "f1_over_baseline"


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
        maps=tuple(m for m in heads if m.values and score_of(m.key) != OVER_BASELINE),
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
