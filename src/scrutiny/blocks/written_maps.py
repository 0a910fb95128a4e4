"""Maps of changes and scores: cells that say in words what their color says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from scrutiny.blocks.charts import Spec, channel, marks, radio, view_of
from scrutiny.blocks.heat_maps import SQUARES

_DIGITS: Final = 4
_ROW: Final = 27  # pixels
_LEVEL: Final = 72  # pixels of a column whose name has room
_NARROW: Final = 46  # pixels of a column that has no room for words
_SIGN: Final = 25  # pixels of a column that has room for a sign alone
_ABOVE: Final = (84, 144)  # least and most pixels of names that stand upright
_LETTER: Final = 6.2  # pixels of a letter of theirs
_SMALL: Final = 480  # pixels of a map beside which names of rows have room for a line
_LONG: Final = 24  # letters of a row's name that fill that room elsewhere
_LINE: Final = 14  # pixels of a line of its name


@dataclass(frozen=True, slots=True)
class WrittenCell:
    """A cell of a map with what is written in it: at length, and in few signs where it is narrow.

    ``value`` colors it; a cell without one has its words alone. Where there is room for one
    character only, ``sign`` stands there, or nothing: a part of a figure would be another one.
    """

    value: float | None
    words: str
    few: str
    is_strong: bool = False
    sign: str = ""


def written_map(
    series: Sequence[tuple[str, Mapping[tuple[str, str], WrittenCell]]],
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    told: Mapping[tuple[str, str], Mapping[str, str]],
    strongest: float,
    legend: str,
    choice: str,
) -> Spec:
    """Map whose cells say in words what their color says, of the first series or a selected one.

    It reads without its colors, which have one hue. Names may have several lines: where there is
    little room, the first of a column's stands upright, and the last of a row's tells it apart.

    Parameters
    ----------
    series
        Label, and cells by row and column.
    rows, columns
        Names, in order.
    told
        What is shown where the pointer rests on a cell, by row and column.
    strongest
        Value of the strongest color; the weakest is of 0 and less.
    legend
        What the color is of.
    choice
        Anchor of the element that holds the switch between series.
    """
    signal = choice.replace("-", "_")
    fields = dict.fromkeys(name for of in told.values() for name in of)
    data = []
    for row in rows:
        for column in columns:
            own: dict[str, Any] = {}
            for i, (_, written) in enumerate(series):
                if (cell := written.get((row, column))) is not None:
                    own |= {f"s{i}_words": cell.words, f"s{i}_few": cell.few}
                    own |= {f"s{i}_strong": True} if cell.is_strong else {}
                    own |= {f"s{i}_sign": cell.sign} if cell.sign else {}
                    if cell.value is not None:
                        own[f"s{i}"] = round(cell.value, _DIGITS)
            if own:
                data.append({"row": row, "column": column, **own, **told.get((row, column), {})})
    is_tiny, is_narrow, is_upright = (
        f"width < {least * len(columns)}" for least in (_SIGN, _NARROW, _LEVEL)
    )
    lines = "split(datum.label, '\\n')"
    bare = {"ticks": False, "domain": False, "title": None}
    lines_above = _LINE * max(name.count("\n") for name in columns)  # the first line is placed
    longest = max(len(name.partition("\n")[0]) for name in columns)
    above = min(_ABOVE[1], max(_ABOVE[0], round(_LETTER * longest)))
    upright = {
        "labelAngle": {"expr": f"{is_upright} ? -90 : 0"},
        "labelAlign": {"expr": f"{is_upright} ? 'left' : 'center'"},
        "labelBaseline": {"expr": f"{is_upright} ? 'middle' : 'bottom'"},
        "labelExpr": f"{is_upright} ? {lines}[0] : {lines}",
        "labelLineHeight": _LINE,
        "labelOverlap": False,
        "labelLimit": above,
        "minExtent": above,  # as no room is made for labels that are turned later
        "labelPadding": {"expr": f"{is_upright} ? 4 : {4 + lines_above}"},
        "orient": "top",
    }
    whole = f"join({lines}, ' ')"
    is_long = f"width < {_SMALL} && length({lines}) > 1 && length(datum.label) > {_LONG}"
    down = {"labelExpr": f"{is_long} ? '\N{HORIZONTAL ELLIPSIS} ' + {lines}[1] : {whole}"}
    places = {
        axis: channel(
            field,
            "nominal",
            sort=names,
            scale={"domain": list(names), "paddingInner": 0.04},
            **bare,
            **more,
        )
        for axis, field, names, more in (
            ("y", "row", rows, down),
            ("x", "column", columns, upright),
        )
    }
    steps = [strongest * i / 3 for i in range(4)]
    color: Spec = {
        "field": "shade",
        "type": "quantitative",
        "scale": {"range": "heatmap", "domain": [0, strongest], "interpolate": "lab"},
        "legend": {**SQUARES, "orient": "bottom", "title": legend, "values": steps, "format": "d"},
    }
    shown = [{"field": name, "title": name} for name in fields]
    cells = marks("rect", {**places, "color": color, "tooltip": shown})
    layers: list[Spec] = [{"transform": [{"filter": "isValid(datum.value)"}], **cells}]
    strong, bold = "datum.shade > 0.66 * " + f"{strongest:g}", "isValid(datum.strong)"
    for style, on in (("over", strong), ("", f"!({strong})")):
        for weight, is_bold in ((700, bold), (400, f"!{bold}")):
            drawn: Spec = {"fontSize": 11.5, "fontWeight": weight, "tooltip": None}
            drawn |= {"style": style} if style else {}
            text = marks("text", {**places, "text": {"field": "said"}}, **drawn)
            layers.append({"transform": [{"filter": f"({on}) && ({is_bold})"}], **text})
    return view_of(
        data,
        height=_ROW * len(rows),
        transform=[
            {"calculate": f"datum[{signal}]", "as": "value"},
            {"calculate": f"clamp(datum.value, 0, {strongest:g})", "as": "shade"},
            {"calculate": f"datum[{signal} + '_strong']", "as": "strong"},
            {
                "calculate": f"datum[{signal} + ({is_tiny} ? '_sign' : {is_narrow} ? '_few' : "
                "'_words')]",
                "as": "said",
            },
        ],
        layer=layers,
        params=[radio(choice, {f"s{i}": label for i, (label, _) in enumerate(series)})],
    )
