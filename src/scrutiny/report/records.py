"""Raw measures of a run folder, as sections on reliability read them."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from scrutiny.blocks.run_estimates import identity
from scrutiny.blocks.run_view import Hits, OwnInterval, Records
from scrutiny.core.errors import ScrutinyError
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.plan import Resampling
from scrutiny.core.randomness import generator
from scrutiny.core.record import Measure
from scrutiny.core.statistic import Statistic
from scrutiny.reliability.assignment import (
    Assignment,
    PlacedContrast,
    assignments_in,
    differences_in,
)
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.panel import columns_of
from scrutiny.store.run_folder import RunFolder

if TYPE_CHECKING:
    import pyarrow as pa

    from scrutiny.data.slices import RunItems
    from scrutiny.reliability.panel import Side
    from scrutiny.store.panels import Recorded
    from scrutiny.store.row_groups import RowGroups


_SAME: Final = 1e-9  # a replicate's value, computed again
MOST_DRAWS: Final = 500  # the run's own draws made the printed interval; these mark cells


class FolderRecords(Records):
    """Records of a folder, read on demand; `None` if the run stored none."""

    folder: RunFolder

    def __init__(
        self, folder: RunFolder, manifest: Mapping[str, Any], estimates: Sequence[Estimate]
    ) -> None:
        self.folder = folder
        self._manifest = manifest
        self._kept = own_rows(estimates)
        self._panels: dict[Any, Recorded | None] = {}
        self._found: dict[str, Mapping[str, OwnInterval]] = {}

    def hits(self) -> Sequence[Hits]:
        """Every measure named ``hit``, condition by condition."""
        return self._hits

    def own_intervals(self, estimate: Estimate) -> Mapping[str, OwnInterval]:
        """Interval over items of each replicate: stored, or computed."""
        name = identity(estimate.key)
        if name not in self._found:
            kept = self._kept.get(identity(estimate.key, without=["replicate"]), {})
            self._found[name] = kept if len(kept) >= len(estimate.by_replicate) else {}
            if (
                not self._found[name]
                and self._tables is not None
                and len(estimate.by_replicate) > 1
            ):
                with suppress(ScrutinyError):
                    if name in self._specs:
                        self._found[name] = self._estimated(self._specs[name], estimate)
                    elif name in self._contrasts:
                        self._found[name] = self._subtracted(self._contrasts[name], estimate)
        return self._found[name]

    def by_item(self, estimate: Estimate) -> Mapping[str, float]:
        """Value of a number on each item by itself, the mean over replicates.

        Nothing where it is no number of sums over items, or the run stored no records.
        """
        from scrutiny.reliability.joining import join
        from scrutiny.reliability.row_statistics import Additive

        assigned = self._specs.get(identity(estimate.key))
        recorded = None if assigned is None else self.recorded(assigned)
        statistic = None if assigned is None else _metric(assigned)
        if recorded is None or assigned is None or not isinstance(statistic, Additive):
            return {}
        made = join(recorded.panel, _sides(recorded, assigned), needs=statistic.needs)
        values = statistic.combine(statistic.components(made.values)).mean(axis=0)
        names = [recorded.panel.items[row] for row in made.rows.tolist()]
        return {n: v for n, v in zip(names, values.tolist(), strict=True) if np.isfinite(v)}

    def recorded(self, assigned: Assignment) -> "Recorded | None":
        """Records that a specification reads; `None` if the run stored none of them."""
        if self._tables is None:
            return None
        recorded = self._panel(
            assigned.kind,
            assigned.subject,
            assigned.dataset,
            measures=assigned.measures,
            unit=assigned.unit,
            strata=assigned.strata,
            cells=_metric(assigned).cells,
        )
        if recorded is None or not assigned.where:
            return recorded
        return recorded.only(self._items.inside(assigned.where, (assigned.dataset,)))

    @cached_property
    def _tables(self) -> "tuple[RowGroups, pa.Table] | None":
        """Records and items."""
        try:
            return self.folder.measured()
        except ScrutinyError:
            return None

    @cached_property
    def _specs(self) -> dict[str, Assignment]:
        """Specifications of the run, by the key of the estimate."""
        specs = assignments_in(self._manifest)
        return {identity(one.key): one for one in specs if one.is_of_whole_records}

    @cached_property
    def _contrasts(self) -> dict[str, PlacedContrast]:
        """Differences of the run, by the key of the estimate."""
        return {
            identity(one.key): one
            for one in differences_in(self._manifest)
            if not one.how and one.a.is_of_whole_records and one.b.is_of_whole_records
        }

    @cached_property
    def _hits(self) -> tuple[Hits, ...]:
        if self._tables is None:
            return ()
        found: list[Hits] = []
        for kind, subject, dataset, measures in with_hits(self._tables[0]):
            recorded = self._panel(kind, subject, dataset, measures=measures)
            if recorded is not None:
                found += hits_of(recorded, EstimateKey(kind, HIT, subject, dataset))
        return tuple(found)

    def _panel(
        self, kind: str, subject: str, dataset: str, *, measures: tuple[Measure, ...], **more: Any
    ) -> "Recorded | None":
        """Panel of some records, cached; `None` if they do not fit together."""
        from scrutiny.store.panels import PanelKey, read_panel

        assert self._tables is not None  # the callers have looked
        key: PanelKey = PanelKey(kind, subject, dataset, measures, **more)
        if key not in self._panels:
            try:
                self._panels[key] = read_panel(*self._tables, key)
            except (ScrutinyError, ValueError, KeyError):
                self._panels[key] = None
        return self._panels[key]

    def _estimated(self, assigned: Assignment, whole: Estimate) -> Mapping[str, OwnInterval]:
        from scrutiny.reliability.estimate import estimate

        recorded = self.recorded(assigned)
        if recorded is None:
            return {}
        found = estimate(
            recorded.panel,
            _sides(recorded, assigned),
            statistic=_metric(assigned),
            key=whole.key,
            resampling=self._resampling(whole),
            seed=self._seed,
            fallback=assigned.fallback,
        )
        if not found.each:
            return {}
        return {
            replicate: OwnInterval(one.point, one.low, one.high, one.se)
            for replicate, one in zip(found.estimate.by_replicate, found.each, strict=True)
        }

    def _subtracted(self, pair: PlacedContrast, whole: Estimate) -> Mapping[str, OwnInterval]:
        """Intervals of a difference's single replicates, paired by name, else by their order.

        Nothing where the values are not those that the run printed: then the sides were paired
        otherwise, and the intervals would be of others.
        """
        from scrutiny.reliability.joining import join, shared_items
        from scrutiny.reliability.row_statistics import resample_any, scale_of
        from scrutiny.stats.intervals.contrast import paired_contrast

        statistic, sides = _metric(pair.a), []
        for assigned in (pair.a, pair.b):
            recorded = self.recorded(assigned)
            if recorded is None:
                return {}
            named, fallback = _sides(recorded, assigned), assigned.fallback
            joined = join(recorded.panel, named, needs=statistic.needs, fallback=fallback)
            sides.append((recorded.panel, joined))
        both = shared_items(sides[0], sides[1])
        (first, second), (mine, yours) = both.names, both.values
        if both.units is None or len(first) != len(second):
            return {}
        if set(first) == set(second):
            yours = yours[[second.index(name) for name in first]]
        drawn = resample_any(
            statistic,
            np.concatenate([mine, yours]),
            units=both.units,
            draws=self._resampling(whole).draws,
            rng=generator(self._seed, "bootstrap", name=whole.key.dataset, item="items"),
            cells=both.cells,
            systems=[*[0] * len(first), *[1] * len(second)],
        )
        found = {}
        for i, name in enumerate(first):
            one = paired_contrast(
                drawn.select([i]),
                drawn.select([len(first) + i]),
                rng=generator(self._seed, "bootstrap", name="contrast", item="replicates"),
                level=whole.level,
                scale=scale_of(statistic),
            )
            found[name or "{}"] = OwnInterval(one.point, one.low, one.high, one.se)
        is_same = found.keys() == whole.by_replicate.keys() and all(
            abs(one.value - whole.by_replicate[name]) < _SAME for name, one in found.items()
        )
        return found if is_same else {}

    @cached_property
    def _items(self) -> "RunItems":
        """Items from which slices are defined."""
        from scrutiny.data.slices import RunItems

        return RunItems.of_folder(self.folder)

    def _resampling(self, whole: Estimate) -> Resampling:
        """Resampling of each single replicate, with as many draws as marks need."""
        stated = self._manifest.get("plan", {}).get("resampling", {})
        draws = min(MOST_DRAWS, stated.get("draws", MOST_DRAWS))
        return Resampling(draws=draws, level=whole.level, replicates="each")

    @property
    def _seed(self) -> int:
        return int(self._manifest.get("plan", {}).get("seed", 0))


def _metric(assigned: Assignment) -> Statistic:
    return metric_of(assigned.metric, assigned.measures)


def _sides(recorded: "Recorded", assigned: Assignment) -> "dict[str, Side]":
    """Records of each side of a specification."""
    return {
        name: recorded.select(selector, assigned.within)
        for name, selector in assigned.sides.items()
    }


HIT: Final = "hit"
#: How far an answer is from another one: its margin; of a ranking, how sure it is.
_MARGINS: Final = ("margin", "sure")


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


def with_hits(records: "RowGroups") -> list[tuple[str, str, str, tuple[Measure, ...]]]:
    """Kind, subject, dataset and measures of all records that have a measure ``hit``."""
    found = []
    for place in records.places():
        declared = records.footer.get(place["kind"], {}).get(place["dataset"], {})
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
    at_margin = [at for name in _MARGINS for at in columns_of(panel.measures, name, {}) or ()]
    for (condition, role), side in recorded.sides.items():
        if "rater" in recorded.conditions[condition]:
            continue  # texts that were rated, and not asked of the model
        hit = side.values[:, :, at_hit]
        asked = np.isfinite(hit).any(axis=1)  # replicates that have this condition at all
        if not asked.any() or not np.isin(hit[np.isfinite(hit)], (0.0, 1.0)).all():
            continue
        margin = side.values[:, :, at_margin[0]][asked] if at_margin else None
        if margin is not None and np.unique(margin[np.isfinite(margin)]).size < 2:
            margin = None  # a model that does not say how sure it is
        names = tuple(panel.replicates[i] for i in np.flatnonzero(asked).tolist())
        key = replace(base, role=role, condition=recorded.conditions[condition])
        found.append(Hits(key, names, tuple(panel.items), hit[asked], margin, groups))
    return found
