from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.core.errors import ModelError
from scrutiny.models.answers.bio import labels_of_tags, spans_from_tags, split_tag

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
    ],
)
def test_schemes(tags, expected):
    assert spans(*tags) == expected


def test_hyphens_in_labels():
    assert split_tag("B-product-name") == ("B", "product-name")
    assert split_tag("B-") == ("B", "")


def test_the_wrong_number_of_tags():
    with pytest.raises(ModelError, match="2 tags were given to a text of 1 tokens"):
        spans_from_tags(["O", "O"], [(0, 1)], "text")


@given(st.lists(st.sampled_from(["O", "B-P", "I-P", "B-L", "I-L", "E-P", "S-L"]), max_size=6))
def test_spans_are_disjoint_and_cover_what_is_tagged(tags):
    found = spans(*tags)
    covered = {t for t, (a, b) in enumerate(TOKENS) if any(s <= a and b <= e for s, e, _ in found)}
    assert covered == {i for i, tag in enumerate(tags) if tag != "O"}
    assert all(one[1] < two[0] for one, two in pairwise(found))


def test_labels_in_order_and_once():
    assert labels_of_tags(["O", "I-P", "B-P", "B-L"]) == ("P", "L")
