"""Progress of a run, reported by the driver to a display."""

from typing import Protocol


class Progress(Protocol):
    """Protocol of a progress display; it never changes a result."""

    def start(self, phase: str, *, total: int, done: int, texts: int = 0) -> None:
        """Begin a phase with a number of shards, some of them done in an earlier run.

        ``texts`` is how many the others ask at most, where that is known.
        """

    def advance(self, phase: str, *, asked: int = 0, cached: int = 0, planned: int = 0) -> None:
        """One more shard is done; it sent ``asked`` texts and found ``cached`` in the cache.

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


class Silent:
    """Progress display that shows nothing."""

    def start(self, phase: str, *, total: int, done: int, texts: int = 0) -> None:
        """Show nothing."""

    def advance(self, phase: str, *, asked: int = 0, cached: int = 0, planned: int = 0) -> None:
        """Show nothing."""

    def answered(self, texts: int) -> None:
        """Show nothing."""

    def passed(self, text: str) -> None:
        """Show nothing."""

    def note(self, text: str) -> None:
        """Show nothing."""

    def stop(self) -> None:
        """Show nothing."""
