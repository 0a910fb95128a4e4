"""Score of answers at once, without records: of a dev part, or of answers that need no skill."""

from collections.abc import Sequence

import numpy as np

from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.statistic import AdditiveStatistic
from scrutiny.core.task import Prediction, Score, Task
from scrutiny.reliability.metrics import metric_of


def score_of(task: Task) -> Score:
    """Score that a task is scored by.

    Raises
    ------
    PlanError
        If the task has no labels.
    """
    if task.scored_by is None:
        raise PlanError(f"The task {task.name!r} has no labels, so it has no score.")
    return task.scored_by


def level_of(
    task: Task,
    examples: Sequence[Example],
    answers: Sequence[Prediction],
    *,
    labels: Sequence[str] = (),
    metric: str = "",
) -> float:
    """Level of a task's score over predictions, or of another metric of the task; 0 if undefined.

    Raises
    ------
    PlanError
        If the task is not scored, or the metric is no function of sums.
    """
    statistic = metric_of(metric or score_of(task).level)
    if not isinstance(statistic, AdditiveStatistic):
        raise PlanError(f"{statistic.id} of the task {task.name!r} is no function of sums.")
    names = [measure.name for measure in task.measures]
    rows = [task.score(e.gold, a, labels=labels) for e, a in zip(examples, answers, strict=True)]
    columns = [names.index(need) for need in statistic.needs]
    measures = np.array(rows, dtype=np.float64)[:, columns]  # (example, need)
    sums = statistic.components(measures).sum(axis=0)[None]  # (cell, component)
    value = float(statistic.value(sums, np.ones(1)))
    return value if np.isfinite(value) else 0.0
