"""Estimator: any specification, difference or joint metric from the records of one run.

A joint metric is one number of two selections together, on the items that both have: their measures
stand side by side, so that there is one statistic, with one set of draws.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np
import pyarrow as pa

from scrutiny.core.design import Selector
from scrutiny.core.errors import PlanError
from scrutiny.core.estimate import EstimateKey
from scrutiny.core.expressions import OPERATORS
from scrutiny.core.plan import Resampling
from scrutiny.core.randomness import generator
from scrutiny.core.statistic import AdditiveStatistic, Statistic
from scrutiny.data.slices import RunItems
from scrutiny.reliability.along_axes import estimate_along
from scrutiny.reliability.assignment import Assignment, Number, PlacedContrast
from scrutiny.reliability.composed_metrics import of_two
from scrutiny.reliability.contrasts import contrast, with_exact_misses
from scrutiny.reliability.estimate import Estimated, blank, estimate, of_draws, refused
from scrutiny.reliability.joining import (
    Meeting,
    join,
    joined_slices,
    matched,
    shared_items,
    two_datasets,
)
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.panel import Joined, Panel, Side
from scrutiny.reliability.row_statistics import resample_any
from scrutiny.run.planning.resolved import Resolved
from scrutiny.stats.arrays import StatisticsError
from scrutiny.store.panels import PanelKey, Recorded, read_panel, stack
from scrutiny.store.row_groups import RowGroups
from scrutiny.store.run_folder import RunFolder

_KEPT_PANELS = 8


class Estimator:
    """Computes specifications from the tables of one run; panels are read once.

    What is ``known`` by its identity is not computed again.
    """

    def __init__(
        self,
        records: RowGroups,
        items: pa.Table,
        *,
        resampling: Resampling,
        seed: int,
        slices: RunItems | None = None,
    ) -> None:
        self.known: dict[str, Estimated] = {}
        self.resampling = resampling
        self.seed = seed
        self.slices = RunItems(items) if slices is None else slices
        self._panel = lru_cache(maxsize=_KEPT_PANELS)(partial(read_panel, records, items))

    def estimate(self, number: Number) -> Estimated:
        """Estimate of a number; refused if its presuppositions do not hold."""
        if number.id in self.known:
            return self.known[number.id]
        if isinstance(number, PlacedContrast):
            return self.contrast(number)
        found = self._estimated(number)
        for presupposed, least in number.presupposes:
            value = self.estimate(presupposed).estimate.value
            if value is None or value < least:
                return refused(found, "below_presupposed")
        return found

    def _estimated(self, assignment: Assignment) -> Estimated:
        """Estimate of one specification, without checking presuppositions."""
        if assignment.at:
            (one,) = self.along(assignment).values()
            return one
        recorded = self._recorded(assignment)
        return estimate(
            recorded.panel,
            self._sides(recorded, assignment),
            statistic=assignment.statistic,
            key=assignment.key,
            resampling=self.resampling,
            seed=self.seed,
            fallback=assignment.fallback,
        )

    def along(self, assignment: Assignment) -> Mapping[str, Estimated]:
        """Estimates of one specification at every index of its axes, by full name."""
        recorded = self._recorded(assignment)
        found = estimate_along(
            recorded.panel,
            self._sides(recorded, assignment),
            statistic=assignment.statistic,
            key=assignment.key,
            resampling=self.resampling,
            seed=self.seed,
            places=assignment.places,
        )
        names = [one.id for one in assignment.at_each()]
        return dict(zip(names, found, strict=True))

    def contrast(self, pair: PlacedContrast) -> Estimated:
        """Estimate of the difference of two specifications."""
        if pair.how:
            return self._joint(pair)
        sides, statistic = (self.joined(pair.a), self.joined(pair.b)), pair.a.statistic
        meet = joined_slices if pair.is_of_slices else shared_items
        meeting = (two_datasets if pair.is_of_datasets else meet)(*sides)
        found = contrast(
            meeting,
            statistic,
            key=pair.key,
            paired=pair.is_paired,
            resampling=self.resampling,
            seed=self.seed,
            subtracted=pair.b.statistic,
        )
        if pair.exact_at is None or not isinstance(statistic, AdditiveStatistic):
            return found
        one, other = map(statistic.components, meeting.values)
        is_apart = meeting.units is not None and meeting.units.n_units == one.shape[1]
        return with_exact_misses(found, (one, other), share=pair.exact_at, is_apart=is_apart)

    def _joint(self, pair: PlacedContrast) -> Estimated:
        """Estimate of one metric of two specifications, or of two metrics of one selection."""
        is_operator = pair.how in OPERATORS
        needs = None if is_operator else metric_of(pair.how).slot
        one, other = (self.joined(side, needs=needs) for side in (pair.a, pair.b))
        if is_operator:
            width, own = one[1].values.shape[-1], (pair.a.statistic, pair.b.statistic)
            statistic: Statistic = of_two(pair.how, *own, width=width)
        else:
            statistic = metric_of(pair.how)
        return jointly(
            shared_items(one, other),
            statistic,
            key=pair.key,
            resampling=self.resampling,
            seed=self.seed,
        )

    def joined(
        self, assignment: Assignment, *, needs: Sequence[str] | None = None
    ) -> tuple[Panel, Joined]:
        """Panel of a specification, with the measures that its statistic needs."""
        recorded = self._recorded(assignment)
        if needs is None:
            needs = assignment.statistic.needs
        sides = self._sides(recorded, assignment)
        return recorded.panel, join(
            recorded.panel, sides, needs=needs, fallback=assignment.fallback, at=assignment.at
        )

    def _recorded(self, assignment: Assignment) -> Recorded:
        """Panel of a specification."""
        where, beside = assignment.where, assignment.beside
        key = PanelKey(
            kind=assignment.kind,
            subject=assignment.subject,
            reference=assignment.reference,
            dataset=assignment.dataset,
            measures=assignment.measures,
            unit=assignment.unit,
            strata=assignment.strata,
            cells=assignment.statistic.cells,
        )
        if beside:
            names = (assignment.dataset, *beside)
            parts = {name: self._panel(replace(key, dataset=name, cells=())) for name in names}
            whole = stack(parts, cells=key.cells)
        else:
            whole = self._panel(key)
        if not where:
            return whole
        return whole.only(self.slices.inside(where, (assignment.dataset, *beside)))

    def _sides(self, recorded: Recorded, assignment: Assignment) -> Mapping[str, Side]:
        """Records of each side of a specification."""
        return {
            name: recorded.select(selector, assignment.within)
            if selector.of == "own"
            else self._of_base(recorded, assignment, selector)
            for name, selector in assignment.sides.items()
        }

    def _of_base(self, recorded: Recorded, assignment: Assignment, selector: Selector) -> Side:
        """Side of the base family that the subject was trained from, aligned to its replicates."""
        base = self._recorded(replace(assignment, subject=assignment.base))
        side = base.select(selector, {})
        rows = [_base_of(name, base.panel.replicates) for name in recorded.panel.replicates]
        return Side(side.values[rows], side.status[rows])


def _base_of(replicate: str | None, bases: Sequence[str | None]) -> int:
    """Index of the base that an estimated replicate was trained from.

    The only one there is, or the one whose random factors the replicate has as well.

    Raises
    ------
    PlanError
        If no base has the replicate's factors, or several do.
    """
    if len(bases) == 1:
        return 0
    own = json.loads(replicate or "{}").items()
    fitting = [i for i, base in enumerate(bases) if json.loads(base or "{}").items() <= own]
    if len(fitting) != 1:
        raise PlanError(
            f"The replicate {replicate or 'without factors'} was trained from one of "
            f"{len(bases)} models, and its factors do not say which: "
            f"{', '.join(map(str, bases[:4]))}."
        )
    return fitting[0]


def estimator_of(folder: RunFolder) -> Estimator:
    """Estimator over the records of a run, with its own seed and resampling."""
    plan = folder.manifest["plan"]
    records, items = folder.measured()
    return Estimator(
        records,
        items,
        resampling=Resampling(**plan["resampling"]),
        seed=plan["seed"],
        slices=RunItems.of_folder(folder, items),
    )


def estimates_by_name(
    resolved: Resolved, names: Iterable[str], *, folder: RunFolder
) -> Iterator[tuple[str, Estimated]]:
    """Identity and estimate of numbers of a run: what a worker does of them."""
    estimator = estimator_of(folder)
    every: tuple[Number, ...] = (*resolved.assignments, *resolved.contrasts)
    numbers = {number.id: number for number in every}
    for name in names:
        yield name, estimator.estimate(numbers[name])


def jointly(
    meeting: Meeting, statistic: Statistic, *, key: EstimateKey, resampling: Resampling, seed: int
) -> Estimated:
    """Estimate of a metric of both sides, over items and matched replicates.

    Parameters
    ----------
    meeting
        The sides.
    statistic
        Of the first side's measures and the second's, in this order.
    key, resampling, seed
        As in `scrutiny.reliability.contrasts.contrast`.
    """
    one, other = meeting.values
    names = meeting.names
    pairs = matched(*names)
    values = np.stack([np.concatenate([one[i], other[k]], axis=-1) for i, k in pairs])
    both = Joined(
        values,
        np.arange(values.shape[1]),
        tuple(names[0][i] if len(names[0]) > 1 else names[1][k] for i, k in pairs),
        meeting.status,
    )
    if meeting.units is None:
        return blank(key, both, resampling, "no_items")
    rng = generator(seed, "bootstrap", name=key.dataset, item="items")
    try:
        drawn = resample_any(
            statistic, values, units=meeting.units, draws=resampling.draws, rng=rng
        )
    except StatisticsError:
        return blank(key, both, resampling, "no_value")
    return of_draws(key, both, drawn, statistic=statistic, resampling=resampling, seed=seed)
