"""Graceful stop: a signal ends the training after the current step."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event


@contextmanager
def stopping_on_signals() -> Iterator[Event]:
    """Context in which SIGINT and SIGTERM request a stop after the current step.

    Only in the main thread; elsewhere signals are not handled.
    """
    stop, before = Event(), {}
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            before[number] = signal.signal(number, lambda *_: stop.set())
    except ValueError:  # not the main thread
        pass
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
