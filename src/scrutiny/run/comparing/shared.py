"""What two live models share beyond their answers: the plan, and what is read from its run.

The first model's changed texts are asked of the second, of the first again and, where the first
has several runs, of its other runs: what another run of the same recipe shares is all that can be
expected. The claim is non-inferiority in Hard-SCoPE, on the same texts and items. It is asked both
ways; how alike the vectors of the last layers are is a measurement beside it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from scrutiny.core.claim import Claim, Component, Finding
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.model import Replicate
from scrutiny.core.plan import MeasurePlan, ModelPlan, Plan
from scrutiny.diagnostics.similarity.representations_params import CLAIMED
from scrutiny.models.named.family import expand
from scrutiny.reliability.claims import decide
from scrutiny.reliability.estimate import Estimated
from scrutiny.run.comparing.kept import Ceiling, Kept, Likened, SharedInvariances, VectorLikeness
from scrutiny.run.comparing.misses import with_exact_misses
from scrutiny.run.estimating.estimates import Estimator
from scrutiny.run.estimating.judging import assignments_of, estimator_of
from scrutiny.run.planning.assignment import Assignment, Contrast
from scrutiny.store.run_folder import RunFolder

SCOPE: Final = "invariance.scope@1"
REPRESENTATIONS: Final = "similarity.representations@1"
#: Points that a loss of shared invariances must exceed to matter, unless told.
MARGIN: Final = 0.02
#: Identifiers of the measurements: what the second keeps of the first, and the other way round.
DIRECTIONS: Final = ("kept of the first", "kept of the second")
LAST_LAYERS: Final = "representations"
_HARD, _LIFT, _OF_RANDOM = "hard_scope@1", "scope_lift@1", "kept_by(target)@1"
_FURTHER: Final = (_LIFT, "kappa_inv@1", "soft_scope@1", "pairs_found@1")
#: As modest as what the audit asks, and one text of an item: items are what intervals go by.
_PARAMS: Final[Mapping[str, Any]] = {"trials": 1, "candidates": 10, "cutoffs": []}
_LIKENESSES: Final = {f"likeness({name})@1": name for name in CLAIMED}


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
    scope = {**_PARAMS, "capabilities": list(wanted.capabilities), "margin": wanted.margin}
    runs: tuple[ModelPlan, ...] = ()
    measures = []
    for name, (own, other) in zip(DIRECTIONS, ((first, second), (second, first)), strict=True):
        if wanted.capabilities:
            singles = single_runs(own)
            models = (own.name, other.name, *(one.name for one in singles))
            measures.append(MeasurePlan(name, SCOPE, models, data, scope, reference=own.name))
            runs += singles
    if wanted.representations:
        params = {"layers": "last", "measures": list(_LIKENESSES.values())}
        both = (first.name, second.name)
        measures.append(
            MeasurePlan(LAST_LAYERS, REPRESENTATIONS, both, data, params, reference=first.name)
        )
    return replace(plan, models=(first, second, *runs), measure=tuple(measures))


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


def _next_runs(family: str) -> str:
    """Name under which every run of a family stands beside the one before it."""
    return f"another run of {family}"


def read_shared(folder: RunFolder, wanted: Wanted) -> SharedInvariances:
    """What a run of `shared_plan` says.

    Parameters
    ----------
    folder
        The finished run.
    wanted
        What was asked for.
    """
    first, second = (model["name"] for model in folder.manifest["plan"]["models"][:2])
    shared = _Shared(folder, (first, second), wanted.margin)
    kept = *shared.kept(first, second, "forward"), *shared.kept(second, first, "back")
    likeness = shared.likeness(first, second) if wanted.representations else None
    return SharedInvariances(kept, wanted.margin, likeness)


def _with_next_runs(folder: RunFolder, families: Sequence[str]) -> pa.Table:
    """Records, and beside each run of a family those of its next run, of the last the first."""
    records, names = folder.records(), {}
    for family in families:
        found = folder.manifest["models"][family]["replicates"]
        runs = [Replicate(one["source"], one["random"], one["condition"]) for one in found]
        for run, following in zip(runs, [*runs[1:], runs[0]], strict=True):
            names[_run_name(family, following), run.key] = _next_runs(family)
    pairs = zip(records["subject"].to_pylist(), records["replicate"].to_pylist(), strict=True)
    column = pa.array([names.get(pair) for pair in pairs], pa.string())
    place = records.schema.get_field_index("subject")
    own = records.set_column(place, records.schema.field(place), column)
    return pa.concat_tables([records, own.filter(column.is_valid())])


class _Shared:
    """A run of two models beside each other, with its numbers and the estimator of its records."""

    def __init__(self, folder: RunFolder, models: Sequence[str], margin: float) -> None:
        own, records = estimator_of(folder), _with_next_runs(folder, models)
        self.estimator = Estimator(
            records, folder.items(), resampling=own.resampling, seed=own.seed
        )
        self.assignments = {one.spec.id: one for one in assignments_of(folder)}
        self.estimates, self.findings = folder.estimates(), folder.findings()
        self.subjects = set(pc.unique(records["subject"]).to_pylist())
        self.margin = margin

    def kept(self, reference: str, target: str, way: str) -> list[Kept]:
        """Every dataset, capability and amount of one direction, corrected for each other."""
        found = [
            one
            for one in self.assignments.values()
            if (one.spec.metric, one.subject, one.reference) == (_HARD, target, reference)
        ]
        claims: list[Claim] = []
        estimated: dict[str, Estimated] = {}
        for one in found:
            claim, needed = self._claim(one, reference, way)
            claims.append(claim)
            estimated |= needed
        return [
            self._kept(one, reference, finding)
            for one, finding in zip(found, decide(claims, estimated), strict=True)
        ]

    def _ceiling(self, hard: Assignment, reference: str) -> tuple[Assignment, Ceiling]:
        """What the target is held against: other runs of the reference, or the reference."""
        if _next_runs(reference) in self.subjects:
            return replace(hard, subject=_next_runs(reference)), "another run"
        return replace(hard, subject=reference), "itself"

    def _claim(
        self, hard: Assignment, reference: str, way: str
    ) -> tuple[Claim, dict[str, Estimated]]:
        """Non-inferiority of the target, and the estimates that it rests on."""
        ceiling, how = self._ceiling(hard, reference)
        sides = [self.estimator.joined(side) for side in (hard, ceiling)]
        ours, theirs = ({panel.replicates[i] for i in side.replicates} for panel, side in sides)
        name = f"{hard.spec.id} against {how}"
        lost = with_exact_misses(
            self.estimator.contrast(Contrast(name, hard, ceiling, ours == theirs)),
            sides[0],
            ceiling=self.estimator.estimate(ceiling).estimate.value,
            margin=self.margin,
        )
        designed = hard.spec.id.replace("/hard/", "/")  # that it is more than random changes keep
        skill = next(f.claim.competence for f in self.findings if f.claim.id == designed)
        against = f"{reference} itself" if how == "itself" else f"{how} of {reference}"
        condition, margin = hard.spec.condition, self.margin
        claim = Claim(
            id=name,
            says=f"{condition['capability']} ({condition['amount']}): {hard.subject} keeps its "
            f"answer where {reference} does, as often as {against}, less {100 * margin:g} points",
            diagnostic=SCOPE.partition("@")[0],
            components=(Component(name, -margin, against, ">"),),
            family=f"shared invariances, {way}",
            checks=("items", "seeds"),
            competence=skill,
            post_hoc=True,
        )
        needed = {one: self.estimator.estimate(self.assignments[one]) for one, _ in skill}
        return claim, {name: lost, **needed}

    def _kept(self, hard: Assignment, reference: str, finding: Finding) -> Kept:
        """What is said of one capability and amount."""
        ceiling, how = self._ceiling(hard, reference)
        further = {metric: self._beside(hard.key, metric=metric) for metric in _FURTHER}
        further["lift of itself"] = self._beside(hard.key, metric=_LIFT, subject=reference)
        random = self._beside(hard.key, metric=_OF_RANDOM, role="control")
        assert random is not None  # the diagnostic always has it
        return Kept(
            capability=str(hard.spec.condition["capability"]),
            amount=str(hard.spec.condition["amount"]),
            reference=reference,
            target=hard.subject,
            dataset=hard.dataset,
            is_forward=finding.claim.family.endswith("forward"),
            hard=self.estimator.estimate(hard).estimate,
            random=random,
            ceiling=self.estimator.estimate(ceiling).estimate,
            how=how,
            further={name: one for name, one in further.items() if one is not None},
            finding=finding,
        )

    def _beside(self, key: EstimateKey, **other: Any) -> Estimate | None:
        """The first number of the run that is of the same but for what is said otherwise."""
        wanted = replace(key, **other)
        return next((one for one in self.estimates if _is_of(one.key, wanted)), None)

    def likeness(self, first: str, second: str) -> VectorLikeness:
        """How alike the vectors of both models' last layers are, and what is claimed of it."""
        nulls = (e.key.subject for e in self.estimates if e.key.role == "null")
        untrained = next((name for name in nulls if name.startswith(f"{second} ")), "")
        rows = [
            Likened(
                measure=_LIKENESSES[key.metric],
                pooling=str(key.condition.get("pooling", "")),
                dataset=key.dataset,
                value=one,
                own=self._beside(key, subject=first),
                untrained=self._beside(key, subject=untrained, role="null"),
            )
            for one in self.estimates
            if (key := one.key).metric in _LIKENESSES
            and (key.subject, key.reference, key.role) == (second, first, "measured")
        ]
        claimed = [f for f in self.findings if f.claim.id.startswith(f"{LAST_LAYERS}/")]
        return VectorLikeness(tuple(rows), tuple(claimed))


def _is_of(key: EstimateKey, wanted: EstimateKey) -> bool:
    """Whether a number is what is wanted, under its condition or a narrower one."""
    same = replace(key, condition=wanted.condition) == wanted
    return same and wanted.condition.items() <= key.condition.items()
