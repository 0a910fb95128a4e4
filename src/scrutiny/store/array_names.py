"""File names of arrays: the array's name turned into a path inside the run folder.

Names are made of what the user called things (a data string, a measurement), so they can hold
anything: ``..``, an absolute path, a thousand letters.
"""

import re
from pathlib import PurePosixPath
from typing import Final

from scrutiny.core.boundary.canonical import digest

_MOST: Final = 200  # bytes of a part; file systems take 255, and a writer adds a suffix
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
    if len(data) <= _MOST:
        return escaped
    return f"{data[: _MOST - 33].decode(errors='ignore')}%{digest(part, size=16)}"
