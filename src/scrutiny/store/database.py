"""SQLite: connections with clear errors, the cache of models' answers, and the journal of a run.

An answer is kept under a digest of everything that changes it, behind a checksum. A row of the
journal is a shard of about ten seconds of work. Only the driver opens either. When a run is done,
its tables hold the shards' results, and the journal is packed: it keeps what identifies the run.
"""

import io
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import pyarrow as pa

from scrutiny.core.errors import StorageError
from scrutiny.store.files import make_private, make_private_folder, storage_errors
from scrutiny.store.guards import hold, numbers_of, release
from scrutiny.store.sealed_manifests import Seal

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
_OF_ANSWERS = """
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
        self._connection = connect(path, _OF_ANSWERS)
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


_PACKED = "packed"
_DIGEST = 16

_OF_JOURNAL = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS part (
    task TEXT NOT NULL, name TEXT NOT NULL, data BLOB NOT NULL, PRIMARY KEY (task, name)
);
CREATE TABLE IF NOT EXISTS done (task TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS memo (key TEXT PRIMARY KEY, value TEXT NOT NULL);
"""

Block = Mapping[str, pa.Table]


class Journal:
    """Finished tasks with their tables, and memoized values, of one run."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection = connect(path, _OF_JOURNAL)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def meta(self, key: str) -> str | None:
        """Value of a key, or ``None``."""
        row = self._row("SELECT value FROM meta WHERE key = ?", key)
        return None if row is None else str(row[0])

    def set_meta(self, key: str, value: str) -> None:
        """Store a value under a key."""
        with transaction(self._connection, self._path) as connection:
            connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def done(self) -> frozenset[str]:
        """Identities of the finished tasks."""
        return frozenset(row[0] for row in self._rows("SELECT task FROM done"))

    def finish(self, task: str, block: Block) -> None:
        """Store a task's tables and mark it done, in one transaction."""
        parts = [(task, name, _sealed(to_bytes(table))) for name, table in sorted(block.items())]
        with transaction(self._connection, self._path) as connection:
            connection.executemany("INSERT OR REPLACE INTO part VALUES (?, ?, ?)", parts)
            connection.execute("INSERT OR REPLACE INTO done VALUES (?)", (task,))

    def part(self, task: str, name: str) -> pa.Table | None:
        """One table of a finished task, or ``None``."""
        row = self._row("SELECT data FROM part WHERE task = ? AND name = ?", task, name)
        if row is None:
            return None
        try:
            return from_bytes(_unsealed(row[0]))
        except (ValueError, OSError, pa.ArrowException) as error:
            raise self._damaged(f"the shard {task!r} cannot be read") from error

    def parts(self, task: str) -> list[str]:
        """Names of the tables of a finished task."""
        query = "SELECT name FROM part WHERE task = ? ORDER BY name"
        return [row[0] for row in self._rows(query, task)]

    def memo(self, key: str) -> tuple[bool, Any]:
        """Whether a value is memoized under a key, and the value."""
        row = self._row("SELECT value FROM memo WHERE key = ?", key)
        if row is None:
            return False, None
        try:
            return True, json.loads(row[0])
        except (ValueError, TypeError) as error:
            raise self._damaged(f"what it keeps under {key!r} cannot be read") from error

    def set_memo(self, key: str, value: Any) -> None:
        """Memoize a JSON value under a key for the life of the run."""
        with transaction(self._connection, self._path) as connection:
            text = json.dumps(value, allow_nan=False)
            connection.execute("INSERT OR REPLACE INTO memo VALUES (?, ?)", (key, text))

    def packed(self) -> Seal | None:
        """List of the files that replaced the tables at `pack`, or ``None``."""
        kept = self.meta(_PACKED)
        if kept is None:
            return None
        try:
            return dict(json.loads(kept))
        except (ValueError, TypeError) as error:
            raise self._damaged("the list of its files cannot be read") from error

    def pack(self, files: Seal, *, keep: Sequence[str]) -> None:
        """Delete all tables of tasks, which files hold now.

        Parameters
        ----------
        files
            These files, as `scrutiny.store.sealed_manifests.seal_of` lists them.
        keep
            Prefixes of the keys of memos that a later start needs; the others are deleted.

        Raises
        ------
        StorageError
            If the disk refuses; all tables are still there, or none, and no result is lost.
        """
        with transaction(self._connection, self._path) as connection:
            connection.execute("DELETE FROM part")
            names = [row[0] for row in connection.execute("SELECT key FROM memo").fetchall()]
            gone = [(name,) for name in names if not name.startswith(tuple(keep))]
            connection.executemany("DELETE FROM memo WHERE key = ?", gone)
            connection.execute(
                "INSERT OR REPLACE INTO meta VALUES (?, ?)", (_PACKED, json.dumps(files))
            )
        with database_errors(self._path):
            self._connection.execute("VACUUM")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def forget(self) -> None:
        """Mark all tasks as not done: the files that replaced their tables are missing."""
        with transaction(self._connection, self._path) as connection:
            connection.execute("DELETE FROM done")
            connection.execute("DELETE FROM meta WHERE key = ?", (_PACKED,))

    def _rows(self, query: str, *values: str) -> list[Any]:
        """Rows of a query."""
        with database_errors(self._path):
            return self._connection.execute(query, values).fetchall()

    def _row(self, query: str, *values: str) -> Any:
        """First row of a query, or ``None``."""
        return next(iter(self._rows(query, *values)), None)

    def _damaged(self, what: str) -> StorageError:
        return StorageError(
            f"{self._path} is damaged: {what}. Move it away and re-issue the same command: what "
            "the models answered is in the cache."
        )


def _sealed(data: bytes) -> bytes:
    """Bytes with their digest in front."""
    return blake2b(data, digest_size=_DIGEST).digest() + data


def _unsealed(data: bytes) -> bytes:
    """Bytes from `_sealed`.

    Raises
    ------
    ValueError
        If the bytes are not those that were sealed.
    """
    kept, body = data[:_DIGEST], data[_DIGEST:]
    if blake2b(body, digest_size=_DIGEST).digest() != kept:
        raise ValueError("the digest is another")
    return body


def to_bytes(table: pa.Table) -> bytes:
    """Table as a compressed Arrow stream."""
    sink = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression="zstd", use_threads=False)  # they are small
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    return sink.getvalue()


def from_bytes(data: bytes) -> pa.Table:
    """Table from an Arrow stream."""
    options = pa.ipc.IpcReadOptions(use_threads=False)
    with pa.ipc.open_stream(data, options=options) as reader:
        return reader.read_all()
