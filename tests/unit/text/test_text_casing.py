"""Casing of words and of their replacements."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.text.letters import capitalize_first, case_pattern, match_case


@pytest.mark.parametrize(
    ("source", "replacement", "expected"),
    [
        ("dog", "cat", "cat"),
        ("dog", "Paris", "Paris"),
        ("Dog", "cat", "Cat"),
        ("Dog", "mcDonald", "McDonald"),
        ("DOG", "cat", "CAT"),
        ("I", "we", "We"),
        ("iPhone", "phone", "phone"),
        ("42", "cat", "cat"),
        ("Don't", "do not", "Do not"),
        ("'Tis", "it is", "It is"),
        ("", "cat", "cat"),
    ],
)
def test_match_case(source, replacement, expected):
    assert match_case(source, replacement) == expected


@pytest.mark.parametrize(
    ("word", "pattern"),
    [("don't", "lower"), ("Élan", "title"), ("McCoy", "mixed"), ("A", "title"), ("?", "none")],
)
def test_case_pattern(word, pattern):
    assert case_pattern(word) == pattern


def test_capitalize_first_skips_what_is_no_letter():
    assert capitalize_first("'tis") == "'Tis"
    assert capitalize_first("123") == "123"


@given(st.text(max_size=8), st.text(max_size=8))
def test_only_the_case_changes(source, replacement):
    assert case_pattern(source) in ("lower", "upper", "title", "mixed", "none")
    assert match_case(source, replacement).casefold() == replacement.casefold() or any(
        len(c.upper()) > 1 or c.upper().lower() != c.lower() for c in replacement
    )
