"""Writing files so that a reader never sees half of one."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from scrutiny.core.errors import StorageError

_REFUSALS = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EACCES}


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Turn what the disk refuses into one `StorageError`.

    Raises
    ------
    StorageError
        For a full disk, a file-size limit, a read-only or forbidden folder.
    """
    try:
        yield
    except OSError as error:
        if error.errno in _REFUSALS or isinstance(error, (PermissionError, NotADirectoryError)):
            raise StorageError(_message(path, error)) from error
        raise


def _message(path: Path, error: OSError) -> str:
    return (
        f"Writing {path} was refused: {error.strerror or error}. Nothing half-written was kept. "
        "Free some space or choose another folder with --out, then re-issue the same command: "
        "what is done is not paid for again."
    )


def write_atomically(path: Path, write: Callable[[Path], Any]) -> None:
    """Have ``write`` fill a temporary neighbor, then move it to its place.

    Raises
    ------
    StorageError
        If the disk refuses; the neighbor is removed.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with storage_errors(path):
            write(temporary)
            with temporary.open("rb+") as handle:
                os.fsync(handle.fileno())
            temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink()


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically, in UTF-8 with lone surrogates escaped."""
    data = text.encode("utf-8", "backslashreplace")
    write_atomically(path, lambda temporary: temporary.write_bytes(data))


def write_plainly(path: Path, text: str) -> None:
    """Write a text where moving into place is impossible: a device, a pipe.

    Raises
    ------
    StorageError
        If the device refuses.
    """
    with storage_errors(path):
        path.write_text(text, encoding="utf-8", errors="backslashreplace")


def save_text(path: Path, text: str) -> None:
    """Write a text to a file or a device."""
    if path.exists() and not path.is_file():
        write_plainly(path, text)
    else:
        with storage_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, text)
