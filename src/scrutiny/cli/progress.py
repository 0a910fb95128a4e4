"""Progress on stderr: bars on a terminal, plain lines elsewhere; texts asked, time, money."""

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import wraps
from importlib import import_module
from time import monotonic
from typing import Any, Final, ParamSpec

from scrutiny.cli.failures import say, tell
from scrutiny.core.boundary.printable import printable
from scrutiny.core.long_runs import SILENT, Progress
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


P = ParamSpec("P")
_SAYS: Final = {
    "train": "Training",
    "prepare": "Preparing variants",
    "measure": "Asking models",
    "estimate": "Estimating",
}
#: What a phase is counted in, where it is not shards.
_COUNTS: Final = {"train": "steps", "estimate": "numbers"}


def progress_of(display: str, *, price: float = 0.0) -> Progress:
    """Progress display with this name; ``auto`` depends on the terminal.

    Without a display, what the results need is still said. ``price`` is what a text costs.
    """
    if display == "none":
        return Notes()
    if display == "rich" or (display == "auto" and sys.stderr.isatty()):
        return Bars(CountedTexts(price))
    return Lines(CountedTexts(price))


def display_here() -> Progress:
    """Progress display of a Python call: a line below a notebook's cell, bars on a terminal."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if getattr(shell, "kernel", None) is not None:
        return NotebookCell(CountedTexts())
    return Bars(CountedTexts()) if sys.stderr.isatty() else SILENT


class Notes(Progress):
    """No progress display, only necessary notes."""

    def note(self, text: str) -> None:
        """Say something once."""
        say(text)


class Lines(Notes):
    """A line when a phase begins, now and then, and when it ends."""

    _every_s = 10.0

    def __init__(self, texts: CountedTexts | None = None) -> None:
        self._total = self._done = 0
        self._texts = texts or CountedTexts()
        self._last = monotonic()

    def start(self, phase: str, *, total: int, done: int, texts: int = 0) -> None:
        """Begin a phase."""
        self._total, self._done = total, done
        self._texts.begin(texts)
        self._last = monotonic()
        rest = f", {done} done before" if done else ""
        most = f", at most {texts:,} texts" if texts else ""
        if phase != "estimate" and total:
            self._tell(f"{_SAYS[phase]}: {total} {_COUNTS.get(phase, 'shards')}{most}{rest}")

    def advance(self, phase: str, *, asked: int = 0, cached: int = 0, planned: int = 0) -> None:
        """Count a finished shard."""
        self._done += 1
        self._texts.shard(asked=asked, cached=cached, planned=planned)
        if phase == "measure":
            self._say(is_due=self._done == self._total)
        elif phase in _COUNTS and monotonic() - self._last > self._every_s:
            self._last = monotonic()
            self._tell(f"{_SAYS[phase]}: {self._done} of {self._total} {_COUNTS[phase]}")

    def answered(self, texts: int) -> None:
        """Count a batch that was answered within the current shard."""
        self._texts.answered(texts)
        self._say(is_due=False)

    def _say(self, *, is_due: bool) -> None:
        """Print a line, if it is time for one."""
        if is_due or monotonic() - self._last > self._every_s:
            self._last = monotonic()
            self._tell(
                f"{_SAYS['measure']}: {self._done} of {self._total} shards; {self._texts.said()}"
                f"{self._texts.time_left()}"
            )

    def _tell(self, text: str) -> None:
        """Print a line on stderr."""
        tell(text)

    def passed(self, text: str) -> None:
        """Report the result of a stage."""
        say(text)


class NotebookCell(Lines):
    """One line below a notebook's cell, written anew, and removed at the end."""

    _every_s = 0.5

    def __init__(self, texts: CountedTexts | None = None) -> None:
        super().__init__(texts)
        self._line: Any = None

    def _tell(self, text: str) -> None:
        """Show a line in the place of the one before."""
        shown = {"text/plain": printable(text)}
        if self._line is None:
            show = import_module("IPython.display").display
            self._line = show(shown, raw=True, display_id=True)
        else:
            self._line.update(shown, raw=True)

    def stop(self) -> None:
        """Empty the line: what was found is shown in its place."""
        if self._line is not None:
            self._line.update({"text/plain": ""}, raw=True)
            self._line = None


def _where_it_can_be_said(method: Callable[P, None]) -> Callable[P, None]:
    """Ignore errors of the progress display: the terminal may be gone."""

    @wraps(method)
    def said(*given: P.args, **more: P.kwargs) -> None:
        with suppress(OSError):
            method(*given, **more)

    return said


class Bars(Progress):
    """One bar for each phase, with the time left: of texts where models are asked."""

    def __init__(self, texts: CountedTexts | None = None) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        class Quiet(Console):
            def on_broken_pipe(self) -> None:
                self.quiet = True

        self._console = Quiet(stderr=True)
        self._bars: Any = RichProgress(
            TextColumn("{task.description:<18}"),
            BarColumn(bar_width=12),
            TextColumn("{task.fields[said]}"),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
        )
        self._ids: dict[str, Any] = {}
        self._texts = texts or CountedTexts()
        self._total = self._done = 0

    @_where_it_can_be_said
    def start(self, phase: str, *, total: int, done: int, texts: int = 0) -> None:
        """Begin a phase; training and the last one end the bars."""
        self._bars.start()
        self._texts.begin(texts)
        self._total, self._done = total, done
        whole, begun = (texts, 0) if texts else (total, done)
        self._ids[phase] = self._bars.add_task(
            _SAYS[phase], total=whole, completed=begun, said=self._said(phase)
        )

    @_where_it_can_be_said
    def advance(self, phase: str, *, asked: int = 0, cached: int = 0, planned: int = 0) -> None:
        """Count a finished shard."""
        self._done += 1
        self._texts.shard(asked=asked, cached=cached, planned=planned)
        self._show(phase)
        is_last = self._done == self._total
        if (phase == "estimate" and is_last) or (phase == "train" and self._bars.finished):
            self._bars.stop()

    @_where_it_can_be_said
    def answered(self, texts: int) -> None:
        """Count a batch that was answered within the current shard."""
        self._texts.answered(texts)
        self._show("measure")

    def _show(self, phase: str) -> None:
        """Update the bar of a phase."""
        completed = self._texts.done if self._texts.planned else self._done
        self._bars.update(self._ids[phase], completed=completed, said=self._said(phase))

    def _said(self, phase: str) -> str:
        """Texts of a phase that asks models; else shards or steps."""
        return self._texts.brief() if phase == "measure" else f"{self._done}/{self._total}"

    @_where_it_can_be_said
    def stop(self) -> None:
        """Remove the bars; a command may run another plan."""
        self._bars.stop()
        for known in self._bars.task_ids:
            self._bars.remove_task(known)

    @_where_it_can_be_said
    def passed(self, text: str) -> None:
        """Report the result of a stage."""
        self._console.print(printable(text), markup=False, highlight=False)

    def note(self, text: str) -> None:
        """Say something once."""
        self.passed(text)


def say_warnings(manifest: Mapping[str, Any]) -> None:
    """Print on stderr how the logs of a run were read, and its warnings."""
    for sentence in manifest.get("read_as", ()):
        say(sentence)
    for warning in manifest.get("warnings", ()):
        say(f"Warning: {warning}")


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
