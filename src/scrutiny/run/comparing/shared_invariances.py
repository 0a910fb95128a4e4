"""Shared invariances of two live models: the plan that asks for them, and what its run says.

Each one's changed texts are asked of the other (`invariance.scope@1`), both ways; how alike the
vectors of the last layers are is a measurement beside it.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from scrutiny.core.plan import MeasurePlan, Plan
from scrutiny.diagnostics.invariance.kept_answers import KeptAnswers
from scrutiny.diagnostics.similarity.likeness_chart import likened_in
from scrutiny.diagnostics.similarity.likeness_measures import CLAIMED
from scrutiny.run.comparing.comparison_results import SharedInvariances, Wanted
from scrutiny.store.run_folder import RunFolder

SCOPE: Final = "invariance.scope@1"
REPRESENTATIONS: Final = "similarity.representations@1"
#: Identifiers of the measurements: what the second keeps of the first, and the other way round.
DIRECTIONS: Final = ("kept of the first", "kept of the second")
LAST_LAYERS: Final = "representations"
#: As modest as what the audit asks, and one text of an item: items are what intervals go by.
_PARAMS: Final[Mapping[str, Any]] = {"trials": 1, "candidates": 10, "cutoffs": []}


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
