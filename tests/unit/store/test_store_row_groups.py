"""Rows by row group: those that may hold what is asked for are read; items are made in parts."""

import pyarrow as pa
import pytest

from scrutiny.core.columns.item_packing import Packing
from scrutiny.core.example import Example
from scrutiny.store.item_tables import items_of
from scrutiny.store.name_column import NameColumn
from scrutiny.store.run_folder import RunFolder
from scrutiny.store.run_tables import ROW_GROUP

PLACE = ("kind", "subject", "reference", "dataset")


def rows(n, **place):
    names = {name: pa.repeat(place[name], n) for name in PLACE if place[name] is not None}
    named = {name: names.get(name, pa.nulls(n, pa.string())) for name in PLACE}
    return pa.table({**named, "item": [f"i{k}" for k in range(n)]})


@pytest.fixture
def folder(tmp_path):
    """Two models of a row group and a half each; the second one has a reference."""
    n, folder = ROW_GROUP + ROW_GROUP // 2, RunFolder(tmp_path)
    whole = [
        rows(n, kind="k", subject="a", reference=None, dataset="d"),
        rows(n, kind="k", subject="b", reference="a", dataset="d"),
    ]
    folder.write_table("records", whole, schema=whole[0].schema, footer={"k": {"d": {}}})
    items = pa.table({"dataset": ["d"], "item": ["i"]})
    folder.write_table("items", [items], schema=items.schema)
    return folder


def test_row_groups_that_hold_none_of_it_are_not_read(folder, monkeypatch):
    read, original = [], RunFolder.group

    def counted(self, name, number, columns):
        read.append(number)
        return original(self, name, number, columns)

    monkeypatch.setattr(RunFolder, "group", counted)
    records, _ = folder.measured()
    half = ROW_GROUP // 2
    assert [len(part) for part in records.where(subject="a")] == [ROW_GROUP, half]
    assert read == [0, 1]
    assert [len(part) for part in records.where(subject="b", reference="a")] == [half, ROW_GROUP]
    assert read == [0, 1, 2]  # the last one that was read is kept
    assert [len(part) for part in records.where(reference=None)] == [ROW_GROUP, half]
    assert read == [0, 1, 2, 0, 1]
    assert [*records.where(subject="c")] == []
    assert records.places() == [
        {"kind": "k", "subject": "a", "dataset": "d"},
        {"kind": "k", "subject": "b", "dataset": "d"},
    ]
    assert records.footer == {"k": {"d": {}}}


@pytest.mark.parametrize(
    ("asked", "places"),
    [
        (["b", "c"], [1, 2]),
        (["c", "d", "a", "b"], [2, 3, 0, 1]),
        (["d", "b", "d"], [3, 1, 3]),
        (["b", "e"], [1, -1]),
        ([], []),
    ],
)
def test_names_are_found_in_stretches_or_one_by_one(asked, places):
    names = NameColumn(pa.chunked_array([["a", "b"], ["c", "d"]]))
    column = pa.array(["x", *asked], pa.string()).dictionary_encode()[1:]  # x is no row's name
    assert names.places(column).tolist() == places
    assert (names[-1], names[1:3], [*names]) == ("d", ("b", "c"), ["a", "b", "c", "d"])
    assert names == NameColumn(pa.chunked_array([["a", "b", "c", "d"]]))
    assert names != ("a", "b")
    with pytest.raises(IndexError):
        names[4]


def test_items_are_made_in_parts_and_columns_of_one_dataset_are_empty_in_another():
    n = ROW_GROUP + 9
    many = Packing()
    many.add([Example(f"i{k}", {"text": "x"}, gold="a") for k in range(n)])
    few = (Example("j", {"text": "y"}, attributes={"a_topic": "sport"}),)
    schema, tables = items_of(
        {"many": many.items(), "few": few}, {"many": {"t_seen": [k == n - 1 for k in range(n)]}}
    )
    parts = [*tables]
    assert [len(part) for part in parts] == [ROW_GROUP, 9, 1]
    assert all(part.schema == schema for part in parts)
    rows = pa.concat_tables(parts)
    assert rows["position"].to_pylist() == [*range(n), 0]
    assert rows["t_seen"].to_pylist() == [*[False] * (n - 1), True, None]
    assert rows["a_topic"].to_pylist() == [*[None] * n, "sport"]
    assert rows["item"].to_pylist()[-2:] == [f"i{n - 1}", "j"]
