import tracemalloc
from collections.abc import Iterator

import pytest

from scrutiny.core.errors import DataError
from scrutiny.data.dataset import load_dataset
from scrutiny.data.reading import iter_examples, open_data, parse_limit

ROWS = [{"text": text, "label": "x"} for text in ("a", "b", "", "c", "d")]


def test_examples_come_one_at_a_time(write):
    write("d.tsv", "text\tlabel\n" + "a\tx\n" * 200 + "\tx\n")
    examples = iter_examples("d.tsv", on_bad_row="fail")
    assert isinstance(examples, Iterator)
    assert next(examples).source == "d.tsv:2"
    with pytest.raises(DataError, match=r"d\.tsv:202: text is empty"):
        list(examples)


@pytest.mark.parametrize("limit", [None, 2, "1:3", "3:"])
def test_same_examples_as_in_memory(limit):
    assert tuple(iter_examples(ROWS, limit=limit)) == load_dataset(ROWS, limit=limit).examples


def test_memory_does_not_grow_with_the_texts(write):
    write("d.tsv", "text\tlabel\n" + "".join(f"{i} {'word ' * 40}\tx\n" for i in range(20_000)))
    tracemalloc.start()
    try:
        assert sum(1 for _ in iter_examples("d.tsv")) == 20_000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 3_000_000  # the texts alone are 4 MB, their examples 14 MB


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


def test_oddities_of_a_task_from_elsewhere_are_noted():
    reading = open_data(ROWS, columns={"text": "text", "label": "label"})
    reading.oddities["were long"] += 2
    assert reading.notes == ("2 rows: were long.",)
