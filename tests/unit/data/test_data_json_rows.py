import json

import pytest

from scrutiny.data.dataset import load_dataset


def rows(source):
    return [(e.text, e.gold, e.source) for e in load_dataset(source).examples]


def test_jsonl(write):
    write("d.jsonl", '{"text": "a", "label": 1}\n\n{"label": 0, "text": "b\\nb"}\n')
    assert rows("d.jsonl") == [("a", "1", "d.jsonl:1"), ("b\nb", "0", "d.jsonl:3")]


def test_jsonl_bad_rows(write):
    lines = [
        '{"text": "a", "label": "x"}',
        '{"text": "b", "label": "x"',
        '["b", "x"]',
        '{"text": 12, "label": "x"}',
        '{"text": "  ", "label": "x"}',
        '{"label": "x"}',
        '{"text": null, "label": "x"}',
        '{"text": "c", "label": null}',
        '{"text": "c", "label": 0.5}',
        '{"text": "c", "label": ["x"]}',
        '{"text": "half \\ud800", "label": "x"}',
        '{"text": "d", "label": NaN}',
    ]
    write("d.jsonl", "\n".join(lines))
    data = load_dataset("jsonl:d.jsonl#text=text,label=label")
    assert len(data) == 1
    assert [b.source for b in data.bad_rows] == [f"d.jsonl:{n}" for n in range(2, 13)]
    reasons = " / ".join(b.reason for b in data.bad_rows)
    for phrase in (
        "no valid JSON",
        "not an object",
        "text is a number (12), not text",
        "text is empty",
        "the row has no 'text'",
        "text is missing",
        "label is missing",
        "label is a number (0.5)",
        "label is a list",
        "half a surrogate pair at character 5",
    ):
        assert phrase in reasons


def test_json_list_keeps_lines(write):
    write("d.json", '[\n  {"text": "a",\n   "label": "x"},\n\n  {"text": "b", "label": "y"}\n]\n')
    assert rows("d.json") == [("a", "x", "d.json:2"), ("b", "y", "d.json:5")]


def test_json_field_keeps_lines(write):
    content = '{"version": [1, 2],\n "data": [\n  {"text": "a", "label": "x"},\n  7]}'
    write("d.json", content)
    assert rows("json:d.json") == [("a", "x", "d.json:3")]
    assert load_dataset("json:d.json#field=data").bad_rows[0].source == "d.json:4"


def test_json_columns(write):
    write("d.json", json.dumps({"text": ["a", "b"], "label": ["x", "y"]}))
    assert rows("d.json") == [("a", "x", "d.json:1"), ("b", "y", "d.json:2")]


@pytest.mark.parametrize(
    ("content", "source", "phrase"),
    [
        ('{"text": "a"}\n{"text": "b"}\n', "json:d.json", "jsonl:"),
        ('[{"text": "a"}, ', "json:d.json", "d.json:1:"),
        ('[{"text": "a"} {"text": "b"}]', "json:d.json", "Expecting ',' or ']'"),
        ("[]", "json:d.json", "holds no rows"),
        ("  \n", "json:d.json", "white space only"),
        ('"text"', "json:d.json", "single str"),
        ('{"a": 1}', "json:d.json", "field=NAME"),
        ('{"text": ["a"], "label": []}', "json:d.json", "text 1, label 0"),
        ('{"a": [{"text": "a"}]}', "json:d.json#field=b", "It has: a"),
        ('{"a": 1, "b": [{"text": "a"}]}', "json:d.json#field=a", "does not hold a list"),
        ('[{"text": "a"}]', "json:d.json#field=b", "is a list"),
        ("nonsense\n", "jsonl:d.json", "None of the first 1 rows"),
    ],
)
def test_json_that_does_not_read(write, failure, content, source, phrase):
    write("d.json", content)
    assert phrase in failure(source)


def test_member_scanner_meets_nested_values(write):
    value = {"x": {"data": [1]}, "y": 'a "data": [', "data": [{"text": "a", "label": "x"}]}
    for indent in (None, 2):
        write("d.json", json.dumps(value, indent=indent))
        assert [r[0] for r in rows("json:d.json#field=data")] == ["a"]


def test_later_keys_are_columns_too(write):
    write("d.jsonl", '{"text": "a"}\n{"text": "b", "label": "x"}\n')
    data = load_dataset("d.jsonl")
    assert [e.gold for e in data.examples] == ["x"]
    assert data.bad_rows[0].reason == "the row has no 'label'"
