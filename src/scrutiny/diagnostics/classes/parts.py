"""Recall, precision and F1 of each class, the lowest F1 first, with their denominators."""

from collections.abc import Sequence

from scrutiny.core.boundary.canonical import digest
from scrutiny.parts.charts.tables import Chart, ChartTable
from scrutiny.parts.part import FINDINGS, Part, ReportPart, part_of
from scrutiny.parts.run.classes import LabelLine, labels_of
from scrutiny.parts.run.view import RunView
from scrutiny.parts.words import on_data

_LEAD = (
    "Recall is the share of the items of a class that the model finds, precision the share of its "
    "predictions of that class that are right. A good accuracy can hide a class that it misses."
)
_HEADER = ("class", "items", "recall", "predictions", "precision", "F1")


def part(view: RunView) -> Part | None:
    """One table for each model and dataset."""
    charts = [
        _table(on_data(view, *place), lines) for place, lines in labels_of(view.estimates).items()
    ]
    return part_of(
        "classes", "Per-class scores", _LEAD, charts, "models and datasets", chapter=FINDINGS
    )


def _table(where: str, lines: Sequence[LabelLine]) -> Chart:
    rows = tuple((o.label, o.items, o.recall, o.given, o.precision, o.f1) for o in lines)
    worst = lines[0]
    return Chart(
        anchor=f"classes-{digest(where, size=4)}",
        title=f"{where}: scores of each class",
        caption=f"The lowest F1 is that of {worst.label!r}, {worst.f1}, with {worst.items} items. "
        "Each interval is for its own number only.",
        spec=None,
        table=ChartTable(_HEADER, rows),
    )


PART = ReportPart(__doc__, part)
