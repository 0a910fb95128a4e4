"""Matrices as color maps with their numbers."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from scrutiny.parts.charts.tables import Spec
from scrutiny.parts.charts.vega import channel, marks, radio, view_of

_ROW: Final = 34  # pixels
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
    found = [
        {"op": op, "field": "value", "as": name} for op, name in (("min", "least"), ("max", "most"))
    ]
    ends = [{"joinaggregate": found}] if domain is None else _stated(domain)
    places = _places(rows, columns, titles)
    if domain is not None:
        places["x"]["axis"]["labelExpr"] = "split(datum.label, ' ')"
    share = "min(1, (datum.value - datum.least) / (datum.most - datum.least))"
    spec = view_of(
        _cells(series, rows, columns),
        height=_ROW * len(rows),
        transform=[
            {"calculate": shown, "as": "value"},
            {"filter": "isValid(datum.value)"},
            *ends,
            {"calculate": f"datum.most > datum.least ? {share} : 1", "as": "strength"},
        ],
        layer=_layers(
            places,
            color={
                "field": "strength",
                "type": "quantitative",
                "scale": {"range": "heatmap", "domain": [0, 1], "interpolate": "lab"},
                "legend": None,
            },
            strong="datum.strength > 0.55",
            is_written=len(rows) <= _MOST_WRITTEN,
            titles=titles,
        ),
    )
    if choice:
        spec["params"] = [radio(choice, {f"s{i}": label for i, (label, _) in enumerate(series)})]
    return spec


def _stated(domain: tuple[float, float]) -> list[dict[str, Any]]:
    """Transforms that give every cell the stated ends of the colors."""
    ends = zip(domain, ("least", "most"), strict=True)
    return [{"calculate": f"{end}", "as": name} for end, name in ends]


def correlation_map(values: Values, names: Sequence[str]) -> Spec:
    """Map of correlations, from -1 to 1; columns have numbers as names."""
    numbered = {name: str(i) for i, name in enumerate(names, 1)}
    titles = ("measure", "with")
    rows = [f"{i} {name}" for name, i in numbered.items()]
    turned = {
        (f"{numbered[a]} {a}", numbered[b]): value for (a, b), value in values.items() if a != b
    }
    color = {
        "field": "value",
        "type": "quantitative",
        "scale": {"range": "diverging", "domain": [-1, 0, 1], "interpolate": "lab"},
        "legend": None,
    }
    columns = list(numbered.values())
    return view_of(
        _cells([("", turned)], rows, columns),
        height=(_ROW - 6) * len(rows),
        transform=[{"calculate": "datum.s0", "as": "value"}],
        layer=_layers(
            _places(rows, columns, titles),
            color=color,
            strong="abs(datum.value) > 0.6",
            is_written=len(rows) <= _MOST_WRITTEN + 4,
            titles=titles,
        ),
    )


def _cells(
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


def _places(
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
