"""Shared invariances of two live models, both ways: the plan, and what is read from its run.

The first model's changed texts are asked of the second, of the first again and, where the first
has several runs, of its other runs: what another run of the same recipe shares is all that can be
expected. The claim is non-inferiority in Hard-SCoPE, on the same texts and items.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from scrutiny.core.canonical import canonical_json
from scrutiny.core.claim import Claim, Component
from scrutiny.core.estimate import Estimate
from scrutiny.core.model import Replicate
from scrutiny.core.plan import MeasurePlan, ModelPlan, Plan
from scrutiny.models.named.family import expand
from scrutiny.reliability.claims import decide
from scrutiny.reliability.estimate import Estimated
from scrutiny.run.comparing.kept import Ceiling, Kept, SharedInvariances
from scrutiny.run.comparing.misses import with_exact_misses
from scrutiny.run.comparing.vectors import likeness_of, vectors_measure
from scrutiny.run.estimating.estimates import Estimator
from scrutiny.run.estimating.judging import assignments_of, estimator_of
from scrutiny.run.planning.assignment import Assignment, Contrast
from scrutiny.store.run_folder import RunFolder

SCOPE: Final = "invariance.scope@1"
#: Points that a loss of shared invariances must exceed to matter, unless told.
MARGIN: Final = 0.02
#: Identifiers of the measurements: what the second keeps of the first, and the other way round.
DIRECTIONS: Final = ("kept of the first", "kept of the second")
_HARD: Final = "hard_scope@1"
_OF_RANDOM: Final = "kept_by(target)@1"
_FURTHER: Final = ("scope_lift@1", "kappa_inv@1", "soft_scope@1", "pairs_found@1")
#: As modest as what the audit asks, and one text of an item: items are what intervals go by.
_PARAMS: Final[Mapping[str, Any]] = {"trials": 1, "candidates": 10, "cutoffs": []}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What two live models are asked beyond their answers.

    Parameters
    ----------
    capabilities
        Changes whose invariances are compared (``synonym``, ``typo``, recipes).
    margin
        Largest loss that does not matter, as a share of the changed texts.
    representations
        Whether vectors of the last layers are compared, too.
    """

    capabilities: tuple[str, ...] = ()
    margin: float = MARGIN
    representations: bool = False

    @property
    def is_any(self) -> bool:
        """Whether anything is wanted."""
        return bool(self.capabilities) or self.representations


def shared_plan(plan: Plan, wanted: Wanted) -> Plan:
    """Plan that measures two models beside each other, on the data of another plan of both.

    Parameters
    ----------
    plan
        Its data, seed, resampling and two models: the first one is the reference of the contract.
    wanted
        What is measured.
    """
    first, second = plan.models
    data = tuple(d.name for d in plan.data)
    runs: dict[str, ModelPlan] = {}
    measures = []
    for name, (reference, target) in zip(
        DIRECTIONS, ((first, second), (second, first)), strict=True
    ):
        if not wanted.capabilities:
            continue
        others = single_runs(reference)
        runs |= {one.name: one for one in others}
        params = {**_PARAMS, "capabilities": list(wanted.capabilities), "margin": wanted.margin}
        models = (reference.name, target.name, *(one.name for one in others))
        measures.append(MeasurePlan(name, SCOPE, models, data, params, reference=reference.name))
    if wanted.representations:
        measures.append(vectors_measure(first, second, data))
    return replace(plan, models=(first, second, *runs.values()), measure=tuple(measures))


def single_runs(model: ModelPlan) -> tuple[ModelPlan, ...]:
    """Runs of a family, each a single model that can be held against all of them; none of one."""
    found = expand(model.source, random=model.random, name=model.name, seeds=model.seeds).replicates
    if len(found) < 2 or any(one.condition for one in found):
        return ()
    return tuple(
        ModelPlan(_run_name(model.name, one), one.source, role="baseline", labels=model.labels)
        for one in found
    )


def _run_name(family: str, replicate: Replicate) -> str:
    return f"{family} ({', '.join(f'{name} {value}' for name, value in replicate.random.items())})"


def read_shared(folder: RunFolder, wanted: Wanted) -> SharedInvariances:
    """What a run of `shared_plan` says.

    Parameters
    ----------
    folder
        The finished run.
    wanted
        What was asked for.
    """
    names = [model["name"] for model in folder.manifest["plan"]["models"]][:2]
    whole = _Whole(folder, _with_next_runs(folder, names))
    kept: list[Kept] = []
    for is_forward, reference, target in ((True, *names), (False, *names[::-1])):
        if wanted.capabilities:
            kept += whole.kept(reference, target, margin=wanted.margin, is_forward=is_forward)
    likeness = likeness_of(folder, *names) if wanted.representations else None
    return SharedInvariances(tuple(kept), wanted.margin, likeness)


def _next_runs(family: str) -> str:
    """Name under which every run of a family stands beside the one before it."""
    return f"another run of {family}"


def _with_next_runs(folder: RunFolder, families: Sequence[str]) -> pa.Table:
    """Records, and beside each run of a family those of its next run, of the last the first."""
    records = folder.records()
    tables = [records]
    for family in families:
        found = folder.manifest["models"][family]["replicates"]
        runs = [Replicate(one["source"], one["random"], one["condition"]) for one in found]
        for place, run in enumerate(runs):
            following = _run_name(family, runs[(place + 1) % len(runs)])
            mask = pc.and_(
                pc.equal(records["subject"], following),
                pc.equal(records["replicate"], canonical_json(dict(run.random))),
            )
            own = records.filter(mask)
            number = records.schema.get_field_index("subject")
            names = pa.array([_next_runs(family)] * own.num_rows, pa.string())
            tables.append(own.set_column(number, records.schema.field(number), names))
    return pa.concat_tables(tables)


class _Whole:
    """A run with its assignments, and the estimator of its records."""

    def __init__(self, folder: RunFolder, records: pa.Table) -> None:
        own = estimator_of(folder)
        self.estimator = Estimator(
            records, folder.items(), resampling=own.resampling, seed=own.seed
        )
        self.assignments = assignments_of(folder)
        self.claims = {claim["id"]: claim for claim in folder.manifest["claims"]}
        self.subjects = set(pc.unique(records["subject"]).to_pylist())

    def kept(
        self, reference: str, target: str, *, margin: float, is_forward: bool
    ) -> Iterator[Kept]:
        """Every dataset, capability and amount of one direction, corrected for each other."""
        found = [one for one in self.assignments if _is_hard(one, reference, target)]
        if not found:
            return
        claims: list[Claim] = []
        estimated: dict[str, Estimated] = {}
        for one in found:
            claim, needed = self._claim(one, margin=margin, is_forward=is_forward)
            claims.append(claim)
            estimated |= needed
        for one, finding in zip(found, decide(claims, estimated), strict=True):
            yield self._one(one, finding, is_forward=is_forward)

    def _ceiling(self, hard: Assignment) -> tuple[Assignment, Ceiling]:
        """What the target is held against: other runs of the reference, or the reference."""
        assert hard.reference is not None  # that of a measurement of two models
        others = _next_runs(hard.reference)
        if others in self.subjects:
            return replace(hard, subject=others), "another run"
        return replace(hard, subject=hard.reference), "itself"

    def _claim(
        self, hard: Assignment, *, margin: float, is_forward: bool
    ) -> tuple[Claim, dict[str, Estimated]]:
        """Non-inferiority of the target, and the estimates that it rests on."""
        ceiling, how = self._ceiling(hard)
        name = f"{hard.spec.id} against {how}"
        is_paired = self._has_the_same_runs(hard, ceiling)
        found = with_exact_misses(
            self.estimator.contrast(Contrast(name, hard, ceiling, is_paired)),
            self.estimator.joined(hard),
            ceiling=self.estimator.estimate(ceiling).estimate.value,
            margin=margin,
        )
        place, _, label = hard.spec.id.rpartition("/hard/")
        designed = self.claims.get(f"{place}/{label}", {})
        skill = [(str(one), float(least)) for one, least in designed.get("competence", ())]
        known = {one.spec.id: one for one in self.assignments}
        needed = {one: self.estimator.estimate(known[one]) for one, _ in skill if one in known}
        is_itself = how == "itself"
        against = f"{hard.reference} {how}" if is_itself else f"{how} of {hard.reference}"
        claim = Claim(
            id=name,
            says=f"{_change(hard)}: {hard.subject} keeps its answer where {hard.reference} does, "
            f"as often as {against}, less {100 * margin:g} points",
            diagnostic=SCOPE.partition("@")[0],
            components=(Component(name, -margin, against, ">"),),
            family=f"shared invariances, {'forward' if is_forward else 'back'}",
            checks=("items", "seeds"),
            competence=tuple(skill),
            post_hoc=True,
        )
        return claim, {name: found, **needed}

    def _has_the_same_runs(self, one: Assignment, other: Assignment) -> bool:
        names = []
        for side in (one, other):
            panel, joined = self.estimator.joined(side)
            names.append({panel.replicates[i] for i in joined.replicates})
        return names[0] == names[1]

    def _one(self, hard: Assignment, finding: Any, *, is_forward: bool) -> Kept:
        """What is said of one capability and amount."""
        assert hard.reference is not None
        ceiling, how = self._ceiling(hard)
        condition = hard.spec.condition
        further = {
            metric: found
            for metric in _FURTHER
            if (found := self._beside(hard, metric)) is not None
        }
        own = self._beside(replace(hard, subject=hard.reference), "scope_lift@1")
        return Kept(
            capability=str(condition.get("capability", "")),
            amount=str(condition.get("amount", "")),
            reference=hard.reference,
            target=hard.subject,
            dataset=hard.dataset,
            is_forward=is_forward,
            hard=self.estimator.estimate(hard).estimate,
            random=_there(self._beside(hard, _OF_RANDOM)),
            ceiling=self.estimator.estimate(ceiling).estimate,
            how=how,
            further=further if own is None else {**further, "lift of itself": own},
            finding=finding,
        )

    def _beside(self, hard: Assignment, metric: str) -> Estimate | None:
        """Another number of the same texts and models."""
        wanted = dict(hard.spec.condition)
        role = "control" if metric == _OF_RANDOM else "measured"
        for one in self.assignments:
            is_same = (one.measure, one.subject, one.dataset) == (
                hard.measure,
                hard.subject,
                hard.dataset,
            )
            fits = (one.spec.metric, one.spec.role) == (metric, role)
            if is_same and fits and wanted.items() <= one.condition.items():
                return self.estimator.estimate(one).estimate
        return None


def _is_hard(one: Assignment, reference: str, target: str) -> bool:
    """Whether an assignment is Hard-SCoPE of a target beside a reference."""
    return one.spec.metric == _HARD and (one.subject, one.reference) == (target, reference)


def _change(hard: Assignment) -> str:
    """What was changed, in words."""
    condition = hard.spec.condition
    return f"{condition.get('capability')} ({condition.get('amount')})"


def _there(found: Estimate | None) -> Estimate:
    """An estimate that the diagnostic always has."""
    assert found is not None
    return found
