"""Long runs: their progress, reported to a display, and rarer garbage collection."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Final


class Progress:
    """Progress display that shows nothing: the base class of displays, which change no result."""

    def start(self, phase: str, *, total: int, done: int, texts: int = 0) -> None:
        """Begin a phase with a number of shards or steps, some of them done in an earlier run.

        ``texts`` is how many the others ask at most, where that is known.
        """

    def advance(self, phase: str, *, asked: int = 0, cached: int = 0, planned: int = 0) -> None:
        """One more is done; it sent ``asked`` texts and found ``cached`` in the cache.

        ``planned`` is how many it could have asked.
        """

    def answered(self, texts: int) -> None:
        """A batch of texts was answered and stored, within the current shard."""

    def passed(self, text: str) -> None:
        """Report the outcome of a stretch of work ("epoch 2 of 6: loss 0.31"), as progress."""

    def note(self, text: str) -> None:
        """Report once something that readers of the results need to know."""

    def stop(self) -> None:
        """End the display, so that others can write."""


#: Display of those who want none.
SILENT: Final = Progress()
#: New objects after which garbage is looked for meanwhile; by default after 700. A shard makes
#: about as many.
PATIENCE: Final = 200_000
_LOCK: Final = Lock()
_inside = 0
_usual = 700


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Context with rare garbage collection: a pass per `PATIENCE` new objects only.

    A shard of a run or a round of searches makes some ten objects for each text, and none of them
    is garbage before it is over; looking through all of them again and again is a fifth of the
    work, and more where many examples are held.

    Examples
    --------
    >>> before = gc.get_threshold()
    >>> with seldom_collected():
    ...     gc.get_threshold()[0] >= before[0]
    True
    >>> gc.get_threshold() == before
    True
    """
    global _inside, _usual
    with _LOCK:
        _inside += 1
        if _inside == 1:
            _usual, *rest = gc.get_threshold()
            if _usual:  # 0: never
                gc.set_threshold(max(_usual, PATIENCE), *rest)
    try:
        yield
    finally:
        with _LOCK:
            _inside -= 1
            if not _inside:
                gc.set_threshold(_usual, *gc.get_threshold()[1:])


@contextmanager
def usually_collected() -> Iterator[None]:
    """Context with the original thresholds, for other people's code.

    What a model does with its memory is its own affair.

    Examples
    --------
    >>> before = gc.get_threshold()
    >>> with seldom_collected(), usually_collected():
    ...     gc.get_threshold() == before
    True
    """
    with _LOCK:
        held = gc.get_threshold()
        if _inside:
            gc.set_threshold(_usual, *held[1:])
    try:
        yield
    finally:
        with _LOCK:
            if _inside and gc.get_threshold()[0] == _usual:
                gc.set_threshold(held[0], *gc.get_threshold()[1:])


@contextmanager
def left_alone() -> Iterator[None]:
    """Context that excludes existing objects from garbage collection.

    The items of a large run are some hundred thousand objects that stay to its end. What is made
    inside is looked through as ever. Who has frozen objects of his own is left alone as well.

    Examples
    --------
    >>> with left_alone():
    ...     gc.get_freeze_count() > 0
    True
    """
    is_ours = gc.get_freeze_count() == 0
    if is_ours:
        gc.freeze()
    try:
        yield
    finally:
        if is_ours:
            gc.unfreeze()
