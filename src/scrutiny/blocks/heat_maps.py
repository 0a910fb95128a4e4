"""Heat maps with their numbers: matrices of pairs, and layers by heads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from scrutiny.blocks.charts import Spec, channel, marks, radio, tooltip, view_of
from scrutiny.blocks.labels import metric_words
from scrutiny.blocks.run_estimates import HeadPlace

_MATRIX_ROW: Final = 34  # pixels
_DIGITS: Final = 4
_MOST_WRITTEN: Final = 12  # rows; smaller cells hold no number
Values = Mapping[tuple[str, str], float]


def matrix_map(
    series: Sequence[tuple[str, Values]],
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    titles: tuple[str, str],
    choice: str = "",
    domain: tuple[float, float] | None = None,
) -> Spec:
    """Map of the first series, or of the selected one if there are several.

    Parameters
    ----------
    series
        Label and values by row and column.
    rows, columns
        Names, in order.
    titles
        Of rows and of columns.
    choice
        Anchor of the element that holds the switch between series.
    domain
        Numbers of the weakest and the strongest color; unless given, the least and the largest.
        Then columns are kinds of things, whose names have a line for each word.
    """
    shown = f"datum[{choice.replace('-', '_')}]" if choice else "datum.s0"
    places = _matrix_places(rows, columns, titles)
    if domain is None:
        found = (("min", "least"), ("max", "most"))
        aggregates = [{"op": op, "field": "value", "as": name} for op, name in found]
        ends: list[dict[str, Any]] = [{"joinaggregate": aggregates}]
    else:  # every cell gets the stated ends of the colors
        stated = zip(domain, ("least", "most"), strict=True)
        ends = [{"calculate": f"{end}", "as": name} for end, name in stated]
        places["x"]["axis"]["labelExpr"] = "split(datum.label, ' ')"
    share = "min(1, (datum.value - datum.least) / (datum.most - datum.least))"
    spec = view_of(
        _matrix_cells(series, rows, columns),
        height=_MATRIX_ROW * len(rows),
        transform=[
            {"calculate": shown, "as": "value"},
            {"filter": "isValid(datum.value)"},
            *ends,
            {"calculate": f"datum.most > datum.least ? {share} : 1", "as": "strength"},
        ],
        layer=_layers(
            places,
            color=_shade("strength", "heatmap", [0, 1]),
            strong="datum.strength > 0.55",
            is_written=len(rows) <= _MOST_WRITTEN,
            titles=titles,
        ),
    )
    if choice:
        spec["params"] = [radio(choice, {f"s{i}": label for i, (label, _) in enumerate(series)})]
    return spec


def correlation_map(values: Values, names: Sequence[str]) -> Spec:
    """Map of correlations, from -1 to 1; columns have numbers as names."""
    numbered = {name: str(i) for i, name in enumerate(names, 1)}
    titles = ("measure", "with")
    rows = [f"{i} {name}" for name, i in numbered.items()]
    turned = {
        (f"{numbered[a]} {a}", numbered[b]): value for (a, b), value in values.items() if a != b
    }
    columns = list(numbered.values())
    return view_of(
        _matrix_cells([("", turned)], rows, columns),
        height=(_MATRIX_ROW - 6) * len(rows),
        transform=[{"calculate": "datum.s0", "as": "value"}],
        layer=_layers(
            _matrix_places(rows, columns, titles),
            color=_shade("value", "diverging", [-1, 0, 1]),
            strong="abs(datum.value) > 0.6",
            is_written=len(rows) <= _MOST_WRITTEN + 4,
            titles=titles,
        ),
    )


def _shade(field: str, colors: str, domain: list[int]) -> Spec:
    """Color of a cell by a field, without a legend."""
    scale = {"range": colors, "domain": domain, "interpolate": "lab"}
    return {"field": field, "type": "quantitative", "scale": scale, "legend": None}


def _matrix_cells(
    series: Sequence[tuple[str, Values]], rows: Sequence[str], columns: Sequence[str]
) -> list[dict[str, Any]]:
    """One row for each cell of any series, with all its numbers."""
    found = []
    for row in rows:
        for column in columns:
            numbers = {
                f"s{i}": round(values[row, column], _DIGITS)
                for i, (_, values) in enumerate(series)
                if (row, column) in values
            }
            if numbers:
                found.append({"row": row, "column": column, **numbers})
    return found


def _matrix_places(
    rows: Sequence[str], columns: Sequence[str], titles: tuple[str, str]
) -> dict[str, Spec]:
    """Axes: rows down and columns across, in order."""
    bare = {"ticks": False, "domain": False, "labelAngle": 0}
    return {
        axis: channel(
            field,
            "nominal",
            sort=names,
            scale={"domain": list(names), "paddingInner": 0.04},
            title=title,
            **bare,
        )
        for axis, field, names, title in (
            ("y", "row", rows, titles[0]),
            ("x", "column", columns, titles[1]),
        )
    }


def _layers(
    places: dict[str, Spec], *, color: Spec, strong: str, is_written: bool, titles: tuple[str, str]
) -> list[Spec]:
    """Colored cells, and their numbers: light text on strong colors."""
    told = [
        {"field": field, "title": title}
        for field, title in (("row", titles[0]), ("column", titles[1]), ("value", "value"))
    ]
    layers = [marks("rect", {**places, "color": color, "tooltip": told})]
    if not is_written:
        return layers
    number = {"field": "value", "type": "quantitative", "format": ".2r"}
    for style, test in (("over", strong), ("", f"!({strong})")):
        drawn: Spec = {"fontSize": 11.5, "tooltip": None, **({"style": style} if style else {})}
        text = marks("text", {**places, "text": number}, **drawn)
        layers.append({"transform": [{"filter": test}], **text})
    return layers


_HEAD_ROW: Final = 18  # pixels of a layer
_ABOVE: Final = 26  # pixels of the panels' titles
_HEAD_DIGITS: Final = 4
#: Squares, no gradient: a gradient is painted from an address, which the page's policy forbids.
SQUARES: Final[Spec] = {
    "type": "symbol",
    "symbolType": "square",
    "symbolSize": 150,
    "symbolStrokeWidth": 0,
}
_LEGEND: Final[Spec] = {
    "title": None,
    "orient": "top",
    "offset": _ABOVE,
    **SQUARES,
    "tickCount": 5,
}


@dataclass(frozen=True, slots=True)
class MapPanel:
    """One map: its title and, by score, the value of each layer and head."""

    title: str
    values: Mapping[str, Mapping[HeadPlace, float]]


def heat_map(
    panels: Sequence[MapPanel],
    scores: Sequence[str],
    *,
    most: float | None = None,
    choice: str = "",
) -> Spec:
    """Heat map of the first score, or of the selected one if there are several.

    Parameters
    ----------
    panels
        From left to right.
    scores
        Names of the scores.
    most
        Largest distance from 0 for values of both signs: 0 is in the middle of the colors.
    choice
        Anchor of the element that holds the switch between scores.
    """
    cells_of = [place for p in panels for values in p.values.values() for place in values]
    size = max(layer for layer, _ in cells_of), max(head for _, head in cells_of)
    signal = choice.replace("-", "_")  # radio buttons of one name are one group of the page
    shown = f"datum[{signal}]" if choice else f"datum[{scores[0]!r}]"
    place = _head_places(len(panels), size)
    scale: dict[str, Any] = {"range": "heatmap", "domainMin": 0}
    legend = dict(_LEGEND)
    if most is not None:
        scale = {"range": "diverging", "domain": [-most, 0, most]}
        legend |= {"values": [-most, -most / 2, 0, most / 2, most], "format": ".2~f"}
    scale["interpolate"] = "lab"
    told = {
        "color": {"field": "value", "type": "quantitative", "scale": scale, "legend": legend},
        "tooltip": tooltip("map", "layer", "head", *scores),
    }
    cells = marks("rect", {**place, **told})
    best = _best(panels, scores, place=place, size=size)
    above = [
        {"column": at * (size[1] + 1) + (size[1] + 1) // 2, "map": panel.title}
        for at, panel in enumerate(panels)
    ]
    text = {"x": place["x"], "y": {"value": -6}, "text": {"field": "map"}}
    titles = marks("text", text, points=above, baseline="bottom", fontSize=12, fontWeight=600)
    if choice:
        best["transform"] = [{"filter": f"datum.score === {signal}"}]
    spec = view_of(
        _head_cells(panels, scores, size=size),
        height=_HEAD_ROW * size[0],
        transform=[{"calculate": shown, "as": "value"}],
        layer=[cells, best, titles],
    )
    if choice:
        spec["params"] = [radio(choice, {score: metric_words(score) for score in scores})]
    return spec


def _head_cells(
    panels: Sequence[MapPanel], scores: Sequence[str], *, size: tuple[int, int]
) -> list[dict[str, Any]]:
    """One row for each cell: its column in the whole drawing, and all its scores, rounded."""
    found = []
    for at, panel in enumerate(panels):
        for layer, head in next(iter(panel.values.values()), {}):
            column = at * (size[1] + 1) + head
            place = {"column": column, "map": panel.title, "layer": layer, "head": head}
            told = {score: panel.values.get(score, {}).get((layer, head)) for score in scores}
            known = {score: round(v, _HEAD_DIGITS) for score, v in told.items() if v is not None}
            found.append({**place, **known})
    return found


def _head_places(count: int, size: tuple[int, int]) -> dict[str, Spec]:
    """Axes: layers down, heads of one panel after the other across, with gaps between panels."""
    layers, heads = size
    period = heads + 1
    said = f"(datum.value - 1) % {period}"
    heads_of: Spec = {"labelExpr": f"{said} === {heads} ? '' : {said} + 1", "labelAngle": 0}
    x, y = (
        {"domain": list(range(1, end)), "paddingInner": 0.06}
        for end in (count * period, layers + 1)
    )
    bare: Spec = {"ticks": False, "domain": False}
    return {
        "x": channel("column", "ordinal", scale=x, title="head", **heads_of, **bare),
        "y": channel("layer", "ordinal", scale=y, title="layer", **bare),
    }


def _best(
    panels: Sequence[MapPanel],
    scores: Sequence[str],
    *,
    place: dict[str, Spec],
    size: tuple[int, int],
) -> Spec:
    """Frame around the cell with the largest value of each panel, by score."""
    values = [
        {"column": at * (size[1] + 1) + best[1], "layer": best[0], "score": score}
        for at, panel in enumerate(panels)
        for score in scores
        if (best := _largest(panel.values.get(score, {}))) is not None
    ]
    return marks("rect", place, points=values, filled=False, style="best")


def _largest(values: Mapping[HeadPlace, float]) -> HeadPlace | None:
    """Cell with the largest value, the first of equal ones; `None` if all are 0 or less."""
    place = max(values, key=lambda p: (values[p], [-n for n in p]), default=None)
    return place if place is not None and values[place] > 0 else None
