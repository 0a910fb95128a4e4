"""Numbers: read, and written in the same manner."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.text.numbers import format_number, number_to_words, ordinal_to_words, parse_number


@pytest.mark.parametrize(
    ("token", "value", "kind"),
    [
        ("7", 7, "digits"),
        ("25,000", 25000, "digits"),
        ("3.50", 3.5, "digits"),
        (".5", 0.5, "digits"),
        ("007", 7, "digits"),
        ("1990s", 1990, "digits"),
        ("2ND", 2, "ordinal"),
        ("Twenty-one", 21, "word"),
        ("zero", 0, "word"),
        ("million", 10**6, "word"),
        ("third", 3, "ordinal_word"),
    ],
)
def test_numbers_come_back_as_they_were(token, value, kind):
    number = parse_number(token)
    assert (number.value, number.kind) == (value, kind)
    assert format_number(number.value, number) == token or token == "million"


@pytest.mark.parametrize(
    "token", ["", ".", "10:30", "1/2", "1,2", "1,0000", "3.5th", "x", "-5", "٣", "1.2.3", "1" * 30]
)
def test_what_is_no_number(token):
    assert parse_number(token) is None


@pytest.mark.parametrize(
    ("like", "value", "text"),
    [
        ("5", 1200, "1200"),
        ("1,000", 12, "12"),
        ("1,000.0", 1234.56, "1,234.6"),
        ("007", 12, "012"),
        ("2nd", 11, "11th"),
        ("1ST", 3, "3RD"),
        ("Third", 12, "Twelfth"),
        ("FIVE", 21, "TWENTY-ONE"),
        ("1990s", 1980, "1980s"),
    ],
)
def test_format_number(like, value, text):
    assert format_number(value, parse_number(like)) == text


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0, "zero"),
        (100, "one hundred"),
        (115, "one hundred fifteen"),
        (2_000_040, "two million forty"),
        (-2, "minus two"),
        (0.25, "zero point two five"),
        (4.0, "four"),
        (10**15, "1000000000000000"),
    ],
)
def test_number_to_words(value, words):
    assert number_to_words(value) == words


@given(st.integers(0, 99))
def test_words_read_back(value):
    assert parse_number(number_to_words(value)).value == value
    if value:
        assert parse_number(ordinal_to_words(value)).value == value


@given(st.integers(0, 10**9), st.booleans())
def test_digits_read_back(value, is_grouped):
    text = f"{value:,}" if is_grouped else str(value)
    number = parse_number(text)
    assert number.value == value
    assert format_number(value, number) == text


@given(st.text(max_size=10))
def test_any_token_is_read(token):
    parse_number(token)
