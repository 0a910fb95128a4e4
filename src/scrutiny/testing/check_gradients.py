"""Conformance of gradients with respect to input vectors."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np

from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import Example
from scrutiny.core.queries.gradients import TokenGradients
from scrutiny.testing.promises import promise, promises

#: How far gradients may move with what stands beside a text, relative to the largest number.
TOLERANCE: Final = 1e-3


def check_gradients(model: Any, examples: Sequence[Example]) -> None:
    """Raise unless a model's gradients fulfil `scrutiny.core.queries.gradients`.

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
        is_kept=model.embeddings() is given
        and given.matrix.ndim == 2
        and len(given.matrix) == count == len(given.starts_word),
        message="embeddings() must give one object: a row, a text and a flag for each piece.",
    )
    promise(
        model.source,
        is_kept=list(model.gradients([], [])) == [],
        message="gradients([], []) must give an empty list.",
    )
    by_label = [model.gradients(examples, [label] * len(examples)) for label in model.labels]
    for i, example in enumerate(examples):
        own = [found[i] for found in by_label]
        (alone,) = model.gradients([example], [model.labels[0]])
        if any(isinstance(one, Failure) for one in (*own, alone)):
            continue
        for one in own:
            _check_one(model, example, one, count=count, width=given.matrix.shape[1])
        _check_equal(model, example, own[0], alone)
        _check_sum(model, example, own)


def _check_one(
    model: Any, example: Example, one: TokenGradients, *, count: int, width: int
) -> None:
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
    promises(model.source, kept)


def _check_equal(model: Any, example: Example, one: TokenGradients, alone: TokenGradients) -> None:
    """Raise unless an example's gradients do not depend on its batch."""
    largest = float(np.abs(alone.gradient).max(initial=0.0))
    promise(
        model.source,
        is_kept=one.pieces == alone.pieces
        and bool((np.abs(one.gradient - alone.gradient) <= TOLERANCE * largest).all()),
        message=f"the gradients at {example.id!r} are others when it is asked alone.",
    )


def _check_sum(model: Any, example: Example, own: Sequence[TokenGradients]) -> None:
    """Raise unless the gradients of all labels, weighted by their probabilities, sum to 0."""
    (answer,) = model.predict([example])
    if answer.scores is None or not own[0].pieces:
        return
    slopes = np.stack([one.gradient for one in own])  # (label, piece, dimension)
    total = np.tensordot(np.array(answer.scores), slopes, axes=1)
    promise(
        model.source,
        is_kept=bool((np.abs(total) <= TOLERANCE * float(np.abs(slopes).max())).all()),
        message=f"the gradients at {example.id!r} are not those of minus the log-probabilities "
        "that it predicts.",
    )
