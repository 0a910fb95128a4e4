"""SQLite connections: write-ahead log, one writer, clear errors."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scrutiny.core.errors import StorageError
from scrutiny.store.files import make_private, make_private_folder, storage_errors
from scrutiny.store.open_files import hold, numbers_of, release

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
