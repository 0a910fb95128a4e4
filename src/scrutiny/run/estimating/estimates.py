"""Estimates and findings from the records of a run, without querying models."""

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial

import pyarrow as pa

from scrutiny.core.boundary.canonical import canonical_json
from scrutiny.core.claim import Claim, Finding
from scrutiny.core.design import EstimateSpec, Selector
from scrutiny.core.errors import PlanError
from scrutiny.core.estimate import Estimate
from scrutiny.core.expressions import OPERATORS
from scrutiny.core.plan import Resampling
from scrutiny.core.randomness import generator
from scrutiny.core.statistic import AdditiveStatistic, Statistic
from scrutiny.data.run_items import RunItems
from scrutiny.data.slices import FEWEST
from scrutiny.reliability.adjusted_tests import with_holm
from scrutiny.reliability.along import estimate_along
from scrutiny.reliability.contrasts import contrast, joined_slices, shared_items
from scrutiny.reliability.derive import join
from scrutiny.reliability.estimate import Estimated, by_replicate, estimate, refused
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.misses import with_exact_misses
from scrutiny.reliability.panel import Joined, Panel, Side
from scrutiny.reliability.two_metrics import of_two
from scrutiny.reliability.verdicts.claims import decide
from scrutiny.reliability.verdicts.families import counted
from scrutiny.run.estimating.joint import jointly
from scrutiny.run.estimating.relations import relate
from scrutiny.run.planning.assignment import Assignment, PlannedContrast, PlannedRelation
from scrutiny.store.panels import PanelKey, Recorded, read_panel
from scrutiny.store.run_folder import RunFolder
from scrutiny.store.stacked import stack

_KEPT_PANELS = 8


class Estimator:
    """Computes specifications from the tables of one run; panels are read once."""

    def __init__(
        self,
        records: pa.Table,
        items: pa.Table,
        *,
        resampling: Resampling,
        seed: int,
        slices: RunItems | None = None,
    ) -> None:
        self.resampling = resampling
        self.seed = seed
        self.slices = RunItems(items) if slices is None else slices
        self._panel = lru_cache(maxsize=_KEPT_PANELS)(partial(read_panel, records, items))

    def estimate(self, assignment: Assignment) -> Estimated:
        """Estimate of one specification; refused if its presuppositions do not hold."""
        found = self._estimated(assignment)
        return found if self._is_granted(assignment) else refused(found, "below_presupposed")

    def _estimated(self, assignment: Assignment) -> Estimated:
        """Estimate of one specification, without checking presuppositions."""
        if assignment.spec.at:
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
            fallback=assignment.spec.fallback,
        )

    def _is_granted(self, assignment: Assignment) -> bool:
        """Whether the presuppositions of a specification hold."""
        for presupposed, least in assignment.presupposes:
            value = self.estimate(presupposed).estimate.value
            if value is None or value < least:
                return False
        return True

    def along(self, assignment: Assignment) -> Mapping[str, Estimated]:
        """Estimates of one specification at every index of its axes, by full name."""
        recorded = self._recorded(assignment)
        places = assignment.places
        found = estimate_along(
            recorded.panel,
            self._sides(recorded, assignment),
            statistic=assignment.statistic,
            key=assignment.key,
            resampling=self.resampling,
            seed=self.seed,
            places=places,
        )
        return {
            "/".join([assignment.spec.id, *(f"{axis}={n}" for axis, n in place.items())]): one
            for place, one in zip(places, found, strict=True)
        }

    def contrast(self, pair: PlannedContrast) -> Estimated:
        """Estimate of the difference of two specifications."""
        if pair.how:
            return self._joint(pair)
        sides, statistic = (self.joined(pair.a), self.joined(pair.b)), pair.a.statistic
        meeting = joined_slices(*sides) if pair.is_of_slices else shared_items(*sides)
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

    def _joint(self, pair: PlannedContrast) -> Estimated:
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
        spec, sides = assignment.spec, self._sides(recorded, assignment)
        return recorded.panel, join(
            recorded.panel, sides, needs=needs, fallback=spec.fallback, at=spec.at
        )

    def _recorded(self, assignment: Assignment) -> Recorded:
        """Panel of a specification."""
        spec = assignment.spec
        key = PanelKey(
            kind=assignment.kind,
            subject=assignment.subject,
            reference=assignment.reference,
            dataset=assignment.dataset,
            measures=assignment.measures,
            unit=spec.unit,
            strata=spec.strata,
            cells=assignment.statistic.cells,
        )
        whole = self._stack(key, spec.beside) if spec.beside else self._panel(key)
        if not spec.where:
            return whole
        return whole.only(self.slices.inside(spec.where, (assignment.dataset, *spec.beside)))

    def _stack(self, key: PanelKey, beside: Sequence[str]) -> Recorded:
        """Stacked panels of several datasets."""
        parts = {
            dataset: self._panel(replace(key, dataset=dataset, cells=()))
            for dataset in (key.dataset, *beside)
        }
        return stack(parts, cells=key.cells)

    def _sides(self, recorded: Recorded, assignment: Assignment) -> Mapping[str, Side]:
        """Records of each side of a specification."""
        return {
            name: recorded.select(selector, assignment.within)
            if selector.of == "own"
            else self._of_base(recorded, assignment, selector)
            for name, selector in assignment.spec.sides.items()
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


def estimate_all(
    estimator: Estimator,
    assignments: Iterable[Assignment],
    claims: Sequence[Claim],
    *,
    contrasts: Iterable[PlannedContrast] = (),
    relations: Iterable[PlannedRelation] = (),
) -> tuple[list[Estimate], list[Finding]]:
    """Estimates of all specifications, with tests per replicate, and the findings.

    With ``replicates = "each"`` every estimate is followed by those of its replicates.
    """
    estimated: dict[str, Estimated] = {}
    rows: list[Estimate] = []
    families: dict[str, Hashable] = {}
    named = {component.estimate for claim in claims for component in claim.components}
    for assignment in assignments:
        if assignment.spec.along:
            several = estimator.along(assignment)
            families |= dict.fromkeys(several, assignment.family)
            rows += [one.estimate for one in several.values()]
            # the draws of all heads are large: those that no claim names are let go
            estimated |= {name: one for name, one in several.items() if name in named}
            continue
        found = _in_slice(estimator.estimate(assignment), assignment)
        estimated[assignment.spec.id] = found
        families[assignment.spec.id] = assignment.family
        rows.append(found.estimate)
        if estimator.resampling.replicates == "each":
            rows += by_replicate(found)
        rows += _rows_of_tests(estimator, assignment)
    for pair in contrasts:
        estimated[pair.id] = _in_slice(estimator.contrast(pair), pair.a)
        families[pair.id] = pair.family
        rows.append(estimated[pair.id].estimate)
    for relation in relations:
        related = relate(
            relation,
            estimated,
            rows=estimator.joined,
            resampling=estimator.resampling,
            seed=estimator.seed,
        )
        estimated[relation.full] = related
        families[relation.full] = relation.family
        rows.append(related.estimate)
    return with_holm(rows), decide(claims, estimated, counted(families, claims))


def _in_slice(found: Estimated, assignment: Assignment) -> Estimated:
    """Estimate; refused if too few items of the slice count (for attacks, attacked ones)."""
    is_small = _is_in_slice(assignment.spec) and found.estimate.divided_by < FEWEST
    return refused(found, f"fewer_than_{FEWEST}_items") if is_small else found


def _is_in_slice(spec: EstimateSpec) -> bool:
    """Whether a specification is over a slice requested by the user."""
    return bool(spec.where) and spec.group == spec.where


def estimator_of(folder: RunFolder) -> Estimator:
    """Estimator over the records of a run, with its own seed and resampling."""
    plan = folder.manifest["plan"]
    return Estimator(
        *folder.measured(),
        resampling=Resampling(**plan["resampling"]),
        seed=plan["seed"],
        slices=RunItems.of_folder(folder),
    )


def _rows_of_tests(estimator: Estimator, assignment: Assignment) -> list[Estimate]:
    """Rows of the statistic's own tests, one replicate at a time.

    ``value`` is the p-value; ``n_units`` what the test rests on.
    """
    spec = assignment.spec
    statistic = assignment.statistic
    tests, between_cells = statistic.tests, statistic.cell_tests
    if (tests is None and between_cells is None) or not _is_tested(spec):
        return []
    panel, joined = estimator.joined(assignment)
    rows = panel.select(joined.rows)
    if joined.rows.size == 0:
        return []
    name = f"{statistic.drawn_as} {canonical_json(assignment.condition)} {spec.group}"
    rng = generator(estimator.seed, "replicate-test", name=name, item=assignment.dataset)
    found = []
    for replicate, values in zip(panel.names(joined), joined.values, strict=True):
        own = [] if tests is None else list(tests(values, rows.units, rng))
        if between_cells is not None and rows.cells is not None:
            own += between_cells(values, rows.cells)
        found += [
            Estimate(
                key=replace(assignment.key, metric=test.metric, replicate=replicate or "{}"),
                value=test.p_value,
                low=None,
                high=None,
                level=0.95,
                method=f"{test.method}@1",
                counts=joined.counts,
                n_units=test.n_units,
                across=dict(test.numbers),
            )
            for test in own
        ]
    return found


def _is_tested(spec: EstimateSpec) -> bool:
    """Whether a specification is about a measured family, or one tuned on a control task."""
    is_tuned = spec.role == "control" and all(s.role == "measured" for s in spec.sides.values())
    # tests in a slice would join the family of the whole's
    is_apart = spec.group == "changed" or _is_in_slice(spec)
    return (spec.role == "measured" or is_tuned) and not is_apart
