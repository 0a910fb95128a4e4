"""Rows of stored answers: found by item and variant, whatever their hashes, and read as a table."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from scrutiny.models.stored_rows import RowsInMemory, RowsOfTable, stored_rows

ROWS = [(f"f:{i}", {"id": str(i), "label": "ab"[i % 2]}) for i in range(9)]


@dataclass(frozen=True)
class Alike:
    """Key that shares its hash with all others."""

    number: int

    def __hash__(self) -> int:
        return 7


def test_keys_of_one_hash_are_told_apart() -> None:
    rows: Any = RowsInMemory(ROWS)
    assert rows.index(Alike) is None
    assert rows.places([Alike(n) for n in (8, 0, 4, 9)]) == [8, 0, 4, -1]


def test_the_first_of_two_rows_of_a_key_is_named() -> None:
    rows = RowsInMemory(ROWS)
    assert rows.index(lambda n: (str(n % 7), "")) == (0, 7)
    assert rows.places([("1", ""), ("1", "x")]) == [1, -1]
    none = RowsInMemory([])
    assert none.index(lambda n: (str(n), "")) is None
    assert none.places([("1", "")]) == [-1]


def test_a_parquet_file_stays_a_table_of_the_columns_that_are_read(tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    made = [{"id": i, "label": "aab"[i % 3], "beside": "x" * i} for i in range(5_000)]
    parquet.write_table(pa.Table.from_pylist(made), path)
    rows = stored_rows(path, {"id", "label"}.__contains__)
    assert isinstance(rows, RowsOfTable)
    assert len(rows) == 5_000
    assert [rows[i] for i in (0, 4_999, 4_096)] == [
        {"id": i, "label": "aab"[i % 3]} for i in (0, 4_999, 4_096)
    ]
    assert rows.place(4_999) == "p.parquet:5000"
    assert rows.names(0) == ["id", "label", "beside"]
    assert [*rows.kinds("label")] == [0, 2]
    assert len([*rows.kinds("probabilities")]) == 5_000
