"""Progress on stderr: bars on a terminal, plain lines elsewhere."""

import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import wraps
from importlib import import_module
from time import monotonic
from typing import Any, Final, ParamSpec

from scrutiny.cli.asked_texts import CountedTexts
from scrutiny.cli.failures import say, tell
from scrutiny.core.boundary.printable import printable
from scrutiny.core.long_runs import SILENT, Progress

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
    """Print the warnings of a run on stderr."""
    for warning in manifest.get("warnings", ()):
        say(f"Warning: {warning}")
