"""Tables read by columns: the same items, doubts and bad rows as row by row."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from scrutiny.core.columns import item_columns, item_packing
from scrutiny.core.columns.item_columns import BLOCK, ItemColumns
from scrutiny.core.columns.item_packing import Packing
from scrutiny.core.errors import DataError
from scrutiny.core.example import Example
from scrutiny.data import column_reading
from scrutiny.data.dataset import Dataset, load_dataset
from scrutiny.data.item_values import Items
from scrutiny.data.opening import open_data

OPTIONS = "text=text,label=label,id=id,group=topic|stars|seen,unit=story,language=language"
SAME = (
    *("fingerprint", "examples", "labels", "label_map", "bad_rows", "doubts", "warnings", "notes"),
    *("languages", "language_counts", "data_string", "columns", "to_look_at"),
)


@pytest.fixture
def by_row(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Room in which tables are read row by row, where it is entered."""
    with monkeypatch.context() as patch:
        yield patch


def both(source: str, patch: pytest.MonkeyPatch, **more: Any) -> tuple[Dataset, Dataset]:
    """A source by columns, and row by row."""
    assert column_reading.reads_columns(open_data(source))
    columns = load_dataset(source, **more)
    patch.setattr(column_reading, "reads_columns", lambda reading: False)
    return columns, load_dataset(source, **more)


def odd_rows(seed: int, n: int = 300) -> list[dict[str, Any]]:
    """Rows of which some are doubtful, and some cannot be read."""
    rng = random.Random(seed)
    texts = [
        "It is good.",
        "Das ist nicht gut genug.",
        " ",
        "",
        "lost \ufffd",
        None,
        "a\r\nb",
        "好",
    ]
    return [
        {
            "id": rng.choice([f"i{i}", f"i{i}", f" i{i}", f"i{i // 2}", None, ""]),
            "text": rng.choice([f"The film {i} was fine.", f"Film {i % 40}.", *texts]),
            "label": rng.choice(["good", "bad", "bad ", "Good", "", None, "-"]),
            "topic": rng.choice(["film", "Film", "", None, "food"]),
            "stars": rng.choice([1.0, 2.5, None, float("inf"), float("nan")]),
            "seen": rng.choice([True, False, None]),
            "story": rng.choice([1, 2, 3, 4, 4, None]),
            "language": rng.choice(["en", "German", None, "", "klingon?"]),
            "beside": i,
        }
        for i in range(n)
    ]


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Parquet file of several row groups."""
    parquet.write_table(pa.Table.from_pylist(rows), path, row_group_size=64)
    return path


@pytest.mark.parametrize("seed", range(6))
def test_all_that_is_read_and_said_is_the_same(
    seed: int, tmp_path: Path, by_row: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "t.parquet", odd_rows(seed))
    options = [OPTIONS, OPTIONS.replace("id=id", "id="), f"{OPTIONS},unlabeled=keep"][seed % 3]
    columns, rows = both(f"parquet:{path}#{options}", by_row)
    assert len(rows) > 20
    for name in SAME:
        assert getattr(columns, name) == getattr(rows, name), name


def test_labels_are_renamed_and_numbers_have_names(
    tmp_path: Path, by_row: pytest.MonkeyPatch
) -> None:
    rows = [{"text": f"Text {i}.", "label": i % 4 - 1} for i in range(40)]
    path = written(tmp_path / "t.parquet", rows)
    for more in ("names=no|yes|perhaps", "labels=0:no|1:yes|2:perhaps"):
        with pytest.MonkeyPatch.context() as patch:
            columns, one_by_one = both(f"parquet:{path}#{more}", patch)
        for name in SAME:
            assert getattr(columns, name) == getattr(one_by_one, name), name


def test_two_texts_of_a_pair_are_compared_and_dictionaries_are_read(
    tmp_path: Path, by_row: pytest.MonkeyPatch
) -> None:
    table = pa.table(
        {
            "text": pa.array(["One.", "Two.", "Two."]).dictionary_encode(),
            "text_pair": ["1", "Two.", "2"],
            "label": pa.array(["a", "b", "b"]).dictionary_encode(),
        }
    )
    with (
        pa.OSFile(str(tmp_path / "t.arrow"), "wb") as sink,
        pa.ipc.new_file(sink, table.schema) as to,
    ):
        to.write_table(table)
    columns, rows = both(f"arrow:{tmp_path}/t.arrow", by_row)
    assert columns.task == "text-pair-classification"
    assert any("the same text as" in said for said in columns.doubts)
    for name in SAME:
        assert getattr(columns, name) == getattr(rows, name), name


def test_bad_rows_end_the_reading_where_they_are_asked_to(tmp_path: Path) -> None:
    rows = [{"text": f"Text {i}." if i != 7 else " ", "label": "ab"[i % 2]} for i in range(9)]
    path = written(tmp_path / "t.parquet", rows)
    with pytest.raises(DataError, match=r"t\.parquet:8: text is empty"):
        load_dataset(f"parquet:{path}", on_bad_row="fail")
    parquet.write_table(pa.Table.from_pylist([{"text": " ", "label": "a"}]), path)
    with pytest.raises(DataError, match="None of the 1 rows"):
        load_dataset(f"parquet:{path}")


def test_what_is_beside_texts_and_labels_is_read_row_by_row(tmp_path: Path) -> None:
    rows = [{"text": "It is good.", "label": "a", "why": [[0, 2]]}]
    path = written(tmp_path / "t.parquet", rows)
    for more in ("#evidence=why", "#permute=1"):
        assert not column_reading.reads_columns(open_data(f"parquet:{path}{more}"))


ITEMS = [
    Example(
        f"i{i}",
        {"text": f"Text {i % 50}"},
        "ab"[i % 2] if i % 7 else None,
        source=f"t:{i}",
        attributes={"a_n": float(i % 3), **({"a_late": "x"} if i > 60 else {})},
        language="en" if i % 5 else "de",
    )
    for i in range(130)
]


@pytest.fixture
def columns(monkeypatch: pytest.MonkeyPatch) -> ItemColumns:
    """The items as columns, in blocks of sixteen."""
    for module in (item_columns, item_packing):
        monkeypatch.setattr(module, "BLOCK", 16)
    packing = Packing()
    for start in range(0, len(ITEMS), 16):
        packing.add(ITEMS[start : start + 16])
    made = packing.items()
    assert isinstance(made, ItemColumns)
    return made


def test_columns_are_a_sequence_of_the_items(columns: ItemColumns) -> None:
    assert [*columns] == ITEMS
    assert columns == ITEMS
    assert columns[3:99] == tuple(ITEMS[3:99])
    assert columns[::-50] == tuple(ITEMS[::-50])
    assert [columns[i] for i in (0, 129, 64, -1, 17)] == [ITEMS[i] for i in (0, 129, 64, -1, 17)]
    with pytest.raises(IndexError):
        columns[130]


def test_what_is_asked_of_columns_is_what_is_asked_of_items(columns: ItemColumns) -> None:
    for asked in (
        item_columns.attribute_names,
        item_columns.attribute_counts,
        item_columns.label_counts,
        item_columns.language_counts_of,
        item_columns.golds_of,
        item_columns.fields_of,
    ):
        assert asked(columns) == asked(ITEMS)
    assert item_columns.id_column(columns).equals(item_columns.id_column(ITEMS))
    golds = item_columns.coded_golds(columns)
    assert golds.each() == item_columns.golds_of(ITEMS)
    assert [*item_columns.scored_originals(columns)] == item_columns.scored_originals(ITEMS)
    assert item_columns.attribute_column(columns, "a_late") == [None] * 61 + ["x"] * 69
    named = item_columns.with_golds(columns, str.upper)
    assert [*named] == [*item_columns.with_golds(tuple(ITEMS), str.upper)]
    alike = {one.id for one in item_columns.with_equal_texts(columns)}
    assert alike == {one.id for one in ITEMS}
    ones, others = Items.of(columns), Items.of(ITEMS)
    for where in ("n > 1", "not late = x", "n in highest 40% and late", "has 'text 1'", "n = 2"):
        if "late" not in where or "=" in where:
            assert ones.inside(where) == others.inside(where)


def test_items_that_are_more_than_plain_stay_objects() -> None:
    packing = Packing()
    packing.add(ITEMS[:3])
    packing.add([Example("long", {"text": "x"}, tokens={"text": ((0, 1),)})] * BLOCK)
    made = packing.items()
    assert isinstance(made, tuple)
    assert made[:3] == tuple(ITEMS[:3])
    assert len(made) == BLOCK + 3
    late = Packing()
    for one in (ITEMS * 40, [Example("pair", {"a": "x", "b": "y"})]):
        late.add(one)
    assert late.items() == (*(ITEMS * 40), Example("pair", {"a": "x", "b": "y"}))


def test_columns_are_sent_to_workers(columns: ItemColumns) -> None:
    import pickle

    sent = pickle.loads(pickle.dumps(columns))
    assert sent == ITEMS
    assert np.array_equal(sent.golds.codes, columns.golds.codes)
