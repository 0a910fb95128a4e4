"""Line charts with a band between a lower and an upper limit."""

from typing import Any

from scrutiny.parts.charts.tables import Spec
from scrutiny.parts.charts.vega import tooltip


def axis(name: str, title: str, *, ticks: int = 5, **scale: Any) -> Spec:
    """Numeric axis that need not include zero."""
    kept = {"zero": False, **scale}
    titled = {"title": title, "tickCount": ticks}
    return {"field": name, "type": "quantitative", "scale": kept, "axis": titled}


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
    data = {} if points is None else {"data": {"values": points}}
    ends = {"y": {**y, "field": "low"}, "y2": {"field": "high"}}
    line = {"type": "line", "strokeWidth": 2, "point": {"size": 40}}
    said = {"tooltip": tooltip(*told)}
    return (
        {**data, "mark": {"type": "area", "opacity": 0.13}, "encoding": {"x": x, **ends, **place}},
        {**data, "mark": line, "encoding": {"x": x, "y": y, **place, **said}},
    )
