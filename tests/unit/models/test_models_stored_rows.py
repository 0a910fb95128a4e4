"""Rows of stored answers: found by item and variant, whatever their hashes; columns and lines."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from scrutiny.core.errors import ModelError
from scrutiny.models.stored_rows import RowsOfLines, RowsOfTable, stored_rows


@dataclass(frozen=True)
class Alike:
    """Key that shares its hash with all others."""

    number: int

    def __hash__(self) -> int:
        return 7


def rows_of(n: int) -> Any:
    """Rows of a table that was read whole."""
    table = pa.table({"id": [str(i) for i in range(n)]}, pa.schema([("id", pa.string())]))
    return RowsOfTable(table, Path("f"), ["id"])


def test_keys_of_one_hash_are_told_apart() -> None:
    rows = rows_of(9)
    assert rows.index(lambda _, n: Alike(n)) is None
    assert rows.places([Alike(n) for n in (8, 0, 4, 9)]) == [8, 0, 4, -1]


def test_the_first_of_two_rows_of_a_key_is_named() -> None:
    rows = rows_of(9)
    assert rows.index(lambda _, n: (str(n % 7), "")) == (0, 7)
    assert rows.places([("1", ""), ("1", "x")]) == [1, -1]
    none = rows_of(0)
    assert none.index(lambda _, n: (str(n), "")) is None
    assert none.places([("1", "")]) == [-1]


def test_a_parquet_file_stays_a_table_of_the_columns_that_are_read(tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    made = [{"id": i, "label": "aab"[i % 3], "beside": "x" * i} for i in range(5_000)]
    parquet.write_table(pa.Table.from_pylist(made), path)
    rows = stored_rows(path, {"id", "label"}.__contains__)
    assert isinstance(rows, RowsOfTable)
    assert len(rows) == 5_000
    assert [rows[i] for i in (0, 1, 4_999, 4_096)] == [
        {"id": i, "label": "aab"[i % 3]} for i in (0, 1, 4_999, 4_096)
    ]
    assert rows.place(4_999) == "p.parquet:5000"
    assert rows.names(0) == ["id", "label", "beside"]
    assert [*rows.kinds("label")] == [0, 2]
    assert len([*rows.kinds("probabilities")]) == 5_000


def test_a_file_of_cells_becomes_a_table_of_words_that_knows_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text('id,label,beside\n01,a,x\n\n2,"b\nc",y\n3,,z\n')
    rows = stored_rows(path, {"id", "label"}.__contains__)
    assert [rows[i] for i in range(3)] == [
        {"id": "01", "label": "a"},
        {"id": "2", "label": "b\nc"},
        {"id": "3", "label": ""},
    ]
    assert [rows.place(i) for i in range(3)] == ["p.csv:2", "p.csv:5", "p.csv:6"]
    assert rows.names(0) == ["id", "label", "beside"]
    path.write_text("id\tlabel\n1\ta\tb\n")
    path.rename(tmp_path / "p.tsv")
    with pytest.raises(ModelError, match=r"p\.tsv:2 has more or fewer cells than the header"):
        stored_rows(tmp_path / "p.tsv", {"id"}.__contains__)


def test_objects_of_lines_are_made_when_they_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"id": 1, "label": "é"}\n\n{"id": "1", "p": [0.5]}\n', encoding="utf-8")
    rows = stored_rows(path, {"id"}.__contains__)
    assert isinstance(rows, RowsOfLines)
    assert len(rows) == 2
    assert [rows[i] for i in (1, 0, 1)] == [
        {"id": "1", "p": [0.5]},
        {"id": 1, "label": "é"},
        {"id": "1", "p": [0.5]},
    ]
    assert rows.names(1) == ["id", "p"]
    path.write_text("\n[]\n")
    with pytest.raises(ModelError, match=r"p\.jsonl:2 is no JSON object"):
        stored_rows(path, {"id"}.__contains__)


def test_rows_that_are_asked_for_together_are_made_together(monkeypatch: Any) -> None:
    rows, made = rows_of(5_000), []
    some = RowsOfTable._some
    monkeypatch.setattr(
        RowsOfTable, "_some", lambda self, numbers: made.append(len(numbers)) or some(self, numbers)
    )
    assert rows.index(lambda rows, n: (rows[n]["id"], "")) is None
    assert made == [2**k for k in range(12)] + [905]  # ever more for who walks through
    made.clear()
    wanted = [4_000, 3, 2_000, 4_999]
    assert rows.places([(str(n), "") for n in wanted]) == wanted
    assert [rows[n]["id"] for n in wanted] == [str(n) for n in wanted]
    assert made == [4]
