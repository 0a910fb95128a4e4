"""Building blocks of Vega-Lite specifications: dicts, without colors or sizes."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from scrutiny.core.estimate import EstimateKey
from scrutiny.parts.charts.tables import Spec
from scrutiny.reliability.metrics import in_words, measures_of

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


def label_axis(order: Sequence[str]) -> Spec:
    """Axis with one label for each row, in this order."""
    return {
        "field": "label",
        "type": "nominal",
        "sort": list(dict.fromkeys(order)),
        "axis": {
            "title": None,
            "ticks": False,
            "domain": False,
            "grid": True,
            "tickBand": "extent",
        },
    }


def value_axis(name: str, metric: str) -> Spec:
    """Numbers along x, with the metric as title."""
    title = metric_title(metric)
    return {"field": name, "type": "quantitative", "axis": {"title": title, "tickCount": 6}}


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
    return {
        "data": {"values": [{"at": at}]},
        "mark": {"type": "rule", "style": style},
        "encoding": encoding,
    }


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


def key_title(key: EstimateKey) -> str:
    """Name of an estimate's metric in words."""
    return metric_title(key.metric, key.diagnostic)


@cache
def metric_title(metric: str, diagnostic: str = "") -> str:
    """Name of a metric in words; for a mean, the description of the diagnostic's measure."""
    return in_words(metric, measures_of(diagnostic) if "(" in metric else ())


def left_out(count: int) -> str:
    """Sentence about what a chart omits; empty if it shows all."""
    if count <= MOST_ROWS:
        return ""
    return f"The chart shows the first {MOST_ROWS} of {count} rows; the table has them all."
