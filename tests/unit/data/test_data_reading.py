import tracemalloc
from collections.abc import Iterator

import pytest

from scrutiny.core.errors import DataError
from scrutiny.data.dataset import load_dataset
from scrutiny.data.opening import iter_examples, open_data
from scrutiny.data.reading import parse_limit

ROWS = [{"text": text, "label": "x"} for text in ("a", "b", "", "c", "d")]


def test_examples_come_one_at_a_time(write):
    write("d.tsv", "text\tlabel\n" + "a\tx\n" * 2000 + "\tx\n")
    examples = iter_examples("d.tsv", on_bad_row="fail")
    assert isinstance(examples, Iterator)
    assert next(examples).source == "d.tsv:2"
    with pytest.raises(DataError, match=r"d\.tsv:2002: text is empty"):
        list(examples)


@pytest.mark.parametrize("limit", [None, 2, "1:3", "3:"])
def test_same_examples_as_in_memory(limit):
    assert tuple(iter_examples(ROWS, limit=limit)) == load_dataset(ROWS, limit=limit).examples


def test_memory_does_not_grow_with_the_texts(write):
    write("d.tsv", "text\tlabel\n" + "".join(f"{i} {'word ' * 40}\tx\n" for i in range(8_000)))
    tracemalloc.start()
    try:
        assert sum(1 for _ in iter_examples("d.tsv")) == 8_000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # the texts alone are 1.6 MB, their examples 5.3 MB; languages of 2,048 texts are kept
    assert peak < 3_900_000


def test_a_reading_grows_its_lists_as_it_goes():
    reading = open_data(ROWS)
    assert reading.bad_rows == []
    assert len(list(reading)) == 4
    assert [bad.source for bad in reading.bad_rows] == ["list:3"]


@pytest.mark.parametrize("limit", [0, -1, "a", "5:5", "5:2", "-3:", "1:2:3", ""])
def test_limits_that_do_not_read(limit):
    with pytest.raises(DataError, match="limit"):
        parse_limit(limit)


def test_limits():
    assert parse_limit(":7") == (0, 7)
    assert parse_limit("3:") == (3, None)
    assert parse_limit(" 12 ") == (0, 12)


def test_on_bad_row_is_one_of_two():
    with pytest.raises(DataError, match="'skip' or 'fail'"):
        open_data(ROWS, on_bad_row="warn")


def test_path_objects(write, tmp_path):
    write("d.csv", "text,label\na,x\n")
    assert next(iter_examples(tmp_path / "d.csv")).text == "a"


# -- rows without a label --------------------------------------------------------------------------

SOME = [
    {"text": "a", "label": "x"},
    {"text": "b", "label": ""},
    {"text": "c", "label": None},
    {"text": "d", "label": float("nan")},
    {"text": "e", "label": "y"},
]


def test_rows_without_a_label_are_bad_unless_they_shall_be_kept():
    data = load_dataset(SOME)
    assert [e.text for e in data.examples] == ["a", "e"]
    assert [bad.reason for bad in data.bad_rows] == ["label is missing"] * 3
    kept = load_dataset(SOME, columns={"unlabeled": "keep"})
    assert [e.gold for e in kept.examples] == ["x", None, None, None, "y"]
    assert (kept.labels, kept.bad_rows) == (("x", "y"), ())
    assert [d for d in kept.doubts if d.startswith("3 rows have no label: kept")]
    assert load_dataset(SOME, columns={"unlabeled": "skip"}).fingerprint == data.fingerprint


def test_files_and_label_maps_keep_them_too(write):
    write("d.csv", "text,label\na,0\nb,\nc,1\n")
    data = load_dataset("csv:d.csv#labels=0:neg|1:pos,unlabeled=keep")
    assert [e.gold for e in data.examples] == ["neg", None, "pos"]
    assert len({e.id for e in data.examples}) == 3
    assert data.data_string == "csv:d.csv#labels=0:neg|1:pos,unlabeled=keep,text=text,label=label"


def test_what_is_no_label_is_still_a_bad_row():
    rows = [*SOME, {"text": "f", "label": [1]}, {"text": "", "label": None}]
    data = load_dataset(rows, columns={"unlabeled": "keep"})
    assert len(data) == 5
    assert [bad.source for bad in data.bad_rows] == ["list:6", "list:7"]


def test_sentences_without_tags_are_kept_without_entities_to_find():
    rows = [
        {"tokens": ["Ada", "left"], "tags": ["B-PER", "O"]},
        {"tokens": ["It", "rains"], "tags": None},
        {"tokens": ["It", "rains"], "tags": ["", ""]},
        {"tokens": ["It", "rains"], "tags": ["O", "O"]},
    ]
    data = load_dataset(rows, columns={"unlabeled": "keep"})
    golds = [e.gold for e in data.examples]
    assert golds[1:] == [None, None, ()]  # nothing known, and nothing to find
    assert len(golds[0]) == 1


def test_no_column_of_labels_says_so_by_nothing_behind_it():
    data = load_dataset(SOME, columns={"label": ""})
    assert [e.gold for e in data.examples] == [None] * 5
    assert any("no column of gold answers" in note for note in data.notes)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"unlabeled": "drop"}, "it is keep or skip"),
        ({"unlabeled": "keep", "task": "passages"}, "items of passages have no label"),
    ],
)
def test_an_unlabeled_that_does_not_fit_is_refused(options, said):
    with pytest.raises(DataError, match=said):
        open_data(SOME, columns=options)
