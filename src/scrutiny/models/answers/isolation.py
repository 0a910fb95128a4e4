"""Isolation of a model's code in our process: its errors and its working folder.

A model that leaves (``sys.exit``), raises what is no ``Exception``, changes the working folder or
what is built in, or lets a forked child of it run on has done so to itself; the run goes on as it
would have. One that closes files that it has not opened ends the command.
"""

import builtins
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from scrutiny.core.boundary.printable import storable
from scrutiny.core.errors import ModelError, ScrutinyError
from scrutiny.store.guards import is_lost

_OURS: Final = "scrutiny"
_INSTALLED: Final = ("site-packages", "dist-packages")
_MOST_SAID: Final = 300  # letters of a message that may hold anything
_STANDARD: Final = (0, 1, 2)
#: Exit code of a watched process whose files were closed: it can't say anything any more.
FILES_CLOSED: Final = 87
CLOSED: Final = (
    "The model, or code that it calls, has closed files that it had not opened: those that "
    "answers and results are written to. A model closes what it has opened. What was done is kept: "
    "fix the model, then re-issue the same command."
)
#: Working folder that a file or module of the user's has moved to, by its model string.
_moved_to: dict[str, str] = {}
#: What such a file or module has put in the place of what is built in.
_built_in: dict[str, dict[str, Any]] = {}
#: Whether a parent watches this process, and speaks where it can't.
_watched: list[bool] = []


def end_when_files_closed() -> None:
    """Isolation where a parent watches: a model that closes our files ends this process."""
    _watched.append(True)


def is_interrupt(error: BaseException) -> bool:
    """Whether the user's interrupt left an isolated model's code, alone or in a group of errors."""
    if isinstance(error, BaseExceptionGroup):
        return error.subgroup(KeyboardInterrupt) is not None
    return isinstance(error, KeyboardInterrupt)


@contextmanager
def exits_refused(source: str) -> Iterator[None]:
    """Turn ``sys.exit`` in a model's code, and any non-``Exception``, into an error of our own.

    Interrupts pass: they are the user's.

    Raises
    ------
    ModelError
        If the code inside leaves.
    """
    try:
        yield
    except SystemExit as left:
        raise ModelError(
            f"{source} called sys.exit({shown_value(left.code, _MOST_SAID)}), which would end the "
            "run: a model returns its answers or raises an error. Fix the model, then re-issue the "
            "same command."
        ) from left
    except BaseException as error:
        if isinstance(error, Exception) or is_interrupt(error):
            raise
        raise _raised(source, error, _own_line(error.__traceback__)) from error


@contextmanager
def errors_named(source: str) -> Iterator[None]:
    """Isolate a model's code outside of its answers: whatever it raises becomes one error.

    Errors in code that is not the user's pass as they are: they are bugs of somebody else.

    Raises
    ------
    ModelError
        With the line of the user's code.
    """
    try:
        with exits_refused(source):
            yield
    except ScrutinyError:
        raise
    except Exception as error:
        line = _own_line(error.__traceback__)
        if line is None:
            raise
        raise _raised(source, error, line) from error


def message_of(error: BaseException) -> str:
    """Type and message of an error in a model's code, even if its message raises another."""
    try:
        said = str(error)
    except BaseException:  # its own __str__ is broken, too, or interrupts
        said = "its message cannot be had"
    return f"{type(error).__name__}: {said}"


def shown_value(value: object, letters: int) -> str:
    """Beginning of a value of a model's code as text, even if it cannot be converted."""
    try:
        return repr(value)[:letters]
    except BaseException:  # its own __repr__ is broken
        return f"a {type(value).__name__}"


def _raised(source: str, error: BaseException, line: str | None) -> ModelError:
    """Error for what a model raised, if no item can be left out."""
    where = "" if line is None else f" (at {line})"
    return ModelError(
        f"{source} cannot be used: it raised {storable(message_of(error)[:_MOST_SAID])}{where}. "
        "Fix the model, then re-issue the same command."
    )


@contextmanager
def isolated(source: str, *, is_new: bool = False) -> Iterator[None]:
    """Isolate a model's code: it runs in its own working folder, and we return to ours.

    What is made anew (``is_new``) begins in ours, which its model string is relative to.
    A child that it has forked and that would run on in our code ends here.

    Raises
    ------
    ModelError
        If it has closed files of ours.
    """
    process, ours, owner = os.getpid(), _here(), source.partition("#")[0].rpartition(":")[0]
    known = dict(vars(builtins))
    if not is_new:
        _move(_moved_to.get(owner))
    vars(builtins).update(_built_in.get(owner, {}))
    try:
        yield
    finally:
        if os.getpid() != process:
            os._exit(0)
        # Restore built-ins; changes by the user's code are kept for itself.
        now = vars(builtins)
        changed = {
            name: now[name] for name in known if name in now and now[name] is not known[name]
        }
        if changed:
            _built_in[owner] = changed
        now.update(known)
        _hold_standard_files()
        theirs = _here()
        if theirs is not None and theirs != ours:
            _moved_to[owner] = theirs
        elif theirs == ours:
            _moved_to.pop(owner, None)
        if theirs != ours:
            _move(ours)
        if is_lost():
            if _watched:
                os._exit(FILES_CLOSED)
            raise ModelError(CLOSED)


def _hold_standard_files() -> None:
    """Occupy closed standard file descriptors, which the next file would get otherwise."""
    for number in _STANDARD:
        try:
            os.fstat(number)
        except OSError:
            with suppress(OSError):
                os.open(os.devnull, os.O_RDWR)  # the lowest number that is free


def _here() -> str | None:
    """Working folder; `None` if it was removed."""
    with suppress(OSError):
        return str(Path.cwd())
    return None


def _move(folder: str | None) -> None:
    """Change to a folder, if it exists."""
    if folder is not None:
        with suppress(OSError):
            os.chdir(folder)


def _own_line(trace: TracebackType | None) -> str | None:
    """File and line of the user's code that raised an error; `None` if it was ours."""
    found = None
    for frame, number in traceback.walk_tb(trace):
        module = str(frame.f_globals.get("__name__", ""))
        file = frame.f_code.co_filename
        top = module.partition(".")[0]
        is_own = (
            top != _OURS
            and top not in sys.stdlib_module_names
            and not any(part in file for part in _INSTALLED)
            and not file.startswith("<")
        )
        if is_own:
            found = f"{Path(file).name}:{number}"
    return found
