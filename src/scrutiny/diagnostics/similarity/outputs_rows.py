"""Records of two models' answers to an item.

=========  ===========================  ==========================================================
role       condition                    row of an item
=========  ===========================  ==========================================================
measured   of=labels                    whether both say the same, and what
measured   of=gold                      whether each is right
measured   of=probabilities             divergences of both distributions
measured   of=gold probabilities        probability of the right answer, and of saying the same
baseline   of=target, of=reference      measures of the task for each model
=========  ===========================  ==========================================================

Numbers of a row that it is not about are 0, and nothing reads them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.diagnostic import Failure, RowKind
from scrutiny.core.example import Example
from scrutiny.core.record import Measure, Row
from scrutiny.core.task import Prediction, Task
from scrutiny.diagnostics.similarity.metrics.probabilities import divergences, of_right_answer
from scrutiny.models.answers.label_pair import Labels

OF_LABELS, OF_GOLD, OF_PROBABILITIES, OF_GOLD_PROBABILITIES, OF_TARGET, OF_REFERENCE = (
    {"of": of}
    for of in ("labels", "gold", "probabilities", "gold probabilities", "target", "reference")
)
MEASURES: Final = (
    Measure("same", unit="items"),
    Measure("pred_a", unit="index of a label"),
    Measure("pred_b", unit="index of a label"),
    Measure("hit_a", unit="items"),
    Measure("hit_b", unit="items"),
    Measure("n_classes", unit="labels"),
    Measure("p_dot", unit="probability"),
    Measure("pa_gold", unit="probability"),
    Measure("pb_gold", unit="probability"),
    Measure("js", unit="bits"),
    Measure("kl_ab", unit="nats"),
    Measure("kl_ba", unit="nats"),
    Measure("tv", unit="probability"),
)
Answer = Prediction | Failure
Numbers = Mapping[str, float | Floats]
_NO_GOLD: Final = Failure("no_gold", status="skipped")
_ONE_CLASS: Final = Failure("one_class", status="skipped")


@dataclass(frozen=True, slots=True)
class OfItem:
    """Both answers to one item.

    Parameters
    ----------
    example, task, labels
        The item, how it is scored, and what both models call things.
    a, b
        Answers of the reference and of the target.
    """

    example: Example
    task: Task
    labels: Labels
    a: Answer
    b: Answer

    def rows(self) -> Iterator[Row]:
        """All rows of the item; a failure of either model fails all."""
        if isinstance(self.a, Failure) or isinstance(self.b, Failure):
            failures = [one for one in (self.a, self.b) if isinstance(one, Failure)]
            for role, condition in _conditions(self.task):
                yield self._row(role, condition, failures[0])
            return
        yield from self._answered(self.a, self.b)

    def _answered(self, a: Prediction, b: Prediction) -> Iterator[Row]:
        """Rows of two answers."""
        labels = {
            "same": float(a.agrees(b)),
            "pred_a": self.labels.number(a),
            "pred_b": self.labels.number(b),
        }
        yield self._row("measured", OF_LABELS, labels)
        if self.task.gives_labels:
            yield self._of_gold(a, b, labels)
            yield from self._of_probabilities(a, b)
        yield self._of_task(OF_TARGET, b, self.labels.target, labels)
        yield self._of_task(OF_REFERENCE, a, self.labels.reference, labels)

    def _of_gold(self, a: Prediction, b: Prediction, labels: Numbers) -> Row:
        """Correctness of each answer."""
        if self.example.gold is None:
            return self._row("measured", OF_GOLD, _NO_GOLD)
        if len(self.labels.known) < 2:
            return self._row("measured", OF_GOLD, _ONE_CLASS)
        numbers = {
            **labels,
            "hit_a": float(a.answer == self.example.gold),
            "hit_b": float(b.answer == self.example.gold),
            "n_classes": float(len(self.labels.known)),
        }
        return self._row("measured", OF_GOLD, numbers)

    def _of_probabilities(self, a: Prediction, b: Prediction) -> Iterator[Row]:
        """Divergences, and probabilities of the right answer."""
        both = self.labels.distributions(a, b)
        gold = self.example.gold
        right: Numbers | Failure = _NO_GOLD
        if isinstance(both, Failure):
            yield self._row("measured", OF_PROBABILITIES, both)
            right = _NO_GOLD if gold is None else both
        else:
            p, q = both
            yield self._row("measured", OF_PROBABILITIES, divergences(p, q))
            if gold is not None and len(p) < 2:
                right = _ONE_CLASS
            elif gold is not None:
                place = np.array(self.labels.reference.index(str(gold)))
                right = {**of_right_answer(p, q, place), "n_classes": float(len(p))}
        yield self._row("measured", OF_GOLD_PROBABILITIES, right)

    def _of_task(
        self,
        condition: Mapping[str, str],
        answer: Prediction,
        own: tuple[str, ...],
        labels: Numbers,
    ) -> Row:
        """Measures of the task for one model."""
        if self.example.gold is None:
            return self._row("baseline", condition, _NO_GOLD)
        found = self.task.score(self.example.gold, answer, labels=own)
        named = dict(zip((m.name for m in self.task.measures), found, strict=True))
        return self._row("baseline", condition, {**labels, **named})

    def _row(self, role: str, condition: Mapping[str, str], found: Numbers | Failure) -> Row:
        kind = RowKind.of(condition, role)
        if isinstance(found, Failure):
            return kind.row(self.example.id, found)
        names = (m.name for m in (*MEASURES, *self.task.measures))
        return kind.row(self.example.id, (float(found.get(name, 0.0)) for name in names))


def _conditions(task: Task) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Role and condition of every row of an item, in order."""
    yield "measured", OF_LABELS
    if task.gives_labels:
        yield "measured", OF_GOLD
        yield "measured", OF_PROBABILITIES
        yield "measured", OF_GOLD_PROBABILITIES
    yield "baseline", OF_TARGET
    yield "baseline", OF_REFERENCE
