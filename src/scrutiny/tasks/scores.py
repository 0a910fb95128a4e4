"""Scores: the level of a task's answers at once, and attachment scores of dependencies.

The level is of a dev part, or of answers that need no skill, without records. Metrics of
dependencies are apart from their task, which is read without NumPy. They are shares of words, from
sums over sentences:

``las@1``
    **Measures**: words whose head and relation are right, of all; subtypes of relations do not
    count. F1 where a model finds its words itself, as in the CoNLL 2018 shared task.
    **Misleads when**: relations of two schemes are compared, such as Stanford's and UD's.
``uas@1``
    **Measures**: words whose head is right, by a parser, or a probe of attention maps.
    **Misleads when**: probes differ in what they are given: attention-only and word-fed ones do
    not answer one question.
``upos@1``, ``xpos@1``
    **Measures**: words whose part of speech is right, universal or of the treebank.
    **Misleads when**: a model's words are others than the data's: it is F1 then.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.statistic import AdditiveStatistic
from scrutiny.core.task import Prediction, Score, Task
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.row_statistics import Additive, divide, second


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


def _share(name: str, says: str, right: str, words: str, headline: str = "") -> Additive:
    """Share of right words."""
    return Additive(
        name,
        says,
        (right, words),
        lambda measures: measures,
        lambda sums: divide(sums[..., 0], sums[..., 1]),
        scale="logit",
        higher_is="better",
        tolerance=0.02,
        divisor=second,
        flips_over=second,
        headline=headline,
    )


LAS: Final = _share("las@1", "labeled attachment score (LAS)", "right_arcs", "arcs")
UAS: Final = _share("uas@1", "unlabeled attachment score (UAS)", "right_heads", "arcs", "UAS")
UPOS: Final = _share("upos@1", "part-of-speech accuracy (UPOS)", "right_upos", "upos", "UPOS")
XPOS: Final = _share("xpos@1", "treebank tag accuracy (XPOS)", "right_xpos", "xpos", "XPOS")
