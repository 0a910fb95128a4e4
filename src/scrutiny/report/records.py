"""Raw measures of a run folder, as the parts on reliability read them."""

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from scrutiny.core.diagnostic import Selector
from scrutiny.core.errors import ScrutinyError
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.plan import Resampling
from scrutiny.report.identity import identity
from scrutiny.report.view import Hits, OwnInterval
from scrutiny.store.run_folder import RunFolder

if TYPE_CHECKING:
    import pyarrow as pa

    from scrutiny.store.panels import Recorded

HIT: Final = "hit"
MARGIN: Final = "margin"
MOST_DRAWS: Final = 500  # the run's own draws made the printed interval; these mark cells


class FolderRecords:
    """Measures of a folder, read when a page asks; nothing where the run kept no records."""

    def __init__(
        self, folder: RunFolder, manifest: Mapping[str, Any], estimates: Sequence[Estimate]
    ) -> None:
        self._folder = folder
        self._manifest = manifest
        self._kept = _own_rows(estimates)
        self._panels: dict[Any, Recorded | None] = {}
        self._found: dict[str, Mapping[str, OwnInterval]] = {}

    def hits(self) -> Sequence[Hits]:
        """Every measure named ``hit``, condition by condition."""
        return self._hits

    def own_intervals(self, estimate: Estimate) -> Mapping[str, OwnInterval]:
        """Interval over items of each replicate: as the run kept it, else computed anew."""
        name = identity(estimate.key)
        if name not in self._found:
            kept = self._kept.get(identity(estimate.key, without=["replicate"]), {})
            whole = len(kept) >= len(estimate.by_replicate)
            self._found[name] = kept if whole and kept else self._computed(name, estimate)
        return self._found[name]

    @cached_property
    def _tables(self) -> "tuple[pa.Table, pa.Table] | None":
        """Records and items."""
        try:
            return self._folder.records(), self._folder.items()
        except ScrutinyError:
            return None

    @cached_property
    def _specs(self) -> dict[str, Mapping[str, Any]]:
        """What the run computed, by the identity of the estimate."""
        return {identity(_key(a)): a for a in self._manifest.get("specs", ())}

    @cached_property
    def _hits(self) -> tuple[Hits, ...]:
        if self._tables is None:
            return ()
        found: list[Hits] = []
        for kind, subject, dataset, measures in _with_hits(self._tables[0]):
            recorded = self._panel(kind, subject, dataset, measures=measures)
            if recorded is not None:
                found += _hits_of(recorded, EstimateKey(kind, HIT, subject, dataset))
        return tuple(found)

    def _panel(
        self, kind: str, subject: str, dataset: str, *, measures: tuple[str, ...], **more: Any
    ) -> "Recorded | None":
        """Panel of some records, read once; nothing where they do not fit together."""
        from scrutiny.store.panels import PanelKey, read_panel

        assert self._tables is not None  # the callers have looked
        key: PanelKey = PanelKey(kind, subject, dataset, measures, **more)
        if key not in self._panels:
            try:
                self._panels[key] = read_panel(*self._tables, key)
            except (ScrutinyError, ValueError, KeyError):
                self._panels[key] = None
        return self._panels[key]

    def _computed(self, name: str, estimate: Estimate) -> Mapping[str, OwnInterval]:
        """Intervals from the records, by the specification that made the estimate."""
        assigned = self._specs.get(name)
        if assigned is None or self._tables is None or len(estimate.by_replicate) < 2:
            return {}
        try:
            return self._estimated(assigned, estimate)
        except ScrutinyError:
            return {}

    def _estimated(self, assigned: Mapping[str, Any], whole: Estimate) -> Mapping[str, OwnInterval]:
        from scrutiny.core.registry import registry
        from scrutiny.reliability.estimate import estimate

        spec = assigned["spec"]
        statistic = registry().load("statistic", spec["metric"])
        key = whole.key
        recorded = self._panel(
            key.diagnostic,
            key.subject,
            key.dataset,
            measures=tuple(assigned["measures"]),
            unit=spec["unit"],
            strata=spec["strata"],
            cells=tuple(getattr(statistic, "cells", ())),
        )
        if recorded is None:
            return {}
        kept = recorded.where(spec["where"]) if spec.get("where") else recorded
        plan = self._manifest.get("plan", {})
        draws = min(MOST_DRAWS, plan.get("resampling", {}).get("draws", MOST_DRAWS))
        found = estimate(
            kept.panel,
            {n: kept.select(Selector(**s), assigned["within"]) for n, s in spec["sides"].items()},
            statistic=statistic,
            key=key,
            resampling=Resampling(draws=draws, level=whole.level, replicates="each"),
            seed=plan.get("seed", 0),
            fallback=spec["fallback"],
        )
        names = found.estimate.by_replicate
        return {
            replicate: OwnInterval(one.point, one.low, one.high, one.se)
            for replicate, one in zip(names, found.each, strict=True)
        }


def _key(assigned: Mapping[str, Any]) -> EstimateKey:
    """Identity of the estimate that a specification of the manifest makes."""
    spec = assigned["spec"]
    return EstimateKey(
        diagnostic=assigned["kind"],
        metric=spec["metric"],
        subject=assigned["subject"],
        dataset=assigned["dataset"],
        role=spec["role"],
        condition={**spec["condition"], **assigned["within"]},
        group=spec["group"],
    )


def _own_rows(estimates: Sequence[Estimate]) -> dict[str, dict[str, OwnInterval]]:
    """Intervals of single replicates that the run kept, by the identity of the whole."""
    found: dict[str, dict[str, OwnInterval]] = {}
    for e in estimates:
        if e.key.replicate is None or e.n_replicates != 1 or e.value is None:
            continue
        if e.low is not None and e.high is not None:
            se = (e.high - e.low) / (2 * _z(e.level))
            own = OwnInterval(e.value, e.low, e.high, se)
            whole = identity(e.key, without=["replicate"])
            found.setdefault(whole, {})[e.key.replicate] = own
    return found


def _z(level: float) -> float:
    from statistics import NormalDist

    return NormalDist().inv_cdf((1 + level) / 2)


def _with_hits(records: "pa.Table") -> list[tuple[str, str, str, tuple[str, ...]]]:
    """Kind, subject, dataset and flat measures of all records that have a measure ``hit``."""
    footer = json.loads((records.schema.metadata or {}).get(b"scrutiny", b"{}"))
    names = ["kind", "subject", "dataset"]
    places = records.select(names).group_by(names, use_threads=False).aggregate([])
    found = []
    for place in places.to_pylist():
        declared = footer.get(place["kind"], {}).get(place["dataset"], ())
        measures = tuple(name for measure in declared for name in _flat(measure))
        if HIT in measures:
            found.append((place["kind"], place["subject"], place["dataset"], measures))
    return found


def _flat(measure: Mapping[str, Any]) -> list[str]:
    """Names of a measure's numbers: its own, or numbered from 1."""
    size = 1
    for _, length in measure["axes"]:
        size *= length
    name = measure["name"]
    return [name] if size == 1 else [f"{name}.{i}" for i in range(1, size + 1)]


def _hits_of(recorded: "Recorded", base: EstimateKey) -> list[Hits]:
    """Hits of every condition and role of a panel."""
    from dataclasses import replace

    import numpy as np

    panel, found = recorded.panel, []
    place = {name: i for i, name in enumerate(panel.measures)}
    for (condition, role), side in recorded.sides.items():
        hit = side.values[:, :, place[HIT]]
        asked = np.isfinite(hit).any(axis=1)  # replicates that have this condition at all
        if not asked.any() or not np.isin(hit[np.isfinite(hit)], (0.0, 1.0)).all():
            continue
        margin = side.values[:, :, place[MARGIN]][asked] if MARGIN in place else None
        names = tuple(panel.replicates[i] for i in np.flatnonzero(asked).tolist())
        key = replace(base, role=role, condition=recorded.conditions[condition])
        found.append(Hits(key, names, panel.items, hit[asked], margin, _columns(recorded)))
    return found


def _columns(recorded: "Recorded") -> dict[str, tuple[str | None, ...]]:
    """Columns that group the items."""
    names = [name for name in recorded.table.column_names if name.startswith("a_")]
    return {name: tuple(recorded.table.column(name).to_pylist()) for name in names}
