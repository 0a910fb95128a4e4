"""Single replicates in a run's records: their hits, and intervals over items of what they give."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from scrutiny.blocks.run_estimates import identity
from scrutiny.blocks.run_view import Hits, OwnInterval
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.plan import Resampling
from scrutiny.core.randomness import generator
from scrutiny.core.record import Measure
from scrutiny.reliability.panel import columns_of

if TYPE_CHECKING:
    import pyarrow as pa

    from scrutiny.store.panels import Recorded


HIT: Final = "hit"
MARGIN: Final = "margin"


def own_rows(estimates: Sequence[Estimate]) -> dict[str, dict[str, OwnInterval]]:
    """Stored intervals of single replicates, by the key of the whole."""
    from statistics import NormalDist

    found: dict[str, dict[str, OwnInterval]] = {}
    for e in estimates:
        if e.key.replicate is None or e.n_replicates != 1 or e.value is None:
            continue
        if e.low is not None and e.high is not None:
            z = NormalDist().inv_cdf((1 + e.level) / 2)
            own = OwnInterval(e.value, e.low, e.high, (e.high - e.low) / (2 * z))
            whole = identity(e.key, without=["replicate"])
            found.setdefault(whole, {})[e.key.replicate] = own
    return found


def with_hits(records: "pa.Table") -> list[tuple[str, str, str, tuple[Measure, ...]]]:
    """Kind, subject, dataset and measures of all records that have a measure ``hit``."""
    footer = json.loads((records.schema.metadata or {}).get(b"scrutiny", b"{}"))
    names = ["kind", "subject", "dataset"]
    places = records.select(names).group_by(names, use_threads=False).aggregate([])
    found = []
    for place in places.to_pylist():
        declared = footer.get(place["kind"], {}).get(place["dataset"], {})
        measures = tuple(Measure.of(measure) for measure in declared.get(place["subject"], ()))
        if any(measure.name == HIT for measure in measures):
            found.append((place["kind"], place["subject"], place["dataset"], measures))
    return found


def hits_of(recorded: "Recorded", base: EstimateKey) -> list[Hits]:
    """Hits of every condition and role of a panel."""
    panel, table, found = recorded.panel, recorded.table, []
    groups = {
        name: tuple(table.column(name).to_pylist())
        for name in table.column_names
        if name.startswith("a_")
    }
    (at_hit,) = columns_of(panel.measures, HIT, {}) or (0,)
    at_margin = columns_of(panel.measures, MARGIN, {})
    for (condition, role), side in recorded.sides.items():
        if "rater" in recorded.conditions[condition]:
            continue  # texts that were rated, and not asked of the model
        hit = side.values[:, :, at_hit]
        asked = np.isfinite(hit).any(axis=1)  # replicates that have this condition at all
        if not asked.any() or not np.isin(hit[np.isfinite(hit)], (0.0, 1.0)).all():
            continue
        margin = side.values[:, :, at_margin[0]][asked] if at_margin else None
        names = tuple(panel.replicates[i] for i in np.flatnonzero(asked).tolist())
        key = replace(base, role=role, condition=recorded.conditions[condition])
        found.append(Hits(key, names, panel.items, hit[asked], margin, groups))
    return found


if TYPE_CHECKING:
    from scrutiny.core.statistic import Statistic
    from scrutiny.reliability.panel import Joined, Panel

    Side = tuple[Panel, Joined]
_SAME: Final = 1e-9  # a replicate's value, computed again


def own_differences(
    sides: "tuple[Side, Side]",
    statistic: "Statistic",
    *,
    whole: Estimate,
    resampling: Resampling,
    seed: int,
) -> dict[str, OwnInterval]:
    """Intervals of a report for differences of single replicates, made anew from the run's records.

    Replicates are paired by name, else by their order. Nothing where the values are not those that
    the run printed: then the sides were paired otherwise, and the intervals would be of others.
    """
    from scrutiny.reliability.panel import units_of
    from scrutiny.reliability.row_statistics import resample_any, scale_of
    from scrutiny.stats.intervals.contrast import paired_contrast

    (panel, mine), rows, theirs = sides[0], *_shared(*sides)
    names = [own.names for _, own in sides]
    if not rows.size or len(names[0]) != len(names[1]):
        return {}
    order = list(range(len(names[1])))  # of the second side's replicates, as the first side's
    if set(names[0]) == set(names[1]):
        order = [names[1].index(name) for name in names[0]]
    stacked = np.concatenate([mine.values[:, rows], sides[1][1].values[:, theirs][order]])
    units, cells = units_of(panel, mine.rows[rows])
    drawn = resample_any(
        statistic,
        stacked,
        units=units,
        draws=resampling.draws,
        rng=generator(seed, "bootstrap", name=whole.key.dataset, item="items"),
        cells=cells,
    )
    found = {}
    for i, name in enumerate(names[0]):
        one = paired_contrast(
            drawn.select([i]),
            drawn.select([len(order) + i]),
            rng=generator(seed, "bootstrap", name="contrast", item="replicates"),
            level=whole.level,
            scale=scale_of(statistic),
        )
        found[name or "{}"] = OwnInterval(one.point, one.low, one.high, one.se)
    is_same = found.keys() == whole.by_replicate.keys() and all(
        abs(one.value - whole.by_replicate[name]) < _SAME for name, one in found.items()
    )
    return found if is_same else {}


def _shared(one: "Side", other: "Side") -> "tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]":
    """Positions among the kept rows of each side of the items that both kept, in order."""
    (first, mine), (second, yours) = one, other
    place = {second.items[row]: i for i, row in enumerate(yours.rows.tolist())}
    names = [first.items[row] for row in mine.rows.tolist()]
    kept = [(i, place[name]) for i, name in enumerate(names) if name in place]
    pairs = np.array(kept, dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]
