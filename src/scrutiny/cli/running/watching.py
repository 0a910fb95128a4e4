"""Execution in a child process whose parent reports how it ended.

Code that is not ours can end its process at once (``os._exit``, a crash in compiled code, a kernel
that is out of memory). The process that ends so can say nothing; its parent can.
"""

import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import monotonic
from types import FrameType
from typing import Final, NoReturn

from scrutiny.cli.failures import say
from scrutiny.models.answers.isolation import CLOSED, FILES_CLOSED, end_when_files_closed

#: Verbs that ask models.
WATCHED: Final = frozenset({"audit", "check", "compare", "run", "train"})
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
        _end_with(parent)
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


def _end_with(parent: int) -> None:
    """End this process when its parent is killed, to release the run folder."""
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):  # a C library without it
            ctypes.CDLL(None).prctl(_DIES_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:  # killed in between
        os._exit(_INCOMPLETE)


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
