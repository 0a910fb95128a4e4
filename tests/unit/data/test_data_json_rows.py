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
        ('{"text": "a"}\n{"text": b}\n', "json:d.json", "jsonl:"),
        ('[{"text": "a"}, ', "json:d.json", "d.json:1:"),
        ('[{"text": "a"} {"text": "b"}]', "json:d.json", "Expecting ',' or ']'"),
        ("[]", "json:d.json", "holds no rows"),
        ("  \n", "json:d.json", "white space only"),
        ('"text"', "json:d.json", "a text alone"),
        ('{"a": 1}', "json:d.json", "field=NAME"),
        ('{"text": ["a"], "label": []}', "json:d.json", "text 1, label 0"),
        ('{"a": [{"text": "a"}]}', "json:d.json#field=b", "It has: a"),
        ('{"a": 1, "b": [{"text": "a"}]}', "json:d.json#field=a", "holds a number, not rows"),
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


def test_fields_of_objects_in_a_row_are_columns(write, failure):
    rows = [
        {"data": {"text": "a", "by": {"name": "A"}}, "meta": {"label": "x"}},
        {"data": {"text": "b", "by": {"name": "B"}}, "meta": {"label": "y"}},
        {"data": {"body": "c"}, "meta": {"label": "y"}},
        {"data": "d", "meta": {"label": "y"}},
    ]
    write("d.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    data = load_dataset("d.jsonl#text=data.text,label=meta.label,group=data.by.name")
    assert [(e.text, e.gold) for e in data.examples] == [("a", "x"), ("b", "y")]
    assert data.examples[0].attributes == {"a_data.by.name": "A"}
    assert [bad.reason for bad in data.bad_rows] == ["the row has no 'data.text'"] * 2
    assert "'data.text', 'data.by'" in failure("d.jsonl")
    assert "Did you mean 'data.text'" in failure("d.jsonl#text=data.tex")


def test_fields_deep_inside_a_row(write):
    write("d.jsonl", '{"a": {"b": {"c": {"text": "deep"}}}, "label": "x"}\n')
    assert rows("d.jsonl#text=a.b.c.text") == [("deep", "x", "d.jsonl:1")]


def test_a_key_of_the_file_may_hold_rows_by_their_ids_or_columns(write, failure):
    by_id, columns = {"a": {"text": "A", "label": "x"}}, {"text": ["B"]}
    write("d.json", json.dumps({"v": 1, "data": by_id, "columns": columns}))
    (example,) = load_dataset("json:d.json#field=data").examples
    assert (example.id, example.text, example.gold) == ("a", "A", "x")
    assert [e.text for e in load_dataset("json:d.json#field=columns").examples] == ["B"]
    assert "that key of d.json holds a number, not rows" in failure("json:d.json#field=v")
    write("e.json", "true")
    assert "holds true or false alone" in failure("e.json")


def test_a_column_with_a_dot_in_its_name_goes_first(write):
    write("d.jsonl", '{"a.b": "flat", "a": {"b": "deep"}, "label": "x"}\n')
    assert rows("d.jsonl#text=a.b")[0][0] == "flat"


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        ('{\n "text": "a",\n "label": "x"\n}\n{\n "text": "b",\n "label": "y"\n}\n', [1, 5]),
        ('{"text": "a", "label": "x"}\n{"text": "b", "label": "y"}', [1, 2]),
        ('{"one": {"text": "a", "label": "x"},\n "two": {"text": "b", "label": "y"}}', [1, 2]),
    ],
)
def test_json_of_objects_one_after_another_or_by_their_keys(write, content, lines):
    write("d.json", content)
    found = load_dataset("d.json").examples
    assert [(e.text, e.gold, e.source) for e in found] == [
        ("a", "x", f"d.json:{lines[0]}"),
        ("b", "y", f"d.json:{lines[1]}"),
    ]
    if "one" in content:
        assert [e.id for e in found] == ["one", "two"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('[{"text": "a"}, {"text": "b"}]\n', "holds a list of objects"),
        ('[\n {"text": "a"}\n]\n', "holds a list of objects"),
        ('{\n "text": "a"\n}\n', "holds objects that span lines"),
    ],
)
def test_jsonl_of_other_json_names_the_reader_that_reads_it(write, failure, content, said):
    write("d.jsonl", content)
    assert said in failure("d.jsonl")
    assert "json:d.jsonl reads it" in failure("d.jsonl")


def test_squad_is_named(write, failure):
    write("d.json", '{"version": "2", "data": [{"title": "A", "paragraphs": []}]}')
    assert "squad:d.json reads it" in failure("d.json")


def test_several_labels_of_one_item_are_refused_in_words(write, failure):
    write("d.jsonl", '{"text": "a", "label": ["x", "y"]}\n{"text": "b", "label": []}\n')
    assert "several labels of one item: read all of them with task=" in failure("d.jsonl")


@pytest.mark.parametrize("name", ["dataset_info.json", "features.json"])
def test_names_of_numbered_classes_are_stated_or_stand_beside_the_file(write, name):
    write("d.jsonl", '{"tokens": ["Al", "ran"], "ner_tags": [1, 0]}\n')
    stated = load_dataset("d.jsonl#names=O|B-PER")
    assert [(s.start, s.label) for s in stated.examples[0].gold] == [(0, "PER")]
    feature = {"feature": {"names": ["O", "B-ORG"], "_type": "ClassLabel"}, "_type": "Sequence"}
    features = {"ner_tags": feature}
    write(name, json.dumps({"features": features} if "info" in name else features))
    assert load_dataset("d.jsonl").examples[0].gold[0].label == "ORG"
    assert load_dataset("d.jsonl#names=O|B-PER").examples[0].gold[0].label == "PER"


def test_names_need_labels(write, failure):
    write("t.jsonl", '{"tokens": ["Al", "ran"], "ner_tags": [1, 0]}\n')
    assert "tags are numbers: name them in order, as in names=O|B-PER" in failure("t.jsonl")
    write("d.jsonl", '{"text": "a"}\n')
    assert "no column of labels or tags" in failure("d.jsonl#names=no|yes")
    write("e.jsonl", '{"text": "a", "label": 2}\n')
    assert "the label 2 is not one of 0 to 1" in failure("e.jsonl#names=no|yes")
