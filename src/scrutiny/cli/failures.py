"""How a command ends: errors as one paragraph, exit codes, a watched child process.

Code that is not ours can end its process at once (``os._exit``, a crash in compiled code, a kernel
that is out of memory). The process that ends so can say nothing; its parent can.
"""

import errno
import os
import signal
import sys
import textwrap
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import monotonic
from types import FrameType
from typing import Final, NoReturn

import click

from scrutiny.core.boundary.printable import printable
from scrutiny.core.boundary.secrets import redacted
from scrutiny.core.errors import ScrutinyError
from scrutiny.models.answers.isolation import CLOSED, FILES_CLOSED, end_when_files_closed

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
    except (click.Abort, KeyboardInterrupt) as stopped:
        if isinstance(stopped.__cause__, EOFError):  # click takes a file that ends too early for ^D
            raise stopped.__cause__ from None
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
    name = str(error.filename or "The output")
    if len(name) > _LONGEST_NAME:
        name = f"{name[:80]}…{name[-40:]}"
    say(f"{name} cannot be used: {error.strerror}.")
    _forget_stdout()
    return 3 if error.errno in _FULL else 2


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


#: Verbs that ask models.
WATCHED: Final = frozenset({"audit", "check", "compare", "run", "train", "watch"})
_INCOMPLETE: Final = 3
_MODEL_FAILED: Final = 2
_DIES_WITH_PARENT: Final = 1  # PR_SET_PDEATHSIG of Linux
_ONE_INTERRUPT_S: Final = 1.0
#: Signals that somebody sends on purpose: whoever did so needs no words.
_ASKED_FOR: Final = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGPIPE")
_ENDED: Final = (
    "The process that asks the model ended by itself, with exit code {}, before the command was "
    "done: the model, or code that it calls, left with os._exit(). A model returns its answers or "
    "raises an error. What was done is kept: fix the model, then re-issue the same command."
)
_KILLED: Final = (
    "The process that asks the model was ended by {}{}. What was done is kept: re-issue the same "
    "command to go on."
)
_HINTS: Final = {
    "SIGKILL": " (somebody killed it, or the memory was full; a smaller --batch needs less)",
    "SIGSEGV": " (a crash in compiled code, most likely of the model or its libraries)",
    "SIGABRT": " (compiled code gave up, most likely of the model or its libraries)",
}


def is_watched(arguments: Sequence[str]) -> bool:
    """Whether a command asks models, and can be watched here."""
    asks = bool(arguments) and arguments[0] in WATCHED
    return asks and hasattr(os, "fork") and not {"-h", "--help"} & set(arguments)


def watched(run: Callable[[], int]) -> int:
    """Exit code of a function that runs in a child of this process.

    The child is this process at an early moment, so nothing is loaded twice. It ends with its
    parent, gets the parent's interrupts, and its exit code is the parent's.
    """
    reader, writer = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        os.close(reader)
        # end this process when its parent is killed, to release the run folder
        if sys.platform == "linux":
            import ctypes

            with suppress(OSError, AttributeError):  # a C library without it
                ctypes.CDLL(None).prctl(_DIES_WITH_PARENT, signal.SIGKILL)
        if os.getppid() != parent:  # killed in between
            os._exit(_INCOMPLETE)
        _heed_one_interrupt_at_a_time()
        end_when_files_closed()
        code = 1
        try:
            code = run()
            return code
        finally:  # an error of ours ends the command, too: it has its traceback
            with suppress(OSError):
                os.write(writer, bytes([code]))
    os.close(writer)
    status = _wait(child)
    _leave(status, said=_said(reader))


def _wait(child: int) -> int:
    """Status of a child; termination signals are passed on to it.

    A terminal interrupts both, so that the child gets two interrupts and heeds one.
    """

    def pass_on(number: int, frame: FrameType | None) -> None:
        with suppress(OSError):
            os.kill(child, number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, pass_on)
    return os.waitpid(child, 0)[1]


def _said(reader: int) -> bytes:
    """Exit code that the child has reported, if any."""
    os.set_blocking(reader, False)
    try:
        return os.read(reader, 1)
    except BlockingIOError:
        return b""


def _leave(status: int, *, said: bytes) -> NoReturn:
    """End as the child did, with a message if it could not give one."""
    is_interrupt = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT
    if said and is_interrupt:  # Python ends so where compiled code has run into an interrupt
        code = said[0]
    elif os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        name = signal.Signals(number).name
        if name in _ASKED_FOR:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        say(_KILLED.format(name, _HINTS.get(name, "")))
        code = _INCOMPLETE
    else:
        code = os.WEXITSTATUS(status)
        if not said:
            say(CLOSED if code == FILES_CLOSED else _ENDED.format(code))
            code = _MODEL_FAILED
    sys.stderr.flush()
    os._exit(code)


def _heed_one_interrupt_at_a_time() -> None:
    """Raise ``KeyboardInterrupt`` for an interrupt, and not again for its echo from the parent."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return
    heeded = -_ONE_INTERRUPT_S

    def interrupt(*_: object) -> None:
        nonlocal heeded
        if monotonic() - heeded >= _ONE_INTERRUPT_S:
            heeded = monotonic()
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
