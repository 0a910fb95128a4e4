"""Answer cache: a model's answers to texts, keyed by everything that changes them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final
from zlib import crc32

from scrutiny.store.database import connect, database_errors, transaction

# keys have a tree of their own: where replies of megabytes stand among them, each comparison of
# keys reads a whole reply
_SCHEMA = """
CREATE TABLE IF NOT EXISTS kept (key BLOB NOT NULL UNIQUE, value BLOB NOT NULL);
"""
_EARLIER: Final = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'checked'"
_CHECK: Final = 4  # bytes before an answer
_CHUNK = 500  # SQLite's default limit of parameters is 999 in old builds


class AnswerCache:
    """Answer store in SQLite; one transaction for each batch.

    Each has a checksum of answer and key: damaged answers count as missing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection = connect(path, _SCHEMA)
        self._take_over()

    def _take_over(self) -> None:
        """Move answers of an earlier version, which kept them among their keys, once."""
        with database_errors(self._path):
            if self._connection.execute(_EARLIER).fetchone() is None:
                return
        with transaction(self._connection, self._path) as connection:
            if connection.execute(_EARLIER).fetchone() is not None:
                connection.execute("INSERT OR REPLACE INTO kept SELECT key, value FROM checked")
                connection.execute("DROP TABLE checked")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Stored answers, for those keys that have one."""
        found: dict[bytes, bytes] = {}
        keys = sorted(keys)  # neighbors lie on one page
        with database_errors(self._path):
            for start in range(0, len(keys), _CHUNK):
                chunk = keys[start : start + _CHUNK]
                marks = ",".join("?" * len(chunk))
                query = f"SELECT key, value FROM kept WHERE key IN ({marks})"
                for key, kept in self._connection.execute(query, chunk):
                    value = kept[_CHECK:]
                    if type(kept) is bytes and kept[:_CHECK] == _check(key, value):
                        found[key] = value
        return found

    def put_many(self, answers: Mapping[bytes, bytes]) -> None:
        """Store these answers; committed when the call returns."""
        if not answers:
            return
        with transaction(self._connection, self._path) as connection:
            # sorted, so that each page is written once
            rows = ((key, _check(key, value) + value) for key, value in sorted(answers.items()))
            connection.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?)", rows)

    def size(self) -> tuple[int, int]:
        """Number of answers, and bytes of the file."""
        with database_errors(self._path):
            count = self._connection.execute("SELECT count(*) FROM kept").fetchone()[0]
        return int(count), self._path.stat().st_size

    def clear(self) -> int:
        """Delete all answers; returns how many there were."""
        count, _ = self.size()
        with transaction(self._connection, self._path) as connection:
            connection.execute("DELETE FROM kept")
        with database_errors(self._path):
            self._connection.execute("VACUUM")
        return count


def _check(key: bytes, value: bytes) -> bytes:
    return crc32(value, crc32(key)).to_bytes(_CHECK, "little")
