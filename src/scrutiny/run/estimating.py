"""Estimates and findings from the records of a run; no model is asked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import pyarrow as pa

from scrutiny.core.canonical import canonical_json
from scrutiny.core.claim import Claim, Finding
from scrutiny.core.estimate import Estimate
from scrutiny.core.plan import Resampling
from scrutiny.core.randomness import generator
from scrutiny.core.record import Counts
from scrutiny.core.registry import registry
from scrutiny.reliability.adjusted_tests import with_holm
from scrutiny.reliability.claims import decide
from scrutiny.reliability.derive import join
from scrutiny.reliability.estimate import Estimated, by_replicate, estimate
from scrutiny.reliability.panel import Joined, Panel, Side
from scrutiny.reliability.replicate_tests import ReplicateTest, tests_of
from scrutiny.run.assignment import Assignment, Contrast, Relation
from scrutiny.run.contrasts import contrast, meet
from scrutiny.run.relations import relate
from scrutiny.store.panels import PanelKey, Recorded, read_panel

_KEPT_PANELS = 8


class Estimator:
    """Computes specifications from the tables of one run; panels are read once."""

    def __init__(
        self, records: pa.Table, items: pa.Table, *, resampling: Resampling, seed: int
    ) -> None:
        self.resampling = resampling
        self.seed = seed
        self._records = records
        self._items = items
        self._panel = lru_cache(maxsize=_KEPT_PANELS)(self._read)

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
        whole = self._panel(
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
        return whole.where(spec.where) if spec.where else whole

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
    relations: Iterable[Relation] = (),
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
        rows += rows_of_tests(estimator, assignment)
    for pair in contrasts:
        estimated[pair.id] = estimator.contrast(pair)
        rows.append(estimated[pair.id].estimate)
    known = {name: found.estimate for name, found in estimated.items()}
    for relation in relations:
        rows.append(relate(relation, known, resampling=estimator.resampling, seed=estimator.seed))
    return with_holm(rows), decide(claims, estimated)


def rows_of_tests(estimator: Estimator, assignment: Assignment) -> list[Estimate]:
    """Rows of the statistic's own tests, one replicate at a time.

    ``value`` is the p-value; ``n_units`` what the test rests on.
    """
    spec = assignment.spec
    tests = tests_of(registry().load("statistic", spec.metric))
    if tests is None or spec.role != "measured" or spec.group == "changed":
        return []
    panel, joined = estimator.joined(assignment)
    units = None if panel.units is None else panel.units[joined.rows]
    if joined.rows.size == 0:
        return []
    name = f"{spec.metric} {canonical_json(assignment.condition)} {spec.group}"
    rng = generator(estimator.seed, "replicate-test", name=name, item=assignment.dataset)
    names = [panel.replicates[i] for i in joined.replicates]
    return [
        _test_row(assignment, replicate, test, joined.counts)
        for replicate, values in zip(names, joined.values, strict=True)
        for test in tests(values, units, rng)
    ]


def _test_row(
    assignment: Assignment, replicate: str | None, test: ReplicateTest, counts: Counts
) -> Estimate:
    return Estimate(
        key=replace(assignment.key, metric=test.metric, replicate=replicate or "{}"),
        value=test.p_value,
        low=None,
        high=None,
        level=0.95,
        method=f"{test.method}@1",
        counts=counts,
        n_units=test.n_units,
        across=dict(test.numbers),
    )
