"""Toy linear classifier whose answers and gradients can be computed by hand."""

from collections.abc import Mapping, Sequence
from math import log
from typing import Any

import numpy as np

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.queries.gradients import InputEmbeddings, Piece, TokenGradients
from scrutiny.core.task import Prediction
from scrutiny.tasks.classification.classes import TextClassification
from scrutiny.testing.toy_models import ToyModel
from scrutiny.text.tokens import token_spans


class LinearClassifier(ToyModel):
    """Bag of words with integer weights: p(second label) = 2^s / (1 + 2^s), s their sum.

    So a sum of 1 gives 2/3, 2 gives 4/5, 3 gives 8/9, and 0 a tie, which is the first label. Words
    are compared in lower case; unknown words weigh 0. The "network" reads a vector
    ``(weight, 1)`` for each token of all fields, so that the gradient of the loss with regard to
    each vector is ``(ln 2 x (p - y), 0)`` with y = 1 for the second label and 0 for the first.

    Parameters
    ----------
    weights
        Weight of each known word, in lower case.
    bias
        What is added to the sum.
    labels
        The label of low sums, then that of high ones.
    task
        Name of the task.

    Attributes
    ----------
    asked
        Texts of each call of `predict`, in order.

    Examples
    --------
    >>> model = LinearClassifier({"good": 2, "bad": -1})
    >>> model.predict([Example("1", {"text": "A good film, not bad"})])[0].answer
    'positive'
    >>> model.gradients([Example("1", {"text": "Good"})], ["positive"])[0].ids
    (1,)
    """

    capabilities: frozenset[str] = frozenset({"predict", "gradients"})

    def __init__(
        self,
        weights: Mapping[str, int],
        *,
        bias: int = 0,
        labels: tuple[str, ...] = ("negative", "positive"),
        task: str = TextClassification.name,
    ) -> None:
        if len(labels) != 2:
            raise ModelError(f"This classifier has two labels, not {len(labels)}.")
        self.asked: list[tuple[tuple[str, ...], ...]] = []
        self._weights = dict(weights)
        self._bias = bias
        self._rows = {word: row for row, word in enumerate(self._weights, start=1)}
        words = ("", *weights)
        matrix = np.array([(0.0, 1.0), *((float(w), 1.0) for w in weights.values())])
        self._embeddings = InputEmbeddings(matrix, words, np.array([*map(bool, words)]))
        made_of = [self._weights, bias, labels, task]
        super().__init__(task, labels, version="linear@1", made_of=made_of)

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """One prediction for each example, in order."""
        self.asked.append(tuple(tuple(e.fields.values()) for e in examples))
        return [self._answer(example) for example in examples]

    def gradients(
        self, examples: Sequence[Example], labels: Sequence[str]
    ) -> list[TokenGradients | Failure]:
        """Exact gradients of the negative log-probability of a label, for each example."""
        return [self._gradient(e, label) for e, label in zip(examples, labels, strict=True)]

    def embeddings(self) -> InputEmbeddings:
        """One row for unknown words, then one for each known word, in their order."""
        return self._embeddings

    def _answer(self, example: Example) -> Prediction:
        total = self._bias + sum(
            self._weights.get(text[start:end].lower(), 0)
            for text in example.fields.values()
            for start, end in token_spans(text)
        )
        p = _two_to_one(total)
        return Prediction(self.labels[int(p > 0.5)], (_two_to_one(-total), p))

    def _gradient(self, example: Example, label: str) -> TokenGradients | Failure:
        if label not in self.labels:
            return Failure("unknown_label", f"there is no label {label!r}")
        pieces: list[Piece] = []
        ids: list[int] = []
        for name, text in example.fields.items():
            for start, end in token_spans(text):
                pieces.append(Piece(name, start, end))
                ids.append(self._rows.get(text[start:end].lower(), 0))
        scores = self._answer(example).scores or (0.0, 0.0)
        slope = log(2) * (scores[1] - self.labels.index(label))
        gradient: Any = np.zeros((len(pieces), 2))
        gradient[:, 0] = slope
        return TokenGradients(tuple(pieces), tuple(ids), gradient)


def _two_to_one(exponent: int) -> float:
    """2^n / (1 + 2^n)."""
    return 1.0 / (1.0 + 2.0**-exponent)
