"""Recall, precision and F1 of each class, the lowest F1 first, with their denominators."""

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.scores import label_lines
from scrutiny.blocks.section import FINDINGS, Part, ReportPart, part_of
from scrutiny.core.boundary.json_text import digest
from scrutiny.core.task import Task

_LEAD = (
    "Recall is the share of a class that the model finds, precision the share of its predictions "
    "of that class that are right. A good overall score can hide a class that it misses."
)


def part(view: RunView) -> Part | None:
    """Scores of each class: one table for each model and dataset."""
    words = {data.name: data.class_words for data in view.datasets}
    charts = []
    for (subject, data), lines in label_lines(view.estimates).items():
        where, of = view.on_data(subject, data), words.get(data, Task.class_words)
        rows = tuple((o.label, o.items, o.recall, o.given, o.precision, o.f1) for o in lines)
        worst = lines[0]
        chart = Chart(
            anchor=f"classes-{digest(where, size=4)}",
            title=f"{where}: scores of each {of[0]}",
            caption=f"The lowest F1 is that of {worst.label!r}, {worst.f1}, with {worst.items} "
            f"{of[1]}. Each interval is for its own number only.",
            table=ChartTable((*of, "recall", "predictions", "precision", "F1"), rows),
        )
        charts.append(chart)
    return part_of(
        "classes", "Per-class scores", _LEAD, charts, "models and datasets", chapter=FINDINGS
    )


PART = ReportPart(__doc__, part)
