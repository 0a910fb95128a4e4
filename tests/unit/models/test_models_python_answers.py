"""What a user's object returned: hidden answers of arrays are refused, scores are kept."""

import numpy as np
import pytest

from scrutiny.core.answers.choices import LABEL_SET, OPTION_OF, LabelSet, Option
from scrutiny.core.answers.texts import EXTRACT, Extract
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.task import Prediction
from scrutiny.models.answers.returned_answers import given_answer
from scrutiny.models.answers.returned_labels import from_answers, from_probabilities

LABELS = ("negative", "positive")
HALF = np.full((2, 2), 0.5)


def probabilities(rows):
    return from_probabilities(rows, LABELS, count=2, source="m")


@pytest.mark.parametrize(
    "rows",
    [
        np.ma.array(HALF, mask=[[False, True], [False, False]]),
        [np.ma.array(HALF[0], mask=[True, False]), HALF[1]],
    ],
)
def test_masked_probabilities_are_none(rows):
    with pytest.raises(ModelError, match="returned masked probabilities"):
        probabilities(rows)


def test_an_array_that_could_be_masked_and_is_not_passes():
    assert [p.scores for p in probabilities(np.ma.array(HALF))] == [(0.5, 0.5)] * 2


def test_complex_numbers_are_no_probabilities():
    with pytest.raises(ModelError, match="complex numbers"):
        probabilities(HALF + 1j)


def test_masked_labels_are_none():
    answers = np.ma.array(["negative", "positive"], mask=[True, False])
    with pytest.raises(ModelError, match="returned masked answers"):
        from_answers(answers, LABELS, count=2, source="m")


QUESTION = Example("1", {"question": "Where?", "context": "In Rome."})
CHOICE = Example("1", {"text": "Met?", "option_1": "Yes.", "option_2": "No."})


@pytest.mark.parametrize(
    ("kind", "example", "returned", "answer"),
    [
        (EXTRACT, QUESTION, {"answer": "Rome"}, Extract("Rome")),
        (EXTRACT, QUESTION, {"answer": "Rome", "start": 3}, Extract("Rome", "context", 3)),
        (OPTION_OF, CHOICE, {"answer": 1}, Option(1)),
        (OPTION_OF, CHOICE, {"answer": "No."}, Option(1)),
    ],
)
def test_a_score_beside_a_whole_answer_says_how_sure_a_model_is(kind, example, returned, answer):
    assert given_answer(returned, example, kind, source="m") == Prediction(answer)
    scored = given_answer({**returned, "score": 0.9}, example, kind, source="m")
    assert scored == Prediction(answer, (0.9,))


def test_a_label_that_is_called_score_is_no_confidence():
    given = given_answer({"joy": 0.2, "score": 0.9}, CHOICE, LABEL_SET, source="m")
    assert given == Prediction(LabelSet(["score"]))
