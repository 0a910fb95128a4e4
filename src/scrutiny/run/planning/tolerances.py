"""Tolerances of an audit: acceptable losses, by metric."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.plan import MeasurePlan, Plan
from scrutiny.core.registry import registry
from scrutiny.core.task import Task
from scrutiny.reliability.metrics import metric_of
from scrutiny.run.planning.loading import LoadedModels
from scrutiny.run.planning.opened import Opened
from scrutiny.tasks.names import load_task

if TYPE_CHECKING:
    from scrutiny.core.diagnostic import Diagnostic


def read_tolerances(stated: Sequence[str]) -> dict[str, float]:
    """Tolerances from ``METRIC=N``, by metric without version; N may be a percentage.

    Raises
    ------
    PlanError
        If one cannot be read, or occurs twice.

    Examples
    --------
    >>> read_tolerances(["accuracy=0.02", "attack_success = 10%"])
    {'accuracy': 0.02, 'attack_success': 0.1}
    """
    found: dict[str, float] = {}
    for text in stated:
        name, equals, value = (part.strip() for part in text.partition("="))
        number = _number(value)
        if not (name and equals and 0 <= number < 1):
            raise PlanError(
                f"--tolerance {text!r} cannot be read: it is written METRIC=N with N from 0 to 1, "
                "as in accuracy=0.02 or attack_success=10%."
            )
        if found.setdefault(_short(name), number) != number:
            raise PlanError(f"--tolerance {_short(name)} occurs twice; leave one out.")
    return found


def with_tolerances(
    plan: Plan, stated: Mapping[str, float], *, opened: Opened | None = None
) -> Plan:
    """Audit plan whose margins are the stated tolerances, or those that metrics declare.

    Parameters
    ----------
    plan
        The audit.
    stated
        Tolerances by metric without version.
    opened
        What the command has open: it goes on with it.

    Raises
    ------
    UnknownNameError
        If none of its diagnostics has a margin of a metric that is stated.
    """
    opened = opened or Opened(LoadedModels())
    tasks = {d.name: load_task(opened.dataset(d, plan.on_bad_row).task) for d in plan.data}
    known: set[str] = set()
    measures = tuple(_with_margins(one, tasks[one.data[0]], stated, known) for one in plan.measure)
    unknown = next((name for name in stated if name not in known), None)
    if unknown is not None:
        raise UnknownNameError("metric with a tolerance in this audit", unknown, known)
    return replace(plan, measure=measures)


def _with_margins(
    plan: MeasurePlan, task: Task, stated: Mapping[str, float], known: set[str]
) -> MeasurePlan:
    """Measurement with its margins; their metrics are recorded."""
    diagnostic: Diagnostic[Any] = registry().load("diagnostic", plan.diagnostic)()
    margins = {}
    for param, metric in diagnostic.tolerates.items():
        name = metric or ("" if task.scored_by is None else task.scored_by.level)
        if not name:
            continue
        known.add(_short(name))
        declared = metric_of(name, diagnostic.measured(task)).tolerance
        tolerance = stated.get(_short(name), declared)
        if tolerance is not None:
            margins[param] = tolerance
    return replace(plan, params={**plan.params, **margins}) if margins else plan


def _short(name: str) -> str:
    """Metric without version and parameter, except for the measure of a share.

    Examples
    --------
    >>> _short("calibration_error(15)@1"), _short("share(doubtful)@1")
    ('calibration_error', 'share(doubtful)')
    """
    stem = name.partition("@")[0]
    return stem if stem.startswith("share(") else stem.partition("(")[0]


def _number(text: str) -> float:
    """Number or percentage; NaN if it is neither."""
    try:
        return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        return math.nan
