"""A run in a tracker of experiments, MLflow or Weights & Biases: one way, what was found.

Each number has its limits and items beside it (``accuracy``, ``accuracy.low``, ``accuracy.high``,
``accuracy.n``), so that a chart of it never stands without them. What a risk was found to be is a
tag, and the page an artifact. Addresses and keys are the tracker's own: ``MLFLOW_TRACKING_URI``,
``MLFLOW_EXPERIMENT_NAME``, ``WANDB_API_KEY``, ``WANDB_MODE``.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from scrutiny.blocks.labels import short_names
from scrutiny.blocks.run_view import RunView
from scrutiny.core.boundary.printable import printable
from scrutiny.core.errors import DataError, PlanError, require_packages
from scrutiny.report.exports.declared import conditions, declared_numbers
from scrutiny.report.findings.risks import RiskLine, risks_of
from scrutiny.report.first_screen.content import first_screen_of
from scrutiny.report.page import render_html

TRACKERS: Final = ("mlflow", "wandb")
#: Name of the experiment or project, if neither an address nor the environment says it.
_PROJECT: Final = "scrutiny"
_LONGEST: Final = 500  # characters of a parameter or tag: the least that any version takes
_PAGE: Final = "report.html"
#: States of a risk of which its cost says something.
_TOLD: Final = ("hurts", "can't tell", "holds")


@dataclass(frozen=True, slots=True)
class Tracked:
    """What a tracker is told of a run.

    Parameters
    ----------
    name
        Of the run: its folder.
    metrics
        Numbers with their limits and items, and how many risks are in each state.
    params
        Model, data and what else the numbers were measured with.
    tags
        State of each risk, the decision, and the identity of the run.
    """

    name: str
    metrics: Mapping[str, float]
    params: Mapping[str, str]
    tags: Mapping[str, str]

    @classmethod
    def of(cls, view: RunView) -> "Tracked":
        """What is told of a finished run."""
        screen = first_screen_of(view)
        tags = {"scrutiny.version": view.facts.version, "scrutiny.decision": screen.decision}
        tags |= {"scrutiny.run": str(view.manifest.get("identity", ""))}
        tags |= {f"risk.{name}": risk.state for name, risk in _risks(view).items()}
        tags |= {"scrutiny.no_skill": screen.skill}
        return cls(
            Path(view.facts.path).resolve().name,
            dict(_metrics(view)),
            {_name(name): _cut(said) for name, said in conditions(view)},
            {name: _cut(said) for name, said in tags.items() if said},
        )


def _metrics(view: RunView) -> Iterator[tuple[str, float]]:
    """Main numbers, then the costs of risks, then the number of risks in each state."""
    numbers = declared_numbers(view)
    models = short_names(list(dict.fromkeys(one.key.subject for one in numbers)))
    data = short_names(list(dict.fromkeys(one.key.dataset for one in numbers)))
    for one in numbers:
        parts = [models[one.key.subject]] * (len(models) > 1)
        parts += [data[one.key.dataset]] * (len(data) > 1)
        name = "/".join(map(_name, [*parts, one.key.metric_name]))
        yield from _with_limits(name, one.value, one.low, one.high)
        yield f"{name}.n", float(one.counts.n)
    risks = _risks(view)
    for name, risk in risks.items():
        if risk.state in _TOLD:  # of a model without skill a cost says nothing
            yield from _with_limits(f"risk/{name}", risk.cost, risk.low, risk.high)
    for state, number in Counter(risk.state for risk in risks.values()).items():
        yield f"risks/{_name(state)}", float(number)


def _with_limits(
    name: str, value: float | None, low: float | None, high: float | None
) -> Iterator[tuple[str, float]]:
    """A number and its limits; nothing for what has no value."""
    for end, number in (("", value), (".low", low), (".high", high)):
        if number is not None:
            yield f"{name}{end}", number


def _risks(view: RunView) -> dict[str, RiskLine]:
    """Risks by a name that trackers take, with model and data where there are several."""
    risks = risks_of([finding for finding in view.findings if finding.claim.risk])
    several = len({risk.of for risk in risks}) > 1
    return {f"{_name(risk.of)}/" * several + _name(risk.what): risk for risk in risks}


def _name(text: str) -> str:
    """Name that every tracker takes: letters, digits, and a few signs."""
    return re.sub(r"[^\w.-]+", "_", printable(text), flags=re.ASCII).strip("_") or "_"


def _cut(text: str) -> str:
    shown = printable(text)
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}\N{HORIZONTAL ELLIPSIS}"


def log_to(view: RunView, where: str) -> str:
    """Tell a tracker of a run; returns a sentence on what was told where.

    Parameters
    ----------
    view
        The run; without its texts, the page has none either.
    where
        ``mlflow``, ``mlflow:URI``, ``wandb`` or ``wandb:PROJECT``.

    Raises
    ------
    PlanError
        If it names no tracker.
    MissingExtraError
        If the tracker's package is not installed.
    DataError
        If the tracker refuses it, or cannot be reached.
    """
    tracker, _, address = where.partition(":")
    if tracker not in TRACKERS:
        raise PlanError(
            f"{where!r} names no tracker: write mlflow, mlflow:http://localhost:5000, wandb, or "
            "wandb:PROJECT."
        )
    told = Tracked.of(view)
    with TemporaryDirectory(prefix="scrutiny-page-") as folder:
        page = Path(folder) / _PAGE
        page.write_text(render_html(view), encoding="utf-8", errors="backslashreplace")
        send = _to_mlflow if tracker == "mlflow" else _to_wandb
        place = send(told, page, address)
    return f"Logged {len(told.metrics)} metrics and the page to {place}."


def _to_mlflow(told: Tracked, page: Path, uri: str) -> str:
    """Log to MLflow: into the active run of this process, else into a new one.

    Raises
    ------
    MissingExtraError, DataError
        As in `log_to`.
    """
    require_packages("Logging to MLflow", "mlflow", "mlflow")
    import mlflow
    from mlflow.entities import Metric, Param, RunTag
    from mlflow.exceptions import MlflowException
    from mlflow.utils.time import get_current_time_millis

    active = None if uri else mlflow.active_run()
    try:
        client = mlflow.MlflowClient(uri or None)
        if active is None:
            name = os.environ.get("MLFLOW_EXPERIMENT_NAME", _PROJECT)
            known = client.get_experiment_by_name(name)
            experiment = known.experiment_id if known else client.create_experiment(name)
            run = client.create_run(experiment, run_name=told.name).info.run_id
        else:
            run = active.info.run_id
        now = get_current_time_millis()
        metrics = [Metric(name, value, now, 0) for name, value in told.metrics.items()]
        params = [Param(name, said) for name, said in told.params.items()]
        tags = [RunTag(name, said) for name, said in told.tags.items()]
        # a request takes 1,000 metrics and 100 of the others
        for start in range(0, len(metrics), 1000):
            client.log_batch(run, metrics=metrics[start : start + 1000])
        for start in range(0, max(len(params), len(tags)), 100):
            end = start + 100
            client.log_batch(run, params=params[start:end], tags=tags[start:end])
        client.log_artifact(run, str(page))
        if active is None:
            client.set_terminated(run)
    except (MlflowException, OSError) as error:
        raise _refused("MLflow", error) from error
    return f"MLflow, run {run}"


def _to_wandb(told: Tracked, page: Path, project: str) -> str:
    """Log to Weights & Biases, as a run of its own.

    Raises
    ------
    MissingExtraError, DataError
        As in `log_to`.
    """
    require_packages("Logging to Weights & Biases", "wandb", "wandb")
    import wandb

    try:
        run = wandb.init(
            project=project or os.environ.get("WANDB_PROJECT", _PROJECT),
            name=told.name,
            job_type="scrutiny",
            config={**told.params, **told.tags},
            reinit="create_new",
        )
        run.summary.update(dict(told.metrics))
        artifact: Any = wandb.Artifact(
            f"{_name(told.name).replace(' ', '_')}-report", type="report"
        )
        artifact.add_file(str(page))
        run.log_artifact(artifact)
        run.finish()
    except (wandb.Error, OSError) as error:
        raise _refused("Weights & Biases", error) from error
    return f"Weights & Biases, run {run.id} of project {run.project}"


def _refused(tracker: str, error: Exception) -> DataError:
    """What a tracker said, in one paragraph."""
    said = " ".join(str(error).split())
    return DataError(f"{tracker} did not take the run: {said[:_LONGEST]}")
