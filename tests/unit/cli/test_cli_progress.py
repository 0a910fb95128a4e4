"""Progress in texts: asked of planned, time left, money; and where an interrupt is answered."""

import sys
from io import StringIO
from pathlib import Path

import click
import pytest

from scrutiny.cli import group, progress, request
from scrutiny.cli.failures import INTERRUPTED, exit_code_of
from scrutiny.cli.progress import Bars, CountedTexts, Lines, Together, display_here
from scrutiny.core.long_runs import SILENT, Progress
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.run.driver import RunOptions, run_plan
from scrutiny.run.planning.resolve import resolve


class Clock:
    """Seconds that pass when they are told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_what_is_answered_within_a_shard_counts_once(clock: Clock) -> None:
    texts = CountedTexts(clock=clock)
    texts.begin(1000)
    texts.answered(30)
    assert (texts.asked, texts.done) == (30, 30)
    texts.shard(asked=40, cached=5, planned=500)
    assert (texts.asked, texts.cached, texts.done) == (40, 5, 500)
    assert texts.said() == "40 of at most 1,000 texts asked, 5 cached"


def test_shards_side_by_side_count_once(clock: Clock) -> None:
    texts = CountedTexts(clock=clock)
    texts.begin(200)
    for answered in (30, 20, 10):  # of two shards
        texts.answered(answered)
    texts.shard(asked=40, cached=0, planned=100)
    assert (texts.asked, texts.done) == (60, 120)
    texts.shard(asked=20, cached=80, planned=100)
    assert (texts.asked, texts.cached, texts.done) == (60, 80, 200)


def test_time_left_is_that_of_the_texts_left(clock: Clock) -> None:
    texts = CountedTexts(clock=clock)
    texts.begin(1000)
    texts.answered(100)
    clock.now = 1.0
    assert texts.seconds_left is None  # too early
    clock.now = 10.0
    assert texts.seconds_left == pytest.approx(90.0)
    assert texts.time_left() == "; about 1 min 30 s left"
    texts.shard(asked=100, cached=0, planned=800)  # a search that ended early
    assert texts.seconds_left == pytest.approx(2.5)
    texts.shard(asked=0, cached=200, planned=200)
    assert texts.seconds_left is None
    texts.begin(0)
    clock.now = 60.0
    assert (texts.seconds_left, texts.time_left()) == (None, "")


def test_money_is_that_of_texts_that_were_asked(clock: Clock) -> None:
    texts = CountedTexts(0.01, clock)
    texts.begin(300)
    texts.shard(asked=150, cached=50, planned=300)
    assert texts.said() == "150 of at most 300 texts asked, 50 cached, 1.50 to pay"


def test_lines_say_texts_time_and_money(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], clock: Clock
) -> None:
    monkeypatch.setattr(progress, "monotonic", clock)
    lines = Lines(CountedTexts(0.5, clock))
    lines.start("measure", total=2, done=0, texts=4000)
    clock.now = 11.0
    lines.answered(1000)
    lines.advance("measure", asked=1000, cached=10, planned=2000)
    lines.advance("measure", asked=20, cached=0, planned=2000)
    assert capsys.readouterr().err.splitlines() == [
        "Asking models: 2 shards, at most 4,000 texts",
        "Asking models: 0 of 2 shards; 1,000 of at most 4,000 texts asked, 0 cached, 500.00 to pay"
        "; about 33 s left",
        "Asking models: 2 of 2 shards; 1,020 of at most 4,000 texts asked, 10 cached, 510.00 to "
        "pay",
    ]


def test_two_runs_of_a_command_are_asked_in_one_block(capsys: pytest.CaptureFixture[str]) -> None:
    both = Together(Lines(), [(2, 400), (3, 600)])
    for total, texts in ((2, 400), (3, 600)):
        both.start("prepare", total=1, done=0)
        both.advance("prepare")
        both.start("measure", total=total, done=0, texts=texts)
        both.passed("A kill costs little.")
        for _ in range(total):
            both.advance("measure", asked=100, planned=200)
        both.start("estimate", total=9, done=0)
        both.stop()
    assert capsys.readouterr().err.splitlines() == [
        "Asking models: 5 shards, at most 1,000 texts",
        "A kill costs little.",
        "Asking models: 5 of 5 shards; 500 of at most 1,000 texts asked, 0 cached",
    ]


@pytest.mark.parametrize("done", [0, 1, 3])
def test_what_was_done_before_counts_in_the_one_block(
    capsys: pytest.CaptureFixture[str], done: int
) -> None:
    both = Together(Lines(), [(2, 400), (3, 600)])
    both.stop()  # the first was done: it begins no phase
    both.start("measure", total=3, done=done, texts=200 * (3 - done))
    for _ in range(3 - done):
        both.advance("measure", cached=200, planned=200)
    first, last = capsys.readouterr().err.splitlines()
    assert first == "Asking models: 5 shards, at most 600 texts, 2 done before"
    assert last.startswith("Asking models: 5 of 5 shards; 0 of at most 600 texts asked")


def test_shards_that_are_not_asked_are_counted_once(capsys: pytest.CaptureFixture[str]) -> None:
    both = Together(Lines(), [(3, 300)])
    both.start("measure", total=3, done=0, texts=300)
    both.advance("measure", asked=100, planned=100)
    both.start("measure", total=3, done=2, texts=100)  # one was left out for want of skill
    both.advance("measure", asked=100, planned=100)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert lines[-1].startswith("Asking models: 3 of 3 shards; 200 of")


class Counting(Progress):
    """Keeps what it is told of texts."""

    def __init__(self) -> None:
        self.planned: list[int] = []
        self.texts: dict[str, int] = {}
        self.told = 0

    def start(self, phase: str, *, total: int, done: int, texts: int = 0) -> None:
        self.texts[phase] = texts

    def advance(self, phase: str, *, asked: int = 0, cached: int = 0, planned: int = 0) -> None:
        self.planned.append(planned)
        self.told += asked + cached


def test_a_run_tells_how_many_texts_it_asks_at_most(tmp_path) -> None:
    made = Plan(
        data=(DataPlan("x", "builtin:reviews", limit=20),),
        models=(ModelPlan("m", "builtin:sentiment"),),
        measure=(
            MeasurePlan("p", "performance", ("m",), ("x",)),
            MeasurePlan("r", "robustness", ("m",), ("x",), {"transformations": ["typos"]}),
        ),
        resampling=Resampling(draws=100),
    )
    told = Counting()
    run_plan(resolve(made), tmp_path / "run", options=RunOptions(progress=told))
    assert told.texts["measure"] == sum(told.planned) == 20 * 5 * (1 + 3)
    assert 20 * 5 * 2 < told.told <= told.texts["measure"]
    again = Counting()
    run_plan(resolve(made), tmp_path / "run", options=RunOptions(progress=again))
    assert again.texts.get("measure", 0) == 0


def test_bars_go_by_texts_and_leave_the_screen_when_stopped(
    capsys: pytest.CaptureFixture[str],
) -> None:
    bars = Bars(CountedTexts(0.01))
    bars.start("measure", total=2, done=0, texts=400)
    bars.answered(50)
    bars.advance("measure", asked=60, cached=0, planned=200)
    (task,) = bars._bars.tasks
    assert (task.completed, task.total) == (200, 400)
    assert task.fields["said"] == "60 of 400 texts, 0.60 to pay"
    bars.stop()
    assert not bars._bars.live.is_started
    bars.start("estimate", total=2, done=0)
    bars.advance("estimate")
    assert bars._bars.tasks[-1].completed == 1
    assert bars._bars.live.is_started
    bars.advance("estimate")
    assert not bars._bars.live.is_started


def test_numbers_are_told_while_they_are_estimated(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Lines, "_every_s", -1.0)
    lines = Lines()
    lines.start("estimate", total=3, done=0)
    assert capsys.readouterr().err == ""
    lines.advance("estimate")
    assert capsys.readouterr().err == "Estimating: 1 of 3 numbers\n"


def test_a_run_tells_each_number(tmp_path: Path) -> None:
    class Counting(Progress):
        def __init__(self) -> None:
            self.total = self.told = 0

        def start(self, phase: str, *, total: int, done: int, texts: int = 0) -> None:
            self.total = total if phase == "estimate" else 0

        def advance(self, phase: str, *, asked: int = 0, cached: int = 0, planned: int = 0) -> None:
            self.told += phase == "estimate"

    made = Plan(
        models=(ModelPlan("m", "builtin:sentiment/seed-1"),),
        data=(DataPlan("x", "builtin:reviews", limit=20),),
        measure=(MeasurePlan("p", "performance", ("m",), ("x",)),),
        resampling=Resampling(draws=100),
    )
    told, resolved = Counting(), resolve(made)
    run_plan(resolved, tmp_path / "run", options=RunOptions(progress=told))
    assert told.total == told.told == len(resolved.assignments) > 0


def test_an_interrupt_is_answered_on_a_line_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    @click.command()
    def command() -> None:
        click.echo("^C", err=True, nl=False)  # as a terminal writes it
        raise KeyboardInterrupt

    assert exit_code_of(command, []) == INTERRUPTED
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "^C"
    assert said[1].startswith("Interrupted. What is done is kept")


def test_bars_are_gone_before_an_interrupt_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    bars = Bars()
    monkeypatch.setattr(request, "progress_of", lambda *_, **__: bars)
    monkeypatch.setattr(bars, "answered", _interrupt)
    words = ["run", "performance", "--model", "builtin:sentiment/seed-1", "--data"]
    monkeypatch.setenv("SCRUTINY_CACHE_DIR", str(tmp_path / "cache"))
    assert exit_code_of(group, [*words, "builtin:reviews", "--limit", "5"]) == INTERRUPTED
    assert bars._ids
    assert not bars._bars.live.is_started
    assert not bars._bars.tasks  # another plan of the command has bars of its own


def _interrupt(texts: int) -> None:
    raise KeyboardInterrupt


def test_a_bar_with_texts_time_and_money_fits_into_80_columns() -> None:
    from rich.console import Console

    bars = Bars(CountedTexts(0.001))
    bars.start("measure", total=9, done=0, texts=304_000)
    bars.answered(128_003)
    bars._show("measure")
    console = Console(width=80, record=True, file=StringIO())
    console.print(bars._bars.get_renderable())
    bars.stop()
    (line,) = console.export_text().splitlines()
    assert line.startswith("Asking models")
    assert "128,003 of 304,000 texts, 128.00 to pay" in line
    assert line.rstrip().endswith(":--")  # the time left, once it can be told


class Shell:
    """Interactive shell of a notebook, whose displays are kept."""

    kernel = object()

    def __init__(self) -> None:
        self.shown: list[str] = []

    def get_ipython(self) -> "Shell":
        return self

    def display(self, data: dict[str, str], **_: object) -> "Shell":
        self.shown.append(data["text/plain"])
        return self

    def update(self, data: dict[str, str], *, raw: bool) -> None:
        assert raw
        self.shown.append(data["text/plain"])


def test_a_notebook_shows_one_line_that_is_emptied(monkeypatch: pytest.MonkeyPatch) -> None:
    shell = Shell()
    monkeypatch.setitem(sys.modules, "IPython", shell)
    monkeypatch.setitem(sys.modules, "IPython.display", shell)
    cell = display_here()
    cell.stop()  # nothing was shown
    cell.start("measure", total=2, done=0, texts=40)
    cell.advance("measure", asked=20, planned=20)
    cell.advance("measure", asked=20, planned=20)
    cell.stop()
    assert shell.shown[0] == "Asking models: 2 shards, at most 40 texts"
    assert "2 of 2 shards; 40 of at most 40 texts asked" in shell.shown[-2]
    assert shell.shown[-1] == ""


def test_a_script_shows_progress_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert display_here() is SILENT
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert isinstance(display_here(), Bars)
