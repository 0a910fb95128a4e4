"""What a task is: its fields, its gold answers, its predictions and how they are scored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example, Span
from scrutiny.core.record import Measure


class Prediction(NamedTuple):
    """A model's answer to one example.

    Parameters
    ----------
    label
        Predicted class, for classification.
    scores
        Probability of each of the model's labels, in their order.
    spans
        Predicted spans, for tagging.
    text
        Generated text.
    """

    label: str | None = None
    scores: tuple[float, ...] | None = None
    spans: tuple[Span, ...] | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """How a task counts.

    Parameters
    ----------
    level
        Metric of one text, e.g. ``accuracy@1``: drops and excesses are made of it.
    margin
        Smallest drop worth a claim, in the statistic's own units.
    bounded
        Range of the level, or nothing.
    """

    level: str
    margin: float
    bounded: tuple[float, float] | None = (0.0, 1.0)


class Task(Protocol):
    """A kind of question; one small file each.

    ``columns`` are the names that data strings map (``text=``, ``label=``); ``measures`` are what
    `score` returns for one example, in order. Where no label is asked for (pairs of sentences whose
    likelihoods are compared, word sets whose vectors are), ``scored_by`` is nothing, `score` is
    never called, and models are asked for capabilities other than ``predict``.

    Four members may be left out: ``roles``, the columns and options that data strings of this task
    have beside the common ones; ``told_by``, the columns that tell it from other tasks;
    ``permute(examples, rng)``, the examples with their labels exchanged at random (``#permute=``);
    ``oddities(row)``, a short name for what is odd about a row, to be counted in the notes.
    """

    name: str
    fields: tuple[str, ...]
    columns: tuple[str, ...]
    measures: tuple[Measure, ...]
    scored_by: Score | None

    def parse(self, row: Mapping[str, Any], *, source: str) -> Example:
        """Example of a raw row whose columns are mapped already.

        Raises
        ------
        DataError
            If a field is missing or of the wrong type; the message names the column.
        """
        ...

    def score(
        self, gold: Any, prediction: Prediction, *, labels: Sequence[str]
    ) -> tuple[float, ...]:
        """Measures of one prediction against its gold answer."""
        ...

    def chance(self, golds: Sequence[Any]) -> float:
        """Score that needs no skill: the majority share, or 0 for tagging."""
        ...


def score_of(task: Task) -> Score:
    """How a task counts.

    Raises
    ------
    PlanError
        If no label is asked for.
    """
    if task.scored_by is None:
        raise PlanError(f"The task {task.name!r} has no labels, so nothing is scored on it.")
    return task.scored_by
