"""One part of the report, as a value."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from rich.text import Text

from scrutiny.core.estimate import Estimate
from scrutiny.core.plugin import Told
from scrutiny.parts.charts.tables import Chart
from scrutiny.parts.run.view import Found, RunView

MOST_ROWS: Final = 60
MOST_CHARTS: Final = 6
_ELSEWHERE: Final = "scrutiny report RUN --format csv has every number"


@dataclass(frozen=True, slots=True)
class Chapter:
    """A heading of the page that parts stand under.

    Parameters
    ----------
    anchor, title, lead
        Stable name within the page, and what is said above its parts.
    charts, rows
        How many times as many charts a part may keep as elsewhere, and rows of each table for each
        chart.
    """

    anchor: str
    title: str
    lead: str
    charts: int = 1
    rows: int = 10


FINDINGS: Final = Chapter(
    "findings",
    "Behind the findings",
    "Scores of each class, confidence, and the texts that stand behind the numbers above.",
)
RELIABILITY: Final = Chapter(
    "reliability",
    "Reliability",
    "Results with another seed, another analysis choice or another diagnostic.",
)


@dataclass(frozen=True, slots=True)
class Part:
    """A question about the numbers, answered by charts and their tables.

    Parameters
    ----------
    anchor
        Stable name within the page.
    title, lead
        The question, and how to read the answer.
    charts
        Charts with tables; a chart may be its table alone.
    note
        What is left out, if anything is.
    is_compact
        Whether its charts take so little room that small pages keep twice as many.
    chapter
        Heading that it stands under.
    facts
        What is said in words, each by its name.
    """

    anchor: str
    title: str
    lead: str
    charts: tuple[Chart, ...]
    note: str = ""
    is_compact: bool = False
    chapter: Chapter = RELIABILITY
    facts: tuple[tuple[str, str], ...] = ()

    def cut(self, *, charts: int, rows: int) -> "Part":
        """Return the part with at most this number of charts, and rows of a table."""
        charts *= 2 if self.is_compact else 1
        kept = tuple(_cut(chart, rows) for chart in self.charts[:charts])
        note = left_out(len(self.charts), charts, "charts") if not self.note else self.note
        return replace(self, charts=kept, note=note)


@dataclass(frozen=True, slots=True)
class ReportPart(Told):
    """Registered part: how it is made, and its other outputs.

    Parameters
    ----------
    doc
        Docstring of its module; the first line is what lists say of it.
    make
        The part, of any run that has what it needs; nothing of others.
    lines
        What a terminal shows of the same, 80 cells wide.
    of_dataset
        What a run has found out on one of its datasets, in words for the list of the data.
    found_in
        Texts that searches of a run folder ended with, which are no variants made beforehand;
        those of random change among them.
    """

    doc: str | None
    make: Callable[[RunView], Part | None] = lambda view: None
    lines: Callable[[RunView], Iterable[Text]] = lambda view: ()
    of_dataset: Callable[[str, Sequence[Estimate]], str] = lambda dataset, estimates: ""
    found_in: Callable[[Path], Iterable[Found]] = lambda folder: ()

    def sentence(self) -> str:
        """First line of its documentation."""
        return self.at_length().partition("\n")[0]

    def at_length(self) -> str:
        """Docstring of its module."""
        return self.doc or ""


def _cut(chart: Chart, rows: int) -> Chart:
    """Chart whose table has at most this number of rows; further tables are dropped first."""
    if chart.more is not None and len(chart.more.rows) > rows:
        chart = replace(chart, more=None)
    count = len(chart.table.rows)
    if count <= rows:
        return chart
    table = replace(chart.table, rows=chart.table.rows[:rows])
    note = left_out(count, rows, "rows of the table")
    return replace(chart, table=table, note=" ".join(filter(None, (chart.note, note))))


def left_out(count: int, most: int, what: str) -> str:
    """Note of a part that shows the first of many: where the others are; empty without others."""
    if count <= most:
        return ""
    return f"The first {most} of {count} {what} are shown; {_ELSEWHERE}."


def shown(
    charts: Sequence[Chart], what: str, most: int = MOST_CHARTS
) -> tuple[tuple[Chart, ...], str]:
    """Charts of a part, and the sentence on those that are left out."""
    return tuple(charts[:most]), left_out(len(charts), most, what)


def part_of(
    anchor: str,
    title: str,
    lead: str,
    charts: Sequence[Chart],
    what: str,
    *,
    most: int = MOST_CHARTS,
    chapter: Chapter = RELIABILITY,
) -> Part | None:
    """Return the part with the first charts, and the number of ``what`` that are left out."""
    if not charts:
        return None
    return Part(anchor, title, lead, *shown(charts, what, most), chapter=chapter)
