"""What the driver tells whoever shows progress."""

from typing import Protocol


class Progress(Protocol):
    """Shows one phase after the other; nothing here may change a result."""

    def start(self, phase: str, *, total: int, done: int, texts: int = 0) -> None:
        """Begin a phase of so many shards, some of them done in an earlier run.

        ``texts`` is how many the others ask at most, where that is known.
        """
        ...

    def advance(self, phase: str, *, asked: int = 0, cached: int = 0, planned: int = 0) -> None:
        """One more shard is done; it asked so many texts and found so many in the cache.

        ``planned`` is how many it could have asked.
        """
        ...

    def answered(self, texts: int) -> None:
        """A batch of so many texts was answered and kept, within the shard in work."""
        ...

    def passed(self, text: str) -> None:
        """Say what a stretch of the work gave ("epoch 2 of 6: loss 0.31"); part of the progress."""
        ...

    def note(self, text: str) -> None:
        """Say once what whoever reads the results has to know; no part of the progress."""
        ...

    def stop(self) -> None:
        """No more will be told: what is shown goes, so that others can write."""
        ...


class Silent:
    """Shows nothing."""

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
