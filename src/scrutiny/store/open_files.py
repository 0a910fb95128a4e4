"""Guard for open files: detects that other code closed them.

User code that closes file descriptors it has not opened (as daemons do) closes the journal, too;
the next file would get its descriptor, and be written to.
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

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
