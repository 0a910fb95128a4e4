"""How alike the vectors of two live models are: the measurement, and what is read from its run."""

from collections.abc import Iterator, Sequence
from typing import Final

from scrutiny.core.estimate import Estimate
from scrutiny.core.plan import MeasurePlan, ModelPlan
from scrutiny.run.comparing.kept import Likened, VectorLikeness
from scrutiny.store.run_folder import RunFolder

REPRESENTATIONS: Final = "similarity.representations@1"
#: Identifier of the measurement.
LAST_LAYERS: Final = "representations"
#: One of kernels, one of distances, one of neighbors: what a claim rests on.
_MEASURES: Final = {
    f"likeness({name})@1": name for name in ("debiased_cka", "rsa", "neighbor_jaccard")
}


def vectors_measure(first: ModelPlan, second: ModelPlan, data: Sequence[str]) -> MeasurePlan:
    """Measurement of the last layers of the second model beside those of the first."""
    return MeasurePlan(
        LAST_LAYERS,
        REPRESENTATIONS,
        (first.name, second.name),
        tuple(data),
        {"layers": "last", "measures": list(_MEASURES.values())},
        reference=first.name,
    )


def likeness_of(folder: RunFolder, first: str, second: str) -> VectorLikeness:
    """What a run with `vectors_measure` says of both models' vectors.

    Parameters
    ----------
    folder
        The finished run.
    first, second
        Names of the models in its plan.
    """
    findings = tuple(f for f in folder.findings() if f.claim.id.startswith(f"{LAST_LAYERS}/"))
    found = [e for e in folder.estimates() if e.key.diagnostic.startswith(REPRESENTATIONS)]
    return VectorLikeness(tuple(_rows(found, first, second)), findings)


def _rows(found: Sequence[Estimate], first: str, second: str) -> Iterator[Likened]:
    """A row for each dataset, measure and pooling."""
    alike = [e for e in found if e.key.reference == first]
    for one in alike:
        key = one.key
        measure = _MEASURES.get(key.metric)
        if measure is None or (key.subject, key.role) != (second, "measured"):
            continue
        same = [
            e
            for e in alike
            if (e.key.metric, e.key.dataset) == (key.metric, key.dataset)
            and e.key.condition == key.condition
        ]
        yield Likened(
            measure=measure,
            pooling=str(key.condition.get("pooling", "")),
            dataset=key.dataset,
            value=one,
            own=next((e for e in same if e.key.subject == first), None),
            untrained=next((e for e in same if _is_null_of(e, second)), None),
        )


def _is_null_of(found: Estimate, model: str) -> bool:
    """Whether an estimate is of the untrained networks of a model."""
    return found.key.role == "null" and found.key.subject.startswith(f"{model} ")
