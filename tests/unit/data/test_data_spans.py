"""Texts with spans: what annotation tools write as JSON lines, and brat's files."""

import json

import pytest

from scrutiny.core.errors import DataError
from scrutiny.data.dataset import load_dataset

CITY = "New York City is big"


def spans_of(data):
    return [[(e.text[s.start : s.end], s.label) for s in e.gold] for e in data.examples]


@pytest.mark.parametrize(
    "row",
    [
        {"text": CITY, "label": [[0, 13, "LOC"]]},
        {"text": CITY, "labels": [[0, 13, "LOC"]]},
        {"text": CITY, "spans": [{"start": 0, "end": 13, "label": "LOC"}]},
        {"text": CITY, "entities": [{"start_offset": 0, "end_offset": 13, "label": "LOC"}]},
        {"text": CITY, "entities": [[0, 14, "LOC"]]},  # a space is left out
    ],
)
def test_spans_of_several_tools(write, row):
    write("d.jsonl", json.dumps(row) + "\n")
    data = load_dataset("spans:d.jsonl")
    assert data.task == "token-tagging"
    assert data.examples[0].text == CITY
    assert spans_of(data) == [[("New York City", "LOC")]]


def test_texts_stay_as_they_were_written_and_spans_cut_tokens(write):
    text = "Visit  Paris-based caf\u00e9s, in \u6771\u4eac\u3067."
    marks = [[7, 12, "LOC"], [29, 31, "LOC"]]
    write("d.jsonl", json.dumps({"id": 7, "text": text, "label": marks}) + "\n")
    (example,) = load_dataset("spans:d.jsonl").examples
    assert (example.id, example.text) == ("7", text)
    assert [text[s.start : s.end] for s in example.gold] == ["Paris", "\u6771\u4eac"]


def test_overlapping_spans_are_refused_or_the_longest_kept(write):
    rows = [
        {"text": CITY, "spans": [[0, 8, "LOC"], [0, 13, "LOC"], [17, 20, "SIZE"]]},
        {"text": "Rome", "spans": []},
    ]
    write("d.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    data = load_dataset("spans:d.jsonl")
    assert spans_of(data) == [[]]
    assert "LOC 0-8 and LOC 0-13 overlap; overlapping=longest" in data.bad_rows[0].reason
    data = load_dataset("spans:d.jsonl#overlapping=longest")
    assert spans_of(data) == [[("New York City", "LOC"), ("big", "SIZE")], []]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"text": CITY, "spans": [[0, 99, "LOC"]]}, "LOC 0-99 lies outside"),
        ({"text": CITY, "spans": [[4, 4, "LOC"]]}, "LOC 4-4 lies outside"),
        ({"text": CITY, "spans": [[8, 9, "LOC"]]}, "has no token"),
        ({"text": CITY, "spans": [[0, "8", "LOC"]]}, "no span"),
        ({"text": CITY, "spans": [{"start": 0}]}, "no span"),
        ({"text": CITY, "spans": ["LOC"]}, "no span"),
        ({"text": CITY, "spans": [], "answer": "reject"}, "not accepted (answer: reject)"),
        ({"text": CITY, "spans": [], "answer": "ignore"}, "not accepted (answer: ignore)"),
        ({"text": CITY}, "no list of spans"),
        ({"spans": []}, "the row has no text"),
        ({"text": 3, "spans": []}, "the row has no text"),
    ],
)
def test_rows_that_hold_no_spans_are_bad(write, row, said):
    good = {"text": "Rome", "spans": [[0, 4, "LOC"]]}
    write("d.jsonl", f"{json.dumps(good)}\n{json.dumps(row)}\n")
    (bad,) = load_dataset("spans:d.jsonl").bad_rows
    assert bad.source == "d.jsonl:2"
    assert said in bad.reason


def test_brat(write, tmp_path):
    write("one.txt", f"{CITY}.\nSo is Rome.\n")
    marks = "T1\tLOC 0 13\tNew York City\nR1\tnear Arg1:T1 Arg2:T2\nT2\tLOC 28 32\tRome\n#1\tnote\n"
    write("one.ann", marks)
    write("two.txt", "Nothing here.")
    write("two.ann", "")
    data = load_dataset("one.ann")
    assert spans_of(data) == [[("New York City", "LOC"), ("Rome", "LOC")]]
    assert data.examples[0].id == "one"
    assert spans_of(load_dataset("brat:one.txt")) == spans_of(data)
    write("two.ann", "A line of prose.\n")
    with pytest.raises(DataError, match=r"two\.ann:1: the line marks no span"):
        load_dataset("two.ann")


def test_brat_of_a_folder_names_each_file(write, tmp_path):
    folder = tmp_path / "brat"
    folder.mkdir()
    each = {"a": "T1\tLOC 0 4\n", "b": "T1\tLOC 0 2;3 4\n", "c": "T1\n"}
    for name, marks in each.items():
        (folder / f"{name}.txt").write_text("Rome")
        (folder / f"{name}.ann").write_text(marks)
    (folder / "d.ann").write_text(each["a"])
    data = load_dataset(f"brat:{folder}")
    assert spans_of(data) == [[("Rome", "LOC")]]
    assert [bad.reason for bad in data.bad_rows] == [
        "the span LOC has several parts",
        "the line marks no span as brat writes it",
        "its text d.txt does not stand beside it",
    ]


def test_other_readers_name_this_one(write, failure):
    write("d.jsonl", json.dumps({"text": CITY, "label": [[0, 13, "LOC"]]}) + "\n")
    assert "spans: reads" in failure("d.jsonl")
    write("e.jsonl", json.dumps({"text": CITY, "spans": [[0, 13, "LOC"]]}) + "\n")
    assert "spans:e.jsonl reads them" in " ".join(load_dataset("e.jsonl").notes)
