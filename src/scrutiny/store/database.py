"""SQLite: connections with a write-ahead log and clear errors, and the cache of models' answers.

An answer is kept under a digest of everything that changes it, behind a checksum.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from zlib import crc32

from scrutiny.core.errors import StorageError
from scrutiny.store.files import make_private, make_private_folder, storage_errors
from scrutiny.store.guards import hold, numbers_of, release

_SHOWN = 120  # letters of an error that may quote a damaged file
_FULL = ("full", "disk i/o", "readonly", "unable to open", "too big")


class _Held(sqlite3.Connection):
    """Connection whose file is guarded until it is closed."""

    numbers: tuple[int, ...] = ()

    def close(self) -> None:
        """Close the file."""
        release(self.numbers)
        super().close()


def connect(path: Path, schema: str) -> sqlite3.Connection:
    """Open a database; a new one is made with this schema, for this user alone.

    Raises
    ------
    StorageError
        If the file cannot be opened or is no database.
    """
    with storage_errors(path):
        make_private_folder(path.parent)
        make_private(path)
    with database_errors(path):
        connection = sqlite3.connect(path, timeout=30, isolation_level=None, factory=_Held)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.executescript(schema)
        except BaseException:
            connection.close()
            raise
        connection.numbers = tuple(numbers_of(path))
        hold(connection.numbers)
        return connection


@contextmanager
def transaction(connection: sqlite3.Connection, path: Path) -> Iterator[sqlite3.Connection]:
    """Commit everything inside, or roll all of it back.

    Raises
    ------
    StorageError
        If the disk refuses.
    """
    with database_errors(path):
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")


@contextmanager
def database_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's refusals into one `StorageError`.

    Raises
    ------
    StorageError
        For a full or read-only disk, a locked file, a file that is no database.
    """
    try:
        yield
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # names may be damaged, too
        text = str(error).lower()
        if "locked" in text:
            message = f"{path} is in use by another run; wait for it, or choose another --out."
        elif "not a database" in text or "malformed" in text:
            message = f"{path} is damaged or no database; move it away and re-issue the command."
        elif any(word in text for word in _FULL):
            message = (
                f"Writing {path} was refused: {error}. What was committed is safe: free some "
                "space, then re-issue the same command."
            )
        elif isinstance(error, sqlite3.ProgrammingError):
            raise  # ours
        else:
            message = (
                f"{path} cannot be read ({str(error)[:_SHOWN]}); move it away and re-issue the "
                "command."
            )
        raise StorageError(message) from error


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
        # move answers of an earlier version, which kept them among their keys, once
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
