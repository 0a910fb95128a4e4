"""Journal of a run: finished shards and their results.

A row is a shard of about ten seconds of work. Only the driver opens it. When a run is done, its
tables hold the shards' results, and the journal is packed: it keeps what identifies the run.
"""

import io
import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pyarrow as pa

from scrutiny.core.errors import StorageError
from scrutiny.store.database import connect, database_errors, transaction
from scrutiny.store.sealed_manifests import Seal

_PACKED = "packed"
_DIGEST = 16

_SCHEMA = """
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
        self._connection = connect(path, _SCHEMA)

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
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    return sink.getvalue()


def from_bytes(data: bytes) -> pa.Table:
    """Table from an Arrow stream."""
    with pa.ipc.open_stream(data) as reader:
        return reader.read_all()
