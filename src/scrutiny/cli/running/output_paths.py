"""Output files of a command, checked before it begins."""

import errno
import os
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import click

from scrutiny.core.errors import PlanError
from scrutiny.store.files import is_of_a_run


class OutputFile(click.Path):
    """Path of a file that is written at the end."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Path of a name.

        Raises
        ------
        click.BadParameter
            If no file can be written there.
        """
        wrong = what_is_wrong(str(value))
        if wrong:
            self.fail(wrong, param, ctx)
        return super().convert(value, param, ctx)


def what_is_wrong(name: str) -> str:
    """Reason why a file cannot be written, as far as known in advance; empty if it can.

    Examples
    --------
    >>> what_is_wrong(" ")
    'the name is empty; name a file.'
    """
    path = Path(name)
    if not name.strip():
        return "the name is empty; name a file."
    if path.is_dir() or name.endswith(os.sep):
        return f"{name!r} is a folder: name a file, such as {path / 'out'}."
    if path.is_symlink() and _is_a_circle(path):
        return f"{name!r} is a link that leads to itself."
    file = next((parent for parent in path.parents if parent.is_file()), None)
    if file is not None:
        return f"{str(file)!r} is a file, and cannot hold {path.name!r}."
    if is_of_a_run(path):
        return f"{name!r} is a file of the run in that folder; name another one."
    if path.exists() and not path.is_file():
        return ""  # a device
    there = next(parent for parent in path.absolute().parents if parent.is_dir())
    try:
        with TemporaryFile(dir=there):
            return ""
    except OSError as error:
        return f"nothing can be written to {str(there)!r}: {error.strerror}."


def must_be_beside(path: Path | None, out: Path | None) -> None:
    """Refuse a page that would overwrite a run's folder, or one of its files.

    Raises
    ------
    PlanError
        If it would.
    """
    if path is None or out is None:
        return
    if path.absolute() == out.absolute():
        raise PlanError(f"--html {str(path)!r} is the run folder: name a file, such as {out}.html.")
    if path.parent.absolute() == out.absolute() and is_of_a_run(path, is_run=True):
        raise PlanError(f"--html {str(path)!r} is a file of the run; name another one.")


def _is_a_circle(path: Path) -> bool:
    try:
        path.stat()
    except OSError as error:
        return error.errno == errno.ELOOP
    return False
