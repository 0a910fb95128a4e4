"""Scores: the level of a task's answers at once, and metrics of tasks that need no NumPy.

The level is of a dev part, or of answers that need no skill, without records. These metrics are
apart from their tasks, which are read without NumPy. Attachment scores of dependencies are shares
of words, from sums over sentences:

``las@1``
    **Measures**: words whose head and relation are right, of all; subtypes of relations do not
    count. F1 where a model finds its words itself, as in the CoNLL 2018 shared task.
    **Misleads when**: relations of two schemes are compared, such as Stanford's and UD's.
``uas@1``
    **Measures**: words whose head is right, by a parser, or a probe of attention maps.
    **Misleads when**: probes differ in what they are given: attention-only and word-fed ones do
    not answer one question.
``word_f1@1``, ``micro_f1@1``
    **Measures**: words of which both borders are right, and labels that are right, of those in the
    gold answer and of those in the model's (their harmonic mean), from sums over items.
    **Misleads when**: texts are cut by another standard than the model learned; a frequent label
    hides rare ones (see the F1 of each, and macro-F1).
``hamming@1``
    **Measures**: labels that are given but wrong, or missed, of all labels on all items.
    **Misleads when**: most labels apply to few items: giving none has a low loss, too.
``sense_f1@1``
    **Measures**: words whose sense is one of the right ones; it is their share, where a model
    answers all words (Raganato et al. 2017).
    **Misleads when**: many words have one sense alone, or mostly their first.
``mrr@1``
    **Measures**: 1 by the rank of the first candidate that is right, as a mean over queries.
    **Misleads when**: items have different numbers of candidates.
``recall_at_precision(90)@1``
    **Measures**: queries that are answered rightly where a ranker answers only if it is sure
    enough: the most, of all, at a border of its highest score above which at least 90 % of its
    answers are right. What it is as sure of is answered together; 0 where no border will do.
    **Misleads when**: the border is taken from the same items: with few it is chosen by luck, and
    the share is too high. A ranker that is as sure of all answers all or nothing.
``upos@1``, ``xpos@1``
    **Measures**: words whose part of speech is right, universal or of the treebank.
    **Misleads when**: a model's words are others than the data's: it is F1 then.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np

from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.statistic import AdditiveStatistic
from scrutiny.core.task import Prediction, Score, Task
from scrutiny.reliability.metrics import Parametric, metric_of
from scrutiny.reliability.row_statistics import Additive, Weighted, divide, second
from scrutiny.reliability.statistics import ENTITY_F1


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
WORD_F1: Final = replace(ENTITY_F1, id="word_f1@1", says="word F1")
SENSE_F1: Final = replace(ENTITY_F1, id="sense_f1@1", says="F1 of senses")
MICRO_F1: Final = replace(ENTITY_F1, id="micro_f1@1", says="micro-F1")
HAMMING: Final = Additive(
    "hamming@1",
    "Hamming loss",
    ("fp", "fn", "asked"),
    lambda measures: np.stack([measures[..., 0] + measures[..., 1], measures[..., 2]], axis=-1),
    lambda sums: divide(sums[..., 0], sums[..., 1]),
    scale="logit",
    higher_is="worse",
    tolerance=0.02,
    divisor=second,
)
#: What a metric states that is a mean of what lies between 0 and 1, the more the better.
OF_SHARES: Final[dict[str, Any]] = {
    "scale": "logit",
    "higher_is": "better",
    "tolerance": 0.02,
    "row_range": (0.0, 1.0),
    "is_mean": True,
}
MRR: Final = Additive("mrr@1", "mean reciprocal rank", ("reciprocal",), headline="MRR", **OF_SHARES)


def _recalls(least: float, measures: Any, weights: Any) -> Any:
    """Most right answers of all ``(draw,)`` with this precision, over borders of sureness."""
    order = np.argsort(-measures[:, 1], kind="stable")
    hits, sure = measures[order, 0], measures[order, 1]
    drawn = weights[:, order]  # (draw, row)
    right, given = np.cumsum(drawn * hits, axis=1), np.cumsum(drawn, axis=1)
    is_border = np.append(sure[1:] != sure[:-1], True)
    fits = is_border & (right >= least * given - 1e-9) & (given > 0)
    best = np.where(fits, right, 0.0).max(axis=1)
    return np.asarray(best / given[:, -1])


def _recall_at(percent: str, name: str) -> Weighted:
    """Recall at a precision in percent."""
    least = float(percent)
    if not 0 < least <= 100:
        raise ValueError(percent)
    return Weighted(
        name,
        f"recall at a precision of {percent} %",
        ("hit", "sure"),
        partial(_recalls, least / 100),
        headline=f"recall at {percent} % precision",
        scale="logit",
        higher_is="better",
        tolerance=0.02,
    )


RECALL_AT_PRECISION: Final = Parametric(
    "recall_at_precision@1", ("80", "90", "95"), _recall_at, "a precision in percent"
)
XPOS: Final = _share("xpos@1", "treebank tag accuracy (XPOS)", "right_xpos", "xpos", "XPOS")
