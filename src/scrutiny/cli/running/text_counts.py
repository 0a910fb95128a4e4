"""Texts asked of texts planned, with the time left and the money spent."""

from collections.abc import Callable
from time import monotonic
from typing import Final

from scrutiny.run.budgeting.durations import in_words

#: Before these, the time left is a guess.
_SECONDS: Final = 3.0
_SHARE: Final = 0.02


class CountedTexts:
    """Count of the planned texts that were asked.

    Texts are planned at most: a shard that is done counts with all that it could have asked, so
    that searches which end early bring the end nearer.

    Parameters
    ----------
    price
        Money for each text that is asked.
    clock
        Seconds.
    """

    def __init__(self, price: float = 0.0, clock: Callable[[], float] = monotonic) -> None:
        self._price = price
        self._clock = clock
        self.begin(0)

    def begin(self, texts: int) -> None:
        """Begin a phase with at most this number of texts."""
        self.planned = texts
        self.asked = self.cached = self._done = self._within = 0
        self._begun = self._clock()

    def answered(self, texts: int) -> None:
        """Count a batch that was answered within the current shard."""
        self.asked += texts
        self._within += texts

    def shard(self, *, asked: int, cached: int, planned: int) -> None:
        """Count a finished shard; its answered batches are included."""
        self.asked += asked - min(asked, self._within)
        self._within -= min(asked, self._within)
        self.cached += cached
        self._done += planned

    @property
    def done(self) -> int:
        """Number of planned texts that were asked, or need not be asked."""
        return min(self.planned, self._done + self._within)

    @property
    def seconds_left(self) -> float | None:
        """Estimated time left, or `None`."""
        passed = self._clock() - self._begun
        share = self.done / self.planned if self.planned else 0.0
        if passed < _SECONDS or not _SHARE < share < 1:
            return None
        return passed * (1 - share) / share

    def said(self) -> str:
        """Texts asked of texts planned, texts of the cache, money."""
        most = f" of at most {self.planned:,}" if self.planned else ""
        paid = f", {self._price * self.asked:,.2f} to pay" if self._price else ""
        return f"{self.asked:,}{most} texts asked, {self.cached:,} cached{paid}"

    def brief(self) -> str:
        """The same beside a bar, which leaves 38 cells of a terminal of 80."""
        most = f" of {self.planned:,}" if self.planned else ""
        paid = f", {self._price * self.asked:,.2f} to pay" if self._price else ""
        return f"{self.asked + self.cached:,}{most} texts{paid}"

    def time_left(self) -> str:
        """Time left in words; empty if unknown."""
        left = self.seconds_left
        return "" if left is None else f"; about {in_words(left)} left"
