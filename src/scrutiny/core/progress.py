"""Progress of a run or a training, reported to a display."""

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
