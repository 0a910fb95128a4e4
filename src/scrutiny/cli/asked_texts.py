"""Texts asked of texts planned, of one run or several, with the time left and the money spent."""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final

from scrutiny.core.long_runs import Progress
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


class Together(Progress):
    """One display of several runs of a command, whose models are asked in one block.

    Parameters
    ----------
    display
        What shows it.
    runs
        Shards of each run, one after the other, and the texts that they ask at most.
    """

    def __init__(self, display: Progress, runs: Sequence[tuple[int, int]]) -> None:
        self._display, self._runs = display, runs
        self._ended = self._done = 0
        self._is_begun = False
        self._said: set[str] = set()

    def start(self, phase: str, *, total: int, done: int, texts: int = 0) -> None:
        """Begin to ask, once; the other phases of such runs are short."""
        if phase != "measure":
            return
        before = sum(shards for shards, _ in self._runs[: self._ended])
        if not self._is_begun:
            self._is_begun, self._done = True, before
            whole = sum(shards for shards, _ in self._runs)
            most = sum(texts for _, texts in self._runs[self._ended :])
            self._display.start(phase, total=whole, done=before, texts=most)
        while self._done < before + done:  # in a run of before, or not asked for want of skill
            self.advance(phase)

    def advance(self, phase: str, *, asked: int = 0, cached: int = 0, planned: int = 0) -> None:
        """Count a finished shard that asked a model."""
        if phase == "measure":
            self._done += 1
            self._display.advance(phase, asked=asked, cached=cached, planned=planned)

    def answered(self, texts: int) -> None:
        """Count a batch that was answered within the current shard."""
        self._display.answered(texts)

    def passed(self, text: str) -> None:
        """Report the result of a stage, the same one once."""
        if text not in self._said:
            self._said.add(text)
            self._display.passed(text)

    def note(self, text: str) -> None:
        """Say something once."""
        self._display.note(text)

    def stop(self) -> None:
        """End one of the runs; the display stays for the next."""
        self._ended += 1
