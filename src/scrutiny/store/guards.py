"""Guards of files in use: one process in a run folder; descriptors that other code has closed.

User code that closes file descriptors it has not opened (as daemons do) closes the journal, too;
the next file would get its descriptor, and be written to.
"""

import os
import socket
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final

from scrutiny.core.errors import StorageError
from scrutiny.store.files import refuse_links, storage_errors

try:
    import fcntl
except ImportError:  # Windows: no locks
    fcntl = None  # type: ignore[assignment]
_NAME: Final = ".lock"
_OPENED: Final = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
_PATIENCE_S: Final = 3.0  # a process that was killed a moment ago may still be ending
_STEP_S: Final = 0.05


@contextmanager
def only_one(folder: Path, *, patience_s: float = _PATIENCE_S) -> Iterator[None]:
    """Lock an existing folder for this process.

    The lock belongs to the process and ends with it, however that ends. File systems without locks
    are used without.

    Raises
    ------
    StorageError
        If another process holds it, which the message names, or a link stands where runs write.
    """
    refuse_links(folder)
    path = folder / _NAME
    held = _locked_file(path, time.monotonic() + patience_s)
    try:
        yield
    finally:
        if held is not None:
            with suppress(OSError):
                path.unlink()
            held.close()


def is_in_use(folder: Path) -> bool:
    """Whether a process works on a run folder now."""
    if fcntl is None or not (folder / _NAME).is_file():
        return False
    with suppress(OSError), (folder / _NAME).open("rb") as file:
        return not _locks(file)
    return False


def _locked_file(path: Path, until: float) -> "IO[Any] | None":
    """Locked file; ``None`` if the platform has no locks."""
    if fcntl is None:
        return None
    while True:
        with storage_errors(path):
            file = os.fdopen(os.open(path, _OPENED, 0o600), "a+", encoding="utf-8")
        if _locks(file):
            if _is_still(path, file):
                file.truncate(0)
                file.write(f"process {os.getpid()} on {socket.gethostname()}")
                file.flush()
                return file
            file.close()  # its last holder has removed it in between
            continue
        file.seek(0)
        holder = file.read() or "another process"
        file.close()
        if time.monotonic() >= until:
            raise StorageError(
                f"{str(path.parent)!r} is in use: {holder} is working on this run. Wait until it "
                "is done, or end it and re-issue the command, or choose another --out."
            )
        time.sleep(_STEP_S)


def _locks(file: "IO[Any]") -> bool:
    """Try to lock a file until it is closed; whether that worked."""
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def _is_still(path: Path, file: "IO[Any]") -> bool:
    """Whether a path still leads to this open file."""
    try:
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False


_NUMBERS: Final = Path("/proc/self/fd")
#: File descriptor, and the device and inode that it refers to.
_held: dict[int, tuple[int, int]] = {}


def numbers_of(path: Path) -> list[int]:
    """File descriptors under which a file is open; empty if that cannot be known."""
    found = []
    with suppress(OSError):
        wanted = path.stat()
        for number in [int(part.name) for part in _NUMBERS.iterdir()]:
            with suppress(OSError):
                if os.path.samestat(os.fstat(number), wanted):
                    found.append(number)
    return found


def hold(numbers: Iterable[int]) -> None:
    """Guard these file descriptors, until `release`."""
    for number in numbers:
        stat = os.fstat(number)
        _held[number] = (stat.st_dev, stat.st_ino)


def release(numbers: Iterable[int]) -> None:
    """Stop guarding file descriptors whose owner is about to close them."""
    for number in numbers:
        _held.pop(number, None)


def is_lost() -> bool:
    """Whether a guarded descriptor was closed, or refers to another file now."""
    for number, known in _held.items():
        try:
            stat = os.fstat(number)
        except OSError:
            return True
        if (stat.st_dev, stat.st_ino) != known:
            return True
    return False
