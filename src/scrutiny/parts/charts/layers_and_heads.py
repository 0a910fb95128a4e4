"""Heat maps by layer and head: panels side by side with one color scale."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from scrutiny.parts.charts.tables import Spec
from scrutiny.parts.charts.vega import channel, marks, radio, tooltip, view_of
from scrutiny.parts.run.estimates import HeadPlace
from scrutiny.parts.wording.labels import metric_words

_ROW: Final = 18  # pixels of a layer
_ABOVE: Final = 26  # pixels of the panels' titles
_DIGITS: Final = 4
#: Squares, no gradient: a gradient is painted from an address, which the page's policy forbids.
_LEGEND: Final[Spec] = {
    "title": None,
    "orient": "top",
    "offset": _ABOVE,
    "type": "symbol",
    "symbolType": "square",
    "symbolSize": 150,
    "symbolStrokeWidth": 0,
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
    size = _size(panels)
    signal = choice.replace("-", "_")  # radio buttons of one name are one group of the page
    shown = f"datum[{signal}]" if choice else f"datum[{scores[0]!r}]"
    place = _places(len(panels), size)
    told = {"color": _color(most), "tooltip": tooltip("map", "layer", "head", *scores)}
    cells = marks("rect", {**place, **told})
    best = _best(panels, scores, place=place, size=size)
    if choice:
        best["transform"] = [{"filter": f"datum.score === {signal}"}]
    spec = view_of(
        _cells(panels, scores, size=size),
        height=_ROW * size[0],
        transform=[{"calculate": shown, "as": "value"}],
        layer=[cells, best, _titles(panels, size, place)],
    )
    if choice:
        spec["params"] = [radio(choice, {score: metric_words(score) for score in scores})]
    return spec


def _size(panels: Sequence[MapPanel]) -> tuple[int, int]:
    """Number of layers, and of heads in a layer, that cover all cells."""
    places = [place for p in panels for values in p.values.values() for place in values]
    return max(layer for layer, _ in places), max(head for _, head in places)


def _cells(
    panels: Sequence[MapPanel], scores: Sequence[str], *, size: tuple[int, int]
) -> list[dict[str, Any]]:
    """One row for each cell: its column in the whole drawing, and all its scores."""
    return [
        {
            "column": at * (size[1] + 1) + head,
            "map": panel.title,
            "layer": layer,
            "head": head,
            **_scores_at(panel, scores, (layer, head)),
        }
        for at, panel in enumerate(panels)
        for layer, head in next(iter(panel.values.values()), {})
    ]


def _scores_at(panel: MapPanel, scores: Sequence[str], place: HeadPlace) -> dict[str, float]:
    """Rounded scores of a panel in a cell."""
    found = {score: panel.values.get(score, {}).get(place) for score in scores}
    return {score: round(value, _DIGITS) for score, value in found.items() if value is not None}


def _places(count: int, size: tuple[int, int]) -> dict[str, Spec]:
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


def _color(most: float | None) -> Spec:
    """Color scale: sequential from 0, or diverging if values have two signs."""
    scale: dict[str, Any] = {"range": "heatmap", "domainMin": 0}
    legend = dict(_LEGEND)
    if most is not None:
        scale = {"range": "diverging", "domain": [-most, 0, most]}
        legend |= {"values": [-most, -most / 2, 0, most / 2, most], "format": ".2~f"}
    scale["interpolate"] = "lab"
    return {"field": "value", "type": "quantitative", "scale": scale, "legend": legend}


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


def _titles(panels: Sequence[MapPanel], size: tuple[int, int], place: dict[str, Spec]) -> Spec:
    """Titles above the panels."""
    values = [
        {"column": at * (size[1] + 1) + (size[1] + 1) // 2, "map": panel.title}
        for at, panel in enumerate(panels)
    ]
    at = {"x": place["x"], "y": {"value": -6}, "text": {"field": "map"}}
    return marks("text", at, points=values, baseline="bottom", fontSize=12, fontWeight=600)
