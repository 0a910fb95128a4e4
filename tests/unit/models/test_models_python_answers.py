"""What a user's object returned: arrays that hide some of their answers are refused."""

import numpy as np
import pytest

from scrutiny.core.errors import ModelError
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
