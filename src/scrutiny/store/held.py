"""Files that this process has to keep open: whether somebody has closed them under it.

Code of the user's own that closes what it has not opened (as what becomes a daemon does) closes the
journal, too; the next file would get its number, and be written to.
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

_NUMBERS: Final = Path("/proc/self/fd")
#: Number of an open file, and which file that is.
_held: dict[int, tuple[int, int]] = {}


def numbers_of(path: Path) -> list[int]:
    """Numbers under which a file is open now; none where that cannot be known."""
    found = []
    with suppress(OSError):
        wanted = path.stat()
        for number in [int(part.name) for part in _NUMBERS.iterdir()]:
            with suppress(OSError):
                if os.path.samestat(os.fstat(number), wanted):
                    found.append(number)
    return found


def hold(numbers: Iterable[int]) -> None:
    """Look after open files, until `release`."""
    for number in numbers:
        stat = os.fstat(number)
        _held[number] = (stat.st_dev, stat.st_ino)


def release(numbers: Iterable[int]) -> None:
    """Look after these no longer: they are about to be closed by whoever opened them."""
    for number in numbers:
        _held.pop(number, None)


def is_lost() -> bool:
    """Whether one of them was closed, or is another file now."""
    for number, known in _held.items():
        try:
            stat = os.fstat(number)
        except OSError:
            return True
        if (stat.st_dev, stat.st_ino) != known:
            return True
    return False
