"""Columns as codes say what the texts say, read as texts or as a dictionary."""

import numpy as np
import pyarrow as pa
import pytest

from scrutiny.store.arrow import coded, counts_of, is_among, is_value

TEXTS = ["b", None, "a", "a", "c", None, "b"]


@pytest.fixture(params=[pa.string(), pa.dictionary(pa.int32(), pa.string())], ids=str)
def column(request):
    parts = [pa.array(TEXTS[:3]).cast(request.param), pa.array(TEXTS[3:]).cast(request.param)]
    return pa.chunked_array(parts).unify_dictionaries()


def test_values_come_in_the_order_of_appearance(column):
    names, codes = coded(column)
    assert names.to_pylist() == ["b", None, "a", "c"]
    assert [names[code].as_py() for code in codes.tolist()] == TEXTS


def test_a_part_of_a_column_has_only_the_values_in_it(column):
    names, codes = coded(column.slice(2, 3))
    assert (names.to_pylist(), codes.tolist()) == (["a", "c"], [0, 0, 1])
    names, codes = coded(column.slice(0, 0))
    assert (len(names), codes.tolist()) == (0, [])


@pytest.mark.parametrize("value", ["a", "b", None, "absent"])
def test_rows_with_a_value(column, value):
    assert is_value(column, value).tolist() == [text == value for text in TEXTS]


@pytest.mark.parametrize("values", [["a", None], ["c", "absent"], [None], []])
def test_rows_with_one_of_several_values(column, values):
    assert is_among(column, values).tolist() == [text in values for text in TEXTS]


def test_numbers_are_compared_as_they_are():
    draws = pa.chunked_array([pa.array([0, 1, 0], pa.int32())])
    assert is_value(draws, 0).tolist() == [True, False, True]
    assert not is_value(draws, 7).any()


def test_many_rows_are_coded_as_few():
    values = np.random.default_rng(0).integers(0, 50, 10_000).astype(str).tolist()
    names, codes = coded(pa.array(values))
    assert names.to_pylist() == list(dict.fromkeys(values))
    assert [names.to_pylist()[code] for code in codes.tolist()] == values


def test_values_that_occur_together_are_counted_in_their_order(column):
    table = pa.table({"a": column, "b": column})
    rows = np.array([text != "b" for text in TEXTS])
    assert counts_of(table, rows, ["b", "a"]) == [
        {"b": None, "a": None, "count": 2},
        {"b": "a", "a": "a", "count": 2},
        {"b": "c", "a": "c", "count": 1},
    ]
    assert counts_of(table, np.zeros(7, dtype=bool), ["a"]) == []


def test_missing_values_are_told_in_a_part_of_a_column(column):
    whole = column.combine_chunks()
    for start in range(len(TEXTS)):
        assert is_value(whole.slice(start), None).tolist() == [t is None for t in TEXTS[start:]]
