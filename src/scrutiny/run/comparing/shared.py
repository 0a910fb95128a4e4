"""Shared invariances of two live models: the plan of both, and its result.

Each one's changed texts are asked of the other (`invariance.scope@1`), both ways; how alike the
vectors of the last layers are is a measurement beside it.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from scrutiny.core.claim import Finding
from scrutiny.core.plan import MeasurePlan, Plan
from scrutiny.diagnostics.invariance.parts import KeptAnswers
from scrutiny.diagnostics.similarity.parts.likeness import Likened, likened_in
from scrutiny.diagnostics.similarity.representations_params import CLAIMED
from scrutiny.store.run_folder import RunFolder

SCOPE: Final = "invariance.scope@1"
REPRESENTATIONS: Final = "similarity.representations@1"
#: Default tolerance of a loss of shared invariances, in points.
MARGIN: Final = 0.02
#: Identifiers of the measurements: what the second keeps of the first, and the other way round.
DIRECTIONS: Final = ("kept of the first", "kept of the second")
LAST_LAYERS: Final = "representations"
#: As modest as what the audit asks, and one text of an item: items are what intervals go by.
_PARAMS: Final[Mapping[str, Any]] = {"trials": 1, "candidates": 10, "cutoffs": []}
Outcome = Literal["no regression", "regression", "undecided"]
#: From the worst on.
WORST: Final[tuple[Outcome, ...]] = ("regression", "undecided", "no regression")
_OUTCOMES: Final[Mapping[str, Outcome]] = {
    "supported": "no regression",
    "not supported": "regression",
}


def worst_of(outcomes: Collection[Outcome | None]) -> Outcome | None:
    """Worst outcome of comparing two models in several ways; ``None`` if there are none."""
    return next((outcome for outcome in WORST if outcome in outcomes), None)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Requested measurements of two live models beyond their answers.

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
        """Whether any is requested."""
        return bool(self.capabilities) or self.representations


@dataclass(frozen=True, slots=True)
class SharedInvariances:
    """Shared invariances of two models, both ways, and similarity of their representations.

    Parameters
    ----------
    first
        Name of the first model. What the second keeps of it is judged. What the first keeps of the
        second is told and not judged: a second model that is more robust has invariances that the
        first never had.
    kept
        Each capability: first the direction that is judged, then the other.
    likened, findings
        Measures of how alike their vectors are, and what is claimed of them.
    """

    first: str
    kept: tuple[KeptAnswers, ...]
    likened: tuple[Likened, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def judged(self) -> tuple[KeptAnswers, ...]:
        """Results on what the second model keeps of the first."""
        return tuple(one for one in self.kept if one.reference == self.first)

    @property
    def outcome(self) -> Outcome | None:
        """Worst outcome of the judged results; ``None`` if there are none."""
        return worst_of(set(map(self.outcome_of, self.judged)))

    @staticmethod
    def outcome_of(one: KeptAnswers) -> Outcome:
        """Whether an invariance is lost, as an outcome."""
        return _OUTCOMES.get(one.finding.verdict, "undecided")


def shared_plan(plan: Plan, wanted: Wanted) -> Plan:
    """Plan that measures two models against each other, on another plan's data.

    Parameters
    ----------
    plan
        Its data, seed, resampling and two models: the first one is the reference of the contract.
    wanted
        What is measured.
    """
    data, models = (tuple(one.name for one in several) for several in (plan.data, plan.models))
    lost = {"margin": wanted.margin, "loss": wanted.margin}
    scope = {**_PARAMS, **lost, "capabilities": list(wanted.capabilities)}
    measures = [
        MeasurePlan(name, SCOPE, both, data, scope, reference=both[0])
        for name, both in zip(DIRECTIONS, (models, models[::-1]), strict=True)
        if wanted.capabilities
    ]
    if wanted.representations:
        params = {"layers": "last", "measures": list(CLAIMED)}
        measures.append(
            MeasurePlan(LAST_LAYERS, REPRESENTATIONS, models, data, params, reference=models[0])
        )
    return replace(plan, measure=tuple(measures))


def read_shared(folder: RunFolder) -> SharedInvariances:
    """Result of a run of `shared_plan`."""
    estimates, findings = folder.estimates(), folder.findings()
    return SharedInvariances(
        first=folder.manifest["plan"]["models"][0]["name"],
        kept=tuple(KeptAnswers.of_run(estimates, findings)),
        likened=tuple(likened_in(estimates)),
        findings=tuple(f for f in findings if f.claim.id.startswith(f"{LAST_LAYERS}/")),
    )
