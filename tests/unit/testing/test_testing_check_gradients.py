"""The check of gradients finds what is wrong with them."""

import numpy as np
import pytest

from scrutiny.core.errors import ConformanceError
from scrutiny.core.example import Example
from scrutiny.core.queries.gradients import InputPiece
from scrutiny.testing import LinearClassifier, check_adapter, check_gradients

EXAMPLES = [
    Example(id=str(i), fields={"text": text})
    for i, text in enumerate(["a good film", "bad", "", "not so good , not so bad"])
]


def changed(change):
    """A linear classifier whose gradients are changed in one way."""

    class Changed(LinearClassifier):
        def gradients(self, examples, labels):
            return [change(one) for one in super().gradients(examples, labels)]

    return Changed({"good": 2, "bad": -1})


def test_sound_gradients_pass():
    check_gradients(LinearClassifier({"good": 2, "bad": -1}), EXAMPLES)
    check_adapter(LinearClassifier({"good": 2, "bad": -1}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda one: one._replace(gradient=one.gradient + 0.1), "not those of minus the log"),
        (lambda one: one._replace(gradient=one.gradient[:, :1]), "of the shape"),
        (lambda one: one._replace(gradient=one.gradient * np.nan), "must be finite"),
        (lambda one: one._replace(ids=tuple(i + 10 for i in one.ids)), "a row of the matrix"),
        (lambda one: one._replace(pieces=one.pieces[::-1]), "out of order"),
        (
            lambda one: one._replace(
                pieces=tuple(InputPiece("text", p.start, 99) for p in one.pieces)
            ),
            "outside of its text",
        ),
    ],
)
def test_what_is_broken_is_said(change, message):
    with pytest.raises(ConformanceError, match=message):
        check_gradients(changed(change), EXAMPLES)


def test_gradients_that_depend_on_the_batch():
    class Mixed(LinearClassifier):
        def gradients(self, examples, labels):
            found = super().gradients(examples, labels)
            return [one._replace(gradient=one.gradient * len(found)) for one in found]

    with pytest.raises(ConformanceError, match="when it is asked alone"):
        check_gradients(Mixed({"good": 2}), EXAMPLES)


def test_a_matrix_that_is_made_anew():
    class Anew(LinearClassifier):
        def embeddings(self):
            given = super().embeddings()
            return given._replace(matrix=given.matrix.copy())

    with pytest.raises(ConformanceError, match="one object"):
        check_gradients(Anew({"good": 2}), EXAMPLES)
