"""Sides of ``scrutiny compare`` that are models: both on data, or one as a run was asked."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from scrutiny.cli.output import prints_on_stderr
from scrutiny.cli.plans import models_from_flags, plan_from_flags, plan_from_run
from scrutiny.cli.progress import Together
from scrutiny.cli.request import Request, run_request
from scrutiny.cli.stored_sides import OpenedSides, kind_of
from scrutiny.core.errors import DataError, PlanError
from scrutiny.core.plan import MeasurePlan, Plan
from scrutiny.core.registry import registry
from scrutiny.diagnostics.similarity.side_by_side.sides_answers import (
    promised_noise,
    sides_of_models,
)
from scrutiny.run.comparing.comparison_results import Wanted
from scrutiny.run.comparing.shared_invariances import read_shared, shared_plan
from scrutiny.run.driver import run_plan
from scrutiny.run.importing.import_logs import tool_of
from scrutiny.run.planning.resolve import resolve
from scrutiny.store.run_folder import RunFolder

#: Items of a dataset about which a live model is asked again.
MOST_ASKED: Final = 200


def asked_sides(
    texts: list[str], flags: Mapping[str, Any], wanted: Wanted, out: Path
) -> OpenedSides:
    """Models measured now: both on data, or one in the same way as a run."""
    names = []
    for name in flags["measures"]:
        if registry().load("diagnostic", name).wants_reference:
            raise PlanError(
                f"--measure {name} measures a model beside a second one, and here each side is "
                "measured by itself. Leave it out: kappa, error consistency, CAPA and divergences "
                "of both sides are told anyway, --invariances and --representations ask for the "
                "rest; or measure both in one run: "
                f"scrutiny run {name} --model B --reference A --data STRING."
            )
        names.append(registry().resolve("diagnostic", name))
    known = [None if kind_of(text) == "model" else _run_beside(text, texts) for text in texts]
    beside = known[0] or known[1]
    request = Request.of(flags)
    plans = {
        k: _plan_of(text, {**flags, "among": texts}, beside, names)
        for k, text in enumerate(texts)
        if known[k] is None
    }
    # first, so that what cannot be asked is said before anything is
    shared = None
    if wanted.is_any:  # a run of both models, with each as the other's reference
        both = shared_plan(replace(plans[0], models=models_from_flags(texts, among=texts)), wanted)
        shared = read_shared(_measured(both, flags, "shared", request))
    asking = _together(list(plans.values()), request)
    try:
        first, second = (
            known[k] or _measured(plans[k], flags, name, asking, beside)
            for k, name in enumerate(("first", "second"))
        )
    finally:
        request.running.progress.stop()
    if flags["again"] is not None:
        return OpenedSides(first, second, RunFolder.open(flags["again"]), shared=shared)
    asked_again = _asked_again(plans[0], first, request, out) if 0 in plans else None
    return OpenedSides(first, second, None, asked_again, promised_noise(first), shared)


def _together(plans: Sequence[Plan], request: Request) -> Request:
    """Request whose display shows two models as one block; of a single one as it is."""
    if len(plans) < 2:
        return request
    wholes = [resolve(plan, opened=request.opened) for plan in plans]
    texts = [[*map(whole.texts, whole.shards("measure"))] for whole in wholes]
    display = Together(request.running.progress, [(len(own), sum(own)) for own in texts])
    return replace(request, running=replace(request.running, progress=display))


def _asked_again(plan: Plan, first: RunFolder, request: Request, out: Path) -> RunFolder | None:
    """Second run of a model on its items in the reverse order: in other batches, without a cache.

    Nothing where nothing would be learned: of several replicates, of answers that are exact in any
    batch, or stored; of data without a gold answer.
    """
    model = plan.models[0].name
    if first.is_exact or len(first.manifest["models"][model]["replicates"]) > 1:
        return None
    data = [d for d in plan.data if sides_of_models(((first, model),) * 2, [d.name]) is not None]
    if not data:
        return None
    measure = (MeasurePlan("again", "performance", (model,), tuple(d.name for d in data)),)
    own = Plan(plan.seed, tuple(data), plan.models, measure=measure, on_bad_row=plan.on_bad_row)
    resolved = resolve(own, opened=request.opened)
    if any(one.is_stored for one in resolved.pairings.values()):
        return None
    again, turned = resolved.measurements["again"], {}
    for name, examples in again.examples.items():
        turned[name] = tuple(e for e in examples if e.gold is not None)[:MOST_ASKED][::-1]
    resolved = replace(resolved, measurements={"again": replace(again, examples=turned)})
    most = max(len(again.examples[d.name]) for d in data)
    request.running.progress.note(
        f"The first is asked again, about at most {min(most, MOST_ASKED)} items of each dataset, "
        "for the noise floor."
    )
    with prints_on_stderr():
        running = replace(request.running, cache=None)
        return run_plan(resolved, out, options=running, crew=request.crew)


def _run_beside(text: str, texts: list[str]) -> RunFolder:
    """Run folder that stands beside a live model.

    Raises
    ------
    PlanError
        If it is a log, whose questions cannot be asked again, or nothing at all.
    """
    model = next(one for one in texts if one != text)
    if kind_of(text) == "log" and tool_of(text) != "table":
        raise PlanError(
            f"{model!r} is a model and {text!r} is a log of another tool, whose questions cannot "
            "be asked again: evaluate the model with that tool, too, and give two logs; or give "
            "two models with --data. Beside a run folder a model is asked what the run asked."
        )
    if not Path(text).is_dir():
        raise PlanError(
            f"{model!r} is a model and {text!r} is none: give two models with --data, two runs, "
            "two logs, or two tables of scores."
        )
    return RunFolder.open(text)


def _plan_of(
    text: str, flags: Mapping[str, Any], beside: RunFolder | None, names: Collection[str]
) -> Plan:
    """Plan of everything that is measured for one model, as in the other side's run.

    Raises
    ------
    PlanError
        If two models come without data.
    """
    if beside is not None:
        return plan_from_run(beside, models_from_flags([text])[0], flags, only=names)
    if not flags["data"]:
        raise PlanError(
            "Two models are compared on data: add --data builtin:reviews, or --data "
            '"csv:dev.csv#text=sentence,label=label".'
        )
    several = [
        plan_from_flags({**flags, "what": what, "models": (text,), "params": (), "where": ()})
        for what in flags["measures"] or ("performance",)
    ]
    return replace(several[0], measure=tuple(m for plan in several for m in plan.measure))


def _measured(
    plan: Plan,
    flags: Mapping[str, Any],
    name: str,
    request: Request,
    beside: RunFolder | None = None,
) -> RunFolder:
    """Finished run of a plan, in a subfolder of the command's folder.

    Raises
    ------
    PlanError
        If the data of a run that stands beside it does not read as it did.
    """
    out = None if flags["out"] is None else Path(flags["out"]) / name
    try:
        return run_request(plan, {**flags, "out": out}, request, name=f"compare-{name}")
    except DataError as error:
        if beside is None:
            raise
        raise PlanError(
            f"The data of {beside.path} does not read as it did: {error} If it has moved, say "
            "where it lies now with --data."
        ) from error
