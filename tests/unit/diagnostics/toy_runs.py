"""Diagnostics on toy models, through the run."""

from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.resolve import resolve


def resolve_only(
    model, rows, *, diagnostic="robustness", task="", source="object:x", draws=400, params=None
):
    """Plan of one diagnostic on a model object, looked up."""
    plan = Plan(
        data=(DataPlan("x", source, task),),
        models=(ModelPlan("m", "python:object:Toy"),),
        measure=(MeasurePlan("d", diagnostic, ("m",), ("x",), params or {}),),
        resampling=Resampling(draws=draws),
    )
    return resolve(plan, data={"x": rows}, models={"m": model})


def run(diagnostic, model, rows, out, *, task="", source="object:x", **params):
    """Finished run of one diagnostic on a model object."""
    made = resolve_only(model, rows, diagnostic=diagnostic, task=task, source=source, params=params)
    return run_plan(made, out, models={"m": model})


def estimate(folder, metric, *, role="measured", group="all", **condition):
    """The one estimate of this identity."""
    found = [
        e
        for e in folder.estimates()
        if e.key.metric == f"{metric}@1"
        and (e.key.role, e.key.group) == (role, group)
        and condition.items() <= dict(e.key.condition).items()
    ]
    assert len(found) == 1, [e.key for e in found]
    return found[0]
