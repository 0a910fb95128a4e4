"""JSON that Python would read wrongly, or choke on, is an error with a place."""

import json

import pytest

from scrutiny.core.boundary.json_text import parse_json, parse_json_from


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1, "b": {"c": 1, "c": 2}}', "the key 'c' occurs twice"),
        ("[" * 100_000, "too deep to read"),
        ('{"a":' * 100_000, "too deep to read"),
        ('[1,\n {"a": ' + "9" * 5000 + "}]", "a number of thousands of digits"),
        ("[1, 2", "Expecting"),
    ],
)
def test_errors_have_a_reason(text, words):
    with pytest.raises(json.JSONDecodeError, match=words):
        parse_json(text)
    with pytest.raises(json.JSONDecodeError, match=words):
        parse_json_from(" " + text, 1)


def test_a_long_number_is_found():
    with pytest.raises(json.JSONDecodeError) as told:
        parse_json('[1,\n {"a": ' + "9" * 5000 + "}]")
    assert (told.value.lineno, told.value.colno) == (2, 8)


def test_all_else_is_read_as_ever():
    text = '{"a": [1, 2.5, "x", null, true, {"b": {}}], "c": 1e999}'
    assert parse_json(text) == json.loads(text)
    assert parse_json(text.encode("utf-16")) == json.loads(text)
    assert parse_json_from('[1] {"a": 2}', 4) == ({"a": 2}, 12)
