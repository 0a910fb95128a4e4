"""Error messages of the command line: one paragraph, and the right exit code."""

import errno
import os
import sys
import textwrap
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import click

from scrutiny.core.boundary.secrets import redacted
from scrutiny.core.boundary.storable import printable
from scrutiny.core.errors import ScrutinyError

PROGRAM: Final = "scrutiny"
INTERRUPTED: Final = 130
_LONGEST: Final = 6_000  # letters of a paragraph
_NO_NUMBERS: Final = {errno.EMFILE, errno.ENFILE}
_NO_MEMORY: Final = ("failed to map segment", "Cannot allocate memory", "cannot allocate memory")
_MEMORY_FULL: Final = (
    "The memory is full, or this process may not have more of it (ulimit -v). What was done is "
    "kept: free some, or ask for less at a time with a smaller --batch and fewer --workers, then "
    "re-issue the same command."
)
_TOO_MANY_FILES: Final = (
    "This process may not open more files than it has open. What was done is kept: allow more "
    "(ulimit -n 256 will do), or close those that the model leaves open, then re-issue the same "
    "command."
)
_LONGEST_NAME: Final = 255  # letters
_FULL: Final = {errno.EFBIG, errno.ENOSPC, errno.EDQUOT}


class ReaderLeftError(Exception):
    """The reader of the output has closed it."""


def exit_code_of(command: click.Command, arguments: Sequence[str] | None) -> int:
    """Exit code of a command; user mistakes print a paragraph, bugs keep their traceback."""
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        return _exit_code(command, arguments)


def _exit_code(command: click.Command, arguments: Sequence[str] | None) -> int:
    with suppress(AttributeError, ValueError):  # a lone surrogate in a text is no reason to stop
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        result = command.main(
            args=None if arguments is None else list(arguments),
            prog_name=PROGRAM,
            standalone_mode=False,
        )
        sys.stdout.flush()  # what is still buffered may be refused, too
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        _show_usage(error)
        return 2
    except (click.Abort, KeyboardInterrupt):
        say("Interrupted. What is done is kept: re-issue the same command to go on.")
        return INTERRUPTED
    except ScrutinyError as error:
        say(str(error))
        return error.exit_code
    except SystemExit as left:
        say(
            f"The command was ended by sys.exit({left.code!r}) in code that is not scrutiny's, "
            "before it was done. What was done is kept: mend that code, then re-issue the same "
            "command."
        )
        return 2
    except (BrokenPipeError, ReaderLeftError):
        _forget_stdout()
        return 0
    except (MemoryError, ImportError, OSError) as error:
        code = _refused(error)
        if code is None:
            raise
        return code
    return result if isinstance(result, int) else 0


def _refused(error: MemoryError | ImportError | OSError) -> int | None:
    """Report a refusal by the machine; return the exit code, or `None` for other errors."""
    if not isinstance(error, OSError):
        if isinstance(error, MemoryError) or any(words in str(error) for words in _NO_MEMORY):
            say(_MEMORY_FULL)
            return 3
        return None
    if error.errno in _NO_NUMBERS:
        say(_TOO_MANY_FILES)
        return 3
    if error.errno is None or (error.filename is None and error.errno not in _FULL):
        return None
    say(f"{_shown(error.filename)} cannot be used: {error.strerror}.")
    _forget_stdout()
    return 3 if error.errno in _FULL else 2


def _shown(name: object) -> str:
    """Name of a file, shortened if no file system accepts it."""
    text = str(name or "The output")
    return text if len(text) <= _LONGEST_NAME else f"{text[:80]}…{text[-40:]}"


def _forget_stdout() -> None:
    """Discard what could not be written, so that exiting does not fail again."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_usage(error: click.ClickException) -> None:
    """Report wrong arguments, and how to get help."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return
    context = error.ctx if isinstance(error, click.UsageError) else None
    where = "" if context is None else f" `{context.command_path} --help` says what is allowed."
    message = error.format_message()
    say(message + ("" if message.endswith((".", "?", "!")) else ".") + where)


def say(text: str) -> None:
    """Print one paragraph on stderr, wrapped at 80 columns."""
    text = printable(redacted(text))
    if len(text) > _LONGEST:  # a model can put anything into its messages
        text = f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 2 :]}"
    lines = textwrap.wrap(text, 80, break_long_words=False, break_on_hyphens=False)
    tell("\n".join(lines))


def tell(text: str) -> None:
    """Print a message on stderr; a failure to do so is none: it may be closed or full."""
    with suppress(OSError, ValueError, AttributeError):
        click.echo(text, err=True)


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    say(f"Note: {message}")
