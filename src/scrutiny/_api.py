"""Public functions: ``run``, ``audit``, ``load``, ``list``, ``show``.

What runs a plan is imported when a plan is run, so that the package is there at once.
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from scrutiny._given import (
    DATA,
    MODEL,
    REFERENCE,
    data_given,
    model_source,
    models_given,
    must_be_model,
    must_stand_alone,
    objects_given,
    plan_given,
    run_options,
    with_functions_named,
)
from scrutiny.core import errors
from scrutiny.core.boundary.given import must_be_declared, path_given, plain_given, text_given
from scrutiny.core.plan import MeasurePlan, ModelPlan, Plan
from scrutiny.core.plugin_base import at_length
from scrutiny.core.registry import KINDS, registry

if TYPE_CHECKING:
    from scrutiny._results import Run
    from scrutiny.core.long_runs import Progress
    from scrutiny.run.driver import RunOptions
    from scrutiny.run.executing.executor import Executor
    from scrutiny.run.planning.loading import Opened

__all__ = ["Plan", "audit", "errors", "list", "load", "run", "show"]


def run(  # noqa: PLR0913 - a notebook shows the names of all that can be asked
    what: "str | Path | Plan | Mapping[str, Any]",
    model: Any = None,
    data: Any = None,
    *,
    reference: Any = None,
    task: str = "",
    columns: "Mapping[str, str | Sequence[str]] | None" = None,
    labels: "Mapping[Any, Any] | None" = None,
    where: str | Sequence[str] = (),
    out: str | Path | None = None,
    seed: int | None = None,
    workers: int = 1,
    progress: "bool | Progress | None" = None,
    cache: str | Path | None = None,
    **params: Any,
) -> "Run":
    """Run a plan, or one diagnostic on a model and data; returns the finished run.

    Parameters
    ----------
    what
        A plan, its file, its plain values, or the name of a diagnostic. A plan has its own models,
        data and parameters, so only ``where`` and what follows it go with one.
    model
        A model string, or an object: a callable, or anything with ``predict_proba``.
    data
        A data string, or an object: a data frame, a ``datasets.Dataset``, a list of dicts.
    reference
        Second model, for diagnostics that compare two: a model string or an object. It is measured,
        too.
    task
        Name of the task, if the columns do not identify it.
    columns
        Columns of the data by their role (``{"text": "review", "group": ["genre", "year"]}``), if
        their names do not say it; any option of a data string (``{"language": "de"}``).
    labels
        The model's name of each label of the data (``{"neg": "0", "pos": "1"}``), if they differ.
    where
        One or several slices ("length > 20", "negated") on which the main numbers are also
        computed.
    out
        Run folder. Default: a temporary folder.
    seed
        Seed of all randomness. Default: the plan's, else 0.
    workers
        Number of processes that ask models. Results are the same for any number.
    progress
        Whether to show progress; by default in notebooks and terminals. A `Progress` shows it in
        its own way.
    cache
        File of answers that are kept for later calls, so that a model is not asked twice.
    **params
        Parameters of the diagnostic; a function from text to text is one of its
        ``transformations`` (``[str.upper, {"shout": lambda text: text + "!"}]``).

    Raises
    ------
    scrutiny.errors.ScrutinyError
        With what is wrong, where, what is allowed and how to fix it.

    Examples
    --------
    >>> found = run("performance", model="builtin:sentiment", data="builtin:reviews")
    >>> found.estimate("accuracy").counts.planned
    640
    """
    if not isinstance(what, str) or Path(what).suffix in {".toml", ".json"}:
        plan = plan_given(what)
        beside = {"model": model, "data": data, "reference": reference, "task": task or None}
        must_stand_alone({**beside, "columns": columns, "labels": labels, **params})
        plan = plan if seed is None else replace(plan, seed=plain_given(seed))
        options = run_options(workers, progress, cache)
        with _opened(options, {}, {}) as (crew, opened):
            return _finish(plan, out, options, crew, opened, where)
    name = registry().resolve("diagnostic", what)
    if model is None or data is None:
        raise errors.PlanError("Give both model= and data=: strings or objects.")
    models, dataset = models_given(model), data_given(data, task, columns, labels)
    options = run_options(workers, progress, cache)
    params = with_functions_named(plain_given(params), options)
    given = objects_given(MODEL, model)
    if reference is not None:
        must_be_model(reference, "reference")
        models = (ModelPlan(REFERENCE, model_source(reference)), *models)
        given |= objects_given(REFERENCE, reference)
    measure = MeasurePlan(
        name.partition("@")[0],
        name,
        tuple(m.name for m in models),
        (DATA,),
        params,
        reference="" if reference is None else REFERENCE,
    )
    chosen = 0 if seed is None else plain_given(seed)
    plan = Plan(seed=chosen, data=(dataset,), models=models, measure=(measure,))
    with _opened(options, given, objects_given(DATA, data)) as (crew, opened):
        return _finish(plan, out, options, crew, opened, where)


def audit(  # noqa: PLR0913 - a notebook shows the names of all that can be asked
    model: Any,
    data: Any = None,
    *,
    task: str = "",
    columns: "Mapping[str, str | Sequence[str]] | None" = None,
    labels: "Mapping[Any, Any] | None" = None,
    limit: int | str | None = None,
    where: str | Sequence[str] = (),
    only: str | Sequence[str] = (),
    profile: str = "",
    budget: str | float | None = None,
    out: str | Path | None = None,
    seed: int = 0,
    workers: int = 1,
    progress: "bool | Progress | None" = None,
    cache: str | Path | None = None,
) -> "Run":
    """Audit a model: run all diagnostics of a profile that apply to it and its data.

    Parameters
    ----------
    model, data
        Strings or objects, as in `run`. Without data, a language model is asked about stereotypes
        and associations, on English sentences that ship with scrutiny.
    task, columns, labels, where
        As in `run`.
    limit
        Number of items, or a range of them ("100:200").
    only
        Names of the diagnostics to run, whatever the profile, one or several.
    profile
        "ship" (the usual): the diagnostics that decide about shipping a model; "study": every
        diagnostic that applies; "language" (without data). With a version ("ship@1"), its changes
        and attacks are those of that version; without, of the newest.
    budget
        Time ("90s", "2m", "1h", or seconds): items, draws, changes and searches are chosen to fit,
        before anything is asked.
    out, seed, workers, progress, cache
        As in `run`.

    Raises
    ------
    scrutiny.errors.ScrutinyError
        With what is wrong, where, what is allowed and how to fix it.

    Examples
    --------
    >>> found = audit("builtin:sentiment/seed-1", "builtin:reviews", limit=20)
    >>> found.estimate("accuracy").counts.planned
    20
    """
    models = models_given(model)
    of_data = {"task": task or None, "columns": columns, "labels": labels, "limit": limit}
    stated = next((name for name, value in of_data.items() if value is not None), None)
    if data is None and stated:
        raise errors.PlanError(f"{stated}= is about data, and none are given: give data=, too.")
    rows = () if data is None else (data_given(data, task, columns, labels, limit),)
    from scrutiny.run.budgeting.durations import seconds_of
    from scrutiny.run.planning.audit import audit_plan
    from scrutiny.run.planning.audit_profiles import with_tolerances

    time = None
    if budget is not None:
        text = budget if isinstance(budget, str) else f"{budget}s"
        time = seconds_of(text), perf_counter()
    names = [only] if isinstance(only, str) else plain_given([*only])
    wanted = [registry().resolve("diagnostic", name) for name in names]
    options = run_options(workers, progress, cache)
    given, held = objects_given(MODEL, model), {} if data is None else objects_given(DATA, data)
    with _opened(options, given, held) as (crew, opened):
        plan = audit_plan(models, rows, opened=opened, profile=profile, only=wanted)
        plan = replace(with_tolerances(plan, {}, opened=opened), seed=plain_given(seed))
        return _finish(plan, out, options, crew, opened, where, time)


def load(path: str | Path) -> "Run":
    """Load a finished run from its folder.

    Raises
    ------
    scrutiny.errors.DataError
        If there is no finished run.
    """
    from scrutiny._results import Run
    from scrutiny.store.run_folder import RunFolder

    return Run(RunFolder.open(path_given(path, "load")))


def list(kind: str | None = None) -> Sequence[str]:
    """List the versioned names of one kind ("diagnostic"), or "kind name" of all kinds.

    Raises
    ------
    scrutiny.errors.UnknownNameError
        If there is no such kind.

    Examples
    --------
    >>> "typos@1" in list("transformation")
    True
    """
    names = registry()
    if kind is not None:
        known = [*KINDS, *(f"{k}s" for k in KINDS)]
        if text_given(kind, "kind") not in known:
            raise errors.UnknownNameError("kind", kind, known)
        return names.names(kind.removesuffix("s"))
    return sorted(f"{k} {name}" for k, name in names.entries)


def show(name: str, *, kind: str = "diagnostic") -> str:
    """Description of a registered name."""
    thing = registry().load(text_given(kind, "kind"), text_given(name, "name"))
    return at_length(thing)


@contextmanager
def _opened(
    options: "RunOptions", models: Mapping[str, Any], data: Mapping[str, Any]
) -> "Iterator[tuple[Executor, Opened]]":
    """Workers of a call, which end with it, and what it has open."""
    from scrutiny.run.planning.loading import LoadedModels, Opened

    with closing(options.crew(LoadedModels(given=models))) as crew:
        yield crew, Opened(crew, data)


def _finish(
    plan: Plan,
    out: str | Path | None,
    options: "RunOptions",
    crew: "Executor",
    opened: "Opened",
    where: str | Sequence[str],
    time: tuple[float, float] | None = None,
) -> "Run":
    """Finished run of a plan; ``time`` is a budget of seconds, and when they began."""
    from scrutiny._results import Run
    from scrutiny.run.driver import run_plan
    from scrutiny.run.planning.plan_slices import with_slices
    from scrutiny.run.training import resolved_when_trained

    must_be_declared(plan, where="The plan")
    if out is not None and not str(path_given(out, "out")).strip():
        raise errors.PlanError("out='' names no folder: name one, or leave it out.")
    folder = Path(out) if out is not None else Path(tempfile.mkdtemp(prefix="scrutiny-"))
    plan = with_slices(plan, [where] if isinstance(where, str) else plain_given([*where]))
    resolved = resolved_when_trained(plan, opened, options.progress)
    if time is not None:
        from scrutiny.run.budgeting.budget import REDUCED, resolved_within

        seconds, begun = time
        resolved = resolved_within(
            resolved,
            seconds,
            folders=() if out is None else (folder,),
            spent=perf_counter() - begun,
            is_cached=options.cache is not None,
            models=crew.models,
        )
        if resolved.plan.budget and resolved.plan.budget.left_out:
            options.progress.note(REDUCED)
    try:
        from scrutiny.run.planning.loading import LoadedModels

        found = run_plan(resolved, folder, options=options, crew=crew)
        return Run(found, LoadedModels(crew.models.options, crew.models.given))
    finally:
        options.progress.stop()
