"""Estimates and findings from the records of a run; no model is asked."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

import pyarrow as pa

from scrutiny.core.claim import Claim, Finding
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.plan import Resampling
from scrutiny.core.record import Counts
from scrutiny.core.registry import registry
from scrutiny.reliability.claims import decide
from scrutiny.reliability.derive import join
from scrutiny.reliability.estimate import Estimated, estimate
from scrutiny.run.specs import Assignment
from scrutiny.stats.mcnemar import mcnemar
from scrutiny.store.panels import PanelKey, Recorded, read_panel


class Estimator:
    """Computes specifications from the tables of one run; panels are read once."""

    def __init__(
        self, records: pa.Table, items: pa.Table, *, resampling: Resampling, seed: int
    ) -> None:
        self._records = records
        self._items = items
        self._resampling = resampling
        self._seed = seed
        self._panel = lru_cache(maxsize=4)(self._read)

    def estimate(self, assignment: Assignment) -> Estimated:
        """Estimate of one specification."""
        spec = assignment.spec
        recorded = self.recorded(assignment)
        sides = {name: recorded.select(s, assignment.within) for name, s in spec.sides.items()}
        return estimate(
            recorded.panel,
            sides,
            statistic=registry().load("statistic", spec.metric),
            key=key_of(assignment),
            resampling=self._resampling,
            seed=self._seed,
            fallback=spec.fallback,
        )

    def recorded(self, assignment: Assignment) -> Recorded:
        """Panel that a specification reads."""
        spec = assignment.spec
        return self._panel(
            PanelKey(
                assignment.kind,
                assignment.subject,
                assignment.dataset,
                assignment.measures,
                spec.unit,
                spec.strata,
            )
        )

    def _read(self, key: PanelKey) -> Recorded:
        return read_panel(self._records, self._items, key)


def key_of(assignment: Assignment) -> EstimateKey:
    """Identity of the estimate of a specification."""
    spec = assignment.spec
    return EstimateKey(
        diagnostic=assignment.kind,
        metric=spec.metric,
        subject=assignment.subject,
        dataset=assignment.dataset,
        role=spec.role,
        condition={**spec.condition, **assignment.within},
        group=spec.group,
    )


def estimate_all(
    estimator: Estimator, assignments: Iterable[Assignment], claims: Sequence[Claim]
) -> tuple[list[Estimate], list[Finding]]:
    """Estimates of all specifications, each with its tests per replicate, and the findings."""
    estimated: dict[str, Estimated] = {}
    rows: list[Estimate] = []
    for assignment in assignments:
        found = estimator.estimate(assignment)
        estimated.setdefault(assignment.spec.id, found)
        rows.append(found.estimate)
        rows += mcnemar_rows(estimator, assignment)
    return rows, decide(claims, estimated)


def mcnemar_rows(estimator: Estimator, assignment: Assignment) -> list[Estimate]:
    """McNemar's mid-p of each replicate, for drops of hits; never on pooled rows.

    ``value`` is the two-sided p; ``n`` the items that changed between right and wrong.
    """
    spec = assignment.spec
    if (spec.metric, spec.group, spec.role) != ("accuracy_drop@1", "all", "measured"):
        return []
    recorded = estimator.recorded(assignment)
    sides = {name: recorded.select(s, assignment.within) for name, s in spec.sides.items()}
    needs = ("before.hit", "after.hit")
    joined = join(recorded.panel, sides, needs=needs, fallback=spec.fallback)
    if joined.rows.size == 0:
        return []
    rows = []
    for name, hits in zip(recorded.panel.replicates, joined.values, strict=True):
        lost = int(((hits[:, 0] == 1) & (hits[:, 1] == 0)).sum())
        gained = int(((hits[:, 0] == 0) & (hits[:, 1] == 1)).sum())
        test = mcnemar(gained, lost)
        rows.append(_mcnemar_row(assignment, name, test.p_value, (gained, lost), joined.counts))
    return rows


def _mcnemar_row(
    assignment: Assignment,
    replicate: str | None,
    p: float,
    changed: tuple[int, int],
    counts: Counts,
) -> Estimate:
    key = replace(key_of(assignment), metric="mcnemar@1", replicate=replicate or "{}")
    return Estimate(
        key=key,
        value=p,
        low=None,
        high=None,
        level=0.95,
        method="mcnemar mid-p@1",
        counts=counts,
        n_units=sum(changed),
        variance={"gained": float(changed[0]), "lost": float(changed[1])},
    )
