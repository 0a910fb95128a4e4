"""Arguments of Python calls: models, data and how to run, as parts of a plan."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrutiny.core.boundary.given import path_given, plain_given, text_given
from scrutiny.core.errors import PlanError
from scrutiny.core.long_runs import SILENT, Progress
from scrutiny.core.plan import DataPlan, ModelPlan, Plan
from scrutiny.models.python.python_model import can_be_asked
from scrutiny.models.strings.model_families import must_lead_somewhere

if TYPE_CHECKING:
    from scrutiny.run.driver import RunOptions

MODEL, DATA, REFERENCE = "model", "data", "reference"


def run_options(workers: Any, progress: Any, cache: Any) -> "RunOptions":
    """How to run what a call asks for: workers, display of progress, file of the answer cache.

    Raises
    ------
    PlanError
        If one of them is of another type.
    """
    from scrutiny.run.driver import RunOptions

    count = plain_given(workers)
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise PlanError(f"workers is {workers!r}: it is a number of processes, 1 or more.")
    file = None if cache is None else Path(path_given(cache, "cache"))
    return RunOptions(
        workers=count, cache=file, progress=_display(progress), command="scrutiny.run(...)"
    )


def _display(progress: Any) -> Progress:
    """Display of progress: one that is given, or one that fits a notebook or a terminal."""
    from scrutiny.cli.progress import Lines, display_here

    if isinstance(progress, Progress):
        return progress
    if progress is None:
        return display_here()
    if not isinstance(progress, bool):
        raise PlanError(
            f"progress is of type {type(progress).__name__}: it is True, False, or None, which "
            "shows progress in notebooks and terminals."
        )
    return Lines() if progress else SILENT


def models_given(model: Any) -> tuple[ModelPlan, ...]:
    """The model of a call, as the only one of a plan."""
    must_be_model(model, "model")
    return (ModelPlan(MODEL, model_source(model)),)


def must_be_model(model: Any, name: str) -> None:
    """Raise for a model string without a model, and for objects that are no model."""
    if isinstance(model, str):
        must_lead_somewhere(model)
    elif not can_be_asked(model):
        raise PlanError(
            f"{name} is of type {type(model).__name__}, which cannot be asked: it is a model "
            "string (hf:./my-model), a callable, or an object with predict_proba or predict."
        )


def model_source(model: Any) -> str:
    """Model string of a string or an object."""
    return model if isinstance(model, str) else f"python:object:{type(model).__name__}"


def objects_given(name: str, value: Any) -> dict[str, Any]:
    """The value under its name, unless it is a string or a path, which the plan holds itself."""
    return {} if isinstance(value, str | Path) else {name: value}


def data_given(
    data: Any, task: Any = "", columns: Any = None, labels: Any = None, limit: Any = None
) -> DataPlan:
    """The data of a call; names of columns and labels stand behind its source, as options.

    Raises
    ------
    DataError, PlanError
        If the data string, a name or a label cannot be read.
    """
    is_text = isinstance(data, str | Path)
    text = str(data) if is_text else f"object:{type(data).__name__}"
    if columns is not None or labels is not None:
        text = _with_options(text, columns, labels)
    return DataPlan(DATA, text, text_given(task, "task"), limit=plain_given(limit))


def _with_options(text: str, columns: Any, labels: Any) -> str:
    """Data string with columns and labels of a call among its options."""
    from scrutiny.data.labels import write_label_map
    from scrutiny.data.source import parse_source

    source = parse_source(text)
    if columns is not None:
        example = "{'text': 'review', 'group': ['genre', 'year']}"
        source = source.stating(_by_name(columns, "columns", example))
    if labels is None:
        return str(source)
    pairs = {n: str(v) for n, v in _by_name(labels, "labels", "{0: 'negative'}").items()}
    return str(replace(source, options={**source.options, "labels": write_label_map(pairs)}))


def _by_name(given: Any, name: str, example: str) -> dict[str, Any]:
    """Names of columns or labels by name, as texts; whole numbers are labels, too."""
    if not isinstance(given, Mapping):
        raise PlanError(
            f"{name} is of type {type(given).__name__}: it is a dict, as in {name}={example}."
        )
    pairs = plain_given(given)
    for one in (*pairs, *pairs.values()):
        parts = one if isinstance(one, list | tuple) and name == "columns" else (one,)
        if not all(isinstance(part, str | int) and not isinstance(part, bool) for part in parts):
            raise PlanError(
                f"{name} holds {one!r}: names and labels are texts or whole numbers, as in "
                f"{name}={example}."
            )
    return {str(n): v if isinstance(v, list | tuple) else str(v) for n, v in pairs.items()}


def plan_given(what: "str | Path | Plan | Mapping[str, Any]") -> Plan:
    """Plan from an object, its file or its plain values."""
    from scrutiny.run.planning.plan_file import plan_of, read_plan

    if isinstance(what, Plan):
        return what
    if isinstance(what, Mapping):
        return plan_of(plain_given(what))
    if isinstance(what, str | Path):
        return read_plan(Path(what))
    raise PlanError(
        f"run is given something of type {type(what).__name__}: it takes the name of a diagnostic "
        "(a text), a plan, its file, or a dict of its values."
    )


def must_stand_alone(given: Mapping[str, Any]) -> None:
    """Raise for arguments that a plan would ignore."""
    beside = [name for name, value in given.items() if value is not None]
    if beside:
        raise PlanError(
            f"A plan names its own models, data and parameters, so {beside[0]}= would be passed "
            "over: write it into the plan, or run a single diagnostic by its name."
        )


def with_functions_named(params: dict[str, Any], options: "RunOptions") -> dict[str, Any]:
    """Parameters with functions among the transformations replaced by recipes."""
    if "transformations" not in params:
        return params
    from scrutiny.perturb.engine.recipe import recipes_given

    recipes = recipes_given(params["transformations"])
    if options.workers > 1 and any("@py-" in str(r) for r in recipes):
        raise PlanError(
            "A transformation given as a Python function cannot travel to a worker: use workers=1, "
            "or make it a plug-in (`scrutiny new transformation`)."
        )
    return {**params, "transformations": recipes}
