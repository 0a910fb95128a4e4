"""Forest, strip and variance charts of findings, each with its table.

Colors come from the page's theme (``range.category`` of the Vega configuration), widths from the
box that a chart stands in.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from scrutiny.blocks.charts import (
    Chart,
    ChartTable,
    Spec,
    guide,
    label_axis,
    marks,
    series_color,
    tooltip,
    value_axis,
    view_of,
)
from scrutiny.blocks.labels import metric_words, replicate_words
from scrutiny.blocks.numbers import by_replicate, decimals_for, interval, number, out_of
from scrutiny.core.boundary.printable import whole_percent
from scrutiny.core.estimate import Estimate


@dataclass(frozen=True, slots=True)
class Line:
    """One line of estimates: its label, and the estimates by the name of the series."""

    label: str
    series: Mapping[str, Estimate] = field(default_factory=dict)


_MOST_ROWS: Final = 60
_STEP: Final = {"step": 30, "for": "position"}


def _left_out(count: int) -> str:
    """Sentence about what a chart omits; empty if it shows all."""
    if count <= _MOST_ROWS:
        return ""
    return f"The chart shows the first {_MOST_ROWS} of {count} rows; the table has them all."


def forest_table(lines: Sequence[Line]) -> ChartTable:
    """Label, one column for each series, and the denominator of the first."""
    names = list(dict.fromkeys(name for line in lines for name in line.series))
    rows = (
        (
            line.label,
            *(interval(line.series.get(name)) for name in names),
            out_of(next(iter(line.series.values()), None)),
        )
        for line in lines
    )
    return ChartTable(("", *names, "n/planned"), tuple(rows))


#: Sources of variance in the order in which they are drawn; others follow.
_SOURCES: Final = {"seeds": 0, "items": 1, "both": 2}
#: What the known sources of variance stand for.
_MEANINGS: Final = {
    "seeds": "Seeds: another training run.",
    "items": "Items: another sample of texts.",
    "both": "Both: their interaction.",
}
_SCALE: Final = "The table gives standard deviations on the scale of the interval."


def forest(anchor: str, lines: Sequence[Line], *, metric: str, limit: float | None) -> Chart | None:
    """Forest chart: the estimates of each line and of their controls, with the claim's limit.

    Nothing for a single number without a limit: there is nothing to compare.
    """
    if limit is None and sum(len(line.series) for line in lines) < 2:
        return None
    shown = lines[:_MOST_ROWS]
    names = list(dict.fromkeys(name for line in shown for name in line.series))
    values = [
        {"label": line.label, "series": name}
        | {"value": e.value, "low": e.ends[0], "high": e.ends[2]}
        | {"interval": interval(e), "n/planned": out_of(e)}
        for line in shown
        for name, e in line.series.items()
        if e.value is not None
    ]
    layers = _forest_layers(shown, names, metric=metric, limit=limit)
    caption = "Points are estimates, bars their intervals; the solid line is zero"
    caption += f", the dashed one the limit of the claim ({number(limit)})." if limit else "."
    return Chart(
        anchor=anchor,
        title=f"{metric_words(metric)} with intervals",
        caption=caption,
        spec=view_of(values, height=_STEP, layer=layers),
        table=forest_table(lines),
        note=_left_out(len(lines)),
    )


def forest_or_table(
    anchor: str,
    title: str,
    caption: str,
    lines: Sequence[Line],
    *,
    metric: str,
    limit: float | None = None,
    table: ChartTable | None = None,
) -> Iterator[Chart]:
    """A `forest` with its own title, or only its table if there is one number.

    Nothing without any line. ``caption`` and ``table`` stand for those of the chart, where they say
    more.
    """
    made = forest(anchor, lines, metric=metric, limit=limit) if lines else None
    if made is not None:
        caption, table = caption or made.caption, table or made.table
        yield replace(made, title=title, caption=caption, table=table)
    elif lines:
        yield Chart(anchor, title, caption, table or forest_table(lines))


def _forest_layers(
    shown: Sequence[Line], names: Sequence[str], *, metric: str, limit: float | None
) -> list[Spec]:
    """Zero, the limit, intervals and points, from back to front."""
    y: Spec = {"y": label_axis([line.label for line in shown])}
    if any(len(line.series) > 1 for line in shown):
        y["yOffset"] = {"field": "series", "sort": names}
    color = {"color": series_color(names)}
    shape = {**series_color(names), "scale": {"domain": list(names)}}  # one legend with the colors
    told = {"tooltip": tooltip("label", "series", "interval", "n/planned")}
    layers: list[Spec] = [guide(0.0, dashed=False)]
    if limit:
        layers.append(guide(limit, dashed=True))
    ends = {"x": value_axis("low", metric), "x2": {"field": "high"}}
    at = {"x": value_axis("value", metric), **color, "shape": shape}
    return [
        *layers,
        marks("rule", {**y, **ends, **color, **told}, strokeWidth=2.5, strokeCap="round"),
        marks("point", {**y, **at, **told}, filled=True, size=56, opacity=1),
    ]


def strip(anchor: str, lines: Sequence[Line], *, metric: str) -> Chart | None:
    """Strip chart: a dot for the value of every replicate; `None` for a single replicate."""
    kept = [(line.label, next(iter(line.series.values()))) for line in lines if line.series]
    kept = [(label, e) for label, e in kept if len(e.by_replicate) > 1]
    if not kept:
        return None
    dots = [
        {"label": label, "replicate": replicate_words(name), "value": value}
        for label, e in kept[:_MOST_ROWS]
        for name, value in e.by_replicate.items()
    ]
    y = {"y": label_axis([label for label, _ in kept[:_MOST_ROWS]])}
    x = value_axis("value", metric)
    dot = {**y, "x": x, "tooltip": tooltip("label", "replicate", "value")}
    mean = {**y, "x": {**x, "aggregate": "mean"}}
    # one column for each replicate, and how the replicates agree
    names = list(dict.fromkeys(name for _, e in kept for name in e.by_replicate))
    agreement = list(dict.fromkeys(name for _, e in kept for name in e.across))
    rows = []
    for label, e in kept:
        decimals = decimals_for(e.low, e.high, e.value)
        across = (number(e.across.get(name), decimals) for name in agreement)
        rows.append((label, *by_replicate(e, names), *across))
    spoken = (name.replace("_", " ") for name in agreement)
    layers = [
        guide(0.0, dashed=False),
        marks("point", dot, filled=True, size=42, opacity=0.55),
        marks("tick", mean, thickness=2, size=16),
    ]
    return Chart(
        anchor=anchor,
        title="Results by replicate",
        caption="A dot is one replicate, the tick their mean. Wide rows depend on the seed.",
        spec=view_of(dots, height={"step": 20}, layer=layers),
        table=ChartTable(("", *map(replicate_words, names), *spoken), tuple(rows)),
        note=_left_out(len(kept)),
    )


def variance(anchor: str, lines: Sequence[Line]) -> Chart | None:
    """Bar chart of the variance by source, in shares; `None` unless there are several."""
    kept = [(line.label, next(iter(line.series.values()))) for line in lines if line.series]
    kept = [(label, e) for label, e in kept if sum(e.variance.values()) > 0]
    found = dict.fromkeys(name for _, e in kept for name, own in e.variance.items() if own > 0)
    if len(found) < 2:
        return None
    names = sorted(found, key=lambda name: _SOURCES.get(name, len(_SOURCES)))
    values = [
        {"label": label, "source": name}
        | {"share": e.variance[name] / sum(e.variance.values()), "rank": rank}
        for label, e in kept[:_MOST_ROWS]
        for rank, name in enumerate(names)
        if name in e.variance
    ]
    encoding = {
        "y": label_axis([label for label, _ in kept[:_MOST_ROWS]]),
        "x": {
            "field": "share",
            "type": "quantitative",
            "stack": "zero",
            "scale": {"domain": [0, 1]},
            "axis": {"format": "%", "title": "share of the variance", "tickCount": 5},
        },
        "color": series_color(names, name="source", colors="ordinal"),
        "order": {"field": "rank"},
        "tooltip": tooltip("label", "source", "share"),
    }
    mark = {"type": "bar", "height": {"band": 0.62}}
    return Chart(
        anchor=anchor,
        title="Sources of uncertainty",
        caption=" ".join([*(_MEANINGS[name] for name in names if name in _MEANINGS), _SCALE]),
        spec=view_of(values, height={"step": 20}, mark=mark, encoding=encoding),
        table=_variance_table(kept, names),
        note=_left_out(len(kept)),
    )


def _variance_table(kept: Sequence[tuple[str, Estimate]], names: Sequence[str]) -> ChartTable:
    """Label and, for each source, standard deviation and share of the variance."""
    rows = []
    for label, e in kept:
        total = sum(e.variance.values())
        sds = [e.variance.get(name, 0.0) ** 0.5 for name in names]
        decimals = decimals_for(0.0, 2 * max(sds))
        cells = [
            f"{number(sd, decimals)} ({whole_percent(e.variance.get(name, 0.0) / total)})"
            for name, sd in zip(names, sds, strict=True)
        ]
        rows.append((label, *cells))
    return ChartTable(("", *names), tuple(rows))
