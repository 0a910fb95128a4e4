"""Conformance of gradients with respect to input vectors, and a toy classifier with exact ones."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import log
from typing import Any, Final

import numpy as np

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ConformanceError, ModelError
from scrutiny.core.example import Example
from scrutiny.core.queries.gradients import (
    FOLLOWED,
    InputEmbeddings,
    InputPiece,
    ParameterGradient,
    PathGradient,
    TokenGradients,
)
from scrutiny.core.task import Prediction
from scrutiny.models.answers.checked import BAD
from scrutiny.models.answers.language_answers import ask_or_fail
from scrutiny.tasks.classification import TextClassification
from scrutiny.testing.checking import Promises, promise, promises
from scrutiny.testing.toy_models import ToyModel, words_in
from scrutiny.text.tokens import token_spans

#: How far gradients may move with what stands beside a text, relative to the largest number.
TOLERANCE: Final = 1e-3


def check_gradients(model: Any, examples: Sequence[Example]) -> None:
    """Raise unless a model's gradients fulfill `scrutiny.core.queries.gradients`.

    Checked: the matrix, its vocabulary and its flags fit each other and are one object; pieces lie
    in their texts, in order, with a row and a finite slope each; an example's slopes are those that
    it has alone; and the slopes of all labels, each times the label's probability, cancel out, as
    they must for probabilities that sum to 1.

    Parameters
    ----------
    model
        With the capability ``gradients``, and ``predict``.
    examples
        Examples to use.

    Raises
    ------
    ConformanceError
        With a sentence about the first promise that is broken.
    """
    given = model.embeddings()
    count = len(given.vocabulary)
    promise(
        model.source,
        "embeddings() must give one object: a row, a text and a flag for each piece.",
        model.embeddings() is given
        and given.matrix.ndim == 2
        and len(given.matrix) == count == len(given.starts_word),
    )
    promise(
        model.source,
        "gradients([], []) must give an empty list.",
        list(model.gradients([], [])) == [],
    )
    by_label = [model.gradients(examples, [label] * len(examples)) for label in model.labels]
    for i, example in enumerate(examples):
        own = [found[i] for found in by_label]
        (alone,) = model.gradients([example], [model.labels[0]])
        if any(isinstance(one, Failure) for one in (*own, alone)):
            continue
        for one in own:
            promises(
                model.source,
                _check_one(model, example, one, count=count, width=given.matrix.shape[1]),
            )
        # raise unless an example's gradients do not depend on its batch
        first = own[0]
        largest = float(np.abs(alone.gradient).max(initial=0.0))
        promise(
            model.source,
            f"the gradients at {example.id!r} are others when it is asked alone.",
            first.pieces == alone.pieces
            and bool((np.abs(first.gradient - alone.gradient) <= TOLERANCE * largest).all()),
        )
        promises(model.source, _check_sum(model, example, own))


def _check_one(
    model: Any, example: Example, one: TokenGradients, *, count: int, width: int
) -> Promises:
    """Raise unless pieces, rows and gradients of one example are valid."""
    where = f"the gradients at {example.id!r}"
    lengths = {field: len(text) for field, text in example.fields.items()}
    kept = {
        f"{where} have a piece outside of its text.": all(
            0 <= p.start < p.end <= lengths.get(p.field, -1) for p in one.pieces
        ),
        f"{where} have pieces out of order.": all(
            a.field != b.field or a.start <= b.start for a, b in pairwise(one.pieces)
        ),
        f"{where} must have a row of the matrix for each piece.": (
            len(one.ids) == len(one.pieces) and all(0 <= i < count for i in one.ids)
        ),
        f"{where} must be finite, of the shape ({len(one.pieces)}, {width}).": (
            one.gradient.shape == (len(one.pieces), width) and bool(np.isfinite(one.gradient).all())
        ),
    }
    yield from kept.items()


def _check_sum(model: Any, example: Example, own: Sequence[TokenGradients]) -> Promises:
    """Raise unless the gradients of all labels, weighted by their probabilities, sum to 0."""
    (answer,) = model.predict([example])
    if answer.scores is None or not isinstance(answer.answer, str) or not own[0].pieces:
        return  # the scores of an answer in parts are no distribution over labels
    slopes = np.stack([one.gradient for one in own])  # (label, piece, dimension)
    total = np.tensordot(np.array(answer.scores), slopes, axes=1)
    yield (
        (
            f"the gradients at {example.id!r} are not those of minus the log-probabilities "
            "that it predicts."
        ),
        (np.abs(total) <= TOLERANCE * float(np.abs(slopes).max())).all(),
    )


def check_followed(model: Any, examples: Sequence[Example]) -> None:
    """Raise unless gradients along paths and by parameters fulfill the contract of their queries.

    Checked: answers are sound and those that a query has alone; labels' scores at a text differ as
    the logarithms of their probabilities do; and the gradients by a parameter of all labels, each
    times the label's probability, cancel out.

    Parameters
    ----------
    model
        With ``predict`` and at least one of `FOLLOWED` among its capabilities.
    examples
        Examples to use.

    Raises
    ------
    ConformanceError
        With a sentence about the first promise that is broken.
    """
    answers = model.predict(examples)
    for capability in sorted(model.capabilities & {*FOLLOWED}):
        promise(
            model.source,
            f"{capability}([]) must give an empty list.",
            list(getattr(model, capability)([])) == [],
        )
        for example, answer in zip(examples, answers, strict=True):
            promises(model.source, _check_queries(model, capability, example, answer.scores))


def _check_queries(
    model: Any, capability: str, example: Example, scores: tuple[float, ...] | None
) -> Promises:
    """Raise unless the answers about an example, one for each label, are right."""
    kind: Any = PathGradient if capability == "path_gradients" else ParameterGradient
    queries = [kind.of(example, label) for label in model.labels]
    asked = [*ask_or_fail(model, capability, queries), *ask_or_fail(model, capability, queries[:1])]
    failed = [one for one in asked if isinstance(one, Failure)]
    if any(one.reason == BAD for one in failed):
        raise ConformanceError(f"{model.source}: {failed[0].message}")
    if failed or scores is None or min(scores) <= 0:
        return
    *found, alone = [one for one in asked if not isinstance(one, Failure)]
    where = f"{capability} at {example.id!r}"
    flat = np.stack([[number for row in one for number in row] for one in (*found, alone)])
    yield f"{where} gives another answer when it is asked alone.", _are_near(flat[0], flat[-1])
    if kind is PathGradient:
        logits = np.array([one.scores[1] for one in found])
        is_right = _are_near(np.diff(logits), np.diff(np.log(scores)))
        what = "has scores that are not the logits of what it predicts"
    else:
        is_right = _are_near(np.array(scores) @ flat[:-1], np.zeros(flat.shape[1]))
        what = "is not that of minus the log-probabilities that it predicts"
    yield f"{where} {what}.", is_right


def _are_near(one: Any, two: Any) -> bool:
    """Whether numbers are equal up to rounding, relative to the largest."""
    largest = max(1.0, float(np.abs(two).max(initial=0.0)))
    return len(one) == len(two) and bool((np.abs(one - two) <= TOLERANCE * largest).all())


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
        total = self._bias + sum(self._weights.get(word, 0) for word in words_in(example))
        p = _two_to_one(total)
        return Prediction(self.labels[int(p > 0.5)], (_two_to_one(-total), p))

    def _gradient(self, example: Example, label: str) -> TokenGradients | Failure:
        if label not in self.labels:
            return Failure("unknown_label", f"there is no label {label!r}")
        pieces: list[InputPiece] = []
        ids: list[int] = []
        for name, text in example.fields.items():
            for start, end in token_spans(text):
                pieces.append(InputPiece(name, start, end))
                ids.append(self._rows.get(text[start:end].lower(), 0))
        scores = self._answer(example).scores or (0.0, 0.0)
        slope = log(2) * (scores[1] - self.labels.index(label))
        gradient: Any = np.zeros((len(pieces), 2))
        gradient[:, 0] = slope
        return TokenGradients(tuple(pieces), tuple(ids), gradient)


def _two_to_one(exponent: int) -> float:
    """2^n / (1 + 2^n)."""
    return 1.0 / (1.0 + 2.0**-exponent)
