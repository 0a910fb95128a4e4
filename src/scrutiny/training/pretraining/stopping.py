"""Graceful stop: a signal ends the training after the current step."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Stop:
    """Flag that records a request to stop."""

    def __init__(self) -> None:
        self.is_asked = False

    def __call__(self) -> bool:
        """Whether a stop was requested."""
        return self.is_asked

    def ask(self, number: int = 0, frame: FrameType | None = None) -> None:
        """Request a stop; has the signature of a signal handler."""
        self.is_asked = True


@contextmanager
def stopping_on_signals() -> Iterator[Stop]:
    """Context in which SIGINT and SIGTERM request a stop after the current step.

    Only in the main thread; elsewhere signals are not handled.
    """
    stop, before = Stop(), {}
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            before[number] = signal.signal(number, stop.ask)
    except ValueError:  # not the main thread
        pass
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
