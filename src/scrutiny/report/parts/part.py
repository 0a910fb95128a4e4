"""One part of the report on reliability, as a value."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from scrutiny.report.charts.tables import Chart

MOST_ROWS: Final = 60
MOST_CHARTS: Final = 6
_ELSEWHERE: Final = "scrutiny report RUN --format csv has every number"


@dataclass(frozen=True, slots=True)
class Part:
    """A question about the numbers, answered with charts and their tables.

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
    """

    anchor: str
    title: str
    lead: str
    charts: tuple[Chart, ...]
    note: str = ""
    is_compact: bool = False

    def cut(self, *, charts: int, rows: int) -> "Part":
        """Return the part with at most so many charts, and rows a table; twice if compact."""
        charts *= 2 if self.is_compact else 1
        kept = tuple(_cut(chart, rows) for chart in self.charts[:charts])
        note = left_out(len(self.charts), charts, "charts") if not self.note else self.note
        return replace(self, charts=kept, note=note)


def _cut(chart: Chart, rows: int) -> Chart:
    """Chart whose table has at most so many rows; a further table goes first."""
    if chart.more is not None and len(chart.more.rows) > rows:
        chart = replace(chart, more=None)
    count = len(chart.table.rows)
    if count <= rows:
        return chart
    table = replace(chart.table, rows=chart.table.rows[:rows])
    note = left_out(count, rows, "rows of the table")
    return replace(chart, table=table, note=" ".join(filter(None, (chart.note, note))))


def left_out(count: int, most: int, what: str) -> str:
    """How many of something are shown, and where the others are; empty where all are."""
    if count <= most:
        return ""
    return f"The first {most} of {count} {what} are shown; {_ELSEWHERE}."


def shown(charts: Sequence[Chart], what: str) -> tuple[tuple[Chart, ...], str]:
    """Charts that a part may have, and what is left out."""
    return tuple(charts[:MOST_CHARTS]), left_out(len(charts), MOST_CHARTS, what)
