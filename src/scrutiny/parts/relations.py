"""Correlated estimates over replicates: the plan's ``[[relate]]``."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from rich.text import Text

from scrutiny.core.estimate import Estimate
from scrutiny.parts.charts.tables import Chart, ChartTable, Spec
from scrutiny.parts.charts.vega import channel, drawn, guide, label_axis, marks, tooltip, view_of
from scrutiny.parts.lines import part_lines
from scrutiny.parts.part import MOST_ROWS, Part, ReportPart, left_out
from scrutiny.parts.run.view import RunView
from scrutiny.parts.wording.numbers import NO_VALUE, interval, number, p_value

_LEAD: Final = (
    "Do replicates with a high value of one estimate have a high value of the other? Each "
    "replicate is one point, so few replicates can only show strong correlations: "
    "\N{LEFT DOUBLE QUOTATION MARK}shown from\N{RIGHT DOUBLE QUOTATION MARK} is the correlation "
    "that this many would show with 80 % power. An interval that contains zero does not mean that "
    "there is no correlation. The p-value permutes replicates; the smallest possible p is given "
    "as well."
)
_REASONS: Final = {
    "too_few_replicates": "too few replicates",
    "does_not_vary": "one side does not vary",
}


def part(view: RunView) -> Part | None:
    """Dots with intervals and a table of every correlation in the plan."""
    made = [e for e in view.estimates if e.key.is_relation]
    if not made:
        return None
    shown = [e for e in made[:MOST_ROWS] if e.value is not None and e.low is not None]
    chart = Chart(
        anchor="reliability-relations-all",
        title="Correlation over replicates",
        caption="Points are Pearson's r, bars their intervals; the line is zero.",
        spec=_spec(shown) if shown else None,
        table=_table(made[:MOST_ROWS]),
        is_open=True,
        note=left_out(len(made), MOST_ROWS, "correlations"),
    )
    return Part("reliability-relations", "Correlated estimates", _LEAD, (chart,))


def _spec(shown: Sequence[Estimate]) -> Spec:
    values = [{"label": e.key.group, **drawn(e)} for e in shown]
    y: dict[str, Any] = {"y": label_axis([e.key.group for e in shown])}
    scale = {"domain": [-1, 1]}
    x = channel("value", "quantitative", scale=scale, title="correlation", tickCount=5)
    told = {"tooltip": tooltip("label", "interval")}
    bar = {**y, "x": {**x, "field": "low"}, "x2": {"field": "high"}, **told}
    layers = [
        guide(0.0, dashed=False),
        marks("rule", bar, strokeWidth=2, opacity=0.55),
        marks("point", {**y, "x": x, **told}, filled=True, size=56, opacity=1),
    ]
    return view_of(values, height={"step": 24}, layer=layers)


def _table(made: Sequence[Estimate]) -> ChartTable:
    header = ("", "of", "with", "r", "Spearman", "replicates", "p", "smallest p", "shown from")
    return ChartTable(header, tuple(_row(e) for e in made), 3)


def _row(e: Estimate) -> tuple[str, ...]:
    found = e.across
    reason = _REASONS.get(e.reason or "", e.reason or e.status)
    return (
        e.key.group,
        str(e.key.condition["of"]),
        str(e.key.condition["with"]),
        interval(e) if e.value is not None else reason,
        number(found.get("spearman"), 2),
        str(e.n_replicates if e.value is not None else e.counts.n),
        p_value(found.get("p_value")),
        p_value(found.get("smallest_p")),
        number(found["detectable"], 2) if "detectable" in found else NO_VALUE,
    )


def _lines(view: RunView) -> Iterable[Text]:
    """The same for a terminal."""
    found = part(view)
    return () if found is None else part_lines(found)


PART: Final = ReportPart(__doc__, part, _lines)
