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

from scrutiny.core import errors
from scrutiny.core.boundary.declared import must_be_declared
from scrutiny.core.boundary.given import path_given, plain_given, text_given
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan
from scrutiny.core.plugin import at_length
from scrutiny.core.registry import KINDS, registry
from scrutiny.models.python.shapes import can_be_asked
from scrutiny.models.strings.family import must_lead_somewhere

if TYPE_CHECKING:
    from scrutiny._results import Run
    from scrutiny.run.driver import RunOptions
    from scrutiny.run.executing.executor import Executor
    from scrutiny.run.planning.opened import Opened

__all__ = ["Plan", "audit", "errors", "list", "load", "run", "show"]

_MODEL, _DATA, _REFERENCE = "model", "data", "reference"


def run(
    what: "str | Path | Plan | Mapping[str, Any]",
    *,
    model: Any = None,
    data: Any = None,
    reference: Any = None,
    out: str | Path | None = None,
    seed: int | None = None,
    options: "RunOptions | None" = None,
    **params: Any,
) -> "Run":
    """Run a plan, or one diagnostic on a model and data; returns the finished run.

    Parameters
    ----------
    what
        A plan, its file, its plain values, or the name of a diagnostic.
    model
        A model string, or an object: a callable, or anything with ``predict_proba``.
    data
        A data string, or an object: a data frame, a ``datasets.Dataset``, a list of dicts.
    reference
        Second model, for diagnostics that compare two: a model string or an object. It is measured,
        too.
    out
        Run folder. Default: a temporary folder.
    seed
        Seed of all randomness. Default: the plan's, else 0.
    options
        Workers, cache, progress.
    **params
        Parameters of the diagnostic; a function from text to text is one of its
        ``transformations`` (``[str.upper, {"shout": lambda text: text + "!"}]``). ``task`` names
        the task if the columns do not identify it, and ``where`` one or several slices
        ("length > 20", "negated") on which the main numbers are also computed. A plan has its own
        models, data and parameters.

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
    where = params.pop("where", ())
    if not isinstance(what, str) or Path(what).suffix in {".toml", ".json"}:
        plan = _plan_of(what)
        _must_stand_alone({"model": model, "data": data, "reference": reference, **params})
        plan = plan if seed is None else replace(plan, seed=plain_given(seed))
        with _opened(options, {}, {}) as (crew, opened):
            return _finish(plan, out, options, crew, opened, where)
    name = registry().resolve("diagnostic", what)
    params = _with_functions_named(plain_given(params), options)
    models, datasets = _inputs(model, data, params.pop("task", ""))
    given = _objects(_MODEL, model)
    if reference is not None:
        _must_be_model(reference, "reference")
        models = (ModelPlan(_REFERENCE, _source(reference)), *models)
        given |= _objects(_REFERENCE, reference)
    measure = MeasurePlan(
        name.partition("@")[0],
        name,
        tuple(m.name for m in models),
        (_DATA,),
        params,
        reference="" if reference is None else _REFERENCE,
    )
    chosen = 0 if seed is None else plain_given(seed)
    plan = Plan(seed=chosen, data=datasets, models=models, measure=(measure,))
    with _opened(options, given, _objects(_DATA, data)) as (crew, opened):
        return _finish(plan, out, options, crew, opened, where)


def audit(
    *,
    model: Any,
    data: Any = None,
    profile: str = "",
    budget: str | float | None = None,
    out: str | Path | None = None,
    seed: int = 0,
    options: "RunOptions | None" = None,
    **asked: Any,
) -> "Run":
    """Audit a model: run all diagnostics of a profile that apply to it and its data.

    Parameters
    ----------
    model, data
        Strings or objects, as in `run`. Without data, a language model is asked about stereotypes
        and associations, on sentences that ship with scrutiny.
    profile
        "ship" (the usual): the diagnostics that decide about shipping a model; "study": every
        diagnostic that applies; "language" (without data).
    budget
        Time ("90s", "2m", "1h", or seconds): items, draws, changes and searches are chosen to fit,
        before anything is asked.
    out, seed, options
        As in `run`.
    **asked
        ``task`` and ``where``, as in `run`; ``limit``: number of items, or a range ("100:200");
        ``only``: names of the diagnostics to run, whatever the profile, one or several.

    Examples
    --------
    >>> found = audit(model="builtin:sentiment/seed-1", data="builtin:reviews", limit=20)
    >>> found.estimate("accuracy", subject="model").counts.planned
    20
    """
    models = _models(model)
    rows: tuple[DataPlan, ...] = ()
    if data is not None:
        row = _dataset(data, asked.pop("task", ""))
        rows = (replace(row, limit=plain_given(asked.pop("limit", None))),)
    where, only = asked.pop("where", ()), asked.pop("only", ())
    if asked:
        name = next(iter(asked))
        raise errors.PlanError(
            f"audit takes no {name!r}: of these, it takes where and only, and with data task and "
            "limit."
        )
    from scrutiny.run.budgeting.durations import seconds_of
    from scrutiny.run.planning.audit import audit_plan
    from scrutiny.run.planning.tolerances import with_tolerances

    time = None
    if budget is not None:
        text = budget if isinstance(budget, str) else f"{budget}s"
        time = seconds_of(text), perf_counter()
    names = [only] if isinstance(only, str) else plain_given([*only])
    wanted = [registry().resolve("diagnostic", name) for name in names]
    given, held = _objects(_MODEL, model), {} if data is None else _objects(_DATA, data)
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


def _with_functions_named(params: dict[str, Any], options: "RunOptions | None") -> dict[str, Any]:
    """Parameters with functions among the transformations replaced by recipes."""
    if "transformations" not in params:
        return params
    from scrutiny.perturb.engine.recipe import recipes_given

    recipes = recipes_given(params["transformations"])
    if options is not None and options.workers > 1 and any("@py-" in str(r) for r in recipes):
        raise errors.PlanError(
            "A transformation given as a Python function cannot travel to a worker: use workers=1, "
            "or make it a plug-in (`scrutiny new transformation`)."
        )
    return {**params, "transformations": recipes}


def _plan_of(what: "str | Path | Plan | Mapping[str, Any]") -> Plan:
    """Plan from an object, its file or its plain values."""
    from scrutiny.run.planning.file import plan_of, read_plan

    if isinstance(what, Plan):
        return what
    if isinstance(what, Mapping):
        return plan_of(plain_given(what))
    if isinstance(what, str | Path):
        return read_plan(Path(what))
    raise errors.PlanError(
        f"run is given something of type {type(what).__name__}: it takes the name of a diagnostic "
        "(a text), a plan, its file, or a dict of its values."
    )


def _must_stand_alone(given: Mapping[str, Any]) -> None:
    """Raise for arguments that a plan would ignore."""
    beside = [name for name, value in given.items() if value is not None]
    if beside:
        raise errors.PlanError(
            f"A plan names its own models, data and parameters, so {beside[0]}= would be passed "
            "over: write it into the plan, or run a single diagnostic by its name."
        )


def _inputs(model: Any, data: Any, task: str) -> tuple[tuple[ModelPlan, ...], tuple[DataPlan]]:
    if model is None or data is None:
        raise errors.PlanError("Give both model= and data=: strings or objects.")
    return _models(model), (_dataset(data, task),)


def _dataset(data: Any, task: str) -> DataPlan:
    text = data if isinstance(data, str) else f"object:{type(data).__name__}"
    return DataPlan(_DATA, text, text_given(task, "task"))


def _models(model: Any) -> tuple[ModelPlan]:
    _must_be_model(model, "model")
    return (ModelPlan(_MODEL, _source(model)),)


def _must_be_model(model: Any, name: str) -> None:
    """Raise for a model string without a model, and for objects that are no model."""
    if isinstance(model, str):
        must_lead_somewhere(model)
    elif not can_be_asked(model):
        raise errors.PlanError(
            f"{name} is of type {type(model).__name__}, which cannot be asked: it is a model "
            "string (hf:./my-model), a callable, or an object with predict_proba or predict."
        )


def _source(model: Any) -> str:
    """Model string of a string or an object."""
    return model if isinstance(model, str) else f"python:object:{type(model).__name__}"


def _objects(name: str, value: Any) -> dict[str, Any]:
    return {} if isinstance(value, str) else {name: value}


@contextmanager
def _opened(
    options: "RunOptions | None", models: Mapping[str, Any], data: Mapping[str, Any]
) -> "Iterator[tuple[Executor, Opened]]":
    """Workers of a call, which end with it, and what it has open."""
    from scrutiny.run.driver import RunOptions
    from scrutiny.run.planning.loading import LoadedModels
    from scrutiny.run.planning.opened import Opened

    if not isinstance(options, RunOptions | None):
        raise errors.PlanError(
            f"options is of type {type(options).__name__}: it is a RunOptions, as in "
            "scrutiny.run(..., options=RunOptions(workers=2))."
        )
    with closing((options or RunOptions()).crew(LoadedModels(given=models))) as crew:
        yield crew, Opened(crew, data)


def _finish(
    plan: Plan,
    out: str | Path | None,
    options: "RunOptions | None",
    crew: "Executor",
    opened: "Opened",
    where: str | Sequence[str],
    time: tuple[float, float] | None = None,
) -> "Run":
    """Finished run of a plan; ``time`` is a budget of seconds, and when they began."""
    from scrutiny._results import Run
    from scrutiny.run.driver import RunOptions, run_plan
    from scrutiny.run.planning.asked_slices import with_slices
    from scrutiny.run.training.trained import resolved_when_trained

    must_be_declared(plan, where="The plan")
    if out is not None and not str(path_given(out, "out")).strip():
        raise errors.PlanError("out='' names no folder: name one, or leave it out.")
    folder = Path(out) if out is not None else Path(tempfile.mkdtemp(prefix="scrutiny-"))
    options = options or RunOptions()
    plan = with_slices(plan, [where] if isinstance(where, str) else plain_given([*where]))
    resolved = resolved_when_trained(plan, opened, options.progress)
    if time is not None:
        from scrutiny.run.budgeting.budget import resolved_within

        seconds, begun = time
        resolved = resolved_within(
            resolved,
            seconds,
            folders=() if out is None else (folder,),
            spent=perf_counter() - begun,
            is_cached=options.cache is not None,
            models=crew.models,
        )
        for sentence in resolved.plan.budget.left_out if resolved.plan.budget else ():
            options.progress.note(sentence)
    used = replace(options, command=options.command or "scrutiny.run(...)")
    return Run(run_plan(resolved, folder, options=used, crew=crew))
