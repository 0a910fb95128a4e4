"""Estimates and findings from the records of a run; no model is asked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pyarrow as pa

from scrutiny.core.claim import Claim, Finding
from scrutiny.core.estimate import Estimate
from scrutiny.core.plan import Resampling
from scrutiny.core.record import Counts
from scrutiny.core.registry import registry
from scrutiny.reliability.claims import decide
from scrutiny.reliability.derive import join
from scrutiny.reliability.estimate import Estimated, by_replicate, estimate
from scrutiny.reliability.panel import Joined, Panel, Side
from scrutiny.run.assignment import Assignment, Contrast
from scrutiny.run.contrasts import contrast, meet
from scrutiny.stats.mcnemar import mcnemar
from scrutiny.store.panels import PanelKey, Recorded, read_panel

_HITS = ("before.hit", "after.hit")


class Estimator:
    """Computes specifications from the tables of one run; panels are read once."""

    def __init__(
        self, records: pa.Table, items: pa.Table, *, resampling: Resampling, seed: int
    ) -> None:
        self.resampling = resampling
        self.seed = seed
        self._records = records
        self._items = items
        self._panel = lru_cache(maxsize=4)(self._read)

    def estimate(self, assignment: Assignment) -> Estimated:
        """Estimate of one specification."""
        recorded = self._recorded(assignment)
        return estimate(
            recorded.panel,
            _sides(recorded, assignment),
            statistic=registry().load("statistic", assignment.spec.metric),
            key=assignment.key,
            resampling=self.resampling,
            seed=self.seed,
            fallback=assignment.spec.fallback,
        )

    def contrast(self, pair: Contrast) -> Estimated:
        """Estimate of the difference of two specifications."""
        statistic = registry().load("statistic", pair.a.spec.metric)
        return contrast(
            meet(self.joined(pair.a), self.joined(pair.b)),
            statistic,
            key=pair.key,
            paired=pair.is_paired,
            resampling=self.resampling,
            seed=self.seed,
        )

    def joined(
        self, assignment: Assignment, *, needs: Sequence[str] | None = None
    ) -> tuple[Panel, Joined]:
        """Panel of a specification, and the measures that its statistic needs."""
        recorded = self._recorded(assignment)
        if needs is None:
            needs = registry().load("statistic", assignment.spec.metric).needs
        sides, fallback = _sides(recorded, assignment), assignment.spec.fallback
        return recorded.panel, join(recorded.panel, sides, needs=needs, fallback=fallback)

    def _recorded(self, assignment: Assignment) -> Recorded:
        """Panel that a specification reads."""
        spec = assignment.spec
        statistic = registry().load("statistic", spec.metric)
        return self._panel(
            PanelKey(
                kind=assignment.kind,
                subject=assignment.subject,
                dataset=assignment.dataset,
                measures=assignment.measures,
                unit=spec.unit,
                strata=spec.strata,
                cells=tuple(getattr(statistic, "cells", ())),
            )
        )

    def _read(self, key: PanelKey) -> Recorded:
        return read_panel(self._records, self._items, key)


def _sides(recorded: Recorded, assignment: Assignment) -> Mapping[str, Side]:
    """Records of each side of a specification."""
    return {
        name: recorded.select(selector, assignment.within)
        for name, selector in assignment.spec.sides.items()
    }


def estimate_all(
    estimator: Estimator,
    assignments: Iterable[Assignment],
    claims: Sequence[Claim],
    *,
    contrasts: Iterable[Contrast] = (),
) -> tuple[list[Estimate], list[Finding]]:
    """Estimates of all specifications, each with its tests per replicate, and the findings.

    With ``replicates = "each"`` every estimate is followed by those of its replicates.
    """
    estimated: dict[str, Estimated] = {}
    rows: list[Estimate] = []
    for assignment in assignments:
        found = estimator.estimate(assignment)
        estimated[assignment.spec.id] = found
        rows.append(found.estimate)
        if estimator.resampling.replicates == "each":
            rows += by_replicate(found)
        rows += mcnemar_rows(estimator, assignment)
    for pair in contrasts:
        estimated[pair.id] = estimator.contrast(pair)
        rows.append(estimated[pair.id].estimate)
    return rows, decide(claims, estimated)


def mcnemar_rows(estimator: Estimator, assignment: Assignment) -> list[Estimate]:
    """McNemar's mid-p of each replicate, for drops of hits; never on pooled rows.

    ``value`` is the two-sided p; ``n_units`` the items that changed between right and wrong.
    """
    spec = assignment.spec
    if (spec.metric, spec.group, spec.role) != ("accuracy_drop@1", "all", "measured"):
        return []
    panel, joined = estimator.joined(assignment, needs=_HITS)
    if joined.rows.size == 0:
        return []
    names = [panel.replicates[i] for i in joined.replicates]
    return [
        _mcnemar_row(assignment, name, hits, joined.counts)
        for name, hits in zip(names, joined.values, strict=True)
    ]


def _mcnemar_row(
    assignment: Assignment, replicate: str | None, hits: Any, counts: Counts
) -> Estimate:
    """Test of one replicate's hits ``(item, side)``."""
    lost = int(((hits[:, 0] == 1) & (hits[:, 1] == 0)).sum())
    gained = int(((hits[:, 0] == 0) & (hits[:, 1] == 1)).sum())
    test = mcnemar(gained, lost)
    return Estimate(
        key=replace(assignment.key, metric="mcnemar@1", replicate=replicate or "{}"),
        value=test.p_value,
        low=None,
        high=None,
        level=0.95,
        method="mcnemar mid-p@1",
        counts=counts,
        n_units=gained + lost,
        across={"gained": gained, "lost": lost, "smallest_p": test.smallest_p},
    )
