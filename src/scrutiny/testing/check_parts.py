"""Conformance of report parts: sentences, charts, and purity."""

from scrutiny.parts.charts.tables import Chart
from scrutiny.parts.part import Part, ReportPart
from scrutiny.parts.run.identity import slug
from scrutiny.parts.run.view import RunFacts, RunView
from scrutiny.parts.terminal.layout import WIDTH
from scrutiny.testing.promises import promise


def check_part(part: ReportPart, view: RunView) -> None:
    """Raise unless a part of the report fulfils its contract.

    Checked: the first line of its docstring; that it shows nothing of an empty run; of a run that
    has what it needs, a title, a lead, and charts whose anchors are their own and whose tables
    have a cell for every column; that making it twice gives the same; lines of a terminal that
    fit into it.

    Parameters
    ----------
    part
        What is checked.
    view
        A run that has what it needs; `scrutiny.report.reading.load.load_view` reads one.

    Raises
    ------
    ConformanceError
        On the first broken promise.
    """
    name = part.sentence()
    promise("part", is_kept=bool(name), message="its docstring does not say what it shows.")
    empty = part.make(RunView(RunFacts("")))
    promise(name, is_kept=empty is None, message="it is shown for an empty run.")
    made = part.make(view)
    if not isinstance(made, Part):
        promise(name, is_kept=False, message="it is not shown for a run that has its data.")
        return
    promise(name, is_kept=made == part.make(view), message="made twice, it is not the same.")
    said = bool(made.title and made.lead and made.charts)
    promise(name, is_kept=said, message="it lacks a title, a lead or charts.")
    anchors = [made.anchor, *(drawn for chart in made.charts for drawn in _anchors(chart))]
    own = len(set(anchors)) == len(anchors) and all(slug(one) == one for one in anchors)
    promise(name, is_kept=own, message=f"anchors are not their own, or no anchors: {anchors}")
    for chart in made.charts:
        _check_table(name, chart)
    wide = [line for line in part.lines(view) if line.cell_len > WIDTH]
    promise(name, is_kept=not wide, message=f"lines are wider than {WIDTH} cells: {wide[:1]}")


def _anchors(chart: Chart) -> list[str]:
    """Anchors that a chart uses."""
    return list(dict.fromkeys([chart.anchor, *(name for name, _, _ in chart.drawings)]))


def _check_table(name: str, chart: Chart) -> None:
    """Raise unless the table of a chart has a row, and a cell for every column."""
    table = chart.table
    fits = bool(table.rows) and all(len(row) == len(table.header) for row in table.rows)
    promise(name, is_kept=fits, message=f"the table of {chart.title!r} is empty or ragged.")
