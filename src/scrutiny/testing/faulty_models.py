"""Models that go wrong in one way each, where they are told to."""

import math
from collections.abc import Collection, Sequence

from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.task import Prediction
from scrutiny.testing.toy_models import KeywordClassifier


class FlakyClassifier:
    """A model that raises `RuntimeError` whenever certain items are in the batch.

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

    is_batch_invariant = True
    capabilities: frozenset[str] = frozenset({"predict"})

    def __init__(self, fails_on: Collection[str], *, inner: Model | None = None) -> None:
        self._inner: Model = inner or KeywordClassifier()
        self._fails_on = frozenset(fails_on)
        self.source = "testing:FlakyClassifier"
        self.task = self._inner.task
        self.labels = self._inner.labels
        self.calls: list[tuple[str, ...]] = []

    def fingerprint(self) -> str | None:
        """Nothing: such a model should not be cached across runs."""
        return None

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Predictions of the inner model, unless an item fails."""
        self.calls.append(tuple(example.id for example in examples))
        failing = [example.id for example in examples if example.id in self._fails_on]
        if failing:
            raise RuntimeError(f"item {failing[0]} makes this model fail")
        return self._inner.predict(examples)


class NanClassifier:
    """A model whose probabilities are NaN for certain items.

    Parameters
    ----------
    fails_on
        Identifiers of the items.
    inner
        Answers all other items; a `KeywordClassifier` unless given.
    """

    is_batch_invariant = True
    capabilities: frozenset[str] = frozenset({"predict"})

    def __init__(self, fails_on: Collection[str], *, inner: Model | None = None) -> None:
        self._inner: Model = inner or KeywordClassifier()
        self._fails_on = frozenset(fails_on)
        self.source = "testing:NanClassifier"
        self.task = self._inner.task
        self.labels = self._inner.labels

    def fingerprint(self) -> str | None:
        """Nothing: such a model should not be cached across runs."""
        return None

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Predictions of the inner model, some of them NaN."""
        nan = Prediction(scores=(math.nan,) * len(self.labels))
        answers = self._inner.predict(examples)
        pairs = zip(examples, answers, strict=True)
        return [nan if example.id in self._fails_on else answer for example, answer in pairs]


class WrongShapeClassifier:
    """A model that gives a number of probabilities which is not that of its labels.

    Parameters
    ----------
    columns
        How many it gives, each 1 / columns.
    labels
        Labels that it claims to have.
    """

    is_batch_invariant = True
    capabilities: frozenset[str] = frozenset({"predict"})

    def __init__(
        self, columns: int = 3, *, labels: tuple[str, ...] = ("negative", "positive")
    ) -> None:
        self.source = "testing:WrongShapeClassifier"
        self.task = "text-classification"
        self.labels = labels
        self._columns = columns

    def fingerprint(self) -> str | None:
        """Nothing: its answers are never kept."""
        return None

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Predictions of the wrong shape."""
        scores = (1 / self._columns,) * self._columns if self._columns else ()
        return [Prediction(scores=scores) for _ in examples]
