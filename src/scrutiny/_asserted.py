"""Assertions of the running test: what they said, for pytest's plug-in to print at the end.

Those who assert write here and the plug-in reads, so that it imports none of them.
"""

from typing import Final


class AssertedInTest:
    """Sentences on the assertions of the running test; none is kept for the next test."""

    def __init__(self) -> None:
        self._said: list[str] | None = None

    def begin(self) -> None:
        """Keep what is said from now on."""
        self._said = []

    def add(self, sentence: str) -> None:
        """Keep a sentence, while a test runs."""
        if self._said is not None:
            self._said.append(sentence)

    def end(self) -> list[str]:
        """Sentences on all assertions of the test so far."""
        said, self._said = self._said or [], None
        return said


asserted: Final = AssertedInTest()
