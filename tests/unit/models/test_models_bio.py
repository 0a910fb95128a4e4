"""Tags that a model gives are read as tags of data are."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.models.answers.checked import AnswerError
from scrutiny.models.answers.returned_answers import spans_from_tags

TOKENS = [(i * 2, i * 2 + 1) for i in range(6)]


def spans(*tags):
    return [(s.start, s.end, s.label) for s in spans_from_tags(tags, TOKENS[: len(tags)], "text")]


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (["O", "O"], []),
        (["B-P", "I-P", "O"], [(0, 3, "P")]),
        (["B-P", "B-P"], [(0, 1, "P"), (2, 3, "P")]),
        (["I-P", "I-P"], [(0, 3, "P")]),  # an I that continues nothing begins
        (["B-P", "I-L"], [(0, 1, "P"), (2, 3, "L")]),
        (["B-P", "O", "I-P"], [(0, 1, "P"), (4, 5, "P")]),
        (["S-P", "I-P"], [(0, 1, "P"), (2, 3, "P")]),
        (["B-P", "E-P", "I-P"], [(0, 3, "P"), (4, 5, "P")]),
        (["B-P", "I-P", "L-P", "U-L"], [(0, 5, "P"), (6, 7, "L")]),
        (["PER", "PER", "O"], [(0, 3, "PER")]),
        (["O", "B", "I", "O"], [(2, 5, "")]),
        (["DET", "NOUN", "NOUN"], [(0, 1, "DET"), (2, 3, "NOUN"), (4, 5, "NOUN")]),
    ],
)
def test_schemes(tags, expected):
    assert spans(*tags) == expected


@pytest.mark.parametrize(
    ("tags", "phrase"),
    [(["O", "O"], "2 tags were given to a text of 1 tokens"), (["B-"], "no.* tag")],
)
def test_tags_that_cannot_be_used_are_a_bad_answer(tags, phrase):
    with pytest.raises(AnswerError, match=phrase) as caught:
        spans_from_tags(tags, [(0, 1)], "text")
    assert caught.value.reason == "bad_answer"


@given(st.lists(st.sampled_from(["O", "B-P", "I-P", "B-L", "I-L", "E-P", "S-L"]), max_size=6))
def test_spans_are_disjoint_and_cover_what_is_tagged(tags):
    found = spans(*tags)
    covered = {t for t, (a, b) in enumerate(TOKENS) if any(s <= a and b <= e for s, e, _ in found)}
    assert covered == {i for i, tag in enumerate(tags) if tag != "O"}
    assert all(one[1] < two[0] for one, two in pairwise(found))
