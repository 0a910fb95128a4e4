"""Rerun for another model: the plan of a finished run, with the model replaced."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from scrutiny.core.errors import PlanError
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.core.registry import registry
from scrutiny.data.source import handed_over
from scrutiny.store.portable import located
from scrutiny.store.run_folder import RunFolder

_INSTEAD: Final = "name what is measured on which data instead (--data)."


def plan_of_run(
    folder: RunFolder,
    model: ModelPlan,
    *,
    data: Sequence[DataPlan] = (),
    only: Collection[str] = (),
) -> Plan:
    """Plan of a finished run for another model: same data, diagnostics, seed and draws.

    Parameters
    ----------
    folder
        The run.
    model
        The other model.
    data
        Where the run's data lies now, in its order; else where the run read it.
    only
        Versioned names of diagnostics that are wanted; all of the run's that look at one model,
        by default.

    Raises
    ------
    PlanError
        If it cannot be asked again: a log of another tool, a run of several models, data that was
        handed over as an object.
    """
    manifest, name = folder.manifest, str(folder.path)
    if "imported" in manifest:
        raise PlanError(
            f"{name} is a log of another tool, and {model.source!r} is a model: what a log asked "
            f"cannot be asked again. Evaluate the model with that tool, too, or {_INSTEAD}"
        )
    kept = manifest["plan"]
    own = _own_model(kept["models"], name)
    measures = tuple(
        MeasurePlan(**{**as_tuples(one), "models": (model.name,)})
        for one in kept["measure"]
        if own in one["models"] and not one["reference"]
        if not only or registry().resolve("diagnostic", one["diagnostic"]) in only
    )
    if not measures:
        wanted = f" by {', '.join(sorted(only))}" if only else ""
        raise PlanError(
            f"{name} has nothing{wanted} that looks at one model: measure performance of both, or "
            f"{_INSTEAD}"
        )
    return Plan(
        seed=kept["seed"],
        data=_data(folder, {one for measure in measures for one in measure.data}, given=data),
        models=(model,),
        measure=measures,
        resampling=Resampling(**kept["resampling"]),
        on_bad_row=kept["on_bad_row"],
    )


def as_tuples(kept: Mapping[str, Any]) -> dict[str, Any]:
    """Part of a plan as a manifest keeps it, with tuples again."""
    return {k: tuple(v) if isinstance(v, list) else v for k, v in kept.items()}


def _own_model(models: Sequence[Mapping[str, Any]], name: str) -> str:
    """Name of the one model that a run measured, controls aside."""
    measured = [str(one["name"]) for one in models if one["role"] == "measured"]
    if len(measured) == 1:
        return measured[0]
    raise PlanError(
        f"{name} measured {len(measured)} models ({', '.join(measured[:4])}), so it does not say "
        f"which one is meant: add the other model to its plan and run that, or {_INSTEAD}"
    )


def _data(
    folder: RunFolder, wanted: Collection[str], *, given: Sequence[DataPlan]
) -> tuple[DataPlan, ...]:
    """Data of the run with these names, from their current location."""
    found = [DataPlan(**one) for one in folder.manifest["plan"]["data"] if one["name"] in wanted]
    if given and len(given) != len(found):
        raise PlanError(
            f"{folder.path} measured on {len(found)} datasets "
            f"({', '.join(d.name for d in found)}), and --data names {len(given)}: name as many, "
            "in this order, or none."
        )
    if given:
        return tuple(
            replace(one, source=own.source, task=own.task or one.task)
            for one, own in zip(found, given, strict=True)
        )
    lost = next((one for one in found if handed_over(one.source)), None)
    if lost is not None:
        raise PlanError(
            f"{folder.path} was given {lost.name!r} as an object in Python, which cannot be read "
            f"again: say where it lies with --data, or {_INSTEAD}"
        )
    return tuple(replace(one, source=located(one.source, folder.path)) for one in found)
