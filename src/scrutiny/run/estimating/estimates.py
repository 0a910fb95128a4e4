"""All estimates and findings of a run, without querying models; the score first where texts cost.

What an audit asks of changed texts presupposes that the model is better than no skill. Of a model
behind a URL every text is paid for, so the score on the texts as they are is measured first; where
it is not shown to exceed that of no skill, the rest is not asked.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.claim import Claim, Finding
from scrutiny.core.design import EstimateSpec
from scrutiny.core.estimate import Estimate
from scrutiny.core.long_runs import Progress
from scrutiny.core.randomness import generator
from scrutiny.data.item_values import FEWEST
from scrutiny.reliability.assignment import Assignment, PlacedContrast, Relation
from scrutiny.reliability.estimate import Estimated, by_replicate, refused
from scrutiny.reliability.replicates import with_holm
from scrutiny.reliability.verdicts.claims import decide
from scrutiny.reliability.verdicts.limits import counted
from scrutiny.run.estimating.estimator import Estimator, estimator_of
from scrutiny.run.estimating.relations import relate
from scrutiny.run.planning.resolved import Resolved, TaskSpec
from scrutiny.store.run_folder import RunFolder


def estimate_all(
    estimator: Estimator,
    assignments: Iterable[Assignment],
    claims: Sequence[Claim],
    *,
    contrasts: Iterable[PlacedContrast] = (),
    relations: Iterable[Relation] = (),
) -> tuple[list[Estimate], list[Finding]]:
    """Estimates of all specifications, with tests per replicate, and the findings.

    With ``replicates = "each"`` every estimate is followed by those of its replicates.
    """
    estimated: dict[str, Estimated] = {}
    rows: list[Estimate] = []
    families: dict[str, Hashable] = {}
    named = {component.estimate for claim in claims for component in claim.components}
    for assignment in assignments:
        if assignment.along:
            several = estimator.along(assignment)
            families |= dict.fromkeys(several, assignment.family)
            rows += [one.estimate for one in several.values()]
            # the draws of all heads are large: those that no claim names are let go
            estimated |= {name: one for name, one in several.items() if name in named}
            continue
        found = _in_slice(estimator.estimate(assignment), assignment)
        estimated[assignment.id] = found
        families[assignment.id] = assignment.family
        rows.append(found.estimate)
        if estimator.resampling.replicates == "each":
            rows += by_replicate(found)
        rows += _rows_of_tests(estimator, assignment)
    for pair in contrasts:
        estimated[pair.id] = _in_slice(estimator.estimate(pair), pair.a)
        families[pair.id] = pair.family
        rows.append(estimated[pair.id].estimate)
    for relation in relations:
        related = relate(relation, estimated, estimator)
        estimated[relation.full] = related
        families[relation.full] = relation.family
        rows.append(related.estimate)
    return with_holm(rows), decide(claims, estimated, counted(families, claims))


def _in_slice(found: Estimated, assignment: Assignment) -> Estimated:
    """Estimate; refused if too few items of the slice count (for attacks, attacked ones)."""
    is_small = _is_in_slice(assignment) and found.estimate.divided_by < FEWEST
    return refused(found, f"fewer_than_{FEWEST}_items") if is_small else found


def _is_in_slice(spec: EstimateSpec) -> bool:
    """Whether a specification is over a slice requested by the user."""
    return bool(spec.where) and spec.group == spec.where


def _rows_of_tests(estimator: Estimator, assignment: Assignment) -> list[Estimate]:
    """Rows of the statistic's own tests, one replicate at a time.

    ``value`` is the p-value; ``n_units`` what the test rests on.
    """
    statistic = assignment.statistic
    tests, between_cells = statistic.tests, statistic.cell_tests
    if (tests is None and between_cells is None) or not _is_tested(assignment):
        return []
    panel, joined = estimator.joined(assignment)
    rows = panel.select(joined.rows)
    if joined.rows.size == 0:
        return []
    name = f"{statistic.drawn_as} {canonical_json(assignment.whole_condition)} {assignment.group}"
    rng = generator(estimator.seed, "replicate-test", name=name, item=assignment.dataset)
    found = []
    for replicate, values in zip(joined.names, joined.values, strict=True):
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


#: A model on a dataset.
Place = tuple[str, str]


class SkillFirst:
    """Tasks of an audit that wait until a model behind a URL has shown skill.

    Parameters
    ----------
    resolved
        The plan.
    """

    def __init__(self, resolved: Resolved) -> None:
        self._resolved = resolved
        self._lacking: Mapping[Place, str] = {}

    @cached_property
    def scores(self) -> Mapping[Place, Claim]:
        """Claim of the main score of each model behind a URL, where an audit measures it."""
        of = {a.id: a for a in self._resolved.assignments}
        found = {}
        for claim in self._resolved.claims:
            main = of.get(claim.components[0].estimate) if claim.components else None
            if not claim.is_headline or main is None:
                continue
            place = main.subject, main.dataset
            if self._is_audit(main.measure) and self._resolved.pairings[place].is_remote:
                found[place] = claim
        return found

    def _waits(self, task: TaskSpec) -> bool:
        """Whether a task asks texts besides the items of a model whose score is known first."""
        place = task.family, task.dataset
        if place not in self.scores or not self._is_audit(task.measure):
            return False
        design = self._resolved.measurements[task.measure].designs[place]
        return design.queries_per_item > 1

    def _is_audit(self, measure: str) -> bool:
        return self._resolved.measurements[measure].plan.is_audit

    @cached_property
    def waiting(self) -> Mapping[str, TaskSpec]:
        """All tasks that wait, by their identity, in plan order."""
        tasks = self._resolved.shards("measure")
        return {task.id: task for task in tasks if self._waits(task)}

    @property
    def left_out(self) -> list[TaskSpec]:
        """Tasks that are not asked after all, once the scores are known."""
        tasks = self.waiting.values()
        return [task for task in tasks if (task.family, task.dataset) in self._lacking]

    def _without_skill(self, folder: RunFolder) -> dict[Place, str]:
        """Why nothing more is asked of a model on a dataset, by the records of its score."""
        claims = list(self.scores.values())
        named = {component.estimate for claim in claims for component in claim.components}
        levels = [a for a in self._resolved.assignments if a.id in named]
        _, findings = estimate_all(estimator_of(folder), levels, claims)
        return {
            place: f"{finding.reason}; so nothing more was asked of it"
            for place, finding in zip(self.scores, findings, strict=True)
            if finding.verdict != "supported"
        }

    def without(
        self, claims: Sequence[Claim], folder: RunFolder, progress: Progress
    ) -> tuple[Claim, ...]:
        """Claims, those about what is not asked refused with the reason.

        Parameters
        ----------
        claims
            All claims of the run.
        folder
            Run with the records of every score, and its manifest.
        progress
            Who is told.
        """
        self._lacking = self._without_skill(folder)
        for (family, dataset), reason in self._lacking.items():
            progress.note(f"{family} on {dataset}: {reason}.")
        measures = {(one.measure, one.family, one.dataset) for one in self.left_out}
        of = {a.id: (a.measure, a.subject, a.dataset) for a in self._resolved.assignments}
        of |= {c.id: (c.a.measure, c.a.subject, c.a.dataset) for c in self._resolved.contrasts}
        return tuple(
            replace(claim, refused=claim.refused or self._lacking[place[1:]])
            if claim.components and (place := of.get(claim.components[0].estimate)) in measures
            else claim
            for claim in claims
        )
