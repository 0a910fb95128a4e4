"""The journal: what is finished stays finished, whatever happens next."""

import os
import signal
import sqlite3
import subprocess
import sys

import pyarrow as pa
import pytest

from scrutiny.core.errors import StorageError
from scrutiny.store.database import Journal, from_bytes, to_bytes, transaction

TABLE = pa.table({"x": [1, 2], "y": ["a", None]})


@pytest.fixture
def journal(tmp_path):
    made = Journal(tmp_path / "journal.sqlite")
    yield made
    made.close()


def reopened(journal):
    journal.close()
    return Journal(journal._path)


def test_a_finished_task_is_there_after_reopening(journal):
    journal.finish("t1", {"records": TABLE, "timings": TABLE.slice(0, 1)})
    again = reopened(journal)
    assert again.done() == {"t1"}
    assert again.part("t1", "records").equals(TABLE)
    assert again.parts("t1") == ["records", "timings"]
    assert again.part("t1", "outputs") is None
    assert again.part("t2", "records") is None
    again.close()


def test_finishing_again_replaces(journal):
    journal.finish("t1", {"records": TABLE})
    journal.finish("t1", {"records": TABLE.slice(1)})
    assert journal.part("t1", "records").num_rows == 1


def test_a_block_that_cannot_be_kept_leaves_nothing_behind(journal):
    class Broken:
        schema = property(lambda self: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        journal.finish("t1", {"records": TABLE, "zzz": Broken()})
    assert journal.done() == frozenset()
    assert journal.parts("t1") == []


def test_an_error_inside_a_transaction_takes_all_of_it_back(journal):
    def torn():
        with transaction(journal._connection, journal._path) as connection:
            connection.execute("INSERT INTO done VALUES ('half')")
            raise KeyError

    with pytest.raises(KeyError):
        torn()
    assert journal.done() == frozenset()
    journal.finish("t1", {})  # and the journal can go on
    assert journal.done() == {"t1"}


KILLED = """
import os, signal, sys
import pyarrow as pa
from pathlib import Path
from scrutiny.store.database import Journal
journal = Journal(Path(sys.argv[1]))
for n in range(3):
    journal.finish(f"t{n}", {"records": pa.table({"x": [n]})})
journal._connection.execute("BEGIN")
journal._connection.execute("INSERT INTO done VALUES ('torn')")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_kill_keeps_what_was_committed_and_nothing_else(tmp_path):
    path = tmp_path / "journal.sqlite"
    ended = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False, env=os.environ)
    assert ended.returncode == -signal.SIGKILL
    journal = Journal(path)
    assert journal.done() == {"t0", "t1", "t2"}
    assert journal.part("t2", "records").to_pylist() == [{"x": 2}]
    journal.close()


@pytest.mark.parametrize("value", [None, 0, 0.1, "é", [1, {"a": None}]])
def test_memos_keep_json_values_and_tell_none_from_nothing(journal, value):
    assert journal.memo("k") == (False, None)
    journal.set_memo("k", value)
    assert journal.memo("k") == (True, value)


def test_a_memo_is_no_nan(journal):
    with pytest.raises(ValueError, match="not JSON compliant"):
        journal.set_memo("k", float("nan"))
    assert journal.memo("k") == (False, None)


def test_meta_is_replaced(journal):
    assert journal.meta("run_id") is None
    journal.set_meta("run_id", "a")
    journal.set_meta("run_id", "b")
    assert journal.meta("run_id") == "b"


def test_tables_travel_as_bytes_with_their_schema():
    empty = TABLE.slice(0, 0)
    assert from_bytes(to_bytes(TABLE)).equals(TABLE)
    assert from_bytes(to_bytes(empty)).schema == TABLE.schema


def test_a_file_that_is_no_database_is_named(tmp_path):
    path = tmp_path / "journal.sqlite"
    path.write_bytes(b"not a database at all, " * 100)
    with pytest.raises(StorageError, match=r"journal.sqlite is damaged or no database"):
        Journal(path)


def test_a_locked_file_says_who_is_in_the_way(tmp_path, monkeypatch):
    journal = Journal(tmp_path / "journal.sqlite")
    journal._connection.execute("PRAGMA busy_timeout=1")
    other = sqlite3.connect(tmp_path / "journal.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageError, match="in use by another run"):
        journal.set_meta("a", "b")
    other.execute("ROLLBACK")
    other.close()
    journal.close()
