"""Building blocks of Vega-Lite specifications: dicts, without colors or sizes."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from scrutiny.core.estimate import Estimate
from scrutiny.parts.charts.tables import Spec
from scrutiny.parts.wording.labels import metric_words
from scrutiny.parts.wording.numbers import interval

SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v6.json"
MOST_ROWS: Final = 60
STEP: Final = {"step": 30, "for": "position"}


def view_of(values: list[dict[str, Any]], *, height: Any, **rest: Any) -> Spec:
    """Specification of a chart that fills its width."""
    return {
        "$schema": SCHEMA,
        "width": "container",
        "autosize": {"type": "fit-x", "contains": "padding"},
        "height": height,
        "data": {"values": values},
        **rest,
    }


def marks(
    kind: str, encoding: Spec, *, points: list[dict[str, Any]] | None = None, **style: Any
) -> Spec:
    """Marks of one kind and what they encode; ``points`` where it is not what the chart draws."""
    data = {} if points is None else {"data": {"values": points}}
    return {**data, "mark": {"type": kind, **style}, "encoding": encoding}


def channel(
    name: str, kind: str, *, sort: Iterable[str] = (), scale: Spec | None = None, **axis: Any
) -> Spec:
    """Position by a field of one kind, with the order, scale and axis that are not the usual."""
    found: Spec = {"field": name, "type": kind}
    if order := list(sort):
        found["sort"] = order
    if scale:
        found["scale"] = scale
    return {**found, "axis": axis}


def drawn(estimate: Estimate) -> dict[str, Any]:
    """Fields of an estimate as a chart draws it: value, ends, and its interval in words."""
    return {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "interval": interval(estimate),
    }


def label_axis(order: Sequence[str]) -> Spec:
    """Axis with one label for each row, in this order."""
    rows = dict.fromkeys(order)
    line: Spec = {"ticks": False, "domain": False, "grid": True, "tickBand": "extent"}
    return channel("label", "nominal", sort=rows, title=None, **line)


def value_axis(name: str, metric: str) -> Spec:
    """Numbers along x, with the metric as title."""
    return channel(name, "quantitative", title=metric_words(metric), tickCount=6)


def axis(name: str, title: str, *, ticks: int = 5, **scale: Any) -> Spec:
    """Numeric axis that need not include zero."""
    kept = {"zero": False, **scale}
    return channel(name, "quantitative", scale=kept, title=title, tickCount=ticks)


def band_and_line(
    x: Spec, y: Spec, *told: str, points: list[dict[str, Any]] | None = None, **place: Any
) -> tuple[Spec, Spec]:
    """Layers of a band from ``low`` to ``high``, and of a line with points through ``y``.

    Parameters
    ----------
    x, y
        Axes.
    told
        Fields shown where the pointer rests on a point.
    points
        What is drawn, where it is not what the whole chart draws.
    place
        Further encodings of both: a color.
    """
    ends = {"y": {**y, "field": "low"}, "y2": {"field": "high"}}
    line = {"x": x, "y": y, **place, "tooltip": tooltip(*told)}
    return (
        marks("area", {"x": x, **ends, **place}, points=points, opacity=0.13),
        marks("line", line, points=points, strokeWidth=2, point={"size": 40}),
    )


def series_color(names: Sequence[str], *, name: str = "series", colors: str = "category") -> Spec:
    """Color by series, with a legend if there are several."""
    legend = None if len(names) < 2 else {"title": None, "orient": "top"}
    scale = {"domain": list(names), "range": colors}
    return {"field": name, "type": "nominal", "scale": scale, "legend": legend}


def series_shape(names: Sequence[str]) -> Spec:
    """Shape by series, combined with the legend of the colors."""
    legend = None if len(names) < 2 else {"title": None, "orient": "top"}
    scale = {"domain": list(names)}
    return {"field": "series", "type": "nominal", "scale": scale, "legend": legend}


def guide(at: float, *, dashed: bool, along: str = "x") -> Spec:
    """Reference line across the plot at a value of one axis."""
    style = "limit" if dashed else "zero"
    encoding = {along: {"field": "at", "type": "quantitative"}}
    return marks("rule", encoding, points=[{"at": at}], style=style)


def radio(choice: str, options: Mapping[str, str]) -> Spec:
    """Selection beside the drawing by the labels of its options; the first is chosen."""
    return {
        "name": choice.replace("-", "_"),
        "value": next(iter(options)),
        "bind": {
            "input": "radio",
            "options": list(options),
            "labels": list(options.values()),
            "name": "Show",
            "element": f"#{choice}",
        },
    }


def tooltip(*names: str) -> list[Spec]:
    """Fields shown on hover."""
    return [{"field": _escaped(name), "title": name} for name in names]


def _escaped(name: str) -> str:
    """Field name without the dots and brackets that Vega-Lite reads as paths."""
    return name.replace(".", "\\.").replace("[", "\\[").replace("]", "\\]")


def left_out(count: int) -> str:
    """Sentence about what a chart omits; empty if it shows all."""
    if count <= MOST_ROWS:
        return ""
    return f"The chart shows the first {MOST_ROWS} of {count} rows; the table has them all."
