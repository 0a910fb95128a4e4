"""A wish to stop that waits for the end of a step."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Stop:
    """Whether somebody asked the process to stop."""

    def __init__(self) -> None:
        self.is_asked = False

    def __call__(self) -> bool:
        """Whether it was asked."""
        return self.is_asked

    def ask(self, number: int = 0, frame: FrameType | None = None) -> None:
        """Ask: the signature is that of a signal handler."""
        self.is_asked = True


@contextmanager
def stopping_on_signals() -> Iterator[Stop]:
    """Stop that SIGINT and SIGTERM ask for: a step is finished, the state saved.

    Only in the main thread; elsewhere nothing asks.
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
