"""Files and folders: private, written atomically, safely named, known by their digests.

Names of arrays are made of what the user called things (a data string, a measurement), so they can
hold anything: ``..``, an absolute path, a thousand letters.
"""

import errno
import json
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from typing import IO, Any, Final

from scrutiny.core.boundary.json_text import digest
from scrutiny.core.errors import DataError, PlanError, StorageError

_FULL = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT}
_REFUSALS = {*_FULL, errno.EIO, errno.EROFS, errno.EACCES}
_REFUSALS |= {errno.ELOOP, errno.EEXIST}  # the path is occupied by something else
_LEFTOVER = re.compile(r"\..+\.(?:parquet|json|npy)\.\d+\.tmp")
_OF_A_RUN = re.compile(
    r".+\.parquet|(manifest|findings|published)\.json|journal\.sqlite.*|arrays|\.lock"
)
#: Files by which a folder is known to hold a run, and all that a run writes at its top.
_OF_RUNS = ("manifest.json", "journal.sqlite")
_WRITTEN = re.compile(rf"{_OF_A_RUN.pattern}|report\.html")
_FILE, _FOLDER = 0o600, 0o700  # of what holds texts: its owner's alone
_SHOWN = 120  # letters of an error that may quote a damaged file
_WRONG_PLACES = (PermissionError, NotADirectoryError, IsADirectoryError, FileNotFoundError)


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Turn errors of the file system into one `StorageError`.

    Raises
    ------
    StorageError
        For a full disk, a file-size limit, a read-only or forbidden folder.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in _REFUSALS and not isinstance(error, _WRONG_PLACES):
            raise
        advice = "Free some space, or write" if error.errno in _FULL else "Write"
        raise StorageError(
            f"Writing {path} was refused: {error.strerror or error}. No half-written file was "
            f"kept. {advice} elsewhere (-o, --out), then re-issue the same command: what a run has "
            "done so far is not paid for again."
        ) from error


def make_private_folder(folder: Path) -> None:
    """Create a folder that only its owner may enter, if there is none: it will hold texts."""
    if not folder.is_dir():
        if not folder.parent.exists():
            folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=_FOLDER, exist_ok=True)


def make_private(path: Path) -> None:
    """Create a file that only its owner may read, or make an existing one of this user so.

    An existing one is not opened: closing it again would end the locks that a database has on it.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _FILE))
        return
    with suppress(OSError):  # somebody else's, who decides
        if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & ~_FILE:
            path.chmod(_FILE)


def refuse_links(folder: Path) -> None:
    """Refuse a run folder in which a link stands where a run writes.

    Who made a folder may have planted one that leads to a file of whoever goes on with the run.

    Raises
    ------
    StorageError
        With the link and where it leads.
    """
    within = (path for path in folder.iterdir() if _WRITTEN.fullmatch(path.name))
    for path in (*within, *(folder / "arrays").rglob("*")):
        if path.is_symlink():
            raise StorageError(
                f"{str(path)!r} is a link, to {str(path.readlink())!r}: a run writes into its own "
                "folder alone, and would write there. Remove the link, or choose another --out."
            )


def write_atomically(path: Path, write: Callable[[Path], Any], *, is_private: bool = False) -> None:
    """Have ``write`` fill a temporary file next to the path, then rename it.

    Where it ``is_private``, only its owner may read the file.

    Raises
    ------
    StorageError
        If the disk refuses; the temporary file is removed.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with storage_errors(path):
            temporary.unlink(missing_ok=True)  # a link that somebody planted there, too
            if is_private:
                make_private(temporary)
            write(temporary)
            with temporary.open("rb+") as handle:
                os.fsync(handle.fileno())
            temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink()


def remove_leftovers(folder: Path) -> None:
    """Remove temporary files that a killed process left in a folder that is not in use.

    Only files named by `write_atomically` are removed, and only where runs write: the folder may
    hold files of others.
    """
    for path in (*folder.glob(".*.tmp"), *(folder / "arrays").rglob(".*.tmp")):
        if _LEFTOVER.fullmatch(path.name):
            with suppress(OSError):
                path.unlink()


def unreadable(path: Path, error: BaseException) -> DataError:
    """Error for a file of a run that cannot be read, in one sentence whatever the file holds."""
    if isinstance(error, UnicodeDecodeError):
        why = f"the byte at offset {error.start} is no UTF-8"
    else:
        why = f"{type(error).__name__}: {str(error)[:_SHOWN]}"
    return DataError(f"{path} cannot be read ({why}). Re-issue the run's command.")


def write_text(path: Path, text: str, *, is_private: bool = False) -> None:
    """Write a text file atomically, in UTF-8 with lone surrogates escaped."""
    data = text.encode("utf-8", "backslashreplace")
    write_atomically(path, lambda temporary: temporary.write_bytes(data), is_private=is_private)


def is_of_a_run(path: Path, *, is_run: bool | None = None) -> bool:
    """Whether a path is one that the store of a run writes, in a folder that holds a run."""
    if is_run is None:
        is_run = any((path.parent / name).is_file() for name in _OF_RUNS)
    return is_run and _OF_A_RUN.fullmatch(path.name) is not None


def save_text(path: Path, text: str) -> None:
    """Write a text to a file or a device.

    Raises
    ------
    PlanError
        If the path is a folder.
    StorageError
        If the disk refuses.
    """
    save_stream(path, lambda stream: stream.write(text))


def save_stream(path: Path, fill: Callable[[IO[str]], Any]) -> None:
    """Have ``fill`` write text to a file, completely or not at all, or to a device.

    A link stays: the file that it leads to is written. In the folder of a run, which others may
    have made, none is followed; there a file is its owner's alone.

    Raises
    ------
    PlanError
        If the path is a folder.
    StorageError
        If the disk refuses, or a link stands in the folder of a run.
    """

    def write(place: Path) -> None:
        with place.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as stream:
            fill(stream)

    is_in_run = any((path.parent / name).is_file() for name in _OF_RUNS)
    if is_in_run and path.is_symlink():
        raise StorageError(
            f"{str(path)!r} is a link in the folder of a run, to {str(path.readlink())!r}, and no "
            "such link is followed. Remove it, or name a file elsewhere."
        )
    if path.is_dir():
        raise PlanError(f"{str(path)!r} is a folder: name a file, such as {path / 'out'}.")
    if path.exists() and not path.is_file():
        with storage_errors(path):
            write(path)
        return
    with storage_errors(path):
        target = Path(os.path.realpath(path)) if path.is_symlink() else path
        target.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(target, write, is_private=is_in_run)


def hash_file(path: Path) -> str:
    """Digest of a file on disk, which is read again only when its size or time has changed."""
    stat = path.stat()
    return _hash(str(path.resolve()), stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=1024)
def _hash(path: str, size: int, changed_ns: int) -> str:
    """Digest of a file's bytes; size and time of change are part of the cache's key."""
    state = blake2b(digest_size=16)
    with Path(path).open("rb") as file:
        while chunk := file.read(1 << 20):
            state.update(chunk)
    return state.hexdigest()


_MOST_LETTERS: Final = 200  # bytes of a part; file systems take 255, and a writer adds a suffix
_UNSAFE: Final = re.compile(r"[%\x00-\x1f\x7f\\]|[\ud800-\udfff]|^\.+$|^~|[. ]$")


def array_file(name: str) -> PurePosixPath:
    """Path of an array inside a run folder; slashes in the name make folders.

    Examples
    --------
    >>> str(array_file("measure/level/csv:dev.csv/0/words"))
    'arrays/measure/level/csv:dev.csv/0/words.npy'
    >>> str(array_file("measure/level/../../../x/words"))
    'arrays/measure/level/%2E%2E/%2E%2E/%2E%2E/x/words.npy'
    """
    *folders, last = map(_safe, name.split("/"))
    return PurePosixPath("arrays", *folders, f"{last}.npy")


def _safe(part: str) -> str:
    """Part of a name as a safe file name; different parts get different names."""
    if not part:
        return "%"
    escaped = _UNSAFE.sub(lambda match: "".join(f"%{ord(letter):02X}" for letter in match[0]), part)
    data = escaped.encode()
    if len(data) <= _MOST_LETTERS:
        return escaped
    return f"{data[: _MOST_LETTERS - 33].decode(errors='ignore')}%{digest(part, size=16)}"


def cache_folder() -> Path:
    """Cache folder of all runs: ``SCRUTINY_CACHE_DIR``, or the user's cache folder."""
    given = os.environ.get("SCRUTINY_CACHE_DIR")
    if given:
        return Path(given).expanduser()
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "scrutiny"


def cache_file() -> Path:
    """Answer cache: file with the answers of models."""
    return cache_folder() / "answers.sqlite"


def models_folder() -> Path:
    """Cache folder of converted, fine-tuned and trained models."""
    return cache_folder() / "models"


def read_json(path: Path) -> Any:
    """Value read from a JSON file; an error shows none of it."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise unreadable(path, error) from error
