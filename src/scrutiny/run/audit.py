"""The audit: everything that applies to a model and its data, at modest budgets."""

from collections.abc import Sequence
from typing import Any

from scrutiny.core.canonical import plain
from scrutiny.core.model import LoadOptions
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.core.registry import registry
from scrutiny.core.task import Task
from scrutiny.data.dataset import load_dataset
from scrutiny.data.tasks.names import load_task
from scrutiny.models.family import expand
from scrutiny.models.load import load_model
from scrutiny.run.resolve import applies, capabilities_of

#: The front page needs p-values below .05 / 2 / 40: at least 2,000 draws.
AUDIT_DRAWS = 4_000
#: Skill and leakage are what the other rows presuppose, so they stand first.
_FIRST = ("performance", "leakage")


def audit_plan(
    models: Sequence[ModelPlan],
    data: Sequence[DataPlan],
    *,
    seed: int = 0,
    options: LoadOptions | None = None,
    only: Sequence[str] = (),
) -> Plan:
    """Plan of every diagnostic that applies.

    Parameters
    ----------
    models, data
        What is audited; one model is loaded to see what it can be asked.
    seed
        Of the run.
    options
        How models are loaded.
    only
        Names of diagnostics, where not all are wanted.
    """
    measures = []
    for name in ordered(registry().names("diagnostic")):
        if only and name not in only and name.partition("@")[0] not in only:
            continue
        diagnostic = registry().load("diagnostic", name)()
        fitting = [
            (m.name, d.name)
            for m in models
            for d in data
            if applies(diagnostic, *_declared(m, d, options or LoadOptions()))
        ]
        if fitting:
            measures.append(_measure(name, diagnostic, fitting, data[0]))
    return Plan(
        seed=seed,
        data=tuple(data),
        models=tuple(models),
        measure=tuple(measures),
        resampling=Resampling(draws=AUDIT_DRAWS),
    )


def ordered(names: Sequence[str]) -> list[str]:
    """Names of diagnostics in the order of the page."""
    rank = {name: place for place, name in enumerate(_FIRST)}
    return sorted(names, key=lambda name: (rank.get(name.partition("@")[0], len(rank)), name))


def _measure(
    name: str, diagnostic: Any, fitting: Sequence[tuple[str, str]], data: DataPlan
) -> MeasurePlan:
    modest = getattr(diagnostic, "audit_params", None)
    params = {} if modest is None else plain(modest(_task_of(data)))
    return MeasurePlan(
        id=name.partition("@")[0],
        diagnostic=name,
        models=tuple(dict.fromkeys(model for model, _ in fitting)),
        data=tuple(dict.fromkeys(dataset for _, dataset in fitting)),
        params=params,
        is_audit=True,
    )


def _task_of(data: DataPlan) -> Task:
    if data.task:
        return load_task(data.task)
    return load_task(load_dataset(data.source, limit=1).task)


def _declared(
    model: ModelPlan, data: DataPlan, options: LoadOptions
) -> tuple[Task, frozenset[str]]:
    """Task of the data, and the capabilities of the model on it."""
    task = _task_of(data)
    family = expand(model.source, random=model.random, name=model.name, seeds=model.seeds)
    return task, capabilities_of(load_model(family.replicates[0].source, task, options))
