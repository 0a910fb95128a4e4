"""One process at a time for a run in the making."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scrutiny.core.errors import RunIncompleteError
from scrutiny.store.files import storage_errors


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder, which is made if need be; a killed process lets go of it.

    Where the system has no such locks, nothing is held.

    Raises
    ------
    RunIncompleteError
        If another process holds it.
    """
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        handle = (folder / "lock").open("w")
    with handle:
        try:
            import fcntl
        except ImportError:
            yield
            return
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RunIncompleteError(
                f"Another process is training in {str(folder)!r}. Wait for it, then re-issue the "
                "same command: what it has done is not done again."
            ) from error
        yield
