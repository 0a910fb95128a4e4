"""The linear toy classifier: its answers and gradients by hand."""

import math

import numpy as np
import pytest

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.queries.gradients import Gradients, InputPiece
from scrutiny.testing import LinearClassifier, check_adapter

MODEL = LinearClassifier({"good": 2, "fine": 1, "bad": -2})


def item(text, **more):
    return Example("1", {"text": text, **more})


@pytest.mark.parametrize(
    ("text", "label", "p"),
    [
        ("Good", "positive", 4 / 5),
        ("good and FINE", "positive", 8 / 9),
        ("good, bad", "negative", 1 / 2),
        ("bad", "negative", 1 / 5),
        ("goood", "negative", 1 / 2),
    ],
)
def test_answers(text, label, p):
    (answer,) = MODEL.predict([item(text)])
    assert answer.answer == label
    assert answer.scores == pytest.approx((1 - p, p))


def test_all_fields_count_and_the_bias_as_well():
    pair = item("good", text_pair="fine")
    assert MODEL.predict([pair])[0].scores[1] == pytest.approx(8 / 9)
    assert LinearClassifier({}, bias=1).predict([item("x")])[0].scores[1] == pytest.approx(2 / 3)


def test_it_is_an_adapter_with_gradients():
    check_adapter(LinearClassifier({"good": 2}))
    assert isinstance(MODEL, Gradients)
    with pytest.raises(ModelError, match="two labels"):
        LinearClassifier({}, labels=("a", "b", "c"))


@pytest.mark.parametrize("label", ["negative", "positive"])
def test_the_gradient_is_the_slope_of_the_loss(label):
    """Against the difference quotient of the loss, for a text of two known words."""
    (found,) = MODEL.gradients([item("good fine x")], [label])
    assert found.pieces == (
        InputPiece("text", 0, 4),
        InputPiece("text", 5, 9),
        InputPiece("text", 10, 11),
    )
    assert found.ids == (1, 2, 0)

    def loss(total):
        p = 1 / (1 + 2.0**-total)
        return -math.log(p if label == "positive" else 1 - p)

    quotient = (loss(3 + 1e-6) - loss(3 - 1e-6)) / 2e-6
    assert found.gradient[:, 0] == pytest.approx(quotient, rel=1e-6)
    assert not found.gradient[:, 1].any()


def test_embeddings_and_labels_that_do_not_exist():
    embeddings = MODEL.embeddings()
    assert embeddings is MODEL.embeddings()
    assert embeddings.vocabulary == ("", "good", "fine", "bad")
    assert np.array_equal(embeddings.matrix, [[0, 1], [2, 1], [1, 1], [-2, 1]])
    assert embeddings.starts_word.tolist() == [False, True, True, True]
    (failure,) = MODEL.gradients([item("good")], ["mixed"])
    assert isinstance(failure, Failure)


def test_what_was_asked_is_remembered():
    model = LinearClassifier({})
    model.predict([item("a"), item("b", text_pair="c")])
    assert model.asked == [(("a",), ("b", "c"))]
    assert model.fingerprint() != LinearClassifier({"a": 1}).fingerprint()
