"""Files opened by Arrow, whatever their names are.

Given a name, Arrow looks for a file system in it: it takes ``~`` for the home folder, and refuses
names that are no UTF-8.
"""

import os
from pathlib import Path

import pyarrow as pa


def reading(path: Path) -> pa.OSFile:
    """Open a file for reading."""
    return pa.OSFile(os.fsencode(path), "rb")


def writing(path: Path) -> pa.OSFile:
    """Open a new file for writing."""
    return pa.OSFile(os.fsencode(path), "wb")
