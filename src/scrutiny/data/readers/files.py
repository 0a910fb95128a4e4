"""Opening text files, with errors that explain what is wrong."""

import bz2
import codecs
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from io import TextIOWrapper
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from scrutiny.core.boundary.printable import with_dots
from scrutiny.core.errors import DataError
from scrutiny.data.readers.formats import other_format
from scrutiny.data.source import DataSource

_HEAD = 400
#: Characters that tell how the lines of a file end.
_BEGINNING: Final = 65_536
#: Encodings by which of four bytes are mostly 0 in Latin text.
_WIDE: Final[Mapping[tuple[bool, ...], str]] = {
    (False, True, False, True): "utf-16-le",
    (True, False, True, False): "utf-16-be",
    (False, True, True, True): "utf-32-le",
    (True, True, True, False): "utf-32-be",
}
#: What unpacks a compressed file while it is read, by the file's first bytes.
_UNPACK: Final[Mapping[bytes, Callable[..., Any]]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ": lzma.open,
}
_LONGEST_MAGIC: Final = 8


def existing_file(source: DataSource) -> Path:
    """Path of the source: an existing, nonempty file.

    Raises
    ------
    DataError
        If there is no such file, or it is a folder, is empty, or is not readable.
    """
    path = source.path
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        raise DataError(_no_such_file(source, path)) from None
    except OSError as error:
        raise DataError(f"{source.target} cannot be read: {error.strerror}.") from None
    except ValueError as error:  # a character that no path can have
        raise DataError(f"{source.target!r} cannot be read: {error}.") from None
    if path.is_dir():
        inside = sorted(p.name for p in path.iterdir())
        raise DataError(
            f"{source.target} is a folder; {source.scheme}: reads one file. "
            f"It holds {with_dots(inside, 8) or 'no files'}."
        )
    if size == 0:
        raise DataError(f"{source.target} is empty (0 bytes).")
    return path


def lines(source: DataSource, *, every_end: bool = False) -> Iterator[str]:
    """Physical lines of a text file with their line ends; a byte-order mark is dropped.

    A line ends at a line feed, and a stray carriage return does not start a new one. Where a file
    has carriage returns alone, or the format has none within a line (``every_end``), they end its
    lines, too, and become line feeds.

    Raises
    ------
    DataError
        Where the bytes are not in the encoding; the message gives the offset.
    """
    path = existing_file(source)
    # python's name of the encoding in the data string; UTF-8 by default
    name = source.option("encoding", "utf-8")
    try:
        found = codecs.lookup(name).name
        "".encode(name)  # refuses what turns text into text (rot13) or bytes into bytes (hex)
    except (LookupError, UnicodeError, ValueError):
        raise DataError(
            f"There is no encoding {name!r}; common ones are utf-8, utf-16, latin-1, cp1252."
        ) from None
    encoding = "utf-8-sig" if found == "utf-8" else found
    try:
        if other := other_format(path, source.target):
            raise DataError(f"{source.target} {other}.")
        _must_be_of_this_width(source, path, encoding)
        if not every_end:  # carriage returns alone, as of old
            with TextIOWrapper(_unpacked(path), encoding=encoding, newline="") as file:
                head = file.read(_BEGINNING)
            every_end = "\r" in head and "\n" not in head
        end = None if every_end else "\n"
        with TextIOWrapper(_unpacked(path), encoding=encoding, newline=end) as file:
            yield from file
    except (EOFError, OSError, lzma.LZMAError, zlib.error) as error:
        if isinstance(error, PermissionError):
            raise DataError(f"{source.target} may not be read ({error.strerror}).") from None
        raise DataError(
            f"{source.target} cannot be read to its end; it may be cut off or damaged: {error}."
        ) from None
    except UnicodeDecodeError:
        raise DataError(_undecodable(source, path, encoding)) from None
    except UnicodeError:  # what Python says of UTF-16 and UTF-32 without their mark
        raise DataError(
            f"{source.target} is not {encoding}: it has no byte order mark. If it is {encoding}, "
            f"state the byte order: encoding={encoding}-le or encoding={encoding}-be."
        ) from None


def _unpacked(path: Path) -> BinaryIO:
    """Bytes of a file, unpacked while they are read if the first say that it is compressed."""
    with path.open("rb") as file:
        head = file.read(_LONGEST_MAGIC)
    unpack = next((_UNPACK[m] for m in _UNPACK if head.startswith(m)), None)
    return path.open("rb") if unpack is None else cast("BinaryIO", unpack(path, "rb"))


def blocks(text: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    r"""Blocks of lines between blank lines, without line ends, each with its first line number.

    Examples
    --------
    >>> list(blocks(["\n", "a\n", "b\n", " \n", "c"]))
    [(2, ['a', 'b']), (5, ['c'])]
    """
    for has_text, numbered in groupby(enumerate(text, 1), key=lambda line: bool(line[1].strip())):
        if has_text:
            held = list(numbered)
            yield held[0][0], [line.rstrip("\r\n") for _, line in held]


def _must_be_of_this_width(source: DataSource, path: Path, encoding: str) -> None:
    """Raise for UTF-16 and UTF-32 files read as a single-byte encoding."""
    if encoding.startswith(("utf-16", "utf-32")):
        return
    with _unpacked(path) as file:
        name = _wide_encoding(file.read(_HEAD))
    if name:
        raise DataError(
            f"{source.target} is {name.upper()}: add encoding={name} to the data string."
        )


def _wide_encoding(head: bytes) -> str:
    """Name of a two- or four-byte encoding, by its byte order mark or the position of zeros.

    Of Latin letters, all bytes but one are 0, which no text of single bytes has.
    """
    marks = {codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32"}
    marks |= {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
    for mark, name in marks.items():
        if head.startswith(mark):
            return name
    lacking = [2 * head[k::4].count(0) > len(head[k::4]) for k in range(4)]
    return _WIDE.get(tuple(lacking), "")


def _no_such_file(source: DataSource, path: Path) -> str:
    """Error text: there is no such file, and similar names next to it."""
    here = f" in {Path.cwd()}" if not path.is_absolute() else ""
    parent = path.parent
    if not parent.is_dir():
        return (
            f"There is no file {source.target!r}{here}; the folder {parent} does not exist either."
        )
    names = sorted(p.name for p in parent.iterdir() if p.is_file())
    near = get_close_matches(path.name, names, n=2, cutoff=0.7)
    alike = [name for name in names if name.endswith(path.suffix)]
    hint = ""
    if near:
        hint = f" Did you mean {' or '.join(repr(name) for name in near)}?"
    elif alike:
        hint = f" Beside it: {', '.join(alike[:5])}{', …' if len(alike) > 5 else '.'}"
    return f"There is no file {source.target!r}{here}.{hint}"


def _undecodable(source: DataSource, path: Path, encoding: str) -> str:
    """Error text: the byte at which a file stops being in its encoding."""
    with _unpacked(path) as file:
        data = file.read()
    name = "UTF-8" if encoding == "utf-8-sig" else encoding
    try:
        data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start]
        return (
            f"{source.target} is not {name}: byte {byte:#04x} at offset {error.start} (line {line})"
            " does not fit. If the file is in another encoding, state it: encoding=latin-1 or "
            "encoding=cp1252."
        )
    return f"{source.target} changed while it was read; read it again."


def files_in(source: DataSource, pattern: str, called: str) -> list[DataSource]:
    """Sources of all files in a folder that fit a pattern, by name; a file is kept.

    Raises
    ------
    DataError
        If the folder has none.
    """
    if not source.path.is_dir():
        return [source]
    names = sorted(path.name for path in source.path.glob(pattern))
    if not names:
        raise DataError(f"The folder {source.target} has no {called}.")
    return [source.inside(name) for name in names]


def chosen_by(
    option: str, source: DataSource, names: Mapping[Path, str], *, what: str, most: int
) -> list[Path]:
    """Files whose names fit a pattern of an option; all files without the option.

    Raises
    ------
    DataError
        If none fits a pattern: ``most`` names are in the message.
    """
    wanted = source.columns(option)
    for pattern in wanted:
        if not any(fnmatchcase(name, pattern) for name in names.values()):
            raise DataError(
                f"{option}={pattern}: {source.target} holds no such {what}. It has "
                f"{with_dots([*names.values()], most) or 'none'}."
            )
    return [
        path
        for path, name in names.items()
        if not wanted or any(fnmatchcase(name, pattern) for pattern in wanted)
    ]


def file_in(source: DataSource, names: Sequence[str]) -> DataSource:
    """Source of the one file in a folder that has one of these names; a file is kept.

    Earlier names win.

    Raises
    ------
    DataError
        If the folder holds none of them.
    """
    if not source.path.is_dir():
        return source
    for name in names:
        if (source.path / name).is_file():
            return source.inside(name)
    inside = sorted(p.name for p in source.path.iterdir())
    raise DataError(
        f"{source.scheme}: reads {' or '.join(names)} of a folder, and {source.target} holds "
        f"{with_dots(inside, 8) or 'nothing'}. Name one "
        "file."
    )
