"""Words of the other gender."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.text.entities import first_name_gender, swap_gender
from scrutiny.text.lexicon import table


@pytest.mark.parametrize(
    ("word", "xpos", "expected"),
    [
        ("he", None, "she"),
        ("She", "PRP", "He"),
        ("him", "PRP", "her"),
        ("her", "PRP", "him"),
        ("HER", "PRP$", "HIS"),
        ("her", None, None),
        ("his", "PRP$", "her"),
        ("his", "PRP", "hers"),
        ("hers", "PRP", "his"),
        ("himself", None, "herself"),
        ("he’s", None, "she's"),
        ("Actor", "NN", "Actress"),
        ("queens", "NNS", "kings"),
        ("father's", "NN", "mother's"),
        ("Mr", None, "Ms"),
        ("Mrs.", None, "Mr."),
        ("Miss", "NNP", "Mr"),
        ("miss", "VB", None),
        ("dad", "NN", "mom"),
        ("table", "NN", None),
        ("", None, None),
    ],
)
def test_swap_gender(word, xpos, expected):
    assert swap_gender(word, xpos) == expected


def test_pairs_lead_somewhere_and_back_to_a_synonym():
    for female, male in table("gender_pairs"):
        assert female != male
        assert swap_gender(swap_gender(female)) is not None


@given(st.text(max_size=10))
def test_any_word_is_accepted(word):
    assert swap_gender(word) != word or word == ""
    assert first_name_gender(word) in ("female", "male", None)
