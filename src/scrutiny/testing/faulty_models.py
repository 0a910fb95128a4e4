"""Faulty models: each fails in one way, at chosen items."""

import math
from collections.abc import Collection, Sequence

from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.task import Prediction
from scrutiny.tasks.classification.classes import TextClassification
from scrutiny.testing.toy_models import KeywordClassifier, ToyModel


class _OftenRight(ToyModel):
    """Model that fails at certain items; without fingerprint, so answers are not cached."""

    def __init__(self, fails_on: Collection[str], *, inner: Model | None = None) -> None:
        self._inner: Model = inner or KeywordClassifier()
        self._fails_on = frozenset(fails_on)
        super().__init__(self._inner.task, tuple(self._inner.labels))


class FlakyClassifier(_OftenRight):
    """Model that raises `RuntimeError` if certain items are in the batch.

    Parameters
    ----------
    fails_on
        Identifiers of the items.
    inner
        Answers all other items; a `KeywordClassifier` unless given.

    Attributes
    ----------
    calls
        Identifiers of each batch that was asked, in order.
    """

    def __init__(self, fails_on: Collection[str], *, inner: Model | None = None) -> None:
        super().__init__(fails_on, inner=inner)
        self.calls: list[tuple[str, ...]] = []

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Predictions of the inner model, unless an item fails."""
        self.calls.append(tuple(example.id for example in examples))
        failing = [example.id for example in examples if example.id in self._fails_on]
        if failing:
            raise RuntimeError(f"item {failing[0]} makes this model fail")
        return self._inner.predict(examples)


class NanClassifier(_OftenRight):
    """Model with NaN probabilities for certain items.

    Parameters
    ----------
    fails_on
        Identifiers of the items.
    inner
        Answers all other items; a `KeywordClassifier` unless given.
    """

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Predictions of the inner model, some of them NaN."""
        nan = Prediction(scores=(math.nan,) * len(self.labels))
        pairs = zip(examples, self._inner.predict(examples), strict=True)
        return [nan if example.id in self._fails_on else answer for example, answer in pairs]


class WrongShapeClassifier(ToyModel):
    """Model with a number of probabilities that differs from its number of labels.

    Parameters
    ----------
    columns
        How many it gives, each 1 / columns.
    labels
        Labels that it claims to have.
    """

    of_task = TextClassification.name

    def __init__(
        self, columns: int = 3, *, labels: tuple[str, ...] = ("negative", "positive")
    ) -> None:
        super().__init__(self.of_task, labels)
        self._columns = columns

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Predictions of the wrong shape."""
        scores = (1 / self._columns,) * self._columns if self._columns else ()
        return [Prediction(scores=scores) for _ in examples]
