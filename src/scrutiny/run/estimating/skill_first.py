"""The score first, where texts cost: nothing more is asked of an endpoint without skill.

What an audit asks of changed texts presupposes that the model is better than no skill. Of a model
behind a URL every text is paid for, so the score on the texts as they are is measured first; where
it is not shown to exceed that of no skill, the rest is not asked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from scrutiny.core.claim import Claim
from scrutiny.core.progress import Progress
from scrutiny.run.estimating.estimates import estimate_all, estimator_of
from scrutiny.run.planning.resolved import Resolved
from scrutiny.run.planning.tasks import TaskSpec
from scrutiny.store.run_folder import RunFolder

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
        of = {a.spec.id: a for a in self._resolved.assignments}
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
        levels = [a for a in self._resolved.assignments if a.spec.id in named]
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
        of = {a.spec.id: (a.measure, a.subject, a.dataset) for a in self._resolved.assignments}
        of |= {c.id: (c.a.measure, c.a.subject, c.a.dataset) for c in self._resolved.contrasts}
        return tuple(
            replace(claim, refused=claim.refused or self._lacking[place[1:]])
            if claim.components and (place := of.get(claim.components[0].estimate)) in measures
            else claim
            for claim in claims
        )
