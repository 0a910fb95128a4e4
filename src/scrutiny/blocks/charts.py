"""Charts: specifications for Vega-Lite, and tables with the same numbers.

They are dicts and texts without markup, colors or widths: those are the page's.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from scrutiny.blocks.drawings import Drawing
from scrutiny.blocks.labels import metric_words
from scrutiny.blocks.numbers import NO_VALUE, interval
from scrutiny.blocks.scored_texts import ScoredText
from scrutiny.core.estimate import Estimate

Spec = dict[str, Any]
_AXIS_AND_LEGEND = 78  # pixels below and above the plot
_BETWEEN = 12  # pixels between two drawings that share an axis


@dataclass(frozen=True, slots=True)
class ChartTable:
    """The numbers of a chart: header and rows of texts; from ``numeric`` on right-aligned.

    ``marks`` are cells (row, column) that stand out; their text says so, too.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: int = 1
    marks: frozenset[tuple[int, int]] = frozenset()

    def told(self) -> "ChartTable":
        """Table without empty columns; the first one stays.

        Examples
        --------
        >>> ChartTable(("of", "a", "b"), (("x", "\N{EN DASH}", "1"),)).told()
        ChartTable(header=('of', 'b'), rows=(('x', '1'),), numeric=1, marks=frozenset())
        """
        kept = [
            i
            for i in range(len(self.header))
            if not i or any(row[i] not in (NO_VALUE, "") for row in self.rows)
        ]
        if len(kept) == len(self.header) or not self.rows:
            return self
        moved = {old: new for new, old in enumerate(kept)}
        return ChartTable(
            tuple(self.header[i] for i in kept),
            tuple(tuple(row[i] for i in kept) for row in self.rows),
            sum(i < self.numeric for i in kept),
            frozenset((row, moved[i]) for row, i in self.marks if i in moved),
        )


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart with its caption and its table.

    Parameters
    ----------
    anchor
        Stable name within the page.
    title, caption
        What it shows, and how to read it.
    table
        The same numbers in words.
    spec
        Vega-Lite specification; nothing for a table alone.
    note
        What is left out, if anything is.
    below
        A second specification that shares its axis, drawn under the first.
    is_open
        Whether the table stands open beside its chart.
    more, more_title
        A further table, folded, and what its fold is called.
    has_choice
        Whether the chart has a switch, which stands beside it.
    sentences
        Sentences that are drawn above the table.
    scored
        Texts that are shaded above the table.
    legend
        What their dark words are, and dotted ones; empty where there are no dotted ones.
    has_texts
        Whether it shows texts of the data, which some pages must not hold.
    """

    anchor: str
    title: str
    caption: str
    table: ChartTable
    spec: Spec | None = None
    note: str = ""
    below: Spec | None = None
    is_open: bool = False
    more: ChartTable | None = None
    more_title: str = ""
    has_choice: bool = False
    sentences: tuple[Drawing, ...] = ()
    scored: tuple[ScoredText, ...] = ()
    legend: tuple[str, str] = ("for the answer", "against it")
    has_texts: bool = False

    @property
    def drawings(self) -> tuple[tuple[str, Spec, int], ...]:
        """Anchor and specification of each drawing, and the height to reserve."""
        found = ((self.anchor, self.spec), (f"{self.anchor}-below", self.below))
        drawn = []
        for name, spec in found:
            if spec is not None:
                plot = spec["height"]
                if isinstance(plot, dict):
                    plot = plot["step"] * len({v["label"] for v in spec["data"]["values"]})
                drawn.append((name, spec, int(plot) + _AXIS_AND_LEGEND))
        if len(drawn) > 1:  # the axis stands under the second
            name, spec, height = drawn[0]
            drawn[0] = (name, spec, height - _AXIS_AND_LEGEND + _BETWEEN)
        return tuple(drawn)


SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v6.json"


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


def interval_and_point(
    place: Spec, value: Spec, *told: str, along: str, size: int
) -> tuple[Spec, Spec]:
    """Layers of a bar from ``low`` to ``high``, and of a point at the value.

    Parameters
    ----------
    place
        Encoding of the other axis.
    value
        Axis of the value, which lies ``along`` "x" or "y".
    told
        Fields shown where the pointer rests on either.
    size
        Of the point, in square pixels.
    """
    said = {"tooltip": tooltip(*told)}
    ends = {along: {**value, "field": "low"}, f"{along}2": {"field": "high"}}
    return (
        marks("rule", {**place, **ends, **said}, strokeWidth=2, opacity=0.55),
        marks("point", {**place, along: value, **said}, filled=True, size=size, opacity=1),
    )


def series_color(names: Sequence[str], *, name: str = "series", colors: str = "category") -> Spec:
    """Color by series, with a legend if there are several."""
    legend = None if len(names) < 2 else {"title": None, "orient": "top"}
    scale = {"domain": list(names), "range": colors}
    return {"field": name, "type": "nominal", "scale": scale, "legend": legend}


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
    # dots and brackets are escaped, which Vega-Lite would read as paths
    return [{"field": re.sub(r"([.\[\]])", r"\\\1", name), "title": name} for name in names]
