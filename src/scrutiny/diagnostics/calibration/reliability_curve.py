"""Reliability diagram of each model and dataset: accuracy by confidence, bin by bin."""

from collections.abc import Iterator
from typing import Any, Final

from scrutiny.blocks.charts import Chart, ChartTable, axis, band_and_line, marks, view_of
from scrutiny.blocks.numbers import interval, number
from scrutiny.blocks.run_estimates import identity
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import FINDINGS, Part, ReportPart, part_of
from scrutiny.core.boundary.json_text import digest
from scrutiny.core.expressions import name_and_arguments
from scrutiny.diagnostics.calibration.calibration import CALIBRATION_ERROR, bin_of
from scrutiny.reliability.assignment import Assignment, assignments_in
from scrutiny.reliability.row_statistics import Array
from scrutiny.stats.intervals.interval import wilson

_LEAD: Final = (
    "A calibrated model is right as often as it is confident: its curve lies on the thin line. "
    "Below the line it is overconfident, above it underconfident. Bins with few items are noisy."
)


def part(view: RunView) -> Part | None:
    """One curve for each estimate of the error whose records the run kept."""
    name = CALIBRATION_ERROR.id.partition("@")[0]
    charts = [
        chart
        for assigned in assignments_in(view.manifest)
        if assigned.role == "measured"
        and name_and_arguments(assigned.metric)[0] == name
        and (chart := _chart(view, assigned)) is not None
    ]
    return part_of(
        "calibration", "Calibration", _LEAD, charts, "models and datasets", chapter=FINDINGS
    )


def _chart(view: RunView, assigned: Assignment) -> Chart | None:
    """Curve of one model on one dataset; nothing without records."""
    recorded = view.records.recorded(assigned)
    if recorded is None:
        return None
    side = recorded.select(assigned.sides[""], assigned.within)
    bins = int(name_and_arguments(assigned.metric)[1])
    points = list(_points(side.values[..., 0], side.values[..., 1], bins))
    key = assigned.key
    own = identity(key)
    whole = next((e for e in view.estimates if identity(e.key) == own), None)
    rows = [
        (p["bin"], number(p["confidence"]), number(p["value"]), p["range"], f"{p['answers']:,}")
        for p in points
    ]
    spec = None
    if len(points) > 1:  # curve and band over the line of a calibrated model
        x = axis("confidence", "mean confidence in the bin")
        y = axis("value", "accuracy", domain=[0, 1])
        ends = [{"confidence": at, "value": at} for at in (points[0]["confidence"], 1.0)]
        even = marks("line", {"x": x, "y": y}, points=ends, style="zero", strokeWidth=1)
        curve = band_and_line(x, y, "bin", "confidence", "value", "range", "answers")
        spec = view_of(points, height=240, layer=[even, *curve])
    return Chart(
        anchor=f"calibration-{digest(own, size=4)}",
        title=f"Reliability diagram of {view.on_data(key.subject, key.dataset)}",
        caption=f"Expected calibration error {interval(whole)}. {_BAND[len(side.values) > 1]}",
        spec=spec,
        table=ChartTable(_HEADER, tuple(rows)),
        is_open=True,
    )


_HEADER: Final = ("confidence", "mean confidence", "accuracy", "band", "answers")
_BAND: Final = {
    True: "The band goes from the least to the most accurate replicate.",
    False: "The band is Wilson's interval over items.",
}


def _points(confidence: Array, right: Array, bins: int) -> Iterator[dict[str, Any]]:
    """Point of each bin that has answers, of measures ``(replicate, item)``."""
    places = bin_of(confidence, bins)
    for at in range(bins):
        inside = places == at
        each = [right[i, own].mean() for i, own in enumerate(inside) if own.any()]
        if not each:
            continue
        value, answers = float(right[inside].mean()), int(inside.sum())
        low, high = min(each), max(each)
        if len(right) == 1:
            band = wilson(round(value * answers), answers)
            low, high = band.low, band.high
        yield {
            "bin": f"{number(at / bins, 2)} to {number((at + 1) / bins, 2)}",
            "confidence": float(confidence[inside].mean()),
            "value": value,
            "low": float(low),
            "high": float(high),
            "range": f"{number(low)} to {number(high)}",
            "answers": answers,
        }


PART: Final = ReportPart(__doc__, part)
